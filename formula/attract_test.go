package formula

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Bounds on norms are those of sums over entries, and above the norm of the matrix written out.
func TestNormsOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 7} {
		for rank := range 4 {
			parts := make([]float64, (1+2*rank)*n)
			for i := range parts {
				parts[i] = r.NormFloat64()
			}
			d, x, z := parts[:n], parts[n:(1+rank)*n], parts[(1+rank)*n:]
			norm, want := 0.0, 0.0
			for _, v := range d {
				want = max(want, math.Abs(v))
			}
			for k := range rank {
				sum, most := 0.0, 0.0
				for i := range n {
					sum, most = sum+math.Abs(z[k*n+i]), max(most, math.Abs(x[k*n+i]))
				}
				want += sum * most
			}
			for j := range n {
				sum := 0.0
				for i := range n {
					v := truth(i == j) * d[i]
					for k := range rank {
						v += z[k*n+i] * x[k*n+j]
					}
					sum += math.Abs(v)
				}
				norm = max(norm, sum)
			}
			if got := partsNorm(parts, n, rank); !(math.Abs(got-want) <= 1e-13*want) || got < norm*(1-1e-13) {
				t.Errorf("%d entries, rank %d: %v, want %v, the norm is %v", n, rank, got, want, norm)
			}
		}
	}
}

// Spectral radii by hand: of D + baᵀ with equal entries of D it is |D| or |D + aᵀb|. Who has one below 1 settles, whatever the norm; where states are too long
// to look at matrices, the norm decides.
func TestWhoSettlesByTheSpectralRadius(t *testing.T) {
	for _, c := range []struct {
		size, next string
		rank       int
		rate       float64 // 0: it settles
	}{
		{"3", "0.5*p + q + d", 0, 0}, {"3", "1.2*p + q + d", 0, 1.2}, {"3", "-p + d", 0, 1}, {"3", "[0.1, 0.2, -1.3]*p + d", 0, 1.3}, {"3", "[0.1, 0.99, -0.3]*p + d", 0, 0},
		{"3", "0.1*p + dot(p, [3, 0, 0])*[0, 9, 0] + d", 1, 0}, {"3", "0.1*p + dot(p, [3, 0, 0])*[0.5, 9, 0] + d", 1, 1.6}, {"3", "0.1*p - dot(p, [3, 0, 0])*[0.3, 9, 0] + d", 1, 0},
		{"3", "0.1*p + dot(p, [3, 0, 0])*[0, 9, 0] + dot(p, [0, 2, 0])*[0, 0, 7] + d", 2, 0}, {"3", "0.1*p + 0.4*sum(p)*[1, 1, 0.25] + d", 1, 1},
		{"2", "[[0.5, 10], [0, 0.5]] @ p + d", -1, 0}, {"2", "[[0.5, 2], [2, 0.5]] @ p + d", -1, 2.5}, {"2", "[[0, 1], [-1, 0]] @ p + d", -1, 1}, {"2", "[[0, 0.9], [-0.9, 0]] @ p + d", -1, 0},
		{"2", "[d[0]*p[1], d[1]*p[0]] + d", -1, 0}, {"2", "[8*d[0]*p[1], 8*d[1]*p[0]] + d", -1, 4},
		{"513", "0.1*p + dot(p, e0)*e1 + d", 1, 1.1}, {"513", "0.1*p + 0.8*dot(p, e0)*e1 + d", 1, 0}, {"513", "0.1*p + dot(p, e0)*e1/4 + dot(p, e1)*(e0 + e1)/4 + d", 2, 0},
	} {
		m, err := Compile(Source{Decision: "q", State: "p[" + c.size + "]", Trait: "d[" + c.size + "]", Next: c.next,
			Let: []Binding{{Name: "e0", Expr: "[where(i == 0, 1, 0) for i in 0:513]"}, {Name: "e1", Expr: "[where(i == 1, 1, 0) for i in 0:513]"}}})
		if err != nil {
			t.Fatal(err)
		}
		n := m.Dims().State
		if got := m.dynamics.resolvent.rank; got != c.rank {
			t.Errorf("%s: the rank is %d, want %d", c.next, got, c.rank)
		}
		d, h, ahead := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range d {
			d[i] = 0.5
		}
		res, err := m.Dynamics().(kedge.Settler).Settle(h, []float64{0.3}, d)
		var unstable *kedge.UnstableError
		if errors.As(err, &unstable); err != nil != (c.rate > 0) || unstable != nil && math.Abs(unstable.Rate-c.rate) > 1e-7 {
			t.Errorf("%s: %v, %+v, want the rate %v", c.next, err, unstable, c.rate)
			continue
		}
		if c.rate > 0 {
			continue
		}
		m.Dynamics().Next(ahead, h, []float64{0.3}, d)
		if off := rows.Distance(ahead, h) / max(1, rows.MaxAbs(h)); off > 1e-12 || res.Norm > 1e-13 || rows.MaxAbs(h) < 0.5 {
			t.Errorf("%s: settles at %.3v…, and moves by %v from there; the residual is %v", c.next, h[:2], off, res)
		}
	}
}

