package sensitivity

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
)

// fitOf is a regression with one regressor of one number, or with the state before as another.
func fitOf(c Learning) (*fit, *layout) {
	c.Dims = kedge.Dims{Decision: 1, State: 1}
	c.fill()
	l := c.layout()
	f := newFit(&l, &c)
	return &f, &l
}

func about(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand, of y = 1, 3, 1, 3 at f = 1: θ = 2 with the residuals 4/(4 − 1), and the answer 2 to a decision has the error √(4/3 · ¼), so that trust is 1 − √(1/12).
func TestRegressionByHand(t *testing.T) {
	r, _ := fitOf(Learning{Lag: Naive, Prior: 1e6})
	for _, y := range []float64{1, 3, 1, 3} {
		r.add([]float64{1}, []float64{y}, 1)
	}
	if !r.solve() {
		t.Fatal("no solution")
	}
	g := make([]float64, 1)
	trust := r.gain(g)
	about(t, "θ", g[0], 2)
	about(t, "the noise", r.noise[0], 4./3)
	about(t, "trust", trust, 1-math.Sqrt(1./12))
	about(t, "the weight of rows", r.weight, 4)
	for turn, want := range map[int]float64{0: 1 - 1./500, 2000: 1 - 1./1000} {
		r.config.Share, r.weight = 0.5, 1
		r.forget(turn)
		about(t, "what is kept", r.weight, want)
	}
}

// By hand: with a prior as strong as the noise says, (Σff + σ²/Prior²)θ = Σfy with σ² that of the solution before.
func TestRidgeByHand(t *testing.T) {
	r, _ := fitOf(Learning{Lag: Naive, Prior: 0.5})
	r.sum([]float64{2}, []float64{3}, 1)
	if !r.shrink(8) {
		t.Fatal("no solution")
	}
	about(t, "θ of (4 + 8)θ = 6", r.theta[0], 0.5)
	about(t, "its covariance", r.cov[0], 1./12)
	if r.residuals(); true {
		about(t, "(9 − ½·6)/1", r.noise[0], 6)
	}
	still, _ := fitOf(Learning{Lag: Naive})
	for range 4 { // who never moves makes no noise, and rounding alone asks for a ridge
		still.add([]float64{2}, []float64{0}, 1)
	}
	if !still.solve() {
		t.Fatal("of people who never move there is no solution")
	}
	about(t, "θ of people who never move", still.theta[0], 0)
	about(t, "its covariance", still.cov[0], 1./16)
	none, _ := fitOf(Learning{Lag: Naive})
	if none.shrink(0) || none.solve() {
		t.Error("nothing has a solution")
	}
	none.sum([]float64{1}, []float64{1}, 1.5)
	if none.solve() {
		t.Error("a row and a half have a solution")
	}
	none.sum([]float64{math.Inf(1)}, []float64{1}, 5)
	if none.solve() {
		t.Error("rows without end have a solution")
	}
}

// By hand: p⁺ = ½p + ¾u settles at (3/2)u, and noise of variance 5 in an answer is of variance 5/(1 − ½)² in what it settles at. What does not come to rest has no gain.
func TestAnswersSettle(t *testing.T) {
	r, l := fitOf(Learning{Lag: State})
	if l.lagged != 1 || l.features != 2 {
		t.Fatalf("%+v", l)
	}
	r.theta[0], r.theta[1], r.noise[0] = 0.75, 0.5, 5
	g := []float64{0.75}
	spread, ok := r.settle(g)
	if !ok {
		t.Fatal("it does not settle")
	}
	about(t, "the gain", g[0], 1.5)
	about(t, "the variance", spread, 20)
	r.theta[1] = 1
	if _, ok := r.settle([]float64{0.75}); ok {
		t.Error("p⁺ = p + ¾u settles")
	}
}

// By hand: a window of two rows knows the last two.
func TestWindowsForget(t *testing.T) {
	r, _ := fitOf(Learning{Lag: Naive, Method: Window, Memory: 2, Prior: 1e6})
	for k, y := range []float64{100, 3, 5} {
		r.forget(k)
		r.add([]float64{1}, []float64{y}, 1)
	}
	if !r.solve() {
		t.Fatal("no solution")
	}
	about(t, "the mean of the last two", r.theta[0], 4)
	about(t, "their weight", r.weight, 2)
	r.reset()
	if r.count != 0 || r.weight != 0 || r.theta[0] != 0 || r.solve() {
		t.Errorf("after a reset: %+v", r)
	}
}

// By hand, for the prior variance 4 and the noise 1: after one row f = 2, y = 3, θ = 4·2·3/(1 + 16) and its variance 4/(1 + 16); a row that counts four times has a quarter of the noise. A walk of 1/10 a turn leaves
// 1 − 1/400 of the variance and adds 1/100.
func TestKalmanByHand(t *testing.T) {
	for weight, noise := range map[float64]float64{1: 1, 4: 0.25} {
		r, _ := fitOf(Learning{Lag: Naive, Method: Kalman, Prior: 2, Noise: 1, Drift: 0.1})
		r.add([]float64{2}, []float64{3}, weight)
		about(t, "θ", r.theta[0], 24/(noise+16))
		about(t, "its variance", r.cov[0], 4*noise/(noise+16))
		r.forget(0)
		about(t, "its variance a turn later", r.cov[0], 4*noise/(noise+16)*(1-1./400)+0.01)
		r.reset()
		about(t, "the variance that nothing is known by", r.cov[0], 4)
	}
}
