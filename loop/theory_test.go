package loop_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/steady"
)

// lq2Weight solves AᵀPA − P + I = 0, by hand; its eigenvalues are 32/27 and 5/3. lq2Bounds are the constants of LQ2 in that norm:
// L = (‖S‖ + ‖G‖‖Q‖)/√λmin(P), and with L_f² = 1 − 3/5 the others follow from their definitions.
var (
	lq2Weight = []float64{4.0 / 3, 2.0 / 9, 2.0 / 9, 41.0 / 27}
	lq2Bounds = loop.Bounds{L: 2.42536, Lp: 2.42536, Rho1: 0.7, Rho2: 4.18581}
)

// displaced is LQ2 in a crowd where everybody stands by the same vector beside the own steady state under the first decision.
func displaced(t *testing.T, offset []float64) (lq2, *loop.Theory) {
	t.Helper()
	q := newLQ2(t)
	start := make([]float64, len(q.crowd.Traits()))
	for i := range 4 {
		p := kedge.Row(start, i, 2)
		if _, err := q.model.Settle(p, []float64{0.5, 0.5}, kedge.Row(q.crowd.Traits(), i, 2)); err != nil {
			t.Fatal(err)
		}
		rows.AddScaled(p, 1, offset)
	}
	var err error
	if q.crowd, err = population.New(q.model, start, q.crowd.Traits(), population.Everyone{}); err != nil {
		t.Fatal(err)
	}
	lag := &steady.Lag{
		Model:  kedge.Model{Dynamics: q.model, Objective: q.loss, Sensitivity: q.sensitivity(t), Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}},
		Weight: lq2Weight,
	}
	theory, err := loop.NewTheory(lag, lq2Bounds, 5)
	if err != nil {
		t.Fatal(err)
	}
	return q, theory
}

// Where everybody stands by the same δ beside the steady state, the joint law of states and traits is the settled one moved by
// δ, and W₁ = V = ‖δ‖_P. In a linear world δₖ = A(δₖ₋₁ − G(uₖ − uₖ₋₁)) and the bias is (S + GᵀQ)δ.
func TestTheoryOfATranslation(t *testing.T) {
	q, theory := displaced(t, []float64{1, -2})
	g := &online.Composite{Objective: q.loss, Sensitivity: q.sensitivity(t), Dims: lq2Dims}
	l, _ := q.loop(t, g, 0.1, 20, 1)
	log := &turnLog{}
	l.Instruments, l.Recorder = []kedge.Instrument{theory}, log
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	x, y, before := 1.0, -2.0, log.u[0]
	for k := range log.row {
		u, v := log.u[k][0]-before[0], log.u[k][1]-before[1]
		x, y = x-1.25*u-0.5*v, y-0.5*u-v
		x, y = 0.5*x+0.25*y, 0.5*y
		p := lq2Weight
		length := math.Sqrt(p[0]*x*x + 2*p[1]*x*y + p[3]*y*y)
		bias := math.Hypot(2.25*x+0.5*y, 0.5*x+2*y)
		got := log.of(k, theory)
		close := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("turn %d: %s is %v, want %v", k, what, got, want)
			}
		}
		close("V", got["v"], length)
		close("‖e‖", got["bias"], bias)
		close("L_p V", got["bias_by_v"], lq2Bounds.Lp*length)
		if k%5 == 0 {
			close("W₁", got["w1_joint"], length)
			close("L W₁", got["bias_by_w1"], lq2Bounds.L*length)
		} else if !math.IsNaN(got["w1_joint"]) || !math.IsNaN(got["bias_by_w1"]) {
			t.Errorf("turn %d: W₁ is %v, nobody asked", k, got["w1_joint"])
		}
		if k > 0 {
			last := log.of(k-1, theory)["v"]
			close("the recursion", got["v_bound"], math.Sqrt(0.7*last*last+lq2Bounds.Rho2*(u*u+v*v)))
		} else if !math.IsNaN(got["v_bound"]) {
			t.Errorf("turn 0 is bounded by %v, but nothing came before it", got["v_bound"])
		}
		before = log.u[k]
	}
}