// Numbers that are none are blamed on the slopes, on the state, or on who has them.
func TestSettlingIsRefused(t *testing.T) {
	for _, c := range []struct {
		next string
		q, d float64
		want string
	}{
		{"[exp(q)*p[1], p[0]/2] + d", 1000, 1, "∂f/∂p"}, {"0.5*p + exp(q) + d", 1000, 1, "the steady state"}, {"0.5*p + d", 1, math.NaN(), "d["}, {"0.5*p + d", math.NaN(), 1, "u["},
		{"0.5*p + d", math.Inf(1), 1, "u["},
	} {
		m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: c.next})
		if err != nil {
			t.Fatal(err)
		}
		h := []float64{7, 7}
		if _, err := m.Dynamics().(kedge.Settler).Settle(h, []float64{c.q}, []float64{1, c.d}); err == nil || !strings.Contains(err.Error(), c.want) || h[0] != 7 {
			t.Errorf("%s: %v, %v, want %q", c.next, h, err, c.want)
		}
	}
}

// Systems of spans have the solutions of the systems within, narrowly where these are points, and none where one within is singular.
func TestSystemsOfSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 2, 3, 7} {
		for trial := range 40 {
			const width = 2
			slack := []float64{0, 1e-6}[trial%2]
			a, x, b := make([]float64, n*n), make([]float64, n*width), make([]float64, n*width)
			for i := range a {
				a[i] = r.NormFloat64()
			}
			for i := range n {
				if a[i*n+i] += 6 * truth(trial%3 > 0); trial%3 == 0 { // large off the diagonal, which is 0
					a[i*n+i], a[i*n+(i+1)%n] = 0, 9+float64(i)
				}
			}
			for i := range x {
				x[i] = r.NormFloat64()
			}
			for i := range n {
				for k := range n {
					rows.AddScaled(b[i*width:(i+1)*width], a[i*n+k], x[k*width:(k+1)*width])
				}
			}
			around := func(all []float64, by float64) (spans []interval.Span) {
				for _, v := range all {
					spans = append(spans, interval.Span{Lo: v - by*r.Float64() - 1e-13, Hi: v + by*r.Float64() + 1e-13})
				}
				return spans
			}
			left, right := around(a, slack), around(b, 0)
			before := append([]interval.Span(nil), left...)
			if !solveSpans(left, right, n) {
				t.Fatalf("%d: no solution of %v", n, a)
			}
			for i, v := range x {
				if !right[i].Has(v) || right[i].Radius() > 1e-9+1e4*slack {
					t.Fatalf("%d: entry %d is within %v, want %v", n, i, right[i], v)
				}
			}
			for i, v := range before {
				if left[i] != v {
					t.Fatal("the system is overwritten")
				}
			}
		}
	}
	for _, a := range [][]interval.Span{{{}}, {{Lo: -1, Hi: 1}}, interval.Points([]float64{1, 2, 2, 4}), {{Lo: 1, Hi: 1}, {Lo: 1.5, Hi: 2.5}, {Lo: 2, Hi: 2}, {Lo: 4, Hi: 4}}} {
		n := int(math.Sqrt(float64(len(a))))
		if solveSpans(a, make([]interval.Span, n), n) {
			t.Errorf("%v is regular", a)
		}
	}
}

// Who grows without end is given up as soon as nothing is known, and who grows slowly after so many steps: 60, and as many again in each of which a box of one side is cut. p² + q
// has no rest from 1 on, and that of a box without end leads nowhere out of it is no reason for one.
func TestGivingUp(t *testing.T) {
	for next, most := range map[string]int{"p^2 + q": 20, "p + 0.001*sigmoid(p) + 0*q": 60 + 61*5} {
		m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Next: next, Maximize: "p"})
		if err != nil {
			t.Fatal(err)
		}
		r := newResting(m.next, 1, 1)
		r.enter(interval.Points([]float64{1.5}), 1)
		if steps, ok, _ := r.contract(interval.Points([]float64{1})); ok || steps > most || steps < 5 {
			t.Errorf("%s: %d steps, want %d at most; %v", next, steps, most, ok)
		}
		for _, start := range []float64{0.45, 1, 1.2, 1e200} {
			l, err := m.Landscape(kedge.Block{Data: []float64{start}, Width: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, box := range []interval.Span{{Lo: 1, Hi: 2}, {Lo: 1.5, Hi: 1.5}} {
				jet := make(interval.Jet, 2)
				if l.Enclose(jet, []interval.Span{box}); jet[0] != interval.Whole() || jet[1] != interval.Whole() {
					t.Errorf("%s from %v: %v", next, start, jet)
				}
			}
		}
	}
}

