package certify

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// By hand, from the formulas: with λ₁ = 0.2, λ₂ = 0.6 and ε = 0.3 the steady state is (λ₂ softmax(−εu) + 0.2 d)/0.8, and softmax has a Jacobian of at most ½.
func TestConstantsOfChoiceByHand(t *testing.T) {
	c := &Constants{}
	must(t, c.addChoice(dynamics.Choice{Dim: 4, Lambda1: 0.2, Lambda2: 0.6, Epsilon: 0.3}))
	want := []struct {
		key   Key
		value float64
	}{{LfP, 0.2}, {LfU, 0.09}, {LfD, 0.2}, {PMin, 1}, {PMax, 1}, {LhU, 0.1125}, {LhD, 0.25}, {MhD, 0}}
	if len(c.List) != len(want) {
		t.Fatalf("%+v", c.List)
	}
	for i, x := range c.List {
		near(t, string(x.Key), x.Value, want[i].value, 1e-15)
		if x.Key != want[i].key || x.Known != Proof || x.How == "" {
			t.Errorf("%d is %+v, want %v", i, x, want[i])
		}
	}
	if err := c.addChoice(dynamics.Choice{Dim: 4, Lambda1: 2}); err == nil {
		t.Error("λ₁ = 2 is none")
	}
}

// strange is a ball that nobody knows.
type strange struct{ set.Ball }

// The radius of a set that is known is a proof, of another one an estimate that holds it; a set that cannot be asked is told.
func TestRadiiAreKnown(t *testing.T) {
	ask := func(s kedge.Set) (Constant, error) {
		c := &Constants{}
		err := c.addRadius(problem{Model: kedge.Model{Dynamics: dynamics.Polarized{Dim: 3}, Set: s}})
		return c.Get(Radius), err
	}
	x, err := ask(set.Ball{Radius: 2})
	if err != nil || x.Value != 2 || x.Known != Proof || x.How != "largest norm in the set" {
		t.Errorf("a ball: %+v, %v", x, err)
	}
	x, err = ask(&strange{set.Ball{Radius: 2}})
	if err != nil || !(x.Value >= 2-1e-9 && x.Value <= 2*math.Sqrt(3)+1e-9) || x.Known != Estimate || x.How != "box around projections of far points" {
		t.Errorf("a strange one: %+v, %v", x, err)
	}
	if _, err = ask(deaf{}); !errors.Is(err, errDeaf) {
		t.Errorf("one that cannot be asked: %v", err)
	}
}

var errDeaf = errors.New("deaf")

type deaf struct{}

func (deaf) Project([]float64) error { return errDeaf }

// Eight decisions and 48 people at most are looked at, by hand fewer people where states are long: of 100 entries 1 + 4·10⁷/8/100³, of 300 one.
func TestProbesAreCounted(t *testing.T) {
	for _, x := range []struct{ states, people, want int }{{2, 3, 3}, {2, 48, 48}, {2, 500, 48}, {100, 500, 6}, {300, 500, 1}} {
		dim := kedge.Dims{Decision: 1, State: x.states, Trait: x.states}
		f := dynamics.Choice{Dim: x.states, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3}
		block := kedge.Block{Data: slices.Repeat([]float64{1 / float64(x.states)}, x.people*x.states), Width: x.states}
		all, err := probes(problem{kedge.Model{Dynamics: f, Settler: f, Traits: block, States: block, Set: set.Ball{Radius: 1}}, Premises{Seed: 3}})
		must(t, err)
		if len(all) != 8*x.want {
			t.Errorf("%+v of %d: %d probes, want 8·%d", dim, x.people, len(all), x.want)
		}
		under := map[int]float64{}
		for i, p := range all {
			if p.under != i/x.want {
				t.Errorf("probe %d is under decision %d", i, p.under)
			}
			under[p.under] = p.u[0]
		}
		different := map[float64]bool{}
		for _, u := range under {
			different[u] = true
		}
		if len(under) != 8 || len(different) != 8 {
			t.Errorf("decisions %v", under)
		}
		if last := all[len(all)-1].who; x.people > 1 && x.want > 1 && last < x.people*3/4 {
			t.Errorf("the last of %d who is looked at is %d", x.people, last)
		}
	}
	if _, err := probes(problem{}); err == nil {
		t.Error("who does not settle is looked at")
	}
}