// What is said of a turn does not depend on which others are recorded.
func TestTheoryOfSparseTurns(t *testing.T) {
	said := map[int]*turnLog{}
	for _, every := range []int{1, 5} {
		q, theory := displaced(t, []float64{1, -2})
		l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 23, 2)
		said[every] = &turnLog{}
		theory.Lag.Steps = 2
		l.Instruments, l.Recorder, l.Every = []kedge.Instrument{theory}, said[every], every
		if err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for i, k := range said[5].k {
		sparse, dense := said[5].row[i], said[1].row[k]
		if k == 0 {
			sparse[1], dense[1] = 0, 0 // the bound by the turn before
		}
		if !slices.Equal(sparse, dense) {
			t.Errorf("turn %d: %v, among all turns %v", k, sparse, dense)
		}
	}
}

// A theory of which nothing is known bounds nothing, and measures all the same.
func TestNothingIsBoundedWithoutConstants(t *testing.T) {
	q, theory := displaced(t, []float64{1, 0})
	theory.Bounds = loop.Unbounded()
	l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 3, 1)
	log := &turnLog{}
	l.Instruments, l.Recorder = []kedge.Instrument{theory}, log
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for k := range log.row {
		if got := log.of(k, theory); !(got["v"] > 0 && got["bias"] > 0) || !math.IsNaN(got["v_bound"]) || !math.IsNaN(got["bias_by_v"]) || !math.IsNaN(got["bias_by_w1"]) {
			t.Errorf("turn %d: %+v", k, got)
		}
	}
}

// A loop that begins in the middle without its memory claims nothing of its first turn.
func TestTheoryWithoutATurnBefore(t *testing.T) {
	q, theory := displaced(t, []float64{1, 0})
	l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 5, 1)
	log := &turnLog{}
	l.Instruments, l.Recorder, l.From = []kedge.Instrument{theory}, log, 3
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if first, next := log.of(0, theory), log.of(1, theory); !math.IsNaN(first["v_bound"]) || math.IsNaN(next["v_bound"]) {
		t.Errorf("turn 3 is bounded by %v, turn 4 by %v", first["v_bound"], next["v_bound"])
	}
}

// deploying is an algorithm that deploys the same for ever.
type deploying struct {
	failing
	u []float64
}

func (d deploying) Ask(dst []float64) { copy(dst, d.u) }

// A theory that is saved and restored goes on as the one that was not, whatever the other had seen before: from there on, the bound by the turn before is there
// where the first has it, and nowhere else.
func TestTheoriesGoOn(t *testing.T) {
	at := func(k int) kedge.Turn {
		states := make([]float64, 8)
		for i := range states {
			states[i] = math.Sqrt(float64(1 + i + 3*k))
		}
		return kedge.Turn{K: k, Algorithm: deploying{u: []float64{float64(k) / 7, 1 / float64(1+k)}}, States: states}
	}
	for _, seen := range []int{0, 3, 4} { // turns that the first had seen when it was saved
		for _, other := range []int{0, 1, 3, 5} { // and the one that takes over
			_, first := displaced(t, []float64{1, -2})
			_, second := displaced(t, []float64{1, -2})
			for theory, turns := range map[*loop.Theory]int{first: seen, second: other} {
				for k := range turns {
					if _, err := measured(t, theory, at(k)); err != nil {
						t.Fatal(err)
					}
				}
			}
			saved, err := first.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := second.UnmarshalBinary(saved); err != nil {
				t.Fatal(err)
			}
			for k := 3; k < 7; k++ {
				want, err := measured(t, first, at(k))
				got, err2 := measured(t, second, at(k))
				if err != nil || err2 != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
					t.Errorf("saved after %d turns into one of %d: turn %d is %v, want %v, %v, %v", seen, other, k, got, want, err, err2)
				}
				if known := k > 3 || seen == 3; math.IsNaN(want[1]) == known {
					t.Errorf("saved after %d turns: turn %d is bounded by %v", seen, k, want[1])
				}
			}
		}
	}
}
