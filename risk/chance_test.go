package risk_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/risk"
)

// chances is a chance constraint on people who settle at the given losses under the decision 0, as p₁ = d₁ + ½d₂ + (5/4, 1/2)·u.
func chances(t *testing.T, c risk.Chance, bound float64, losses ...float64) *risk.SettledConstraint {
	t.Helper()
	w := lq2(t)
	traits := kedge.Block{Data: people(losses...).P, Width: 2}
	s, err := risk.NewSettled(w.constraint(c, bound), w.crowd(traits), traits)
	must(t, err)
	return s
}

// By hand, for three people at 0 and two at 100 with a width of 1/10, so that nobody sees the others: where 7/10 may be beyond, half of the three are, at 0; where 3/10 may be,
// three quarters of the two are, at 100 − log(3)/10; where 1/10 may be, one quarter is, at 100 + log(3)/10; where 9/10 may be, five sixths of the three are, at −log(5)/10.
func TestLevelsOfEvenedChances(t *testing.T) {
	for bound, level := range map[float64]float64{0.7: 0, 0.3: 100 - math.Log(3)/10, 0.1: 100 + math.Log(3)/10, 0.9: -math.Log(5) / 10} {
		s := chances(t, risk.Chance{Limit: 7, Width: 0.1}, bound, 0, 100, 0, 100, 0)
		g := make([]float64, 2)
		over, err := s.Even(g, []float64{0, 0})
		must(t, err)
		if !(math.Abs(over-(level-7)) <= 1e-13*100) || !(math.Abs(g[0]-1.25) <= 1e-13) || !(math.Abs(g[1]-0.5) <= 1e-13) {
			t.Errorf("where %v may be beyond 7 the level is %v above it with the gradient %v, want %v and (5/4, 1/2)", bound, over, g, level-7)
		}
	}
}

// By hand: of two people the half that may be beyond are as far from both, and each moves the level by half of what moves her, however wide the smoothing is. Where
// rounding leaves a range of levels, because nobody is near, the lowest is told: of 1/(1 + e^x) there is nothing left beside 1 from x = 53 log 2 on.
func TestLevelsFarFromEverybody(t *testing.T) {
	for width, want := range map[float64]float64{1e-3: 33 + 53e-3*math.Ln2, 0.01: 33 + 0.53*math.Ln2, 1: 43, 10: 43, 1e4: 43} {
		s := chances(t, risk.Chance{Limit: 7, Width: width}, 0.5, 40, 60)
		g := make([]float64, 2)
		over, err := s.Even(g, []float64{0, 0})
		must(t, err)
		if !(math.Abs(over-want) <= 2*width) && width < 1 || width >= 1 && !(math.Abs(over-43) <= 1e-11*width) || !(math.Abs(g[0]-1.25) <= 1e-12) || !(math.Abs(g[1]-0.5) <= 1e-12) {
			t.Errorf("width %v: the level is %v above 7 with the gradient %v, want %v and (5/4, 1/2)", width, over, g, want)
		}
	}
}

// Where nobody or everybody may be beyond there is no level, and the share itself is told: half of the people at the limit are beyond it.
func TestChancesWithoutALevel(t *testing.T) {
	for _, bound := range []float64{0, 1} {
		s := chances(t, risk.Chance{Limit: 7, Width: 0.1}, bound, 7, 7)
		if over, err := s.Even(make([]float64, 2), []float64{0, 0}); err != nil || !(math.Abs(over-(0.5-bound)) <= 1e-15) {
			t.Errorf("where %v may be beyond: %v, %v, want %v", bound, over, err, 0.5-bound)
		}
	}
}

