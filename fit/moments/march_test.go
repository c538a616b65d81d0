package moments

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/population"
)

// bent is a curved model with noise in the curve, and samples of it.
func bent(t *testing.T, people int) (*marcher, []float64) {
	source := formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Noise: []formula.Shock{{Declaration: "w"}}, Next: "keep*p + (1-keep)*tanh(d + b*q*[p[1], p[0]] + w)"}
	f := roller(t, source, "keep", "b")
	w := world{f: f, theta: []float64{0.6, 0.7}, people: people, dates: 4, groups: 2, traits: 2, state: normal(0, 1), trait: normal(0.3, 1), decide: normal(0, 1)}
	s := w.samples(1)
	s.Noise, s.Copies, s.Match = []population.Number{standard()}, 3, Squares
	x, err := newMarcher(f, s, []fit.Unknown{fit.Free("keep", 0.5), fit.Free("b", 0)}, fit.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return x, w.theta
}

// Derivatives of moments of all times are those of differences, through the steps before and with the noise that was drawn.
func TestDerivativesAreCarried(t *testing.T) {
	x, theta := bent(t, 40)
	for _, g := range x.cohorts {
		at := func(theta []float64) *marched {
			got, err := x.march(t.Context(), theta, g, false)
			if err != nil || got.broken {
				t.Fatal(err)
			}
			return got
		}
		here := at(theta)
		for j := range theta {
			up, down := slices.Clone(theta), slices.Clone(theta)
			up[j] += 1e-5
			down[j] -= 1e-5
			high, low := at(up).mean, at(down).mean
			for i := range here.mean {
				want := (high[i] - low[i]) / 2e-5
				if got := here.slope[i*len(theta)+j]; math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
					t.Errorf("group %d, moment %d: derivative in unknown %d is %v, by differences %v", g.group, i, j, got, want)
				}
			}
		}
	}
}

// Moments, derivatives and covariances have the same bits on any number of workers, when there are people enough for several.
func TestWorkersChangeNoMoment(t *testing.T) {
	x, theta := bent(t, 3000)
	one, err := x.march(t.Context(), theta, x.cohorts[0], true)
	if err != nil {
		t.Fatal(err)
	}
	x.o.Workers = 3
	three, err := x.march(t.Context(), theta, x.cohorts[0], true)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, three) {
		t.Error("other bits by three workers than by one")
	}
}

// The covariance of where people come to is that of the means of their copies, from its definition.
func TestCovarianceOfWherePeopleCome(t *testing.T) {
	x, theta := bent(t, 30)
	g := x.cohorts[0]
	got, err := x.march(t.Context(), theta, g, true)
	if err != nil {
		t.Fatal(err)
	}
	size := len(got.mean)
	alone := make([][]float64, g.people())
	for i := range alone {
		one := *g
		m := x.f.States
		one.states, one.traits, one.weight, one.first, one.everybody = g.states[i*m:(i+1)*m], g.traits[i*2:(i+1)*2], []float64{1}, g.first+i, true
		own, err := x.march(t.Context(), theta, &one, false)
		if err != nil {
			t.Fatal(err)
		}
		alone[i] = own.mean
	}
	n := float64(len(alone))
	for a := range size {
		for b := range size {
			want := 0.0
			for _, own := range alone {
				want += (own[a] - got.mean[a]) * (own[b] - got.mean[b]) / n / (n - 1)
			}
			if math.Abs(got.cov[a*size+b]-want) > 1e-12 {
				t.Fatalf("covariance of moments %d and %d is %v, want %v", a, b, got.cov[a*size+b], want)
			}
		}
	}
}
