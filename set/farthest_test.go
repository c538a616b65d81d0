package set

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
)

// unknown is a set that nothing is known of but its projection.
type unknown struct{ of kedge.Set }

func (s unknown) Project(u []float64) error { return s.of.Project(u) }

// By hand. Of what nothing is known of it is the corner of the box around it, and not sure.
func TestFarthestByHand(t *testing.T) {
	inf := math.Inf(1)
	box := Box{Lower: []float64{-1, -2, 0}, Upper: []float64{3, 1, 0.5}} // farthest at (3, −2, ½)
	far := math.Sqrt(9 + 4 + 0.25)
	for _, x := range []struct {
		name string
		set  kedge.Set
		want float64
		sure bool
	}{
		{"ball", Ball{Radius: 2, Center: []float64{0, 3, 4}}, 7, true}, {"box", box, far, true}, {"open box", Box{Lower: []float64{0, 0, 0}}, inf, true}, {"endless box", Box{Lower: []float64{0, 0, 0}, Upper: []float64{1, inf, 1}}, inf, true},
		{"interval", Interval{-2, 1}, math.Sqrt(12), true}, {"simplex", Simplex{5}, 5, true}, {"capped", CappedSimplex{Sum: 5, Upper: 2}, 3, true}, {"capped above", CappedSimplex{Sum: 5, Upper: 5}, 5, true},
		{"capped, all full", CappedSimplex{Sum: 6, Upper: 2}, math.Sqrt(12), true}, {"list", Finite{[][]float64{{1, 0, 0}, {0, -4, 3}, {2, 2, 2}}}, 5, true}, {"half-space", HalfSpace{Normal: []float64{1, 1, 1}}, inf, true},
		{"product", Product{[]Part{{1, Interval{-3, 1}}, {2, Ball{Radius: 4}}}}, 5, true}, {"intersection", Intersection{Of: []kedge.Set{Ball{Radius: 9}, Whole{}, box}}, far, true},
		{"of what is unknown", Product{[]Part{{1, Interval{-3, 1}}, {2, unknown{Ball{Radius: 4}}}}}, math.Sqrt(9 + 32), false}, {"half-spaces", Intersection{Of: []kedge.Set{HalfSpace{Normal: []float64{1, 0, 0}}, Whole{}}}, inf, false},
		{"unknown", unknown{box}, far, false}, {"unknown without end", unknown{HalfSpace{Normal: []float64{1, 0, 0}}}, inf, false},
	} {
		got, sure, err := Farthest(x.set, 3)
		if err != nil || sure != x.sure || got != x.want && !(math.Abs(got-x.want) <= 1e-13*x.want) {
			t.Errorf("%s: %v, sure %v (%v), want %v", x.name, got, sure, err, x.want)
		}
	}
	left := 4 // of six projections
	if _, _, err := Farthest(unknown{spent{Ball{Radius: 1}, &left}}, 3); !errors.Is(err, errSpent) {
		t.Errorf("of what fails: %v", err)
	}
}

// By hand: the box between the whole bounds, the whole space without any; the corner of the bounds of a convex set, and no end of a plane.
func TestRelaxedAndFarthest(t *testing.T) {
	l := Lattice{Lower: []float64{-1.5, 0.2}, Upper: []float64{2.5, 9.9}, Whole: []bool{true, false}}
	if b, ok := l.Relaxed().(Box); !ok || b.Lower[0] != -1 || b.Upper[0] != 2 || b.Lower[1] != 0.2 || b.Upper[1] != 9.9 {
		t.Errorf("%+v", l.Relaxed())
	}
	if _, ok := (Lattice{}).Relaxed().(Whole); !ok {
		t.Errorf("without bounds: %+v", Lattice{}.Relaxed())
	}
	plane, err := NewAffine([]float64{1, 1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		set  kedge.Set
		want float64
		sure bool
	}{
		{plane, math.Inf(1), true}, {Convex{Bounds: Box{Lower: []float64{-3, 0}, Upper: []float64{1, 4}}, Inside: []float64{0, 1}}, 5, true},
	} {
		if got, sure, err := Farthest(x.set, 2); err != nil || got != x.want || sure != x.sure {
			t.Errorf("%+v: %v, %v, %v", x.set, got, sure, err)
		}
	}
	if err := (RateLimit{Most: 1}).ProjectAt([]float64{1}, 1, []float64{0}); err == nil {
		t.Error("a rate limit without a set")
	}
	none := &NoInsideError{What: "the bounds", Least: 0.25, At: []float64{1, 2}}
	if !errors.Is(none, kedge.ErrInfeasible) || none.Error() != "no decision keeps the bounds with room to spare: at best, near [1 2], the worst of them is 0.25 beyond" {
		t.Error(none)
	}
	for name, c := range map[string]Convex{
		"a plane of another length": {Inside: []float64{0}, Plane: plane}, "off the plane": {Inside: []float64{0, 0}, Plane: plane}, "on a bound": {Bounds: Box{Lower: []float64{0, 0}}, Inside: []float64{0, 1}}, "of another length": {Bounds: Box{Lower: []float64{0, 0}}, Inside: []float64{1}},
	} {
		if err := c.Check(len(c.Inside)); err == nil {
			t.Errorf("%s: Inside is taken", name)
		}
	}
}

// A set that fails at any time is told of by whatever projects onto it.
func TestFailingSetsAreToldOf(t *testing.T) {
	for name, use := range map[string]func(s kedge.Set) error{
		"whole points": func(s kedge.Set) error { _, err := Wholes(s, 2, 1000); return err },
		"farthest":     func(s kedge.Set) error { _, _, err := Farthest(s, 2); return err },
		"distance":     func(s kedge.Set) error { _, err := Distance(s, []float64{3, 4}); return err },
		"product": func(s kedge.Set) error {
			return Product{[]Part{{2, s}, {1, Interval{0, 1}}}}.Project([]float64{3, 4, 5})
		},
		"intersection": func(s kedge.Set) error {
			return Intersection{Of: []kedge.Set{s, Interval{0.5, 1}}}.Project([]float64{3, 4})
		},
	} {
		const calls = 1 << 20
		left := calls
		if err := use(unknown{spent{Ball{Radius: 2}, &left}}); err != nil {
			t.Fatal(name, err)
		}
		needs := calls - left
		for n := range needs {
			left = n
			if err := use(unknown{spent{Ball{Radius: 2}, &left}}); !errors.Is(err, errSpent) {
				t.Errorf("%s: projection %d of %d failed, and it says %v", name, n, needs, err)
			}
		}
		if needs == 0 {
			t.Errorf("%s projects nothing", name)
		}
	}
}
