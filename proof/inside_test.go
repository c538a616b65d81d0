package proof

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/set"
)

// By hand: the plane touches the set at (1, 0), and a box that goes 10⁶ to either side is beyond it where it begins by more than projections miss: 10⁻⁹ of the
// points that are compared, and on curves, whose planes may be tilted, 10⁻⁸ of how far the box goes.
func TestBoxesBeyondAPlane(t *testing.T) {
	for _, x := range []struct {
		curved bool
		begins float64
		want   bool
	}{
		{false, 0.5e-9, false}, {false, 1.5e-9, true}, {false, 1e-3, true},
		{true, 1e-3, false}, {true, 0.9e-2, false}, {true, 1.1e-2, true}, {true, 1.9e-2, true},
	} {
		s := &search{isCurved: x.curved}
		box := []interval.Span{{Lo: 1 + x.begins, Hi: 2}, {Lo: -1e6, Hi: 1e6}}
		if s.apart(box, []float64{1 + 1e-3, 0}, []float64{1, 0}) != x.want {
			t.Errorf("curved %t, beyond by %v: apart %t", x.curved, x.begins, !x.want)
		}
	}
}

// By hand: along a slope of ±2 the least between 2 and 4 is 2 below what it is at 3; where the set is everywhere the bound is that, less what projections miss, as a
// part of 2·(3 + 1).
func TestBoundsAlongASet(t *testing.T) {
	for curved, miss := range map[bool]float64{false: 8e-11, true: 8e-8} {
		for _, slope := range []float64{2, -2} {
			s := &search{isCurved: curved, n: 1}
			got, err := s.alongSet([]interval.Span{{Lo: 2, Hi: 4}}, []float64{3}, []interval.Span{interval.Point(slope)})
			if err != nil || !(math.Abs(got+2+miss) <= 1e-13) {
				t.Errorf("curved %t: %v, want %v (%v)", curved, got, -2-miss, err)
			}
		}
	}
}

// By hand: of a diagonal matrix the least entry is the least eigenvalue, to the last bit; of others rounding is taken off, and what entries off the diagonal may differ by.
func TestLeastEigenvaluesByHand(t *testing.T) {
	spans := func(a ...float64) func(i, k int) interval.Span {
		return func(i, k int) interval.Span { return interval.Point(a[2*i+k]) }
	}
	if got := leastEigenvalue(2, spans(3, 0, 0, 0.7)); got != 0.7 {
		t.Errorf("of diag(3, 0.7): %v", got)
	}
	for _, x := range []struct{ a, b, d, want float64 }{{2, 1, 2, 1}, {2, -1, 2, 1}, {5, 2, 2, 1}, {1e8, 1e-3, 1, 1 - 1e-14}} {
		a, scale := spans(x.a, x.b, x.b, x.d), max(x.a, x.d)
		if got := leastEigenvalue(2, a); !(got <= x.want-0.5e-14*scale && got >= x.want-3e-14*scale) {
			t.Errorf("of (%v, %v; %v): %v, want a little less than %v", x.a, x.b, x.d, got, x.want)
		}
	}
	for _, a := range [][]float64{{1, 1e-300, 0, 1}, {1, 0, -1e-300, 1}} {
		if isDiagonal(a, 2) {
			t.Errorf("%v is diagonal", a)
		}
	}
	wide := func(i, k int) interval.Span {
		return interval.Span{Lo: 4 * float64(1-i+k), Hi: 4*float64(1-i+k) + 2*float64(i-k)}
	}
	if got := leastEigenvalue(2, wide); !(math.Abs(got-2) <= 1e-12) { // 4 ± between 0 and 2
		t.Errorf("of 4 beside 0 to 2: %v, want 2", got)
	}
}

// Far out is what begins more than a million sizes away and has no end.
func TestWhatIsRemote(t *testing.T) {
	s := &search{n: 1, best: []float64{0}, budget: Budget{Size: 2}}
	inf, beyond := math.Inf(1), math.Nextafter(2e6, 3e6)
	for _, x := range []struct {
		span interval.Span
		want bool
	}{
		{interval.Span{Lo: 2e6, Hi: inf}, false}, {interval.Span{Lo: beyond, Hi: inf}, true}, {interval.Span{Lo: -inf, Hi: -beyond}, true}, {interval.Span{Lo: -inf, Hi: -2e6}, false},
		{interval.Span{Lo: beyond, Hi: 3e6}, false}, {interval.Span{Lo: -1, Hi: inf}, false},
	} {
		if s.isRemote(x.span) != x.want {
			t.Errorf("%v is remote: %t", x.span, !x.want)
		}
	}
}

