package optimum

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/set"
)

// tugging are two players of a tug within ±10 each, who must keep u₀ ≥ 2 together.
func tugging(constraints ...Function) *sharing[Function] {
	one := set.Interval{Lower: -10, Upper: 10}
	return &sharing[Function]{
		table:       &table[Function]{ctx: context.Background(), game: tug{a: 0.5, c0: 1, c1: 2}, sets: []kedge.Set{one, one}, set: set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}},
		constraints: constraints,
	}
}

// By hand: 2 − u₀ changes by 1 for every 1 of the length, the power of two below half of 20. What never changes has no unit.
func TestUnitsOfSharedConstraints(t *testing.T) {
	s := tugging(atLeast(2))
	if err := s.measure([]float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	is(t, "the unit of the constraint", s.units[0], 8)
	is(t, "the penalty of a unit, in prices", s.penalties[0]*s.units[0]/s.prices[0], 10)
	for name, c := range map[string]Function{"what never changes": flat{loss: 1}, "what has no value": flat{err: errNoValue}, "what has no slope": flat{slope: math.Inf(1)}} {
		if err := tugging(atLeast(2), c).measure([]float64{0, 0}); err == nil {
			t.Errorf("%s has a unit", name)
		}
	}
}

// fieldless is a tug of which no player knows a gradient.
type fieldless struct{ tug }

func (fieldless) Field([]float64, []float64) (float64, error) { return 0, errNoValue }

// What keeps units from being found is told.
func TestUnitsThatCannotBeFound(t *testing.T) {
	for name, spoil := range map[string]func(s *sharing[Function]){
		"no projection": func(s *sharing[Function]) { s.set = walled{} }, "no gradients": func(s *sharing[Function]) { s.game = fieldless{tug{a: 0.5}} },
	} {
		s := tugging(atLeast(2))
		if spoil(s); !errors.Is(s.measure([]float64{0, 0}), errNoValue) {
			t.Errorf("%s: units of %v", name, s.units)
		}
	}
}

// By hand, at (1, 3) with λ = 3 and ρ = 10: the gradients are 1 − ½·3 − 1 and 3 − ½·1 − 2, and the first is pressed by 3 + 10·1; at (4, 3) nothing presses.
func TestPressedFields(t *testing.T) {
	s := tugging(atLeast(2))
	s.multipliers, s.penalties, s.g = []float64{3}, []float64{10}, make([]float64, 2)
	g := make([]float64, 2)
	for _, x := range []struct{ u, want [2]float64 }{{[2]float64{1, 3}, [2]float64{-1.5 - 13, 0.5}}, {[2]float64{4, 3}, [2]float64{1.5, -1}}} {
		if _, err := s.pressed(g, x.u[:]); err != nil {
			t.Fatal(err)
		}
		is(t, "the first gradient", g[0], x.want[0])
		is(t, "the second", g[1], x.want[1])
	}
	s.constraints = []Function{flat{err: errNoValue}}
	if _, err := s.pressed(g, []float64{1, 3}); !errors.Is(err, errNoValue) {
		t.Errorf("under what has no value: %v", err)
	}
	part := &slice[Function]{game: s.game, of: sloped{3, 5}, player: 1, at: []float64{7, 0}, g: make([]float64, 2)}
	v, err := part.Gradient(g[:1], []float64{2})
	if err != nil || v != 3*7+5*2 || g[0] != 5 {
		t.Errorf("a slice of the second player: %v with the slope %v (%v)", v, g[0], err)
	}
	known := []float64{30, 40}
	if !alike([]float64{30, 40 + 4e-5}, known) || alike([]float64{30, 40 + 6e-5}, known) {
		t.Error("what is known")
	}
}

// By hand: u = (8/3, 10/3) holds for both; from (2, 10/3) the first player has a lower loss nearby, and the second has not.
func TestWhatHolds(t *testing.T) {
	h := tugging().table
	for _, x := range []struct {
		u     []float64
		holds [2]bool
	}{{[]float64{8. / 3, 10. / 3}, [2]bool{true, true}}, {[]float64{2, 3}, [2]bool{false, true}}} {
		for j := range 2 {
			s, err := h.reply(j, x.u)
			if err != nil {
				t.Fatal(err)
			}
			losses := make([]float64, 2)
			if err := h.game.Losses(losses, x.u); err != nil {
				t.Fatal(err)
			}
			if got := h.holds(j, x.u, losses[j], s); got != x.holds[j] {
				t.Errorf("at %v player %d stays: %v", x.u, j+1, got)
			}
		}
	}
	u, ok := h.replies([]float64{0, 0})
	if !ok || !(math.Abs(u[0]-8./3) <= 1e-9) || !(math.Abs(u[1]-10./3) <= 1e-9) {
		t.Errorf("replies come to rest at %v, %v", u, ok)
	}
	h.game = tug{a: 1.5, c0: 1, c1: 2} // replies run to the ends of what is allowed, and stay
	if u, ok := h.replies([]float64{9, 9}); !ok || u[0] != 10 || u[1] != 10 {
		t.Errorf("replies that run away come to rest at %v, %v", u, ok)
	}
}

// Ends that keep the constraints are counted; of the others the one that is nearest to that is remembered.
func TestEndsThatKeepConstraints(t *testing.T) {
	a := heldAbove()
	a.land.length, a.units[0] = 1, 1
	c := &confined{augmented: a, searcher: line()}
	c.keep(&settled{place: place{u: []float64{2}}})
	c.keep(&settled{place: place{u: []float64{2}}, excess: 9}) // in a smoothed form alone it is not kept
	if len(c.ends) != 2 || c.missed != nil {
		t.Errorf("%d ends, missed %v", len(c.ends), c.missed)
	}
	for _, excess := range []float64{0.5, 0.2, 0.9} {
		c.keep(&settled{place: place{u: []float64{1}}, excess: excess})
	}
	if len(c.ends) != 2 || c.missed == nil || c.missed.excess != 0.2 {
		t.Errorf("%d ends, missed %+v", len(c.ends), c.missed)
	}
}

// evened is u₀ ≥ 2 stated with the slope −2, truly −1, and evened out a tenth off.
type evened struct{}

func (evened) Smoothed() bool { return true }

func (evened) form(g, u []float64, off, slope float64) (float64, error) {
	clear(g)
	g[0] = slope
	return 2 - u[0] + off, nil
}

func (e evened) Gradient(g, u []float64) (float64, error) { return e.form(g, u, 0.5, -2) }
func (e evened) Sharp(g, u []float64) (float64, error)    { return e.form(g, u, 0, -1) }
func (e evened) Even(g, u []float64) (float64, error)     { return e.form(g, u, 0.1, -1) }

// By hand: what stands for another truth is kept to the last bit, the rest up to rounding. In units of 4, 2 and 2 a multiplier of 3 is 3·2·4/2 = 12, or half of it for who states the constraint twice
// as steep as it is.
func TestSmoothedConstraintsAreTold(t *testing.T) {
	a := newAugmented(overSet(bowl{1, 0}, set.Whole{}, 1), []Function{evened{}})
	for u, want := range map[float64]bool{2: true, 2 - 1e-12: false, 3: true} {
		if a.admits([]float64{u}) != want {
			t.Errorf("%v is admitted: %v", u, !want)
		}
	}
	is(t, "truly", a.truly([]float64{1.5}), 0.5)
	if v, err := a.constraint(0, []float64{1.5}); err != nil || v != 0.6 {
		t.Errorf("evened out: %v, %v", v, err)
	}
	if a.sharp = true; !a.anySmoothed() || heldAbove().anySmoothed() {
		t.Error("which are smoothed")
	}
	if v, _ := a.constraint(0, []float64{1.5}); v != 0.5 {
		t.Errorf("sharply: %v", v)
	}
	p := &settled{place: place{u: []float64{0.25}}, multipliers: []float64{3}, over: []float64{0.5}}
	for _, x := range []struct {
		a                  *augmented
		excess, multiplier float64
	}{{a, 1.5, 6}, {heldAbove(), 1, 12}} {
		x.a.land.length, x.a.land.slope, x.a.units[0] = 4, 2, 2
		excess, multiplier := x.a.told(0, p)
		is(t, "the excess", excess, x.excess)
		is(t, "the multiplier", multiplier, x.multiplier)
	}
}
