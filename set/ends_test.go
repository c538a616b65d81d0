package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// From 2⁵² on all numbers are whole, and stay as they are; below, halves go to the lower number.
func TestLargeWholeNumbersStay(t *testing.T) {
	for _, v := range []float64{1 << 51, 1<<52 - 1, 1 << 52, 1<<52 + 1, 1<<53 - 1, 1 << 53, 1<<53 + 2, 1e300} {
		u := []float64{v, -v}
		if err := (Lattice{}).Project(u); err != nil || u[0] != v || u[1] != -v {
			t.Errorf("±%v is moved to %v, %v", v, u, err)
		}
	}
	u := []float64{1<<52 - 0.5, -(1<<51 + 0.5)}
	if err := (Lattice{}).Project(u); err != nil || u[0] != 1<<52-1 || u[1] != -(1<<51+1) {
		t.Errorf("halves are moved to %v, %v", u, err)
	}
}

// By hand: the box around one point is that point, and no whole number in one entry is none at all, however many there are in the other.
func TestFewPoints(t *testing.T) {
	b := Finite{Points: [][]float64{{3, -4}}}.Relaxed().(Box)
	if !slices.Equal(b.Lower, []float64{3, -4}) || !slices.Equal(b.Upper, []float64{3, -4}) {
		t.Errorf("the box around one point is %v", b)
	}
	if _, err := Wholes(Product{[]Part{{1, Interval{0.2, 0.8}}, {1, Interval{0, 5000}}}}, 2, 1000); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("without a whole number in the first entry: %v", err)
	}
	list, err := Wholes(Interval{2, 4}, 2, 9)
	if err != nil || len(list.Points) != 9 {
		t.Errorf("3 × 3 whole points are %v, %v", list.Points, err)
	}
	if _, err := Wholes(Interval{2, 4}, 2, 8); !isTyped(err) || errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("nine where eight are too many: %v", err)
	}
}

// The whole points of a curved set are those at which its curve is not above 0. From far away its ends are known to a part of the distance only.
func TestWholePointsOfCurvedSets(t *testing.T) {
	disc := curve(func(g, h, u []float64) float64 {
		return ellipse(4.05, 3.02)(g, h, []float64{u[0] + 0.5, u[1]})
	})
	s := Convex{Curves: []ConvexCurve{disc}, Inside: []float64{0, 0}}
	got, err := Wholes(s, 2, 1000)
	want := counted(2, func(u []float64) bool { return disc.Expand(nil, nil, u) <= 0 })
	slices.SortFunc(want, slices.Compare)
	if err != nil || !slices.EqualFunc(got.Points, want, slices.Equal[[]float64]) {
		t.Errorf("%v, %v, want %v", got.Points, err, want)
	}
}

// By hand: of ends at 10⁶ it is said that they are ends. From a far point on an axis the ball around (0, −r) is met at r·10⁹/√(10¹⁸ + r²) across and at −2r along its axis.
func TestFarthestOfTheUnknown(t *testing.T) {
	const r = 1e5
	across := r * 1e9 / math.Sqrt(1e18+r*r)
	for _, x := range []struct {
		of   kedge.Set
		n    int
		want float64
	}{
		{Interval{-1e6, 1}, 1, 1e6}, {Interval{-1, 1e6}, 1, 1e6}, {Interval{-1, 1.01e6}, 1, math.Inf(1)}, {Ball{Radius: r, Center: []float64{0, -r}}, 2, math.Sqrt(across*across + 4*r*r)},
	} {
		got, sure, err := Farthest(unknown{x.of}, x.n)
		if err != nil || sure || got != x.want && !(math.Abs(got-x.want) <= 1e-12*x.want) {
			t.Errorf("%+v: %v, %v, %v, want %v", x.of, got, sure, err, x.want)
		}
	}
}