// square is Σu².
type square struct{ n int }

func (f square) Decisions() int              { return f.n }
func (f square) Convex([]interval.Span) bool { return true }
func (f square) Enclose(dst interval.Jet, box []interval.Span) int {
	clear(dst)
	for i, x := range box {
		if dst[0] = dst[0].Add(x.Mul(x)); len(dst) > 1 {
			dst[1+i] = x.Scale(2)
		}
	}
	return f.n
}

// A decision may miss the set by 10⁻⁹ of the set's width, or of its own size where that is more: one next to 0, too.
func TestDecisionsThatMissTheSetByRounding(t *testing.T) {
	for _, x := range []struct {
		lower, upper, found float64
		want                bool
	}{
		{0, 4, -3e-9, true}, {0, 4, -5e-9, false}, {0, 4, 4 + 3e-9, true}, {0, 4, 4 + 5e-9, false}, {0, math.Inf(1), -1e-12, false}, {100, 104, 100 - 9e-8, true}, {100, 104, 100 - 2e-7, false},
	} {
		s := &search{ctx: t.Context(), f: square{1}, set: set.Box{Lower: []float64{x.lower}, Upper: []float64{x.upper}}, isBox: true, n: 1, budget: Budget{}.filled()}
		if err := s.begin([]float64{x.found}); err != nil || s.isFeasible != x.want {
			t.Errorf("%v in [%v, %v]: %t, %v", x.found, x.lower, x.upper, s.isFeasible, err)
		}
	}
}

// valley is half of uᵀHu, with exact entries, of which no rule knows whether it is convex.
type valley struct{ hessian []float64 }

func (f valley) Decisions() int              { return int(math.Sqrt(float64(len(f.hessian)))) }
func (f valley) Convex([]interval.Span) bool { return false }
func (f valley) Enclose(dst interval.Jet, _ []interval.Span) int {
	n := f.Decisions()
	for i := range n {
		for k := range i + 1 {
			dst[interval.Jets{Variables: n, Order: 2}.Hessian(i, k)] = interval.Point(f.hessian[i*n+k])
		}
	}
	return n
}

// By hand, by eigenvalues: a Hessian shows that a function is convex in whatever units its entries are, as long as there are no more than 64.
func TestHessiansThatShowConvexity(t *testing.T) {
	unit := func(n int) []float64 {
		h := make([]float64, n*n)
		for i := range n {
			h[i*n+i] = 1
		}
		return h
	}
	for _, x := range []struct {
		hessian []float64
		want    bool
	}{
		{[]float64{2}, true}, {[]float64{-2}, false}, {[]float64{2, 1, 1, 2}, true}, {[]float64{1, 2, 2, 1}, false}, {[]float64{2e9, 0.5, 0.5, 2e-9}, true}, {[]float64{2e9, 2.5, 2.5, 2e-9}, false}, {[]float64{1e-300, 0, 0, 1e300}, true},
		{[]float64{0, 0.1, 0.1, 1}, false}, {[]float64{1, 0, 0, -1e-9}, false}, {[]float64{0}, false}, {[]float64{0, 0, 0, 1}, false}, {[]float64{math.Inf(1)}, false}, {unit(64), true}, {unit(65), false},
	} {
		f := valley{x.hessian}
		s := &search{f: f, n: f.Decisions(), domain: make([]interval.Span, f.Decisions())}
		if got := s.convexity(); got != map[bool]string{true: "a Hessian without negative eigenvalues"}[x.want] {
			t.Errorf("%.3v: %q, want %t", x.hessian[:min(4, len(x.hessian))], got, x.want)
		}
	}
	if got := (&search{f: square{3}, n: 3, domain: make([]interval.Span, 3)}).convexity(); got != "sums and compositions of convex functions" {
		t.Errorf("by rules: %q", got)
	}
}
