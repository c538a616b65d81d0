package proof_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// direct is a loss of the decision q alone, with n entries.
func direct(n int, loss string) formula.Source {
	return formula.Source{Decision: fmt.Sprintf("q[%d]", n), State: "p", Trait: "d", Minimize: loss}
}

// Other units of loss and decision change nothing but the numbers, from 1e-12 to 1e12, and neither does what is added to all losses.
func TestUnitsDoNotMatter(t *testing.T) {
	for _, loss := range []string{"(x[0]^2 + x[1] - 11)^2 + (x[0] + x[1]^2 - 7)^2", "sum((x - 1)^2)", "abs(x[0] - 3) + max(x[1] - 2, 4 - 2*x[1])",
		"sum(x^4 - 16*x^2 + 5*x)", "exp(x[0]) + exp(-x[0] - x[1]) + x[1]^2"} {
		var words []string
		for _, unit := range []float64{1e-12, 1e-5, 1, 1e12} {
			for _, price := range []float64{1e-12, 1, 1e12} {
				s := formula.Source{
					Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*q", Minimize: fmt.Sprintf("%v*(%s)", price, loss),
					Let: []formula.Binding{{Name: "x", Expr: fmt.Sprintf("p/%v", unit)}},
				}
				box := set.Interval{Lower: -5 * unit, Upper: 5 * unit}
				l := landscape(t, s, zeros(2))
				first := prove(t, l, box, []float64{0.7 * unit, 0.9 * unit}, price*valueAt(t, "x", loss, []float64{0.7, 0.9}))
				p := prove(t, l, box, first.Decision, first.Upper)
				words = append(words, fmt.Sprint(first.Grounds, first.IsBetter, p.Grounds, p.IsBetter, p.Reason))
			}
		}
		if slices.ContainsFunc(words, func(w string) bool { return w != words[0] }) || strings.Contains(words[0], "not proven") {
			t.Errorf("%s: %q", loss, words)
		}
	}
}

func valueAt(t *testing.T, name, loss string, x []float64) float64 {
	t.Helper()
	m, err := formula.Compile(formula.Source{Decision: fmt.Sprintf("%s[%d]", name, len(x)), State: "p", Minimize: loss})
	if err != nil {
		t.Fatal(err)
	}
	return m.Objective().Eval(nil, nil, []float64{0}, x, nil)
}

// A decision that is only the best around is not called proven: the better one is handed back, and proven from there.
func TestBetterDecisionIsHandedBack(t *testing.T) {
	l := landscape(t, direct(1, "0.3*q[0] - 2*exp(-100*(q[0] - 3)^2)"), []float64{0})
	box := set.Interval{Lower: -1, Upper: 4}
	p := prove(t, l, box, []float64{-1}, -0.3)
	if !p.IsBetter || math.Abs(p.Decision[0]-3) > 0.01 || !(p.Upper < -1) {
		t.Fatalf("%+v", p)
	}
	again := prove(t, l, box, p.Decision, p.Upper)
	if again.Grounds != proof.ByBounds || again.IsBetter || again.Gap() > 1e-9 {
		t.Errorf("%+v", again)
	}
}

// A convex function is not proven at a decision around which it falls, in sets of every kind: the better one is handed back.
func TestSlopesAreNotProven(t *testing.T) {
	for _, s := range []kedge.Set{set.Ball{Radius: 3}, set.Interval{Lower: -3, Upper: 3}, set.Intersection{Of: []kedge.Set{set.HalfSpace{Normal: []float64{1, 1}, Bound: 3}, set.Interval{Lower: -3, Upper: 3}}}} {
		for _, loss := range []string{"2*q[0] - q[1]", "exp(2*q[0] - q[1])", "abs(q[0] + 1) + abs(q[1] - 1)", "max(2*q[0], q[1])"} {
			l := landscape(t, direct(2, loss), []float64{0})
			for _, at := range [][]float64{{0.5, 0.4}, {0.5, -2}, {1, 1}} {
				p := prove(t, l, s, at, valueAt(t, "q", loss, at))
				if !p.IsBetter || p.Upper > -0.5 && loss[0] != 'e' && loss[0] != 'a' {
					t.Errorf("%v, %s from %v: %+v", s, loss, at, p)
				}
			}
		}
	}
	l := landscape(t, direct(6, "sum(q^2)"), []float64{0})
	if p := prove(t, l, set.Ball{Radius: 2}, repeated(0.1, 6), 0.06); p.Grounds != proof.Unproven {
		t.Errorf("%+v", p)
	}
}

