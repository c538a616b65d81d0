package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/set"
)

// By hand, the whole points of [0, 2] × [−1, 0]; of many there is no list, and of slices fewer.
func TestPointsAreListed(t *testing.T) {
	list := func(l set.Lattice, free ...int) ([][]float64, bool) {
		g := &gaps{of: l, lattice: l, from: make([]float64, len(l.Lower)), free: free}
		for i := range g.from {
			if !slices.Contains(free, i) {
				g.whole = append(g.whole, i)
			}
		}
		return g.listed()
	}
	points, ok := list(set.Lattice{Lower: []float64{0, -1.4}, Upper: []float64{2.3, 0}})
	if want := [][]float64{{0, -1}, {0, 0}, {1, -1}, {1, 0}, {2, -1}, {2, 0}}; !ok || !slices.EqualFunc(points, want, slices.Equal) {
		t.Errorf("%v, %v, want %v", points, ok, want)
	}
	for upper, want := range map[float64]bool{mostListed - 1: true, mostListed: false} {
		if points, ok := list(set.Lattice{Lower: []float64{0}, Upper: []float64{upper}}); ok != want || ok && len(points) != mostListed {
			t.Errorf("up to %v: %d points, %v", upper, len(points), ok)
		}
	}
	for upper, want := range map[float64]bool{mostSlices - 1: true, mostSlices: false} {
		if points, ok := list(set.Lattice{Lower: []float64{0, 0}, Upper: []float64{upper, 1}, Whole: []bool{true, false}}, 1); ok != want || ok && len(points) != mostSlices {
			t.Errorf("slices up to %v: %d, %v", upper, len(points), ok)
		}
	}
	few := [][]float64{{1}, {5}}
	if points, ok := (&gaps{of: set.Finite{Points: few}}).listed(); !ok || len(points) != 2 {
		t.Errorf("of a list: %v, %v", points, ok)
	}
}

// By hand: over by 2 in units of 4 is a half; who keeps the constraints comes before who does not, who comes nearer before who does not, and then the lower loss. Of 4, 3.6e-9 is a part of 0.9e-9, which does not count, and 6e-9 one of 1.5e-9, which does.
func TestPointsAreCompared(t *testing.T) {
	g := &gaps{units: []float64{4, 1}, lattice: set.Lattice{Lower: []float64{0, 0}, Upper: []float64{3, 3}}, whole: []int{0, 1}, from: []float64{1, 200}}
	is(t, "the excess", g.excess(&spot{over: []float64{2, 0.25}}), 0.5)
	is(t, "none", g.excess(&spot{over: []float64{-2, 0}}), 0)
	inf := math.Inf(1)
	for _, x := range []struct {
		a, b spot
		want bool
	}{
		{spot{loss: 1}, spot{loss: 2}, true}, {spot{loss: 2}, spot{loss: 1}, false}, {spot{loss: 1}, spot{loss: 1}, false}, {spot{loss: 1}, spot{loss: inf}, true}, {spot{loss: inf}, spot{loss: 1}, false},
		{spot{loss: 9, over: []float64{-1}}, spot{loss: 1, over: []float64{1}}, true}, {spot{loss: 1, over: []float64{2}}, spot{loss: 9, over: []float64{1}}, false}, {spot{loss: 1, over: []float64{1e-12}}, spot{loss: 9, over: []float64{0}}, true},
		{spot{loss: 1, over: []float64{3.6e-9}}, spot{loss: 9, over: []float64{0}}, true}, {spot{loss: 1, over: []float64{6e-9}}, spot{loss: 9, over: []float64{0}}, false},
	} {
		if got := g.better(&x.a, &x.b); got != x.want {
			t.Errorf("%+v before %+v: %v", x.a, x.b, got)
		}
	}
	for _, x := range []struct {
		u    []float64
		want bool
	}{{[]float64{0, 3}, true}, {[]float64{-1, 0}, false}, {[]float64{0, 4}, false}} {
		if g.within(x.u) != x.want {
			t.Errorf("%v is within: %v", x.u, !x.want)
		}
	}
	g.lattice = set.Lattice{Lower: []float64{-1e6, -1e6}, Upper: []float64{1e6, 250}}
	for i, want := range [][2]float64{{1 - 64, 1 + 64}, {200 - 64*200, 250}} {
		if lower, upper := g.reach(i); lower != want[0] || upper != want[1] {
			t.Errorf("steps of entry %d begin between %v and %v, want %v", i, lower, upper, want)
		}
	}
}

// By hand, of u₀ + 10u₁ with u₀ held at 3.
func TestSlicesOfFunctions(t *testing.T) {
	s := &sliced{of: sloped{1, 10}, free: []int{1}, u: []float64{3, 0}, gu: make([]float64, 2)}
	g := make([]float64, 1)
	v, err := s.Gradient(g, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the value", v, 23)
	is(t, "the slope", g[0], 10)
	s.of = flat{err: errNoValue}
	if _, err := s.Gradient(g, []float64{2}); !errors.Is(err, errNoValue) {
		t.Errorf("of what fails: %v", err)
	}
}

type sloped []float64

func (s sloped) Gradient(g, u []float64) (sum float64, err error) {
	for i, v := range u {
		g[i] = s[i]
		sum += s[i] * v
	}
	return sum, nil
}

// By hand: inside of a box a projection moves along, outside it does not, and at its edge there is no slope; onto a line through (1, 1) it moves halves.
func TestSlopesOfProjections(t *testing.T) {
	box := set.Box{Lower: []float64{0, 0}, Upper: []float64{1, 1}}
	slope, err := slopeOf(box, []float64{0.5, 3}, 1e-3)
	if err != nil || !slices.EqualFunc(slope, []float64{1, 0, 0, 0}, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }) {
		t.Errorf("%v, %v", slope, err)
	}
	if _, err := slopeOf(box, []float64{0.5, 1}, 1e-3); err == nil {
		t.Error("there is a slope at an edge")
	}
	if slope, err := slopeOf(nil, []float64{5}, 1e-3); err != nil || !(math.Abs(slope[0]-1) <= 1e-9) {
		t.Errorf("without a set: %v, %v", slope, err)
	}
	line, err := set.NewAffine([]float64{1, -1}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	if slope, err := slopeOf(line, []float64{2, 5}, 1e-3); err != nil || !slices.EqualFunc(slope, []float64{0.5, 0.5, 0.5, 0.5}, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }) {
		t.Errorf("onto a line: %v, %v", slope, err)
	}
	if _, err := slopeOf(walled{}, []float64{2}, 1e-3); !errors.Is(err, errNoValue) {
		t.Errorf("onto what cannot be projected onto: %v", err)
	}
}