// Models whose values have just so many entries, as often as a jet has spans: n for the decision and 2n + 3 for the loss q², its sum and a number, of 1 + n spans with slopes.
func TestLandscapesAreAsLargeAsTheLimit(t *testing.T) {
	for n, want := range map[int]bool{1022: true, 1024: false} { // (2n + 1)(1 + n) against 2²¹
		size := strconv.Itoa(n)
		m, err := Compile(Source{Decision: "q[" + size + "]", State: "p", Minimize: "sum(q^2)"})
		if err != nil {
			t.Fatal(err)
		}
		if got := entriesOf(m.loss); got != 2*n+1 || m.fits(1) != want || m.fits(2) {
			t.Errorf("%d entries of values, slopes fit: %v", got, m.fits(1))
		}
	}
	m, err := Compile(Source{Decision: "q[2]", State: "p[511]", Next: "0.5*p + q[0]", Minimize: "sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	own, next := entriesOf(m.loss), entriesOf(m.next)
	if spans := own*3 + next*(3+512); spans > 1<<21 || spans < 1<<19 || !m.fits(1) {
		t.Errorf("%d spans do not fit", spans)
	}
}

// Eigenvalues by hand; those that miss 0 by less than 1e-12 of the largest entry may be 0.
func TestDefiniteForms(t *testing.T) {
	for _, c := range []struct {
		h    []float64
		n    int
		want [2]bool // convex, concave
	}{
		{[]float64{4, 0, 0, -3.6e-12}, 2, [2]bool{true, false}}, {[]float64{4, 0, 0, -6e-12}, 2, [2]bool{false, false}}, {[]float64{-4, 0, 0, 3.6e-12}, 2, [2]bool{false, true}},
		{[]float64{-4, 0, 0, 6e-12}, 2, [2]bool{false, false}}, {make([]float64, 9), 3, [2]bool{true, true}}, {[]float64{2, 1, 1, 2}, 2, [2]bool{true, false}}, {[]float64{-2, 3, 3, -2}, 2, [2]bool{false, false}},
		{[]float64{1}, 1, [2]bool{true, false}}, {[]float64{-1}, 1, [2]bool{false, true}},
	} {
		if got := [2]bool{isDefinite(c.h, c.n, 1), isDefinite(c.h, c.n, -1)}; got != c.want {
			t.Errorf("%v is %v, want %v", c.h, got, c.want)
		}
	}
}

// Where states are too long for full matrices, slopes that are 1 but for 1e-12 are as good as 1.
func TestLongStatesThatHardlyMove(t *testing.T) {
	for next, want := range map[string]bool{"(1 - 0.7e-12)*p + d": false, "(1 - 1.3e-12)*p + d": true} {
		m, err := Compile(Source{Decision: "q", State: "p[513]", Trait: "d[513]", Next: next})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Dynamics().(kedge.Settler).Settle(make([]float64, 513), []float64{0}, make([]float64, 513)); (err == nil) != want || err != nil && !errors.Is(err, kedge.ErrSingular) {
			t.Errorf("%s: %v", next, err)
		}
	}
}

// By hand: a quarter turn never rests, nor does what goes to and fro with a slope of −1.001 or with eigenvalues −1 and 0; a little slower everybody comes to rest.
func TestWhoGoesToAndFroDoesNotRest(t *testing.T) {
	for _, c := range []struct {
		next  string
		size  int
		rests bool
	}{
		{"q - 0.999*p + d", 1, true}, {"q - 1.001*p + d", 1, false}, {"[q - p[1]/2, p[0]/2 + d]", 2, true}, {"[q - p[1], p[0] + d]", 2, false},
		{"[q - p[0]/2 - p[1]/2, d - p[0]/2 - p[1]/2]", 2, false}, {"[q - p[0]/2 + p[1]/2, d - p[0]/2 - p[1]/2]", 2, true}, // −1 and 0; −½ ± ½i
	} {
		m, err := Compile(Source{Decision: "q", State: fmt.Sprintf("p[%d]", c.size), Trait: "d", Next: c.next, Minimize: "sum(p)"})
		if err != nil {
			t.Fatal(err)
		}
		r := newResting(m.next, 1, 1)
		r.enter(interval.Points([]float64{1}), 1)
		if _, ok := r.settle(newJets(c.size, 2), 1, interval.Points([]float64{1}), nil); ok != c.rests {
			t.Errorf("%s rests: %v", c.next, ok)
		}
	}
	for _, c := range []struct { // I − A of A with the eigenvalue −1, alone, with 0, and with 1/2; and a little less
		system []float64
		want   bool
	}{{[]float64{2}, true}, {[]float64{1.5, 0.5, 0.5, 1.5}, true}, {[]float64{2, 0, 0, 0.5}, true}, {[]float64{1.999}, false}, {[]float64{1.499, 0.499, 0.499, 1.499}, false}, {[]float64{0.5}, false}} {
		r := &resting{size: int(math.Sqrt(float64(len(c.system)))), system: interval.Points(c.system)}
		if r.repels() != c.want {
			t.Errorf("I − A = %v repels: %v", c.system, !c.want)
		}
	}
}

// An affine steady state takes one look at the next state with its slopes, a matrix, and one at every order of derivatives.
func TestWorkOfResting(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[3]", Trait: "d", Next: "0.5*p*d + q", Minimize: "sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	r := newResting(m.next, 1, 2)
	r.enter(interval.Points([]float64{1}), 2)
	for order, more := range []int{0, r.orders[1].work, r.orders[1].work + r.orders[2].work} {
		work, ok := r.settle(newJets(3, interval.Jets{Variables: 1, Order: order}.Size()), order, interval.Points([]float64{1}), nil)
		if want := r.slope.work + 9 + more; work != want || !ok {
			t.Errorf("order %d: %d spans, want %d", order, work, want)
		}
	}
}

// By hand: who rests at 1/(1 − ½) = 2 for decisions up to ½, and goes on and on for others, is at 2 or beyond for all that are feasible; who goes on for all of them is nowhere.
func TestWhoRestsForSomeDecisions(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Next: "where(q > 0.5, p, 0.5*p) + d", Minimize: "p"})
	if err != nil {
		t.Fatal(err)
	}
	r := newResting(m.next, 1, 1)
	for _, c := range []struct{ from, to, lo, hi float64 }{{0, 0.25, 2, 2}, {0, 1, 2, math.Inf(1)}} {
		p := newJets(1, 2)
		r.enter([]interval.Span{{Lo: c.from, Hi: c.to}}, 1)
		if _, ok := r.settle(p, 1, interval.Points([]float64{1}), nil); !ok || !(math.Abs(p[0][0].Lo-c.lo) < 1e-9) || p[0][0].Hi != c.hi && !(math.Abs(p[0][0].Hi-c.hi) < 1e-9) {
			t.Errorf("decisions from %v to %v: %v, %v, want %v to %v", c.from, c.to, p[0][0], ok, c.lo, c.hi)
		}
	}
	r.enter([]interval.Span{{Lo: 0.75, Hi: 1}}, 1)
	if _, ok := r.settle(newJets(1, 2), 1, interval.Points([]float64{1}), nil); ok {
		t.Error("who goes on and on rests")
	}
}

