package risk_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/risk"
)

// people has one loss a person: p₁ is the loss.
func people(losses ...float64) kedge.Observation {
	o := kedge.Observation{U: []float64{0, 0}, P: make([]float64, 2*len(losses)), D: make([]float64, 2*len(losses))}
	for i, l := range losses {
		o.P[2*i] = l
	}
	return o
}

// By hand, for the worst half. Of 1 2 3 4 the quantile is t = 5/2, so that the risk is 5/2 + (1/2 + 3/2)/2 = 7/2; half of them are beyond, which leaves t, and the spread becomes
// s = ½·1. Of 5 6 7 8 the risk is 5/2 + 2·4 = 21/2; s = ½ + ⅓(4 − ½) = 5/3, twice as many are beyond as should be, and t = 5/2 + ⅓·5/3 = 55/18. Of zeros the risk is t;
// s = 5/3 + ¼(55/18 − 5/3) = 145/72 and t = 55/18 − ¼·145/72 = 735/288. A sample that is not committed moves nothing.
func TestQuantilesFollowSamples(t *testing.T) {
	w := lq2(t)
	zeros := people(0, 0, 0, 0)
	for _, weights := range [][]float64{nil, {3, 3, 3, 3}} { // who counts alike counts alike
		gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 1))
		must(t, err)
		for turn, c := range []struct {
			o    kedge.Observation
			want float64
		}{{people(2, 4, 1, 3), 3.5}, {people(5, 6, 7, 8), 10.5}, {zeros, 55. / 18}, {zeros, 735. / 288}} {
			c.o.W = weights
			for range 2 {
				excess, err := gauge.Assess(make([]float64, 2), c.o)
				must(t, err)
				if !(math.Abs(excess+1-c.want) <= 1e-14) {
					t.Errorf("turn %d with weights %v: the risk is %v, want %v", turn, weights, excess+1, c.want)
				}
			}
			gauge.Commit(c.o)
		}
	}
}

// Where everybody is among the worst the risk is the mean, with weights and without: by hand 2, and (3·1 + 3)/4.
func TestEverybodyIsTheWorst(t *testing.T) {
	w := lq2(t)
	for _, c := range []struct {
		weights []float64
		want    float64
	}{{nil, 2}, {[]float64{1, 1}, 2}, {[]float64{3, 1}, 1.5}} {
		gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0}, 0))
		must(t, err)
		o := people(1, 3)
		o.W = c.weights
		if excess, err := gauge.Assess(make([]float64, 2), o); err != nil || !(math.Abs(excess-c.want) <= 1e-15) {
			t.Errorf("with weights %v: %v, %v, want %v", c.weights, excess, err, c.want)
		}
	}
}

// A constraint on people who are known by their numbers is judged by those of the sample; one that does not tell them is refused. By hand, of 1, 3 and 8 numbers 5 and 9 are members.
func TestMembersAreKnownByTheirNumbers(t *testing.T) {
	w := lq2(t)
	c := w.constraint(risk.Mean{}, 0)
	c.Member = func(who uint64) bool { return who == 5 || who == 9 }
	gauge, err := risk.NewGauge(c)
	must(t, err)
	o := people(1, 3, 8)
	if _, err := gauge.Assess(make([]float64, 2), o); err == nil {
		t.Error("nobody tells who they are")
	}
	o.Who = []uint64{5, 7, 9}
	if excess, err := gauge.Assess(make([]float64, 2), o); err != nil || excess != 4.5 {
		t.Errorf("the mean of members is %v (%v), want 9/2", excess, err)
	}
}

// By hand, for the worst half again: after 1 2 3 4 a sample of 1 1 1 8 has the risk 5/2 + 2·(11/2)/4 = 21/4, half as many beyond as should be, the spread ½ + ⅓(5/2 − ½) = 7/6, and t = 5/2 − ⅓·7/6·½ = 83/36.
func TestQuantilesFollowInProportion(t *testing.T) {
	w := lq2(t)
	gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 0))
	must(t, err)
	for turn, c := range []struct {
		o    kedge.Observation
		want float64
	}{{people(2, 4, 1, 3), 3.5}, {people(1, 8, 1, 1), 5.25}, {people(0, 0, 0, 0), 83. / 36}} {
		excess, err := gauge.Assess(make([]float64, 2), c.o)
		must(t, err)
		if !(math.Abs(excess-c.want) <= 1e-14) {
			t.Errorf("turn %d: the risk is %v, want %v", turn, excess, c.want)
		}
		gauge.Commit(c.o)
	}
}

// Everybody at 1 is beyond a quantile below, so that the risk is t + 2(1 − t) and tells t. After a thousand turns the gain is 1/100 and no longer 1/1002: with d = 1 − t, the spread obeys
// s⁺ = s + (d − s)/100 and d⁺ = d − s⁺/100.
func TestQuantilesKeepMoving(t *testing.T) {
	w := lq2(t)
	gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 0))
	must(t, err)
	assess := func(o kedge.Observation) float64 {
		excess, err := gauge.Assess(make([]float64, 2), o)
		must(t, err)
		gauge.Commit(o)
		return excess
	}
	for range 1000 { // t stays at 0, as half of them are beyond; the spread goes to 1
		assess(people(-1, 1))
	}
	d := make([]float64, 4) // of the turns that follow
	for k := range d {
		d[k] = assess(people(1, 1)) - 1
	}
	for k := range 2 {
		s, next := 100*(d[k]-d[k+1]), 100*(d[k+1]-d[k+2])
		if want := s + (d[k+1]-s)/100; !(math.Abs(s-1) <= 0.05) || !(math.Abs(next-want) <= 1e-10) {
			t.Errorf("the spread goes from %v to %v, want 1, nearly, and %v", s, next, want)
		}
	}
}
