package online_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// Transforms go on with the same bits in a new one that was never used, and in one that was.
func TestTransformsGoOn(t *testing.T) {
	type part interface {
		online.Transform
		online.Committer
	}
	step := func(p part, k int) []float64 {
		g := []float64{float64(k), 1 / float64(k+1), -2}
		p.Apply(g)
		p.Commit(kedge.Observation{})
		return g
	}
	for name, make := range map[string]func() part{
		"momentum": func() part { return &online.Momentum{Beta: 0.5} }, "Adam": func() part { return &online.Adam{Beta1: 0.5, Beta2: 0.75, Epsilon: 1e-8} },
		"Adam for each": func() part { return &online.Adam{Beta1: 0.5, Beta2: 0.75, Epsilon: 1e-8, Scaling: online.Each} }, "optimistic": func() part { return &online.Optimistic{} },
	} {
		for _, used := range []int{0, 1, 4} {
			one, other := make(), make()
			for k := range 3 {
				step(one, k)
			}
			for k := range used {
				step(other, 7*k)
			}
			if err := (alone{other}).UnmarshalBinary(must(alone{one}.AppendBinary(nil))); err != nil {
				t.Fatal(name, err)
			}
			for k := range 3 {
				if a, b := step(one, 3+k), step(other, 3+k); !slices.Equal(a, b) {
					t.Errorf("%s, used %d times: %v and %v", name, used, a, b)
				}
			}
		}
	}
}

// lapses is an estimator that fails in one of its calls.
type lapses struct{ at int }

func (e *lapses) Estimate([]float64, kedge.Observation) error {
	if e.at--; e.at == 0 {
		return errFailing
	}
	return nil
}

// The first estimate of recursive momentum is that of everybody; and whichever half cannot be estimated, that is told.
func TestRecursiveBeginsWithEverybody(t *testing.T) {
	c := lq2()
	o := kedge.Observation{U: []float64{0, 0}, P: []float64{1, 0, 3, 0, 5, 2, 7, 6}, D: c.traits}
	g, want := make([]float64, 2), make([]float64, 2)
	estimate(t, must(online.NewRecursive(vanilla(c), c.f.Dims(), 0.3)), g, o)
	if estimate(t, vanilla(c), want, o); rows.Distance(g, want) > 1e-12 || rows.Norm(want) < 1 {
		t.Errorf("%v, want %v", g, want)
	}
	for at := 1; at <= 2; at++ {
		if err := must(online.NewRecursive(&lapses{at}, c.f.Dims(), 0.3)).Estimate(g, o); !errors.Is(err, errFailing) {
			t.Errorf("estimate %d fails, and it says %v", at, err)
		}
	}
}

// Perturbations for which nothing else is said stay for one turn, and as long as they are.
func TestDithersStayForOneTurn(t *testing.T) {
	d := must(online.NewDither(still{}, 2, online.Dithering{Size: 0.5}, set.Whole{}, stream.New(3)))
	var last []float64
	for turn := range 6 {
		u := []float64{0, 0}
		if d.Perturb(u); !(math.Abs(rows.Norm(u)-0.5) <= 1e-15) {
			t.Errorf("turn %d: %v", turn, u)
		}
		if turn%2 == 1 && rows.Distance(u, []float64{-last[0], -last[1]}) > 1e-15 {
			t.Errorf("turn %d goes to %v after %v, want the opposite", turn, u, last)
		}
		if turn > 0 && turn%2 == 0 && math.Abs(rows.Dot(u, last)) > 0.2499 {
			t.Errorf("turn %d goes the way of the last, %v after %v", turn, u, last)
		}
		last = u
		d.Commit(kedge.Observation{})
	}
}
