package problem

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
)

// made builds an embedded case with some keys set.
func made(t *testing.T, name string, over ...Overlay) *Problem {
	t.Helper()
	src, _ := Case(name)
	s, err := Parse(kind.Standard(), name, src, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build(name, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func assign(all ...string) (over []Overlay) {
	for _, a := range all {
		over = append(over, Assign(a))
	}
	return over
}

// Regenerated traits and first states are the stored ones, bit for bit, and take no memory.
func TestRegeneratedIsStored(t *testing.T) {
	sets := []string{"population.size=700", "population.dim=6", "population.states={law: sphere}"}
	stored := made(t, "polarized", assign(sets...)...)
	again := made(t, "polarized", assign(append(sets, "population.traits=regenerated")...)...)
	all := stored.Some(1000)
	states, traits := stored.First(all)
	s, d := again.First(all)
	if len(d) != 700*6 || !slices.Equal(s, states) || !slices.Equal(d, traits) || slices.Equal(s, d) {
		t.Error("regenerated individuals are others")
	}
	if _, drawn := again.Traits.(*population.Redrawn); !drawn {
		t.Errorf("regenerated traits are kept as %T", again.Traits)
	}
}

// Traits of another number of people than there are first states are refused by name; as many are taken.
func TestSteadyOfOtherPeople(t *testing.T) {
	p := made(t, "polarized", assign("population.size=7", "population.dim=3", "population.states={law: sphere}")...)
	traits := func(n int) kedge.Block { return kedge.Block{Data: p.Traits.View(nil, 0, 7)[:3*n], Width: 3} }
	var wrong *kedge.DimError
	if _, err := p.SteadyOf(traits(4)); !errors.As(err, &wrong) || wrong.Got != 21 || wrong.Want != 12 {
		t.Errorf("traits of 4 beside states of 7: %v", err)
	}
	f, err := p.SteadyOf(traits(7))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Value(p.Start); err != nil {
		t.Error(err)
	}
}

// In single precision every entry is within its rounding, 2⁻²⁴ of the length 1, and the length is 1 again.
func TestShortTraitsAreUnitVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	sets := []string{"population.size=700", "population.dim=6"}
	for name, over := range map[string][]Overlay{"kedge": nil, "numpy": assign("generator=numpy")} {
		long := made(t, "polarized", append(over, assign(sets...)...)...)
		short := made(t, "polarized", append(over, assign(append(sets, "population.storage=float32")...)...)...)
		_, want := long.First(long.Some(1000))
		_, got := short.First(short.Some(1000))
		for i, v := range want {
			if math.Abs(got[i]-v) > 0x1p-24*1.5 {
				t.Fatalf("%s: entry %d is %v, was %v", name, i, got[i], v)
			}
		}
		for i := range 700 {
			if e := math.Abs(rows.Norm(kedge.Row(got, i, 6)) - 1); e > 4e-16 {
				t.Fatalf("%s: individual %d is %.1e off the sphere", name, i, e)
			}
		}
		if _, ok := short.Traits.(*population.Float32s); !ok || slices.Equal(got, want) {
			t.Errorf("%s: traits are kept as %T", name, short.Traits)
		}
	}
}

// Trials share the traits and keep the states as the spec says.
func TestTrialsShareTraits(t *testing.T) {
	p := made(t, "polarized", assign("population.size=100", "population.storage=float32")...)
	a, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Population.Bytes(); n != 100*240 {
		t.Errorf("a trial takes %d bytes", n)
	}
	p = made(t, "polarized", assign("population.size=100")...)
	a, _ = p.Trial(0, 0, math.NaN())
	b, _ := p.Trial(1, 0, math.NaN())
	if &a.Population.Traits()[0] != &b.Population.Traits()[0] || &a.Population.States()[0] == &b.Population.States()[0] {
		t.Error("two trials must share their traits and nothing else")
	}
}

// By hand.
func TestSome(t *testing.T) {
	p := &Problem{Spec: &Spec{Population: Population{Size: 10}}}
	for most, want := range map[int][]int{1: {0}, 4: {0, 2, 5, 7}, 10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 99: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		if got := p.Some(most); !slices.Equal(got, want) {
			t.Errorf("%d of 10: %v", most, got)
		}
	}
}

// A state with its norm has one entry more, which is 1.
func TestWithNorm(t *testing.T) {
	r := withNorm{kedge.Block{Data: []float64{1, 2, 3, 4, 5, 6}, Width: 2}}
	if n, width := r.Size(); n != 3 || width != 3 {
		t.Errorf("%d rows of %d", n, width)
	}
	if got := r.View(make([]float64, 9), 1, 3); !slices.Equal(got, []float64{3, 4, 1, 5, 6, 1}) {
		t.Errorf("rows 1 and 2 are %v", got)
	}
}

// The roll-out begins at the first states: one step from there, by the dynamics itself.
func TestRolloutBeginsAtTheStates(t *testing.T) {
	p := made(t, "polarized", assign("population.size=50", "population.dim=3", "population.states={law: sphere}", "record.rollout=1")...)
	u := []float64{0.3, -0.2, 0.5}
	got, err := p.Rollout().Value(u)
	if err != nil {
		t.Fatal(err)
	}
	states, traits := p.First(p.Some(50))
	sum, next := 0.0, make([]float64, 3)
	for i := range 50 {
		p.Dynamics.Next(next, kedge.Row(states, i, 3), u, kedge.Row(traits, i, 3))
		sum -= rows.Dot(next, u)
	}
	if math.Abs(got-sum/50) > 1e-15 {
		t.Errorf("value %v, by hand %v", got, sum/50)
	}
}
