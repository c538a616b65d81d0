package study

import (
	"math"
	"testing"
)

// Under a constant decision lq2 is known by hand: everybody is away from where he or she settles along the first axis, by 1/4 or 3/4,
// and half as far after every turn. With P₁₁ = 4/3 the sum of W₁² is 1/3·Σ4⁻ᵏ = 4/9, and the bound (1/3)/0.3.
func TestShiftOfLQ2(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	p := w.problem("lq2", "iterations: 60\npopulation: {sampling: with-replacement}\nalgorithms: [{name: composite, step: 1e-12, batch: 4}]")
	run := w.strays(p, w.certified(p, p.Alone()), 0)
	last := run[len(run)-1]
	near(t, "first W₁", run[0].w1, 0.25*math.Sqrt(4.0/3), 1e-12)
	near(t, "sum", last.sum, 4.0/9, 1e-9)
	near(t, "bound", last.bound, 1.0/3/0.3, 1e-9)
}

// What is too small to count is not counted, rounding does not break a bound, and more than that does.
func TestLargestShare(t *testing.T) {
	of := func(s stray) (float64, float64) { return s.w1, s.v }
	for _, c := range []struct {
		run  []stray
		want float64
	}{
		{[]stray{{w1: 0.5, v: 1}, {w1: 1e-12, v: 1e-13}}, 0.5},
		{[]stray{{w1: 1 + 1e-12, v: 1}}, 1},
		{[]stray{{w1: 1.1, v: 1}}, 1.1},
	} {
		near(t, "share", largestShare([][]stray{c.run}, of), c.want, 0)
	}
}

// The gradients of the first turn of lq2 are known by hand: people who have answered 0 have the mean (3/4, −1), those that have
// settled (1/2, −1), and K = [2.25 0.5; 0.5 2].
func TestTransientOfLQ2(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	seen, settled := w.transient(w.horizonProblem(0.5, 1), 0)
	near(t, "seen", seen, 1.1875*1.1875+1.625*1.625, 1e-12)
	near(t, "settled", settled, 0.625*0.625+1.75*1.75, 1e-12)
}

// The step that the study of Theorem 9 calls certified is: at most the largest that the theorem allows for lq2.
func TestProbableStepIsCertified(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	most := w.theory(w.horizonProblem(probableStep, 400)).LargestStepProbable() * math.Sqrt(400)
	if probableStep > most || probableStep < 0.99*most {
		t.Errorf("step %v, the largest is %v", probableStep, most)
	}
}
