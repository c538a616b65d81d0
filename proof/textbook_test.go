package proof_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// textbook is a function with a known least value on a box [jamil2013].
type textbook struct {
	name         string
	n            int
	lower, upper float64
	loss         string // of x
	at           []float64
	least        float64
	isConvex     bool
}

func zeros(n int) []float64 { return make([]float64, n) }

func repeated(v float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}

func textbooks() []textbook {
	return []textbook{
		{"sphere", 3, -5, 5, "dot(x, x)", zeros(3), 0, true},
		{"sphere in twelve", 12, -5, 5, "sum(x^2)", zeros(12), 0, true},
		{"booth", 2, -10, 10, "(x[0] + 2*x[1] - 7)^2 + (2*x[0] + x[1] - 5)^2", []float64{1, 3}, 0, true},
		{"matyas", 2, -10, 10, "0.26*(x[0]^2 + x[1]^2) - 0.48*x[0]*x[1]", zeros(2), 0, true},
		{"trid", 4, -16, 16, "sum((x - 1)^2) - dot(x[1:], x[:3])", []float64{4, 6, 6, 4}, -16, true},
		{"zakharov", 2, -5, 10, "sum(x^2) + (0.5*x[0] + x[1])^2 + (0.5*x[0] + x[1])^4", zeros(2), 0, true},
		{"sum of powers", 3, -1, 1, "abs(x[0])^2 + abs(x[1])^3 + abs(x[2])^4", zeros(3), 0, true},
		{"schwefel 2.20", 3, -100, 100, "sum(abs(x))", zeros(3), 0, true},
		{"schwefel 2.21", 3, -100, 100, "max(abs(x))", zeros(3), 0, true},
		{"schwefel 1.2", 3, -100, 100, "x[0]^2 + (x[0]+x[1])^2 + (x[0]+x[1]+x[2])^2", zeros(3), 0, true},
		{"chung reynolds", 3, -100, 100, "sum(x^2)^2", zeros(3), 0, true},
		{"powell singular", 4, -4, 5, "(x[0]+10*x[1])^2 + 5*(x[2]-x[3])^2 + (x[1]-2*x[2])^4 + 10*(x[0]-x[3])^4", zeros(4), 0, true},
		{"quartic", 4, -1.28, 1.28, "dot([1, 2, 3, 4], x^4)", zeros(4), 0, true},
		{"exponential", 2, -3, 3, "exp(x[0] + 3*x[1] - 0.1) + exp(x[0] - 3*x[1] - 0.1) + exp(-x[0] - 0.1)",
			[]float64{-math.Ln2 / 2, 0}, 2 * math.Sqrt2 * math.Exp(-0.1), true},
		{"hinges", 2, -4, 4, "max(0, 1 - x[0]) + max(0, x[0] - 2*x[1]) + 0.1*dot(x, x)", []float64{1, 0.5}, 0.125, true},
		{"schwefel 2.22", 2, -10, 10, "sum(abs(x)) + abs(x[0])*abs(x[1])", zeros(2), 0, false},
		{"bohachevsky without waves", 2, -10, 10, "x[0]^2 + 2*x[1]^2 - 0.3*exp(-x[0]^2) - 0.4*exp(-x[1]^2)", zeros(2), -0.7, false},
		{"rosenbrock", 2, -5, 10, "100*(x[1] - x[0]^2)^2 + (1 - x[0])^2", []float64{1, 1}, 0, false},
		{"beale", 2, -4.5, 4.5, "(1.5 - x[0] + x[0]*x[1])^2 + (2.25 - x[0] + x[0]*x[1]^2)^2 + (2.625 - x[0] + x[0]*x[1]^3)^2", []float64{3, 0.5}, 0, false},
		{"goldstein price", 2, -2, 2, "(1 + (x[0]+x[1]+1)^2*(19 - 14*x[0] + 3*x[0]^2 - 14*x[1] + 6*x[0]*x[1] + 3*x[1]^2))*" +
			"(30 + (2*x[0]-3*x[1])^2*(18 - 32*x[0] + 12*x[0]^2 + 48*x[1] - 36*x[0]*x[1] + 27*x[1]^2))", []float64{0, -1}, 3, false},
		{"himmelblau", 2, -5, 5, "(x[0]^2 + x[1] - 11)^2 + (x[0] + x[1]^2 - 7)^2", []float64{3, 2}, 0, false},
		{"six humps", 2, -3, 3, "(4 - 2.1*x[0]^2 + x[0]^4/3)*x[0]^2 + x[0]*x[1] + (4*x[1]^2 - 4)*x[1]^2",
			[]float64{0.08984201310031806, -0.7126564030207396}, -1.031628453489877, false},
		{"three humps", 2, -5, 5, "2*x[0]^2 - 1.05*x[0]^4 + x[0]^6/6 + x[0]*x[1] + x[1]^2", zeros(2), 0, false},
		{"styblinski tang", 4, -5, 5, "sum(x^4 - 16*x^2 + 5*x)/2", repeated(-2.903534027771177, 4), -156.66466281508570, false},
		{"dixon price", 2, -10, 10, "(x[0] - 1)^2 + 2*(2*x[1]^2 - x[0])^2", []float64{1, math.Sqrt(0.5)}, 0, false},
		{"brown", 2, -1, 4, "(x[0]^2)^(x[1]^2 + 1) + (x[1]^2)^(x[0]^2 + 1)", zeros(2), 0, false},
		{"rosenbrock, multiplied out", 2, -2, 2, "100*x[1]^2 - 200*x[1]*x[0]^2 + 100*x[0]^4 + 1 - 2*x[0] + x[0]^2", []float64{1, 1}, 0, false},
		{"himmelblau, multiplied out", 2, -5, 5, "x[0]^4 + x[1]^4 + 2*x[0]^2*x[1] + 2*x[0]*x[1]^2 - 21*x[0]^2 - 13*x[1]^2 - 14*x[0] - 22*x[1] + 170",
			[]float64{3, 2}, 0, false},
		{"gaussian wells", 2, -4, 4, "-exp(-dot(x - 1, x - 1)) - 1.5*exp(-4*dot(x + 2, x + 2))", []float64{-2, -2}, -1.5, false},
		{"bukin without roots", 2, -5, 3, "100*abs(x[1] - 0.01*x[0]^2) + 0.01*abs(x[0] + 1)", []float64{-1, 0.01}, 0, false},
		{"price 4", 2, -3, 3, "(2*x[0]^3*x[1] - x[1]^3)^2 + (6*x[0] - x[1]^2 + x[1])^2", zeros(2), 0, false},
		{"colville", 4, -3, 3, "100*(x[0]^2 - x[1])^2 + (x[0] - 1)^2 + (x[2] - 1)^2 + 90*(x[2]^2 - x[3])^2 + " +
			"10.1*((x[1] - 1)^2 + (x[3] - 1)^2) + 19.8*(x[1] - 1)*(x[3] - 1)", repeated(1, 4), 0, false},
	}
}

