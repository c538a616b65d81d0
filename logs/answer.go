package logs

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// Response is how people as the log leaves them answer decisions on average, at once and settled, and how long that takes.
type Response struct {
	HalfLife Inferred `json:"half_life"` // turns until half of the way is gone
	Entries  []Reply  `json:"entries,omitempty"`
	Settles  bool     `json:"settles"`
	People   int      `json:"people"` // of whom it was worked out
}

// Reply is how an entry of the state answers an entry of the decision.
type Reply struct {
	State    string   `json:"state"`
	Decision string   `json:"decision"`
	Once     Inferred `json:"at_once"`
	Settled  Inferred `json:"settled"`

	Path []Inferred `json:"-"` // after so many turns of a decision that is higher by one, from 0 on
}

// judge says what a reader must know before trusting the numbers.
func (w *work) judge() error {
	out := w.out
	if w.spec.Data.Kind != record.Panel {
		return nil
	}
	if people := out.People - w.pairs.Alone; people < 20 {
		out.Warn = append(out.Warn, fmt.Sprintf("Errors rest on %s: with fewer than 20 they are too small more often than not.", phrase.People(people)))
	}
	w.lone()
	w.alikeForAll()
	w.before()
	w.exact()
	if len(w.log.Instruments.Names) == 0 {
		out.Warn = append(out.Warn, "Decisions that were set because of demand move with what people would have done anyway, and the answer to them is then wrong, however small its error: give data.instruments, or be sure that they were not.")
	} else if out.Method == LeastSquares || out.Method == Likelihood {
		out.Warn = append(out.Warn, "data.instruments take no part in this answer; they are used where the model is linear in its unknowns with a single state.")
	}
	if slices.Contains(w.source.Beside, clock) {
		out.Warn = append(out.Warn, "The formulas use the time t, which the log counts from its first turn and a run from 0.")
	}
	if out.Agreed < out.Tried {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d starts came to this minimum, others to worse ones or to none.", out.Agreed, out.Tried))
	}
	return nil
}

// drawn is how many draws are made of a covariance.
const drawn = 400

// draw draws unknowns from their covariance where there was no bootstrap, within their ranges.
func (w *work) draw() error {
	out := w.out
	if len(out.Blind) > 0 {
		out.Draws, out.DrawOf = nil, ""
		return nil
	}
	if out.Draws != nil {
		return nil
	}
	root, ok := root(out.Cov)
	if !ok {
		out.Warn = append(out.Warn, "The covariance of the numbers could not be drawn from.")
		return nil
	}
	s := stream.New(w.o.Seed, "fit", "draws")
	k := len(w.unknowns)
	for range drawn {
		z, row := make([]float64, k), make([]float64, k)
		for j := range z {
			z[j] = s.Normal()
		}
		for j, u := range w.unknowns {
			row[j] = float64(out.Found[j].Value)
			for i, v := range z {
				row[j] += float64(root.At(j, i) * v)
			}
			if v := float64(out.Found[j].Value); v >= u.Lower && v <= u.Upper {
				row[j] = min(max(row[j], u.Lower), u.Upper)
			}
		}
		out.Draws = append(out.Draws, row)
	}
	out.DrawOf = fmt.Sprintf("%d draws of the normal law of the covariance, brought into the ranges", drawn)
	return nil
}

// root is a matrix whose product with its transpose is the covariance.
func root(cov [][]float64) (*mat.Dense, bool) {
	k := len(cov)
	if k == 0 {
		return nil, false
	}
	c := mat.NewSymDense(k, nil)
	for i, row := range cov {
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
			c.SetSym(i, j, v)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(c, true) {
		return nil, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for j, v := range eigen.Values(nil) {
		for i := range k {
			vectors.Set(i, j, vectors.At(i, j)*math.Sqrt(max(0, v)))
		}
	}
	return &vectors, true
}

// mostReplies is how many answers are worked out.
const mostReplies = 64

// answer works out how the mean person answers.
func (w *work) answer() error {
	m, nu := w.f.States, len(w.log.Decision.Names)
	if len(w.out.Blind) > 0 || m*nu > mostReplies {
		return nil
	}
	p, value := w.some(), w.out.values()
	here := p.replies(value)
	if here == nil {
		return nil
	}
	all := w.underDraws(p.replies)
	found := func(i int, name string) Inferred { return drawnAs(name, here[i], column(all, i)) }
	a := &Response{HalfLife: found(0, "half-life"), Settles: !math.IsInf(here[0], 0), People: len(p)}
	for i, state := range w.log.States.Names {
		for j, decision := range w.log.Decision.Names {
			at := 1 + 2*(i*nu+j)
			a.Entries = append(a.Entries, Reply{State: state, Decision: decision, Once: found(at, "at once"), Settled: found(at+1, "settled")})
		}
	}
	if !a.Settles {
		w.out.Warn = append(w.out.Warn, "With these numbers half of the people or more do not settle where the log leaves them: what is left of a change does not die out.")
	}
	w.out.Answer = a
	w.paths(p, value)
	return nil
}

// person is somebody of whom it is asked how he answers.
type person struct {
	w             *work
	state, beside []float64
	first         int // place of the decision
}

// several are some people.
type several []person

// mostAsked is how many people are asked how they answer.
const mostAsked = 16

// some are people of the last rows, evenly spread.
func (w *work) some() (list several) {
	l, last := w.log, w.log.Last()
	own, n := w.own(), min(mostAsked, len(last))
	for i := range n {
		row := last[i*len(last)/n]
		list = append(list, person{w: w, state: slices.Clone(l.States.Row(row)), beside: w.beside(nil, row, own), first: own})
	}
	return list
}

// replies is the median half-life, then the mean answers at once and, of those who settle, settled; nil where nobody can be asked.
func (s several) replies(theta []float64) (sum []float64) {
	var lives, count []float64
	for _, p := range s {
		one := p.reply(theta)
		if one == nil {
			continue
		}
		if sum == nil {
			sum, count = make([]float64, len(one)), make([]float64, len(one))
		}
		lives = append(lives, one[0])
		for i, v := range one[1:] {
			if !math.IsNaN(v) {
				sum[1+i], count[1+i] = sum[1+i]+v, count[1+i]+1
			}
		}
	}
	if sum == nil {
		return nil
	}
	slices.Sort(lives)
	sum[0], count[0] = lives[len(lives)/2], 1
	for i := range sum {
		sum[i] /= count[i]
	}
	return sum
}

// settling is what is left of a change after a turn, of people who settle: closer to 1 rounding decides.
const settling = 1 - 0x1p-40

// reply is the half-life, then for every entry of the state and of the decision the answer at once and the settled one; nil where he cannot be asked.
func (p person) reply(theta []float64) []float64 {
	stays, once := p.slopes(theta)
	m, nu := once.Dims()
	radius := dense.SpectralRadius(stays.RawMatrix().Data, m)
	if math.IsNaN(radius) || hasHole(once) {
		return nil
	}
	out := []float64{math.Inf(1)}
	settled := mat.NewDense(m, nu, nil)
	if radius < settling {
		out[0] = 0
		if radius > 1e-9 {
			out[0] = math.Ln2 / -portable.Log(radius)
		}
		var left mat.Dense
		left.Scale(-1, stays)
		for i := range m {
			left.Set(i, i, left.At(i, i)+1)
		}
		if settled.Solve(&left, once) != nil {
			return nil
		}
	} else {
		settled.Apply(func(int, int, float64) float64 { return math.NaN() }, settled)
	}
	for i := range m {
		for j := range nu {
			out = append(out, once.At(i, j), settled.At(i, j))
		}
	}
	return out
}