// By hand: (I − A)⁻¹ of A = [[a, 0], [¼, ½]] is [[2, 0], [1, 2]] for a = ½ and [[4, 0], [2, 2]] for a = ¾. One that everybody shares is worked out once for a decision, and one of no decision once; what is there stays as
// it is.
func TestSharedInversesAreWorkedOutOnce(t *testing.T) {
	for next, other := range map[string][]float64{"[[q, 0], [0.25, 0.5]] @ p + d": {4, 0, 2, 2}, "[[0.5, 0], [0.25, 0.5]] @ p + q*d": {7, 0, 1, 2}} {
		m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: next})
		if err != nil {
			t.Fatal(err)
		}
		r := m.dynamics.resolvent
		w := r.borrow()
		inverse := func(q float64, want ...float64) {
			t.Helper()
			if err := r.invert(w, 0, []float64{3, 5}, []float64{q}, []float64{1, 2}); err != nil || rows.Distance(w.inverse, want) > 1e-15 {
				t.Errorf("%s under %v: %v, %v, want %v", next, q, w.inverse, err, want)
			}
		}
		inverse(0.5, 2, 0, 1, 2)
		w.inverse[0] = 7 // which nobody works out
		inverse(0.5, 7, 0, 1, 2)
		inverse(0.75, other...)
	}
}