// By hand, of 5, 1, 4, 2, 3 with the limit 7/2: two fifths are beyond. Where as many may be, the largest loss but two is 3, half below the limit; where fewer may be it is 4 or 5;
// where all may be, nobody counts. Ties are taken in the order of people.
func TestSharpChances(t *testing.T) {
	u := []float64{0, 0}
	for _, x := range []struct{ bound, over, sharp, slope float64 }{
		{0.4, 0, -0.5, 1.25}, {0.5, -0.1, -0.5, 1.25}, {0.6, -0.2, -1.5, 1.25}, {0.39, 0.01, 0.5, 1.25}, {0.2, 0.2, 0.5, 1.25}, {0, 0.4, 1.5, 1.25}, {1, -0.6, -1, 0},
	} {
		s := chances(t, risk.Chance{Limit: 3.5, Width: 0.1}, x.bound, 5, 1, 4, 2, 3)
		over, err := s.True(u)
		must(t, err)
		g := []float64{9, 9}
		sharp, err := s.Sharp(g, u)
		must(t, err)
		if !(math.Abs(over-x.over) <= 1e-15) || !(math.Abs(sharp-x.sharp) <= 1e-14) || !(math.Abs(g[0]-x.slope) <= 1e-14) || (over <= 0) != (sharp <= 0) {
			t.Errorf("where %v may be beyond: %v more are, by %v with the slope %v; want %v, %v and %v", x.bound, over, sharp, g[0], x.over, x.sharp, x.slope)
		}
		if !s.Smoothed() {
			t.Error("a chance is not smoothed")
		}
	}
}

// The worst of equal losses are the first: CVaR of four losses of 2, of which the worst half count, is the mean of the first two.
func TestTiesAreTakenInOrder(t *testing.T) {
	w := make([]float64, 4)
	if r := (risk.CVaR{Level: 0.5}).Weigh(w, []float64{2, 2, 2, 2}); r != 2 || !slices.Equal(w, []float64{0.5, 0.5, 0, 0}) {
		t.Errorf("CVaR %v with the weights %v", r, w)
	}
	if r := (risk.CVaR{Level: 0.5}).Weigh(w, []float64{1, 2, 3, 2}); r != 2.5 || !slices.Equal(w, []float64{0, 0.5, 0.5, 0}) {
		t.Errorf("CVaR %v with the weights %v", r, w)
	}
}

// One person alone has a level of its own however few or many may be beyond, ℓ + w·log((1 − s)/s); beyond the limit she is all there is, and where she leaves
// the group nobody exceeds anything, with no gradient.
func TestChancesOfOne(t *testing.T) {
	w := lq2(t)
	traits := kedge.Block{Data: []float64{8, 0, 3, 0}, Width: 2}
	u := []float64{0, 0}
	for _, share := range []float64{0.001, 0.25, 0.999} {
		traits.Data[0] = 8
		c := w.constraint(risk.Chance{Limit: 7, Width: 0.1}, share)
		c.Among = func(d []float64) bool { return d[0] > 5 }
		s, err := risk.NewSettled(c, w.crowd(traits), traits)
		must(t, err)
		ask := func(even, over, sharp float64) {
			t.Helper()
			g := make([]float64, 2)
			x, err := s.Even(g, u)
			must(t, err)
			y, err := s.True(u)
			must(t, err)
			z, err := s.Sharp(g, u)
			must(t, err)
			if !(math.Abs(x-even) <= 1e-13) || !(math.Abs(y-over) <= 1e-15) || !(math.Abs(z-sharp) <= 1e-14) {
				t.Errorf("where %v may be beyond: evened %v, true %v, sharp %v; want %v, %v, %v", share, x, y, z, even, over, sharp)
			}
			if sharp == 0 && (g[0] != 0 || g[1] != 0) {
				t.Errorf("nobody has the gradient %v", g)
			}
		}
		ask(1+0.1*math.Log((1-share)/share), 1-share, 1)
		traits.Data[0] = 1
		ask(0, 0, 0)
	}
}

// 3 of 10 are no more than 0.3, although 1/10 + 1/10 + 1/10 is in numbers.
func TestSharesAreRounded(t *testing.T) {
	s := chances(t, risk.Chance{Limit: 7, Width: 0.1}, 0.3, 9, 0, 0, 9, 0, 0, 9, 0, 0, 0)
	if over, err := s.True([]float64{0, 0}); err != nil || over != 0 {
		t.Errorf("3 of 10 are %v more than 0.3 (%v)", over, err)
	}
}

// Who is at the limit keeps it: of 1, 7, 7, 9 with the limit 7 a quarter is beyond.
func TestWhoIsAtTheLimitKeepsIt(t *testing.T) {
	s := chances(t, risk.Chance{Limit: 7, Width: 0.1}, 0.125, 1, 7, 7, 9)
	if over, err := s.True([]float64{0, 0}); err != nil || over != 0.125 {
		t.Errorf("%v more than an eighth are beyond (%v), want 0.125", over, err)
	}
}