// What a search over lengths and angles finds is the largest of a grid of both, at the lengths that it says and at none beyond the radius.
func TestWorstLengths(t *testing.T) {
	f := dynamics.Polarized{Dim: 4, Lambda: 0.3, Sigma: 0.4}
	for _, r := range []float64{0.05, 1.7} {
		for what, x := range map[string]struct {
			got    float64
			rate   func(f dynamics.Polarized, length, angle float64) float64
			shares []float64
		}{
			"bend": {polarizedBend(f, r), affinityBend, []float64{0.01, 0.25, 0.5, 0.75, 1}},
			"turn": {polarizedTurn(f, r), turnRate, []float64{0.25, 0.5, 0.75, 1}},
		} {
			want := 0.0
			for _, share := range x.shares {
				for k := range 25 {
					want = max(want, x.rate(f, share*r, float64(k)*math.Pi/48))
				}
			}
			if !(x.got >= want && x.got <= want*1.002) {
				t.Errorf("the %s within %v is %v, on a grid %v", what, r, x.got, want)
			}
		}
	}
	if polarizedTurn(f, 0) != 0 || polarizedTurn(dynamics.Polarized{Dim: 4, Lambda: 0.3}, 1) != 0 {
		t.Error("what nothing pulls turns")
	}
}

// settledBySteps is where one goes in 200 steps of λp + (1−λ)d + σ(pᵀu)u, scaled to length 1.
func settledBySteps(f dynamics.Polarized, u, d []float64) []float64 {
	p := slices.Clone(d)
	for range 200 {
		pu, length := rows.Dot(p, u), 0.0
		for i := range p {
			p[i] = f.Lambda*p[i] + (1-f.Lambda)*d[i] + f.Sigma*pu*u[i]
			length += p[i] * p[i]
		}
		rows.Scale(p, 1/math.Sqrt(length))
	}
	return p
}

// How ∇ᵤh turns with d, by second differences of where steps lead: over all directions that d may take from where it is.
func TestTurnsBySteps(t *testing.T) {
	const step = 1e-3
	f := dynamics.Polarized{Dim: 4, Lambda: 0.3, Sigma: 0.4}
	for _, length := range []float64{0.6, 1} {
		for _, angle := range []float64{0, 0.4, math.Pi / 4, 1.3} {
			sin, cos := math.Sincos(angle)
			want := 0.0
			for k := range 17 {
				sinT, cosT := math.Sincos(float64(k) * math.Pi / 32)
				d, along := []float64{cos, sin, 0, 0}, []float64{-sin * cosT, cos * cosT, sinT, 0}
				slope := make([]float64, 16)
				for j := range 4 {
					for _, at := range [][3]float64{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}} {
						u := []float64{length, 0, 0, 0}
						u[j] += at[0] * step
						for i, h := range settledBySteps(f, u, turned(d, along, at[1]*step)) {
							slope[i*4+j] += at[2] * h / (4 * step * step)
						}
					}
				}
				want = max(want, dense.Norm(slope, 4, 4))
			}
			if got := turnRate(f, length, angle); !(math.Abs(got-want) <= 2e-3*want) {
				t.Errorf("a u of length %v at an angle of %v: %v, by steps %v", length, angle, got, want)
			}
		}
	}
}

// By symmetry u and −u are alike, and so are both sides of the plane of d and p.
func TestReadingsAreSymmetric(t *testing.T) {
	f := dynamics.Polarized{Dim: 4, Lambda: 0.3, Sigma: 0.4}
	for k := range 12 {
		angle, polar, around := 0.05*float64(k%5), 0.25*float64(k), 0.26*float64(k)
		want := readRate(f, 1, angle, polar, around)
		near(t, "a u the other way", readRate(f, 1, angle, math.Pi-polar, math.Pi-around), want, 1e-6*want)
		near(t, "a u across the plane", readRate(f, 1, angle, polar, -around), want, 1e-6*want)
	}
}

// By hand: the largest of 2 − |x − 1/3| between 0 and 1 is 2 at 1/3, that of x at the end, and that of a hill between points of the grid is found by thirds.
func TestLargestValues(t *testing.T) {
	for i, x := range []struct {
		f    func(float64) float64
		want float64
	}{
		{func(x float64) float64 { return 2 - math.Abs(x-1./3) }, 2}, {func(x float64) float64 { return x }, 1}, {func(x float64) float64 { return -x }, 0}, {func(x float64) float64 { return -(x - 0.6180339) * (x - 0.6180339) }, 0},
	} {
		near(t, "the largest of function "+strconv.Itoa(i), largest(x.f, 0, 1, 7), x.want, 1e-4)
	}
}