// By hand, of 10,000 people every tenth with a weight of 3: 4,096 at equal distances, with weights that add up to their number. Few are left as they are.
func TestCrowdsAreThinned(t *testing.T) {
	const n = 10_000
	traits, weights := make([]float64, n), make([]float64, n)
	for i := range traits {
		traits[i], weights[i] = float64(i), 1
		if i%10 == 0 {
			weights[i] = 3
		}
	}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	block := kedge.Block{Data: traits, Width: 1}
	m, err := thinned(kedge.Model{Dynamics: f, Traits: block, States: block, Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	data := m.Traits.(kedge.Block).Data
	if len(data) != mostSampled || data[0] != 0 || data[1] != 2 || data[mostSampled-1] != float64((mostSampled-1)*n/mostSampled) || !slices.Equal(data, m.States.(kedge.Block).Data) {
		t.Errorf("%d people, %v … %v", len(data), data[:3], data[len(data)-1])
	}
	sum := 0.0
	for i, w := range m.Weights {
		sum += w
		if heavy := int(data[i])%10 == 0; heavy != (w > 1.5*m.Weights[1]) {
			t.Fatalf("number %v has the weight %v", data[i], w)
		}
	}
	is(t, "the weights together", sum, mostSampled)
	few := kedge.Model{Dynamics: f, Traits: kedge.Block{Data: traits[:mostSampled], Width: 1}}
	if m, err := thinned(few); err != nil || &m.Traits.(kedge.Block).Data[0] != &traits[0] {
		t.Errorf("few people are thinned (%v)", err)
	}
}

// Nash equilibria come before local ones, and those that are reached before others.
func TestRanksOfEquilibria(t *testing.T) {
	for i, e := range []Equilibrium{{Nash: true, Rest: &Rest{Reached: true}}, {Nash: true, Rest: &Rest{}}, {Rest: &Rest{Reached: true}}, {}} {
		if got := rank(e); got != i {
			t.Errorf("rank %d, want %d", got, i)
		}
	}
	if got := rank(Equilibrium{Nash: true}); got != 1 {
		t.Errorf("of one that nobody rests at: %d", got)
	}
}

// tug is a game of two with ½(uⱼ − a·other − cⱼ)² each: by hand, at rest u₀ = a·u₁ + c₀ and u₁ = a·u₀ + c₁.
type tug struct {
	a, c0, c1 float64
	fails     bool
}

func (g tug) Players() int { return 2 }

func (g tug) Block(u []float64, j int) []float64 { return u[j : j+1] }

func (g tug) off(u []float64, j int) float64 { return u[j] - g.a*u[1-j] - []float64{g.c0, g.c1}[j] }

func (g tug) Field(f, u []float64) (float64, error) {
	f[0], f[1] = g.off(u, 0), g.off(u, 1)
	return 0, nil
}

func (g tug) Losses(dst, u []float64) error {
	for j := range dst {
		dst[j] = g.off(u, j) * g.off(u, j) / 2
	}
	if g.fails {
		return errNoValue
	}
	return nil
}

func (g tug) Reply(j int, u []float64) Function {
	at := slices.Clone(u)
	return plainly(func(d, x []float64) (float64, error) {
		at[j] = x[0]
		d[0] = g.off(at, j)
		return d[0] * d[0] / 2, nil
	})
}

type plainly func(g, u []float64) (float64, error)

func (f plainly) Gradient(g, u []float64) (float64, error) { return f(g, u) }

// By hand, for a = ½ and c = (1, 2): u = (8/3, 10/3), which nobody leaves. A game that has no value there has no equilibrium.
func TestEquilibriumOfATug(t *testing.T) {
	sets := []kedge.Set{set.Interval{Lower: -10, Upper: 10}, set.Interval{Lower: -10, Upper: 10}}
	both := set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	list, err := Equilibria[Function](context.Background(), tug{a: 0.5, c0: 1, c1: 2}, sets, both, []float64{0, 0}, Effort{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	e := list[0]
	if !(math.Abs(e.Decision[0]-8./3) <= 1e-8) || !(math.Abs(e.Decision[1]-10./3) <= 1e-8) || !e.Nash || !(e.Loss <= 1e-15) || !(slices.Max(e.Gains) <= 1e-9) || e.Rest == nil || !e.Rest.Attracting {
		t.Errorf("%+v", e)
	}
	if list, err := Equilibria[Function](context.Background(), tug{a: 0.5, fails: true}, sets, both, []float64{0, 0}, Effort{}); err == nil {
		t.Errorf("a game without a value rests at %+v", list)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Equilibria[Function](stopped, tug{a: 0.5}, sets, both, []float64{0, 0}, Effort{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