// A least value at a kink is seen though boxes meet along it whose slopes all point away.
func TestKinksBetweenBoxes(t *testing.T) {
	for _, kink := range []string{"abs(q[0])", "max(-q[0], 2*q[0])", "where(q[0] >= 0, q[0], -q[0])", "norm([q[0], 0])"} {
		loss := "2000*" + kink + " + 0.3*q[1] - 2*exp(-100*(q[1] - 1.3)^2)"
		l := landscape(t, direct(2, loss), []float64{0})
		box := set.Interval{Lower: -4, Upper: 4}
		p := prove(t, l, box, []float64{0, -4}, -1.2)
		if strings.Contains(kink, "where") && p.Grounds == proof.Unproven { // it might jump
			continue
		}
		if !p.IsBetter || p.Grounds != proof.ByBounds || math.Abs(p.Decision[0]) > 1e-4 || math.Abs(p.Decision[1]-1.3) > 0.01 {
			t.Errorf("%s: %+v", loss, p)
		}
	}
}

// Sets of every kind are searched, and nothing outside of them counts.
func TestSets(t *testing.T) {
	triangle := set.Intersection{Of: []kedge.Set{set.HalfSpace{Normal: []float64{1, 1}, Bound: 1}, set.Box{Lower: []float64{0, 0}}}}
	line, err := set.NewAffine([]float64{1, 2}, []float64{3})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		set   kedge.Set
		loss  string
		at    []float64
		least float64
		want  proof.Grounds
	}{
		{"ball", set.Ball{Radius: 1}, "q[0] + q[1] - 0.3*q[0]*q[1]", []float64{-math.Sqrt2 / 2, -math.Sqrt2 / 2}, -math.Sqrt2 - 0.15, proof.ByBounds},
		{"ball, convex", set.Ball{Radius: 1}, "exp(q[0] + q[1])", []float64{-math.Sqrt2 / 2, -math.Sqrt2 / 2}, math.Exp(-math.Sqrt2), proof.ByConvexity},
		{"l1 ball", set.L1Ball{Radius: 1}, "-dot(q, q) - 0.1*q[1]", []float64{0, 1}, -1.1, proof.ByBounds},
		{"l1 ball, convex", set.L1Ball{Radius: 5}, "(q[0] - 4)^2 + (q[1] - 3)^2", []float64{3, 2}, 2, proof.ByConvexity},
		{"simplex", set.Simplex{Sum: 1}, "-dot(q, q) - 0.1*q[1]", []float64{0, 1}, -1.1, proof.ByBounds},
		{"simplex, convex", set.Simplex{Sum: 1}, "dot(q, q)", []float64{0.5, 0.5}, 0.5, proof.ByConvexity},
		{"triangle", triangle, "-q[0]*q[1]", []float64{0.5, 0.5}, -0.25, proof.ByBounds},
		{"corner", set.Box{Lower: []float64{-1, -2}, Upper: []float64{1, 3}}, "-dot(q, q) + 0.1*q[0]", []float64{-1, 3}, -10.1, proof.ByBounds},
		{"half-line", set.Box{Lower: []float64{0, 0}}, "q[0]^2 + abs(q[1] - 1) + q[0]", []float64{0, 1}, 0, proof.ByConvexity},
		{"no bounds", nil, "(q[0] - 3)^2 + max(2*(q[1] - 5), 5 - q[1])", []float64{3, 5}, 0, proof.ByConvexity},
		{"no bounds, whole", set.Whole{}, "(q[0] - 3)^2 + 0.5*q[0]*q[1] + q[1]^2 + 1", []float64{3.2, -0.8}, 0.4, proof.ByConvexity},
		{"no bounds, wells", nil, "1 - 2*exp(-dot(q, q)) - exp(-dot(q - 3, q - 3))", []float64{0, 0}, -1 - math.Exp(-18), proof.ByBounds},
		{"line", set.Intersection{Of: []kedge.Set{line, set.Interval{Lower: -2, Upper: 2}}}, "q[0]^4 - 2*q[0]^2 + q[1]",
			[]float64{1.057453772109776, 0.9712731139451116}, -0.014753641275704214, proof.ByBounds},
	} {
		l := landscape(t, direct(2, c.loss), []float64{0})
		p := prove(t, l, c.set, c.at, c.least)
		t.Logf("%s: %v %s, gap %.1e of %.1e, %d boxes", c.name, p.Grounds, p.Reason, p.Gap(), p.Tolerance, p.Boxes)
		if p.Grounds != c.want || p.IsBetter || math.Abs(p.Upper-c.least) > p.Tolerance {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// Without bounds nothing says how large decisions are; whoever knows does, and a decision that is 0 but for rounding is proven.
func TestSizeOfDecisions(t *testing.T) {
	l := landscape(t, direct(2, "dot(q, q)"), []float64{0})
	p, err := proof.Prove(context.Background(), l, nil, []float64{1e-17, -2e-17}, 5e-34, proof.Budget{Size: 3})
	if err != nil || p.Grounds != proof.ByConvexity || p.IsBetter {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = proof.Prove(context.Background(), l, nil, []float64{0.1, 0}, 0.01, proof.Budget{Size: 3})
	if err != nil || !p.IsBetter {
		t.Errorf("%+v, %v", p, err)
	}
}

// A crowd with kinks all over, the newsvendor's: proven for any number of people, on a half-line too.
func TestNewsvendor(t *testing.T) {
	var demand []float64
	for i := range 101 {
		demand = append(demand, float64(i))
	}
	l := landscape(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "0.5*p + 0.5*q", Minimize: "3*max(d - p, 0) + max(p - d, 0)"}, demand)
	value := 0.0
	for _, d := range demand {
		value += (3*max(d-75, 0) + max(75-d, 0)) / 101
	}
	for _, s := range []kedge.Set{set.Interval{Lower: 0, Upper: 200}, set.Interval{Lower: 0, Upper: math.Inf(1)}, nil} {
		if p := prove(t, l, s, []float64{75}, value); p.Grounds != proof.ByConvexity || p.IsBetter || p.Gap() > 1e-6 {
			t.Errorf("%v: %+v", s, p)
		}
		if p := prove(t, l, s, []float64{60}, 0); p.Grounds != proof.Unproven || !strings.Contains(p.Reason, "by its formula") {
			t.Errorf("%v: %+v", s, p)
		}
	}
}

// What cannot be proven says why, and keeps within its budget.
func TestUnprovenSaysWhy(t *testing.T) {
	many := landscape(t, direct(6, "sum(q^4 - q^2)"), []float64{0})
	at := math.Sqrt(0.5)
	if p := prove(t, many, set.Interval{Lower: -1, Upper: 1}, repeated(at, 6), -1.5); p.Grounds != proof.Unproven || !strings.Contains(p.Reason, "6 decisions") {
		t.Errorf("%+v", p)
	}
	humps := landscape(t, direct(2, "(4 - 2.1*q[0]^2 + q[0]^4/3)*q[0]^2 + q[0]*q[1] + (4*q[1]^2 - 4)*q[1]^2"), []float64{0})
	found, least := []float64{0.08984201310031806, -0.7126564030207396}, -1.031628453489877
	last := math.Inf(1)
	for _, boxes := range []int{3, 10, 50, 100} {
		p, err := proof.Prove(context.Background(), humps, set.Interval{Lower: -3, Upper: 3}, found, least, proof.Budget{Boxes: boxes})
		if err != nil {
			t.Fatal(err)
		}
		if p.Grounds != proof.Unproven || p.Reason != "the budget is spent" || p.Boxes > boxes+2 || !(p.Gap() <= last) || !(p.Lower <= least) {
			t.Errorf("%+v", p)
		}
		last = p.Gap()
	}
	p, err := proof.Prove(context.Background(), humps, set.Interval{Lower: -3, Upper: 3}, found, least, proof.Budget{Work: 100})
	if err != nil || p.Reason != "the budget is spent" || p.Boxes > 0 {
		t.Errorf("%+v, %v", p, err)
	}
	tipping := landscape(t, formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + q*d", Minimize: "p"}, []float64{1})
	if p := prove(t, tipping, set.Interval{Lower: -1, Upper: 1}, []float64{0}, 1); p.Grounds != proof.Unproven || !strings.Contains(p.Reason, "not known for sure") {
		t.Errorf("%+v", p)
	}
}

// The same question has the same answer, to the bit.
func TestProofsAreDeterministic(t *testing.T) {
	f := textbooks()[20]
	box := set.Interval{Lower: f.lower, Upper: f.upper}
	first := prove(t, f.landscape(t, false), box, f.at, f.least)
	if again := prove(t, f.landscape(t, false), box, f.at, f.least); !reflect.DeepEqual(first, again) {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// Wrong arguments, sets that fail and contexts that end are errors.
func TestProveRefuses(t *testing.T) {
	l := landscape(t, direct(2, "dot(q, q) - exp(-q[0]*q[1])*q[0]"), []float64{0})
	if _, err := proof.Prove(context.Background(), l, nil, []float64{1}, 0, proof.Budget{}); err == nil {
		t.Error("a decision of the wrong length: no error")
	}
	empty := set.Box{Lower: []float64{2, 2}, Upper: []float64{1, 1}}
	if _, err := proof.Prove(context.Background(), l, empty, []float64{1, 1}, 0, proof.Budget{}); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("an empty set: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := proof.Prove(ctx, l, set.Interval{Lower: -2, Upper: 2}, []float64{0.5, 0}, -0.25, proof.Budget{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// Quadratics are proven convex by their Hessian, in any number of decisions; others by bounds.
func TestQuadratics(t *testing.T) {
	hessian := []float64{2, 0.5, 0.5, 1}
	q := proof.NewParaboloid([]float64{1, 1}, 3, []float64{2.5, 1.5}, hessian) // least at 0, value 3 − ½·(2.5 + 1.5)
	for _, s := range []kedge.Set{nil, set.Ball{Radius: 2}, set.Interval{Lower: -3, Upper: 1}} {
		if p := prove(t, q, s, []float64{0, 0}, 1); p.Grounds != proof.ByConvexity || p.Gap() > 1e-6 {
			t.Errorf("%v: %+v", s, p)
		}
		if p := prove(t, q, s, []float64{0.5, 0.5}, 1.5); !p.IsBetter || math.Abs(p.Upper-1) > 1e-6 {
			t.Errorf("%v: %+v", s, p)
		}
	}
	saddle := proof.NewParaboloid([]float64{0, 0}, 0, []float64{0, 0.1}, []float64{2, 0, 0, -2})
	if p := prove(t, saddle, set.Interval{Lower: -1, Upper: 1}, []float64{0, -1}, -1.1); p.Grounds != proof.ByBounds || p.IsBetter {
		t.Errorf("%+v", p)
	}
	n := 30
	many := make([]float64, n*n)
	for i := range n {
		many[i*n+i] = 1 + float64(i)
	}
	if p := prove(t, proof.NewParaboloid(zeros(n), 0, zeros(n), many), nil, zeros(n), 0); p.Grounds != proof.ByConvexity {
		t.Errorf("%+v", p)
	}
}

// tired is a set that fails at one of its projections.
type tired struct {
	kedge.Set
	left int // until then
}

func (s *tired) Project(u []float64) error {
	if s.left--; s.left == -1 {
		return errTired
	}
	return s.Set.Project(u)
}

var errTired = errors.New("tired")

// Whichever projection fails, the proof does, and says why: of functions that are convex or not, whose best decision is on the edge of the set, within, and not the one found.
func TestProofsTellErrorsOfSets(t *testing.T) {
	for _, x := range []struct {
		loss string
		at   []float64
	}{
		{"dot(q, q)", []float64{0, 0}}, {"dot(q, q)", []float64{0.5, 0.25}}, {"exp(q[0] + q[1])", []float64{-0.75, -0.25}}, {"q[0] + q[1] - 0.3*q[0]*q[1]", []float64{-0.5, -0.5}}, {"abs(q[0]) - 0.1*q[1]^2 + q[1]", []float64{0.25, -0.5}},
	} {
		l := landscape(t, direct(2, x.loss), []float64{0})
		s := &tired{Set: set.Ball{Radius: 1}, left: 1 << 30}
		prove := func() error {
			_, err := proof.Prove(t.Context(), l, s, x.at, valueAt(t, "q", x.loss, x.at), proof.Budget{Boxes: 100})
			return err
		}
		if err := prove(); err != nil {
			t.Fatal(err)
		}
		calls := 1<<30 - s.left
		for k := 0; k < calls; k += 1 + k/64 {
			if s.left = k; !errors.Is(prove(), errTired) {
				t.Errorf("%s from %v: the projection after %d of %d fails, and the proof does not", x.loss, x.at, k, calls)
			}
		}
		t.Logf("%s from %v: %d projections", x.loss, x.at, calls)
	}
}