// By hand: entries that add up to a few roundings more than the radius are moved by half of that each; up to one an entry they are as good as inside.
func TestL1BallAtItsRim(t *testing.T) {
	for _, x := range []struct {
		more float64
		want []float64
	}{
		{10, []float64{0.5 - 5*unit, 0.5 + 5*unit}}, {4, []float64{0.5 - 2*unit, 0.5 + 2*unit}}, {2, []float64{0.5, 0.5 + 2*unit}}, {-10, []float64{0.5, 0.5 - 10*unit}},
	} {
		u := []float64{0.5, 0.5 + x.more*unit}
		if err := (L1Ball{Radius: 1}).Project(u); err != nil || !slices.Equal(u, x.want) {
			t.Errorf("%v roundings beyond: %v, %v, want %v", x.more, u, err, x.want)
		}
	}
}

// By hand: with power-of-two numbers half the way is exactly within reach, and is taken.
func TestRateLimitsReachTheirEnd(t *testing.T) {
	for _, x := range []struct{ to, most, want float64 }{{1, 0.5, 0.5}, {-4, 1, -1}, {8, 2, 2}} {
		u := []float64{x.to}
		if err := (RateLimit{Of: Whole{}, Most: x.most}).ProjectAt(u, 1, []float64{0}); err != nil || u[0] != x.want {
			t.Errorf("towards %v by %v: %v, %v", x.to, x.most, u, err)
		}
	}
	for _, most := range []float64{0, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
		if err := (RateLimit{Of: Whole{}, Most: most}).Check(1); !isTyped(err) {
			t.Errorf("a reach of %v: %v", most, err)
		}
	}
	if err := (RateLimit{Of: Whole{}, Most: 0.001}).Check(1); err != nil {
		t.Error(err)
	}
}

// The tolerance that an error tells is half of 10⁻¹² of the largest number on the way, here that of the start.
func TestIntersectionTellsItsTolerance(t *testing.T) {
	for _, start := range []float64{4, 64} {
		var open *kedge.NotConvergedError
		err := Intersection{Of: []kedge.Set{Interval{0, 1}, Interval{2, 3}}, MaxSteps: 7}.Project([]float64{3, -start})
		if !errors.As(err, &open) || open.Steps != 7 || !(math.Abs(open.Tolerance-1e-12/2*start) <= 1e-27*start) {
			t.Errorf("%v, %+v", err, open)
		}
	}
}

// Normals count from 2⁻¹⁰⁰⁰ on.
func TestSmallNormals(t *testing.T) {
	for _, x := range []struct {
		normal float64
		ok     bool
	}{{0x1p-1000, true}, {0x1p-1001, false}, {0, true}} {
		if err := (HalfSpace{Normal: []float64{x.normal, 0}}).Check(2); (err == nil) != x.ok {
			t.Errorf("a normal of %v: %v", x.normal, err)
		}
	}
}

// Rows that differ by a few roundings depend on each other; those that differ by more do not, and then there is one solution. By hand: u₀ + u₁ = 1, and u₁·2⁻⁴⁰ more or as much.
func TestRowsThatHardlyDiffer(t *testing.T) {
	for _, x := range []struct {
		by   float64
		rank int
	}{{0x1p-40, 2}, {0x1p-49, 2}, {0x1p-52, 1}, {0, 1}} {
		s, err := NewAffine([]float64{1, 1, 1, 1 + x.by}, []float64{1, 1})
		if err != nil {
			t.Fatal(x.by, err)
		}
		u := []float64{3, 7}
		if err := s.Project(u); err != nil || len(s.offset) != x.rank {
			t.Errorf("rows that differ by %v: %d, %v", x.by, len(s.offset), err)
		}
		want := []float64{1, 0}
		if x.rank == 1 {
			want = []float64{-1.5, 2.5}
		}
		if far := rows.Distance(u, want); far > 1e-14+4*unit/max(x.by, unit*unit)*float64(x.rank-1) {
			t.Errorf("rows that differ by %v meet at %v, want %v", x.by, u, want)
		}
	}
}
