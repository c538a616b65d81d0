package sensitivity

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// around draws n people near their traits, with the norm that PolarizedNorm remembers behind the state and behind what is pulled, and a decision.
func around(n, dim int) (u, p, d, v, norms, pulls []float64) {
	r := stream.New(uint64(n), "around")
	unit := func(by float64, from []float64) []float64 {
		x := make([]float64, dim)
		r.Normals(x)
		rows.Scale(x, by/rows.Norm(x))
		if from != nil {
			rows.AddScaled(x, 1, from)
			rows.Scale(x, 1/rows.Norm(x))
		}
		return x
	}
	u = unit(0.8, nil)
	for range n {
		one := unit(1, nil)
		state, pull := unit(0.2, one), unit(1+r.Float64(), nil)
		d, p, v = append(d, one...), append(p, state...), append(v, pull...)
		norms, pulls = append(append(norms, state...), 1+0.2*r.Float64()), append(append(pulls, pull...), r.Float64()-0.5)
	}
	return u, p, d, v, norms, pulls
}

// Products of many people are the sums of those of each, but for rounding where norms are added too, however many are looked at together; who has none is named wherever he stands.
func TestManyAreTheSumOfEach(t *testing.T) {
	const dim = 3
	one := Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	for _, n := range []int{1, 63, 64, 65, 100, 128, 129, 200} {
		u, p, d, v, norms, pulls := around(n, dim)
		for name, x := range map[string]struct {
			s     kedge.Sensitivity
			p, v  []float64
			width int
		}{"polarized": {&one, p, v, dim}, "with a norm": {&PolarizedNorm{one}, norms, pulls, dim + 1}} {
			got, want := make([]float64, dim), make([]float64, dim)
			err := x.s.PullRows(got, x.p, u, d, x.v)
			for i := range n {
				err = errors.Join(err, x.s.PullRows(want, kedge.Row(x.p, i, x.width), u, kedge.Row(d, i, dim), kedge.Row(x.v, i, x.width)))
			}
			if off := rows.Distance(got, want); err != nil || off > 1e-13*float64(n) || off != 0 && x.width == dim {
				t.Errorf("%s, %d people: %v, want %v (%v)", name, n, got, want, err)
			}
			for _, bad := range []int{0, n / 2, n - 1} {
				spoiled := slices.Clone(x.p)
				spoiled[bad*x.width] = math.NaN()
				var row *kedge.RowError
				if err := x.s.PullRows(got, spoiled, u, d, x.v); !errors.As(err, &row) || row.Row != bad {
					t.Errorf("%s, %d people: number %d is none, and it says %v", name, n, bad, err)
				}
			}
		}
	}
}

// Where the part of u across p is as long as the part along it, products with u are taken by the sum of both: by hand, of p = (1, 0) and u = (a, a), (kσ/D)·a·u.
func TestProductsHalfWay(t *testing.T) {
	r, p := stream.New(1, "half way"), []float64{1, 0}
	for range 50 {
		a := r.Float64()
		g := geometry{sigma: r.Float64(), a: a, b: float64(a * a), margin: 0.5 + r.Float64()}
		k, sum := 1+r.Float64(), make([]float64, 2)
		want := float64(float64(k*g.sigma/g.margin) * a * a)
		if g.addOwn(sum, p, []float64{a, a}, k); sum[0] != want || sum[1] != want {
			t.Errorf("%+v: %v, want %v", g, sum, want)
		}
	}
}

// The first people are remembered until there are enough, each by how much it counts if that was ever told; who counts nothing is not.
func TestWhoIsRemembered(t *testing.T) {
	c := Learning{Dims: kedge.Dims{Decision: 1, State: 1, Trait: 1}, Lag: Naive, Controls: Alignment}
	c.fill()
	l := c.layout()
	see := func(seen int, turns ...kedge.Observation) *past {
		h := newPast(&l, &c)
		h.crowd = make([]float64, seen)
		for _, o := range turns {
			h.remember(o, len(o.D))
		}
		return &h
	}
	plain, weighed := turnOf(1, [2]float64{0, 5}, [2]float64{0, 6}), weighedTurn(turnOf(1, [2]float64{0, 7}, [2]float64{0, 8}, [2]float64{0, 9}), 2, 0, 3)
	for name, x := range map[string]struct {
		got           *past
		crowd, counts []float64
	}{
		"plain": {see(0, plain), []float64{5, 6}, nil}, "weighed": {see(0, weighed), []float64{7, 9}, []float64{2, 3}}, "weighed later": {see(0, plain, weighed), []float64{5, 6, 7, 9}, []float64{1, 1, 2, 3}},
		"weighed before": {see(0, weighed, plain), []float64{7, 9, 5, 6}, []float64{2, 3, 1, 1}},
	} {
		if !slices.Equal(x.got.crowd, x.crowd) || !slices.Equal(x.got.counts, x.counts) {
			t.Errorf("%s: %v by %v, want %v by %v", name, x.got.crowd, x.got.counts, x.crowd, x.counts)
		}
	}
	for name, x := range map[string]struct {
		got          *past
		seen, counts int
	}{
		"one more": {see(crowded-1, plain), crowded, 0}, "enough": {see(crowded, plain), crowded, 0}, "one more by weight": {see(crowded-1, weighed), crowded, crowded}, "enough, by weight": {see(crowded, weighed), crowded, 0}, "two more": {see(crowded-2, weighed), crowded, crowded},
	} {
		if x.got.seen() != x.seen || len(x.got.counts) != x.counts {
			t.Errorf("%s: %d are remembered by %d weights, want %d by %d", name, x.got.seen(), len(x.got.counts), x.seen, x.counts)
		}
	}
	if crowded != 16384 {
		t.Errorf("%d are remembered", crowded)
	}
}

// Traits are kept apart where controls of the mean compare them with decisions, and nowhere else.
func TestWhatIsKeptApart(t *testing.T) {
	for _, form := range []Form{Mean, Conditional, Panel} {
		for _, controls := range []Controls{NoControls, Traits, Alignment} {
			if apart := mustLearn(t, Learning{Form: form, Lag: Naive, Controls: controls}).Kept() != nil; apart != (form == Mean && controls == Alignment) {
				t.Errorf("form %d with controls %d keeps something apart: %v", form, controls, apart)
			}
		}
	}
}
