package logs

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
	"gonum.org/v1/gonum/stat/distuv"
)

// Methods by which numbers are found.
const (
	LeastSquares  = "least-squares" // of what the model predicts a step ahead
	Pooled        = "ols"
	Within        = "within"
	SplitPanel    = "jackknife"
	ArellanoBond  = "arellano-bond"
	TwoStage      = "2sls"
	predictsAhead = "least squares of what the model predicts a step ahead"
)

// estimate finds the numbers: by the linear table where effects or instruments want it, else by a search.
func (w *work) estimate() error {
	t := w.linear()
	if t != nil {
		w.out.Linear = t.estimates()
	}
	want := w.o.Method
	if want == "" {
		want = w.usual(t)
	}
	w.out.Method = want
	if want == LeastSquares {
		return w.search()
	}
	if t == nil {
		return &MisfitError{"--method " + want, "the model is not linear in its unknowns with a single state, so that there is no such estimate; want " + LeastSquares}
	}
	return w.take(t, want)
}

// usual is the method that a spec asks for.
func (w *work) usual(t *linear) string {
	switch {
	case t == nil || !w.inside(t, TwoStage) && !w.inside(t, Within):
		return LeastSquares
	case len(t.instruments) > 0:
		return TwoStage
	case w.spec.Data.Effects != record.NoEffects:
		return Within
	}
	return LeastSquares
}

// inside tells whether an estimate is there and keeps all bounds and priors out of it.
func (w *work) inside(t *linear, method string) bool {
	i := slices.IndexFunc(w.out.Linear, func(l Linear) bool { return l.Method == method && l.Fault == "" })
	if i < 0 {
		return false
	}
	for j, c := range t.columns {
		u := w.unknowns[c]
		if v := w.out.Linear[i].Values[j].Value; float64(v) < u.Lower || float64(v) > u.Upper || u.Deviation > 0 {
			return false
		}
	}
	return true
}

// search fits by descent from many starts.
func (w *work) search() error {
	if w.spec.Data.Effects != record.NoEffects {
		return &MisfitError{"data.effects", w.spec.Data.Effects + " is found for models that are linear in their unknowns with a single state only; want none, and traits by data.traits"}
	}
	f, err := fit.Find(w.ctx, w.f, w.rows, w.unknowns, fit.Options{Starts: w.o.Starts, Repeats: w.o.Bootstrap, Seed: w.o.Seed, Workers: w.o.Workers})
	if err != nil {
		return err
	}
	out := w.out
	out.Fitted, out.Tried, out.Agreed, out.Failed = f, f.Tried, f.Agreed, f.Failed
	out.Spread = map[string]Amount{}
	for i, s := range f.Spread {
		out.Spread[w.log.States.Names[i]] = Amount(s)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(max(1, f.People-1))}.Quantile(0.975)
	for j, u := range w.unknowns {
		one := Inferred{Name: u.Name, Value: Amount(f.Value[j]), Error: Amount(f.Error[j]), Low: Amount(f.Value[j] - float64(t*f.Error[j])), High: Amount(f.Value[j] + float64(t*f.Error[j]))}
		one.Low, one.High = Amount(max(float64(one.Low), u.Lower)), Amount(min(float64(one.High), u.Upper))
		switch {
		case math.IsInf(f.Error[j], 1) || math.IsNaN(f.Error[j]):
			one = Inferred{Name: u.Name, Value: unknown(), Error: unknown(), Low: unknown(), High: unknown(), Note: "cannot be told"}
		case f.Held[j]:
			one.Error, one.Low, one.High, one.Note = unknown(), unknown(), unknown(), "at its bound, where errors by derivatives say nothing"
		}
		out.Found = append(out.Found, one)
	}
	for _, b := range f.Blind {
		out.Blind = append(out.Blind, w.why(b))
	}
	k := len(w.unknowns)
	if len(f.Blind) == 0 {
		for i := range k {
			out.Cov = append(out.Cov, f.Cov[i*k:(i+1)*k])
		}
	}
	return w.byRepeats(f)
}

// byRepeats takes intervals from the bootstrap.
func (w *work) byRepeats(f *fit.Fitted) error {
	k := len(w.unknowns)
	if n := len(f.Draws) / k; n < 20 {
		return nil
	}
	for row := range slices.Chunk(f.Draws, k) {
		w.out.Draws = append(w.out.Draws, row)
	}
	for j := range w.out.Found {
		if !w.out.Found[j].Value.Known() {
			continue
		}
		column := make([]float64, len(w.out.Draws))
		for i, row := range w.out.Draws {
			column[i] = row[j]
		}
		slices.Sort(column)
		w.out.Found[j].Low, w.out.Found[j].High = Amount(quantile(column, 0.025)), Amount(quantile(column, 0.975))
		w.out.Found[j].Note = ""
	}
	w.out.DrawOf = fmt.Sprintf("%s of the bootstrap by person", phrase.Count(len(w.out.Draws), "repeat"))
	w.out.Notes = append(w.out.Notes, "Intervals are those of the bootstrap by person.")
	return nil
}

// quantile is of sorted numbers.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low]))
}

// why says in words what a log does not tell, and what always moved together.
func (w *work) why(b fit.Blindness) string {
	return b.String()
}
