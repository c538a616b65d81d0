package logs

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
	"gonum.org/v1/gonum/stat/distuv"
)

// Methods by which numbers are found.
const (
	Likelihood    = "likelihood"    // of errors of the laws that data.errors names
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
	if w.spec.Data.Kind != record.Panel {
		return w.unseenAgain()
	}
	if err := w.lawful(); err != nil {
		return err
	}
	t := w.linear()
	if t != nil {
		w.out.Linear = t.estimates()
		w.dark = t.dark(w.out.Linear)
	}
	want := w.o.Method
	if want == "" {
		want = w.usual(t)
	}
	w.out.Method = want
	if want == LeastSquares || want == Likelihood {
		return w.search()
	}
	switch {
	case w.rows.Weight != nil:
		return &MisfitError{"--method " + want, "it knows no weights, which data.weight gives; want " + LeastSquares}
	case t == nil:
		return &MisfitError{"--method " + want, "the model is not linear in its unknowns with a single state, so that there is no such estimate; want " + LeastSquares}
	}
	return w.take(t, want)
}

// usual is the method that a spec asks for.
func (w *work) usual(t *linear) string {
	switch {
	case w.laws != nil:
		return Likelihood
	case t == nil || w.spec.Data.Drawn() || !w.inside(t, TwoStage) && !w.inside(t, Within):
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

// asked is what a search is asked: formulas, rows and how.
func (w *work) asked() (*formula.Regressor, fit.Log, fit.Options) {
	f, rows := w.f, w.rows
	o := fit.Options{Starts: w.o.Starts, Repeats: w.o.Bootstrap, Seed: w.o.Seed, Workers: w.o.Workers, Times: w.ofTimes(), Laws: w.laws}
	if w.unseen != nil {
		if f, o.Unseen = w.unseen, fit.Fixed; w.spec.Data.Drawn() {
			o.Unseen, o.Origin = fit.Random, true
		}
		rows.Beside = w.withoutTraits()
	}
	return f, rows, o
}

// search fits by descent from many starts.
func (w *work) search() error {
	f, rows, o := w.asked()
	if people := len(w.log.People) - w.pairs.Alone; w.unseen == nil && people <= len(w.unknowns) {
		rows.Person = make([]int, len(w.turn))
		for i := range rows.Person {
			rows.Person[i] = i
		}
		w.byRows(people)
	}
	found, err := fit.Find(w.ctx, f, rows, w.unknowns, o)
	if err != nil {
		return w.inRow(err, lists.Of(w.pairs.After, func(row int) int { return w.log.Line[row] }))
	}
	w.keep(found)
	w.sayLaws(found)
	w.followSearch(f, rows, found, o)
	if err := w.write(found); err != nil {
		return err
	}
	if err := w.believed(f, rows, found, o); err != nil {
		return err
	}
	if w.untold(); !w.out.Told() {
		w.out.Cov, w.out.Draws = nil, nil
	}
	return nil
}

// believed finds the numbers of which the log tells nothing and the prior all: they are the prior as it was written, with a note.
func (w *work) believed(f *formula.Regressor, rows fit.Log, with *fit.Fitted, o fit.Options) error {
	free, has := slices.Clone(w.unknowns), false
	for j := range free {
		has = has || free[j].Deviation > 0
		free[j].Deviation, free[j].Start = 0, min(max(with.Value[j], free[j].Lower), free[j].Upper)
	}
	if !has {
		return nil
	}
	o.Repeats, o.Starts = 0, 0
	alone, err := fit.Find(w.ctx, f, rows, free, o)
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if err != nil {
		w.out.Warn = append(w.out.Warn, "Without priors there is no estimate: what is found rests on them.")
		return nil
	}
	var names []string
	for j, u := range w.unknowns {
		if e := alone.Error[j]; u.Deviation == 0 || !math.IsInf(e, 1) && !math.IsNaN(e) && !slices.Contains(w.dark, u.Name) {
			continue
		}
		names = append(names, u.Name)
		t := float64(1.96 * u.Deviation)
		w.out.Found[j] = Inferred{Name: u.Name, Value: Amount(u.Mean), Error: Amount(u.Deviation), Low: Amount(max(u.Lower, u.Mean-t)), High: Amount(min(u.Upper, u.Mean+t)), Note: "the prior alone"}
		for i := range w.out.Cov {
			w.out.Cov[i][j], w.out.Cov[j][i] = 0, 0
		}
		if w.out.Cov != nil {
			w.out.Cov[j][j] = float64(u.Deviation * u.Deviation)
		}
	}
	if names != nil {
		w.out.Warn = append(w.out.Warn, w.why("Of "+phrase.Enumerate(names)+" the log says nothing, and what stands there is the prior alone: no prediction depends on it")+".")
	}
	return nil
}

// withoutTraits is what stands beside states but for the trait.
func (w *work) withoutTraits() []float64 {
	own, out := w.own(), make([]float64, 0, len(w.turn)*w.unseen.Beside)
	for i := range w.turn {
		out = append(out, w.rows.Beside[i*w.f.Beside+own:(i+1)*w.f.Beside]...)
	}
	return out
}

// keep takes what was found of people and times.
func (w *work) keep(f *fit.Fitted) {
	c := &w.out.crowd
	w.out.Apart = w.out.Apart || f.Apart
	if f.Traits != nil {
		c.own = w.spread(f.Traits, w.own())
	}
	if m := w.f.States; len(f.Shifts) >= m && w.ofTimes() {
		c.season, c.seasons = f.Shifts[len(f.Shifts)-m:], map[int][]float64{}
		for i, turn := range slices.Compact(slices.Sorted(slices.Values(w.turn))) {
			if c.seasons[turn] = make([]float64, m); i > 0 && i*m <= len(f.Shifts) {
				copy(c.seasons[turn], f.Shifts[(i-1)*m:])
			}
		}
	}
	if f.TraitMean != nil {
		w.out.Law = &TraitLaw{Mean: f.TraitMean, Cov: f.TraitCov}
	}
	w.out.Notes = append(w.out.Notes, f.Words...)
}

// spread gives people whom nothing tells of the mean trait of the others, who are numbered as they come.
func (w *work) spread(traits []float64, width int) []float64 {
	out, mean := make([]float64, len(w.log.People)*width), make([]float64, width)
	seen, next := make([]bool, len(w.log.People)), 0
	for _, p := range w.rows.Person {
		if seen[p] {
			continue
		}
		seen[p] = true
		copy(out[p*width:(p+1)*width], traits[next*width:])
		next++
	}
	for i, v := range traits {
		mean[i%width] += v / float64(next)
	}
	for p, known := range seen {
		if !known {
			copy(out[p*width:], mean)
		}
	}
	return out
}

// write writes what was found down.
func (w *work) write(f *fit.Fitted) error {
	out := w.out
	out.Fitted, out.Failed = f, f.Failed
	out.Spread = map[string]Amount{}
	for i, s := range f.Spread {
		out.Spread[w.log.States.Names[i]] = Amount(s)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(max(1, f.People-1))}.Quantile(0.975)
	w.found(f, "at its bound", func(j int) (low, high float64) {
		off := float64(t * f.Error[j])
		return max(f.Value[j]-off, w.unknowns[j].Lower), min(f.Value[j]+off, w.unknowns[j].Upper)
	})
	w.byRepeats(f)
	return w.nearBounds(f)
}

// nearBounds takes the intervals of numbers that their range cuts off from the profile of the loss: where the log is likely enough, all else following.
func (w *work) nearBounds(f *fit.Fitted) error {
	for j, u := range w.unknowns {
		one := &w.out.Found[j]
		cut := f.Held[j] || float64(one.Low) <= u.Lower || float64(one.High) >= u.Upper
		if !one.Value.Known() || !cut || !w.out.Told() {
			continue
		}
		ends, err := f.Interval(w.ctx, j, 0.95)
		if err != nil {
			return err
		}
		switch ends.By {
		case fit.ByProfile:
			one.Low, one.High, one.Note = Amount(ends.Lower), Amount(ends.Upper), "near its bound: the interval is by profile"
			if f.Held[j] {
				one.Note = "at its bound: the interval is by profile"
				w.out.Warn = append(w.out.Warn, fmt.Sprintf("%s is at its bound, and so it is in all draws: decisions over draws carry no doubt about it.", u.Name))
			}
		case fit.ByNothing:
			one.Low, one.High = unknown(), unknown()
		}
	}
	return nil
}

// byRepeats takes intervals from the bootstrap.
func (w *work) byRepeats(f *fit.Fitted) {
	k := len(w.unknowns)
	if n := len(f.Draws) / k; n < 20 {
		return
	}
	for row := range slices.Chunk(f.Draws, k) {
		w.out.Draws = append(w.out.Draws, row)
	}
	w.byDraws()
}