// landscape is the function of x as the loss of one person, of the decision or of the state that settles there.
func (f textbook) landscape(t testing.TB, isDirect bool) *formula.Landscape {
	t.Helper()
	x := "p + 0"
	if isDirect {
		x = "q + 0"
	}
	return landscape(t, formula.Source{
		Decision: fmt.Sprintf("q[%d]", f.n), State: fmt.Sprintf("p[%d]", f.n), Trait: fmt.Sprintf("d[%d]", f.n),
		Let: []formula.Binding{{Name: "x", Expr: x}}, Next: "0.5*p + 0.5*(q + d)", Minimize: f.loss,
	}, make([]float64, f.n))
}

func landscape(t testing.TB, s formula.Source, traits []float64) *formula.Landscape {
	t.Helper()
	m, err := formula.Compile(s)
	if err != nil {
		t.Fatalf("%s: %v", s.Minimize, err)
	}
	l, err := m.Landscape(kedge.Block{Data: traits, Width: m.Dims().Trait}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func prove(t testing.TB, f proof.Function, s kedge.Set, found []float64, loss float64) *proof.Proof {
	t.Helper()
	p, err := proof.Prove(context.Background(), f, s, found, loss, proof.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The least values of textbooks are proven, those of convex functions by convexity.
func TestTextbooksAreProven(t *testing.T) {
	for _, f := range textbooks() {
		for _, isDirect := range []bool{true, false} {
			begin := time.Now()
			p := prove(t, f.landscape(t, isDirect), set.Interval{Lower: f.lower, Upper: f.upper}, f.at, f.least)
			t.Logf("%-8v %-26s %v, gap %.1e of %.1e, %d boxes, %d spans, %s", time.Since(begin).Round(time.Microsecond*100), f.name, p.Grounds, p.Gap(), p.Tolerance, p.Boxes, p.Work, p.Reason)
			if p.Grounds == proof.Unproven || p.IsBetter || !(math.Abs(p.Upper-f.least) <= 1e-6) || !(p.Lower <= f.least+1e-9) {
				t.Errorf("%s: %v, at least %v, gap %v (%s)", f.name, p.Grounds, p.Lower, p.Gap(), p.Reason)
			}
			if (p.Grounds == proof.ByConvexity) != f.isConvex {
				t.Errorf("%s: %v", f.name, p.Grounds)
			}
		}
	}
}
