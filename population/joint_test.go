package population_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// covariance returns the mean of (x − mx)(y − my).
func covariance(x, y []float64, mx, my float64) float64 {
	s := 0.0
	for i := range x {
		s += (x[i] - mx) * (y[i] - my)
	}
	return s / float64(len(x))
}

// pair draws n traits of a normal law and states correlated with them, each from a stream of its own.
func pair(t *testing.T, traits, states population.Normal, n, entries, dim int, c []float64) (d, p []float64) {
	t.Helper()
	joint, err := population.NewCorrelated(states, dim, c, entries, stream.New(3, "traits"))
	if err != nil {
		t.Fatal(err)
	}
	d, err = population.Draw(traits, n, entries, stream.New(3, "traits"))
	if err != nil {
		t.Fatal(err)
	}
	p, err = population.Draw(joint, n, dim, stream.New(3, "states"))
	if err != nil {
		t.Fatal(err)
	}
	return d, p
}

// The joint moments are those of the formula: means and deviations of the states' own law, Cov(p, d) = S C D, and states independent of each
// other. A sample covariance of n pairs with correlation ρ has the deviation √((1 + ρ²)/n) times the product of deviations.
func TestCorrelatedMoments(t *testing.T) {
	const n = 200_000
	traits := population.Normal{Mean: []float64{1, -2, .5}, Deviation: []float64{.5, 2, 1}}
	states := population.Normal{Mean: []float64{3, -1}, Deviation: []float64{1.5, .25}}
	c := []float64{.6, -.3, .2, -.4, 0, .7}
	d, p := pair(t, traits, states, n, 3, 2, c)
	near := func(what string, got, want, scale, rho float64) {
		t.Helper()
		if z := (got - want) / scale / math.Sqrt((1+rho*rho)/n); math.Abs(z) > 5 {
			t.Errorf("%s is %v, want %v: %.1f deviations off", what, got, want, z)
		}
	}
	for i := range 2 {
		x, m, s := column(p, 2, i), states.Mean[i], states.Deviation[i]
		meanOf(t, "a state", x, m, s)
		near("the variance of a state", covariance(x, x, m, m), s*s, s*s, 1)
		for j := range 3 {
			y, my, sy := column(d, 3, j), traits.Mean[j], traits.Deviation[j]
			near("a covariance with a trait", covariance(x, y, m, my), s*c[i*3+j]*sy, s*sy, c[i*3+j])
		}
	}
	near("the covariance of states", covariance(column(p, 2, 0), column(p, 2, 1), 3, -1), 0, 1.5*.25, 0)
	kolmogorov(t, "a state", column(p, 2, 1), func(x float64) float64 { return math.Erfc((-1-x)/.25/math.Sqrt2) / 2 })
}

// One number is the diagonal matrix; 0 is independence, bit for bit; 1 makes a state a function of the trait.
func TestCorrelatedByOneNumber(t *testing.T) {
	traits, states := population.Normal{Mean: []float64{5}, Deviation: []float64{2}}, population.Normal{Mean: []float64{1}, Deviation: []float64{3}}
	_, independent := pair(t, traits, states, 50, 2, 2, []float64{0})
	alone, err := population.Draw(states, 50, 2, stream.New(3, "states"))
	if err != nil || !slices.Equal(independent, alone) {
		t.Errorf("states of correlation 0 differ from states of their own law, %v", err)
	}
	_, some := pair(t, traits, states, 50, 2, 2, []float64{.6})
	_, listed := pair(t, traits, states, 50, 2, 2, []float64{.6, 0, 0, .6})
	d, one := pair(t, traits, states, 50, 2, 2, []float64{-1})
	for i := range some {
		if math.Abs(some[i]-listed[i]) > 1e-14*max(1, math.Abs(some[i])) {
			t.Errorf("0.6 gives %v, the matrix 0.6·I %v", some[i], listed[i])
		}
		if want := 1 - 3*(d[i]-5)/2; math.Abs(one[i]-want) > 1e-13*max(1, math.Abs(want)) {
			t.Errorf("the trait %v has the state %v, want %v", d[i], one[i], want)
		}
	}
}

// Any part of a block can be drawn by itself.
func TestCorrelatedInParts(t *testing.T) {
	joint, err := population.NewCorrelated(population.Normal{}, 2, []float64{.6, .8, .8, -.6}, 2, stream.New(3, "traits"))
	if err != nil {
		t.Fatal(err)
	}
	whole, part := make([]float64, 20), make([]float64, 6)
	joint.Fill(whole, 2, 0, stream.New(3, "states"))
	joint.Fill(part, 2, 4, stream.New(3, "states"))
	if !slices.Equal(part, whole[8:14]) {
		t.Errorf("individuals 4 to 6 are %v alone and %v among others", part, whole[8:14])
	}
	traits := population.Normal{}
	d := make([]float64, 20)
	traits.Fill(d, 2, 0, stream.New(3, "traits"))
	for i := range 10 { // an orthogonal matrix leaves nothing to chance
		x, y := kedge.Row(whole, i, 2), kedge.Row(d, i, 2)
		if math.Abs(x[0]-(.6*y[0]+.8*y[1])) > 1e-7 || math.Abs(x[1]-(.8*y[0]-.6*y[1])) > 1e-7 {
			t.Errorf("the trait %v has the state %v", y, x)
		}
	}
}

func TestImpossibleCorrelationsAreRefused(t *testing.T) {
	for _, c := range []struct {
		dim, entries int
		c            []float64
	}{
		{1, 1, []float64{1.1}}, {2, 2, []float64{-1.01}}, {1, 2, []float64{.8, .8}}, {2, 1, []float64{.8, .8}}, {2, 2, []float64{1, 0, .1, 0}},
		{2, 1, []float64{.5}}, {2, 2, []float64{.5, .5}}, {1, 1, []float64{math.NaN()}}, {2, 1, []float64{math.Inf(1), 0}}, {300, 1, make([]float64, 300)},
	} {
		if _, err := population.NewCorrelated(population.Normal{}, c.dim, c.c, c.entries, stream.New(1)); err == nil {
			t.Errorf("correlations %v of %d with %d entries were accepted", c.c[:min(4, len(c.c))], c.dim, c.entries)
		}
	}
	if _, err := population.NewCorrelated(population.Normal{}, 1, []float64{.5}, 1, nil); err == nil {
		t.Error("a law without the other's stream was accepted")
	}
}
