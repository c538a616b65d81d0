package logs

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/record"
)

// take makes an estimate of the linear table the answer.
func (w *work) take(t *linear, method string) error {
	i := slices.IndexFunc(w.out.Linear, func(l Linear) bool { return l.Method == method })
	if i < 0 {
		return &MisfitError{"--method " + method, "there is no such estimate of this model and log"}
	}
	l := w.out.Linear[i]
	if l.Fault != "" {
		return &MisfitError{l.Title, l.Fault}
	}
	k := len(w.unknowns)
	w.out.Found, w.out.Tried, w.out.Agreed = make([]Inferred, k), 1, 1
	w.out.Cov = make([][]float64, k)
	for j := range w.out.Cov {
		w.out.Cov[j] = make([]float64, k)
	}
	for a, j := range t.columns {
		w.out.Found[j] = l.Values[a]
		for b, m := range t.columns {
			w.out.Cov[j][m] = l.of.Cov.At(a, b)
		}
		if u := w.unknowns[j]; float64(l.Values[a].Value) < u.Lower || float64(l.Values[a].Value) > u.Upper {
			w.out.Found[j].Note = "outside of its range"
			w.out.Warn = append(w.out.Warn, fmt.Sprintf("%s is outside of its range by this method, which knows no bounds.", u.Name))
		}
	}
	if l.of.ByRows {
		w.byRows(l.of.Units)
	}
	w.out.Spread = map[string]Amount{w.log.States.Names[0]: Amount(l.of.Sigma)}
	if err := w.again(t, method); err != nil {
		return err
	}
	w.constants(t)
	w.out.crowd = t.crowd(l.of.Value)
	if w.ofPeople() || w.ofTimes() {
		w.out.crowd.follow(w, t)
	}
	w.out.crowd.anew = func(theta []float64) crowd {
		value := make([]float64, len(t.columns))
		for a, j := range t.columns {
			value[a] = theta[j]
		}
		return t.crowd(value)
	}
	return nil
}

// crowd is what people and times have of their own under some numbers.
func (t *linear) crowd(value []float64) (out crowd) {
	w := t.w
	if !w.ofPeople() && !w.ofTimes() {
		return out
	}
	own, season := w.parts(t.rest(value))
	if w.ofPeople() {
		out.own = own
	}
	if w.ofTimes() {
		last := slices.Max(w.turn)
		out.season, out.seasons = []float64{season[last]}, make(map[int][]float64, len(season))
		for turn, v := range season {
			out.seasons[turn] = []float64{v}
		}
	}
	return out
}

// follow finds how what was found of people and times goes with the columns of a linear model.
func (c *crowd) follow(w *work, t *linear) {
	last := slices.Max(w.turn)
	c.ownBy, c.seasonBy = make([][]float64, len(w.unknowns)), make([][]float64, len(w.unknowns))
	for a, j := range t.columns {
		less := make([]float64, len(t.table.Y))
		for i, v := range t.table.X[a] {
			less[i] = -v
		}
		own, season := w.parts(less)
		c.ownBy[j], c.seasonBy[j] = means(own, 1), []float64{season[last]}
	}
	c.trim()
}

// rest is what the columns of a table leave of the next state.
func (t *linear) rest(value []float64) []float64 {
	rest := slices.Clone(t.table.Y)
	for j, x := range t.table.X {
		rows.AddScaled(rest, -value[j], x)
	}
	return rest
}

// constants finds the unknowns that are added to all: one from the mean, none where effects take their part, or where there are several.
func (w *work) constants(t *linear) {
	var names []string
	for _, j := range t.constants {
		names = append(names, w.unknowns[j].Name)
		w.out.Found[j] = Inferred{Name: w.unknowns[j].Name, Value: unknown(), Error: unknown(), Low: unknown(), High: unknown(), Note: "cannot be told"}
	}
	if names == nil {
		return
	}
	why := ": effects take its part"
	if w.spec.Data.Effects == record.NoEffects {
		why = " by this method, which takes a constant out; want " + LeastSquares
	}
	w.out.Blind, w.out.Cov = append(w.out.Blind, phrase.Enumerate(names)+" cannot be told"+why), nil
}

// parts splits what is left into what people and what times have of their own; people whom nothing tells of have the mean of the others.
func (w *work) parts(rest []float64) (own []float64, season map[int]float64) {
	own, season = make([]float64, len(w.log.People)), map[int]float64{}
	count, turns := make([]float64, len(own)), map[int]float64{}
	for i, p := range w.rows.Person {
		count[p]++
		turns[w.turn[i]]++
	}
	for range 500 {
		sums, at := make([]float64, len(own)), map[int]float64{}
		for i, p := range w.rows.Person {
			sums[p] += (rest[i] - season[w.turn[i]]) / count[p]
		}
		change := 0.0
		for p, v := range sums {
			if w.ofPeople() {
				change = max(change, v-own[p], own[p]-v)
				own[p] = v
			}
		}
		if w.ofTimes() {
			for i, p := range w.rows.Person {
				at[w.turn[i]] += (rest[i] - own[p]) / turns[w.turn[i]]
			}
			season = at
		}
		if change < 1e-13 {
			break
		}
	}
	mean, n := 0.0, 0.0
	for p, c := range count {
		if c > 0 {
			mean, n = mean+own[p], n+1
		}
	}
	for p, c := range count {
		if c == 0 {
			own[p] = mean / n
		}
	}
	return own, season
}
