package logs

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/record"
	"gonum.org/v1/gonum/mat"
)

// Foreseen is what was seen beside what the model says a turn ahead, of every pair of rows.
type Foreseen struct {
	Person, Turn []int // of the later row
	Seen, Said   []float64
	Entries      int // of the state

	season map[int][]float64 // what times have of their own
}

// predict says what the model predicts a turn ahead, of people as they were found and with what times have of their own.
func (w *work) predict() error {
	if len(w.out.Blind) > 0 || w.spec.Data.Kind != record.Panel {
		return nil
	}
	m, wide := w.f.States, w.f.Beside
	own, theta := w.own(), w.out.values()
	a := &Foreseen{Person: w.rows.Person, Turn: w.turn, Seen: w.rows.After, Said: make([]float64, len(w.rows.After)), Entries: m}
	room := make([]float64, w.f.Width())
	for i, p := range a.Person {
		beside := w.rows.Beside[i*wide : (i+1)*wide]
		if w.ofPeople() && len(w.out.crowd.own) > 0 {
			beside = slices.Clone(beside)
			copy(beside, w.out.crowd.of(p, own))
		}
		w.f.Rows(room, w.rows.States[i*m:(i+1)*m], theta, beside)
		copy(a.Said[i*m:], room[:m])
	}
	if w.ofTimes() {
		a.shift(w.rows.Weight)
	}
	if rows.Finite(a.Said) {
		w.out.Ahead = a
	}
	return nil
}

// shift adds to all that is said of a time what is missing on average.
func (a *Foreseen) shift(weight []float64) {
	sum, count := map[int][]float64{}, map[int]float64{}
	for i, t := range a.Turn {
		by := 1.0
		if weight != nil {
			by = weight[i]
		}
		if sum[t] == nil {
			sum[t] = make([]float64, a.Entries)
		}
		count[t] += by
		for e := range a.Entries {
			at := i*a.Entries + e
			sum[t][e] += float64(by * (a.Seen[at] - a.Said[at]))
		}
	}
	for t, n := range count {
		for e := range sum[t] {
			sum[t][e] /= max(n, math.SmallestNonzeroFloat64)
		}
	}
	for i, t := range a.Turn {
		for e := range a.Entries {
			a.Said[i*a.Entries+e] += sum[t][e]
		}
	}
	a.season = sum
}

// mostTurns and leastTurns are how long a path is followed: until little is left of the way.
const (
	mostTurns  = 60
	leastTurns = 6
	left       = 0.03
)

// paths follow a decision that is higher by one from then on, on average over people, with intervals over the draws.
func (w *work) paths(asked several, value []float64) {
	a := w.out.Answer
	turns := leastTurns
	if half := float64(a.HalfLife.Value); a.Settles && half > 0 {
		turns = min(max(int(math.Ceil(half*portable.Log(left)/-math.Ln2)), leastTurns), mostTurns)
	}
	here := asked.follow(value, turns)
	if here == nil {
		return
	}
	all := w.underDraws(func(theta []float64) []float64 { return asked.follow(theta, turns) })
	for k := range a.Entries {
		for h := range turns + 1 {
			at := h*len(a.Entries) + k
			a.Entries[k].Path = append(a.Entries[k].Path, drawnAs("", here[at], column(all, at)))
		}
	}
}

// follow are the mean changes of all entries of the state by those of the decision, turn by turn; nil where nobody can be asked.
func (s several) follow(theta []float64, turns int) []float64 {
	var sum []float64
	asked := 0.0
	for _, p := range s {
		stays, once := p.slopes(theta)
		if hasHole(stays) || hasHole(once) {
			continue
		}
		m, nu := once.Dims()
		if asked++; sum == nil {
			sum = make([]float64, (turns+1)*m*nu)
		}
		at := mat.NewDense(m, nu, nil)
		for h := 1; h <= turns; h++ {
			next := mat.NewDense(m, nu, nil)
			next.Mul(stays, at)
			next.Add(next, once)
			at = next
			for i, v := range at.RawMatrix().Data {
				sum[h*m*nu+i] += v
			}
		}
	}
	for i := range sum {
		sum[i] /= asked
	}
	return sum
}

// slopes are what is left of a change of the state a turn later, and what a change of the decision does at once.
func (p person) slopes(theta []float64) (stays, once *mat.Dense) {
	f := p.w.f
	m, nu := f.States, len(p.w.log.Decision.Names)
	room := make([]float64, f.Width())
	slope := func(x []float64, j int) []float64 {
		at, h := x[j], float64(1e-5*(1+math.Abs(x[j])))
		var ends [2][]float64
		for side := range ends {
			x[j] = at + float64(h*float64(1-2*side))
			f.Rows(room, p.state, theta, p.beside)
			ends[side] = slices.Clone(room[:m])
		}
		x[j] = at
		for i := range ends[0] {
			ends[0][i] = (ends[0][i] - ends[1][i]) / (2 * h)
		}
		return ends[0]
	}
	stays, once = mat.NewDense(m, m, nil), mat.NewDense(m, nu, nil)
	for j := range m {
		stays.SetCol(j, slope(p.state, j))
	}
	for j := range nu {
		once.SetCol(j, slope(p.beside, p.first+j))
	}
	return stays, once
}

func hasHole(m *mat.Dense) bool { return !rows.Finite(m.RawMatrix().Data) }
