package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// Manner is how states are forecast.
type Manner int

// Model is the model, fitted on what was before; the others are what it has to be better than.
const (
	Model  Manner = iota
	Last          // the last state stays
	Usual         // a person's mean state before
	Static        // least squares of next states on what stands beside, without the state before
	ways
)

func (w Manner) String() string {
	return [...]string{"the model", "no change: the last state stays", "the usual: a person's mean before", "a static regression"}[w]
}

// StepsAhead is how forecasts so many steps ahead were.
type StepsAhead struct {
	Steps, Forecasts int
	Error            [ways][]float64 // roots of mean squares, by entry of the state
	Gain             [ways]float64   // how much smaller the model's square is than that of a way, summed over entries in units of the last state's; above 0: the model is better
	GainError        [ways]float64   // its standard error, forecasts of one person going together; of few people at least that of independent ones
}

// Rolled are forecasts from many dates.
type Rolled struct {
	Horizons []StepsAhead
	Origins  []int // times that were forecast from
	Skipped  int   // dates before which the log did not say enough
}

// Rolling says which forecasts are made.
type Rolling struct {
	Steps   int // as far ahead
	Origins int // from so many of the newest dates from which as many steps are seen; 0: all of them
}

// Roll forecasts from one date after the other: fitted on what was seen until then, states go ahead under the decisions and columns that were. A row of
// time t is seen at t+1, times follow each other by one, and people without a row in between are forecast no further.
func Roll(ctx context.Context, f *formula.Regressor, l fit.Log, unknowns []fit.Unknown, o fit.Options, plan Rolling) (*Rolled, error) {
	order, err := check(f, l)
	if err != nil {
		return nil, err
	}
	if o.Times || plan.Steps < 1 || plan.Steps > 1000 || plan.Origins < 0 {
		return nil, &fit.InputError{Row: -1, What: fmt.Sprintf("forecasts of %d steps from %d dates, shifts of times %v: want 1 to 1000 steps, and no shifts of times that are not known beforehand", plan.Steps, plan.Origins, o.Times)}
	}
	o.Repeats = 0
	r := &roll{f: f, l: l, order: order, steps: plan.Steps, squares: make([]tally, plan.Steps)}
	r.people, r.group = l.People()
	out := &Rolled{}
	for _, t := range r.dates(plan) {
		var before []int
		for i, at := range l.Time {
			if at < t {
				before = append(before, i)
			}
		}
		past := l.Part(f, before)
		fitted, err := fit.Find(ctx, f, past, unknowns, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || len(fitted.Blind) > 0 {
			out.Skipped++
			continue
		}
		out.Origins = append(out.Origins, t)
		r.from(t, past, fitted)
	}
	for h := range r.squares {
		out.Horizons = append(out.Horizons, r.squares[h].horizon(h+1, f.States))
	}
	return out, nil
}

// roll is what one Roll knows.
type roll struct {
	f       *formula.Regressor
	l       fit.Log
	order   []int
	people  int
	group   []int // of rows, whose they are
	steps   int
	squares []tally
}

// dates are those to forecast from.
func (r *roll) dates(plan Rolling) []int {
	all := slices.Compact(slices.Sorted(slices.Values(r.l.Time)))
	newest := all[len(all)-1]
	all = slices.DeleteFunc(all[1:], func(t int) bool { return t+plan.Steps-1 > newest })
	if plan.Origins > 0 && len(all) > plan.Origins {
		all = all[len(all)-plan.Origins:]
	}
	return all
}

// from forecasts everybody who is seen at a date and was seen before.
func (r *roll) from(t int, past fit.Log, fitted *fit.Fitted) {
	m, f := r.f.States, r.f
	_, group := past.People()
	number := map[int]int{} // of people, in the fit
	for i, who := range group {
		number[past.Person[i]] = who
	}
	usual, static := usualOf(past, m), newStatic(f, past)
	row, guess := make([]float64, f.Width()), make([]float64, m)
	for k, first := range r.order {
		who, known := number[r.l.Person[first]]
		if r.l.Time[first] != t || !known {
			continue
		}
		var trait []float64
		if f.Traits > 0 {
			trait = fitted.Traits[who*f.Traits : (who+1)*f.Traits]
		}
		copy(guess, r.l.States[first*m:(first+1)*m])
		last := slices.Clone(guess)
		for h := range r.steps {
			if k+h >= len(r.order) {
				break
			}
			i := r.order[k+h]
			if r.l.Person[i] != r.l.Person[first] || r.l.Time[i] != t+h {
				break
			}
			beside := r.l.Beside[i*f.Beside : (i+1)*f.Beside]
			f.RowsOf(row, guess, fitted.Value, trait, beside)
			copy(guess, row[:m])
			r.squares[h].add(r.group[first], r.people, r.l.After[i*m:(i+1)*m], [ways][]float64{guess, last, usual[who], static.at(beside)})
		}
	}
}

// usualOf are mean states after, by person.
func usualOf(l fit.Log, m int) [][]float64 {
	people, group := l.People()
	out, count := make([][]float64, people), make([]float64, people)
	for i, g := range group {
		if out[g] == nil {
			out[g] = make([]float64, m)
		}
		count[g]++
		for e := range m {
			out[g][e] += (l.After[i*m+e] - out[g][e]) / count[g]
		}
	}
	return out
}

// static is least squares on a constant and what stands beside.
type static struct{ coefficients *mat.Dense }

func newStatic(f *formula.Regressor, l fit.Log) static {
	n, b, m := len(l.Person), f.Beside, f.States
	x, y := mat.NewDense(n, b+1, nil), mat.NewDense(n, m, l.After)
	for i := range n {
		x.Set(i, 0, 1)
		for j := range b {
			x.Set(i, j+1, l.Beside[i*b+j])
		}
	}
	out := static{mat.NewDense(b+1, m, nil)}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return out
	}
	rank := 0
	for _, v := range svd.Values(nil) {
		if v > 1e-10*svd.Values(nil)[0] {
			rank++
		}
	}
	if rank > 0 {
		svd.SolveTo(out.coefficients, y, rank)
	}
	return out
}

