package study

import (
	"math"
	"testing"
)

// The numbers are those of an independent computation of the linear-quadratic problem with NumPy: optimum (−56/229, 99/229),
// critical steps, rates at η = 0.1 and stationary variances E‖u − u★‖² at a batch of 10.
func TestLinearLoopOfLQ2(t *testing.T) {
	w := &work{result: Result{Name: "test"}}
	p := w.slowed("composite", 0.5, 0.1)
	m := linearOf(p)
	best, slow := stationary(p, 0.05, 10)
	_, fast := stationary(p, 0.1, 10)
	for _, c := range []struct {
		what      string
		got, want float64
		digits    float64
	}{
		{"critical step of composite", m.critical(true, largestStep), 0.436181137, 1e-9},
		{"critical step of vanilla", m.critical(false, largestStep), 0.860453416, 1e-9},
		{"rate of composite", m.rate(true, 0.1), 0.643515253, 1e-9},
		{"rate of vanilla", m.rate(false, 0.1), 0.721923617, 1e-9},
		{"variance at 0.05", slow, 3.77450e-3, 5e-9},
		{"variance at 0.1", fast, 9.78801e-3, 5e-9},
		{"optimum", best[0], -56.0 / 229, 1e-14},
		{"optimum", best[1], 99.0 / 229, 1e-14},
	} {
		if math.Abs(c.got-c.want) > c.digits {
			t.Errorf("%s is %.12g, want %.12g", c.what, c.got, c.want)
		}
	}
}

// The step that studies call certified is certified: at most the largest that the theorem allows for lq2. The practical one is
// within the tight form from the first horizon on.
func TestStepsAreCertified(t *testing.T) {
	w := &work{ctx: t.Context(), result: Result{Name: "test"}}
	theory := w.theory(w.horizonProblem(steps()[0].step, 400))
	if c := steps()[0].step; c > theory.LargestStep() || c < 0.99*theory.LargestStep() {
		t.Errorf("step %v, the largest is %v", c, theory.LargestStep())
	}
	if eta := steps()[1].step / math.Sqrt(400); eta > theory.LargestStep() {
		t.Errorf("step %v, the largest is %v", eta, theory.LargestStep())
	}
}
