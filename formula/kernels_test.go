package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Entry j of person i stands in column j, of all people; what all share is there as often as there are people, and nothing else is touched.
func TestColumnsOfOperands(t *testing.T) {
	const n, at = 7, 2
	for width := 1; width < 5; width++ {
		for _, isShared := range []bool{false, true} {
			for _, c := range [][2]int{{0, 7}, {0, 3}, {3, 7}, {6, 7}, {2, 2}} {
				lo, hi := c[0], c[1]
				x := operand{width: width, x: make([]float64, width)}
				if !isShared {
					x.step, x.x = width, make([]float64, width*n)
				}
				for i := range x.x {
					x.x[i] = float64(1 + i)
				}
				got, want := make([]float64, (at+width+1)*n), make([]float64, (at+width+1)*n)
				for i := lo; i < hi; i++ {
					for j := range width {
						want[(at+j)*n+i] = x.at(i - lo)[j]
					}
				}
				if x.columns(got, at, n, lo, hi); !slices.Equal(got, want) {
					t.Errorf("%d entries, shared %v, from %d to %d: %v, want %v", width, isShared, lo, hi, got, want)
				}
			}
		}
	}
}

// The first of equals counts, and the first of what is no number before all that are.
func TestTheFirstOfEquals(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x           []float64
		most, least int
	}{
		{[]float64{3}, 0, 0}, {[]float64{1, 2, 2, 1}, 1, 0}, {[]float64{2, 1, 2, 1}, 0, 1}, {[]float64{1, nan, 3, nan, 0}, 1, 1}, {[]float64{nan, 5, nan, -5}, 0, 0}, {[]float64{5, 4, -5, nan}, 3, 3}, {[]float64{math.Inf(1), math.Inf(-1), nan, nan}, 2, 2},
	} {
		if got := [2]int{largest(c.x), smallest(c.x)}; got != [2]int{c.most, c.least} {
			t.Errorf("of %v the largest is number %d and the smallest number %d, want %d and %d", c.x, got[0], got[1], c.most, c.least)
		}
	}
}

// Squares between 1e-280 and 1e280 are added up as they are, and others with care; rows are multiplied with the inverse of a norm between 1e-140 and 1e140, and divided by others. Some differ in their last bits.
func TestNumbersFarFromOneTakeCare(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	for _, c := range []struct {
		size   float64 // of a norm
		middle bool
	}{{1e-140 * 0.99, false}, {1e-140 * 0.8, false}, {1e-140 * 1.01, true}, {1e-140 * 1.3, true}, {1e-140 * 1.9, true}, {1e140 * 0.6, true}, {1e140 * 0.99, true}, {1e140 * 1.01, false}, {1e140 * 1.3, false}, {1e140 * 1.9, false}} {
		apart := 0
		for range 60 {
			x, norm, unit := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, make([]float64, 1), make([]float64, 3)
			rows.Scale(x, c.size/rows.Norm(x))
			norms(1, operand{norm, 1, 1}, operand{x, 3, 3})
			plain, careful := math.Sqrt(rows.Dot(x, x)), rows.Norm(x)
			if plain != careful {
				apart++
			}
			if want := map[bool]float64{true: plain, false: careful}[c.middle]; norm[0] != want {
				t.Fatalf("the norm of %v is %v, want %v", x, norm[0], want)
			}
			units(1, operand{unit, 3, 3}, operand{x, 3, 3}, operand{norm, 1, 1})
			for i, v := range x {
				by, over := v*(1/norm[0]), v/norm[0]
				if by != over {
					apart++
				}
				if want := map[bool]float64{true: by, false: over}[c.middle]; unit[i] != want {
					t.Fatalf("%v by %v is %v, want %v", v, norm[0], unit[i], want)
				}
			}
		}
		if apart == 0 {
			t.Errorf("around %v none differ", c.size)
		}
	}
}

// By hand: slopes within 10⁻⁹ are known well enough. Of (I − A) = [[0.1, −0.9], [−0.9, 0.1]] A has the eigenvalue 1.8, though no entry is above 0.9; one entry that is not known spoils all.
func TestSlopesThatAreKnownWellEnough(t *testing.T) {
	about := func(v, by float64) interval.Span { return interval.Span{Lo: v - by, Hi: v + by} }
	for _, c := range []struct {
		system []interval.Span
		size   int
		want   bool
	}{
		{[]interval.Span{about(2.5, 0.9e-9)}, 1, true}, {[]interval.Span{about(2.5, 1.1e-9)}, 1, false}, {[]interval.Span{about(2.5, 1.8e-9)}, 1, false}, {interval.Points([]float64{0.1, -0.9, -0.9, 0.1}), 2, true}, {interval.Points([]float64{0.6, -0.4, -0.4, 0.6}), 2, false},
		{[]interval.Span{about(3, 1e-3), {}, {}, interval.Point(3)}, 2, false}, {[]interval.Span{interval.Point(3), {}, {}, about(3, 1e-3)}, 2, false}, {interval.Points([]float64{3, 0, 0, 0.5}), 2, true},
	} {
		r := &resting{size: c.size, system: c.system}
		if r.repels() != c.want {
			t.Errorf("%v repels: %v", c.system, !c.want)
		}
	}
}

// By hand: the slope of d·Σp in a state of one entry is everybody's own d, and so is that of a product.
func TestSlopesInStatesOfOneEntry(t *testing.T) {
	for _, loss := range []string{"sum(p)*d", "p[0]*d", "dot(p, [d])", "mean(p)*d", "sum(p*d)"} {
		m, err := Compile(Source{Decision: "q[1]", State: "p[1]", Trait: "d", Minimize: loss})
		if err != nil {
			t.Fatal(err)
		}
		g := make([]float64, 3)
		if v := m.Objective().EvalRows(g, nil, []float64{1, 10, 100}, []float64{0}, []float64{2, 3, 4}); v != 432 || !slices.Equal(g, []float64{2, 3, 4}) {
			t.Errorf("%s: %v, with the slopes %v", loss, v, g)
		}
	}
}