func (s static) at(beside []float64) []float64 {
	_, m := s.coefficients.Dims()
	out := make([]float64, m)
	for e := range out {
		out[e] = s.coefficients.At(0, e)
		for j, v := range beside {
			out[e] += float64(s.coefficients.At(j+1, e) * v)
		}
	}
	return out
}

// tally are squares of errors, by person.
type tally struct {
	count  float64
	each   []float64         // forecasts of people
	square [ways][]float64   // by person and entry
	alone  [][ways][]float64 // by entry, of every forecast, where people are few
}

// few is how many people are so few that errors which go together within a person are known badly: those of one person cancel.
const few = 20

func (t *tally) add(who, people int, seen []float64, guesses [ways][]float64) {
	m := len(seen)
	if t.each == nil {
		t.each = make([]float64, people)
		for w := range t.square {
			t.square[w] = make([]float64, people*m)
		}
	}
	t.count++
	t.each[who]++
	var alone [ways][]float64
	for w, guess := range guesses {
		for e, v := range seen {
			square := float64((v - guess[e]) * (v - guess[e]))
			t.square[w][who*m+e] += square
			alone[w] = append(alone[w], square)
		}
	}
	if people < few {
		t.alone = append(t.alone, alone)
	}
}

// apart is the sum of squares by which gains differ from their mean, were forecasts independent.
func (t *tally) apart(h *StepsAhead, w int) (sum float64) {
	for _, one := range t.alone {
		off := -h.Gain[w]
		for e, unit := range h.Error[Last] {
			if unit > 0 {
				off += (one[w][e] - one[Model][e]) / unit / unit
			}
		}
		sum += float64(off * off)
	}
	return sum
}

// horizon sums up.
func (t *tally) horizon(steps, m int) StepsAhead {
	h := StepsAhead{Steps: steps, Forecasts: int(t.count)}
	for w := range h.Error {
		h.Error[w] = make([]float64, m)
		for e := range m {
			for who := range t.each {
				h.Error[w][e] += t.square[w][who*m+e]
			}
			h.Error[w][e] = math.Sqrt(h.Error[w][e] / t.count)
		}
	}
	for w := range h.Gain {
		one := make([]float64, len(t.each))
		for who := range t.each {
			for e := range m {
				if unit := h.Error[Last][e]; unit > 0 {
					one[who] += (t.square[w][who*m+e] - t.square[Model][who*m+e]) / unit / unit
				}
			}
			h.Gain[w] += one[who] / t.count
		}
		var sum float64
		for who, v := range one {
			off := v - float64(h.Gain[w]*t.each[who])
			sum += float64(off * off)
		}
		h.GainError[w] = math.Sqrt(max(sum, t.apart(&h, w))) / t.count
	}
	return h
}
