package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// excessOf is by how much q is outside of a set, by its definition; at most 0 inside.
func excessOf(c Constraint, q []float64) (most float64) {
	most = math.Inf(-1)
	away := func(center []float64) []float64 {
		d := slices.Clone(q)
		if center != nil {
			rows.AddScaled(d, -1, center)
		}
		return d
	}
	between := func(lower, upper []float64) {
		for i, v := range q {
			most = max(most, lower[i]-v, v-upper[i])
		}
	}
	on := func(a Affine) {
		for i, b := range a.B {
			most = max(most, math.Abs(rows.Dot(a.A[i*len(q):(i+1)*len(q)], q)-b))
		}
	}
	switch c := c.(type) {
	case Ball:
		return rows.Norm(away(c.Center)) - c.Radius
	case L1Ball:
		sum := 0.0
		for _, v := range away(c.Center) {
			sum += math.Abs(v)
		}
		return sum - c.Radius
	case Box:
		between(c.Lower, c.Upper)
	case HalfSpace:
		return rows.Dot(c.Normal, q) - c.Bound
	case Affine:
		on(c)
	case Convex:
		between(c.Lower, c.Upper)
		for _, curve := range c.Curves {
			most = max(most, curve.Expand(nil, nil, q))
		}
		if c.Equal != nil {
			on(*c.Equal)
		}
	default:
		panic("a set that is not asked for")
	}
	return most
}

// Decisions are in the sets that constraints become exactly where these hold, by walking their trees, at points on all sides.
func TestSetsHoldWhatConstraintsSay(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	for _, all := range []string{
		"norm(q) <= 1", "norm(q - up) <= 2", "norm(3*q - up) <= 2", "norm([q[0] + q[1], q[1], q[2]]) <= 1", "norm([q[0], q[0], q[2]]) <= 1", "norm([q[0], 2*q[1], q[2]]) <= 1", "norm([q[2], -q[0], q[1] + 1]) <= 1", "norm(q[0:2]) <= 1", "norm(A @ q) <= 2",
		"dot(q, q) <= 2", "dot(q - 1, q - 1) <= 2", "dot(q, 2*q) <= 3", "dot(q[0:2], q[1:3]) + dot(q, q) <= 2", "sum(q^2) <= 2", "sum((q + 1)^2) <= 2", "norm(q)^2 <= 2", "norm(q)^4 <= 2", "sum(q^4) <= 1", "norm(q)^3 <= 1", "2*norm(q) <= 3", "norm(q) + q[0] <= 1", "norm(q) <= 1 + q[0]", "norm(q) <= norm(up)",
		"sum(abs(q)) <= 1", "sum(abs(2*q - up)) <= 3", "sum(abs([q[0] + q[1], q[1], q[2]])) <= 1", "sum(abs([q[0], q[0], q[2]])) <= 1", "sum(abs([q[0], 2*q[1], q[2]])) <= 1", "sum(abs(q[0:2])) <= 1", "sum(abs(q)) + q[0]^2 <= 1", "sum(abs(q)) <= 1 + q[1]", "2*sum(abs(q)) <= 3",
		"abs(q) <= up", "abs(q - 1) <= 0.5", "abs(q[0]) <= q[1]", "abs(2*q) <= 3 + q[0]", "max(q) <= 1", "max(q) <= q[0] + 1", "min(q) >= -1", "min(2*q) >= q[0] - 1", "max(q[0], q[1]) <= 1 - q[2]", "max(q^2) <= 1", "max(-q) <= 1", "min(q, up) >= q - 1", "max(q, up) <= q + 2",
		"q <= 1", "q >= -1", "-1 <= q <= up", "2*q <= up", "-q <= 1", "q[1] <= 0.5", "0.5 >= q[2]", "sum(q) <= 1", "sum(q) >= -1", "mean(q) <= 0.2", "dot(up, q) <= 1", "q[0] - 2*q[1] <= 3*q[2] + 0.1", "A @ q <= 1", "A @ q >= -1", "q + sum(q) <= 1", "q/2 - up <= q[0]", "1 - q[0] >= q[1]/4",
		"exp(q) <= 2", "exp(q[0]) + q[1]^2 <= 2", "logsumexp(q) <= 1.5", "q[0]^2 <= q[1]", "q[0]^2 + q[0]*q[1] + q[1]^2 <= 1", "exp(max(q)) <= 2", "max(abs(q)) <= 1", "abs(q[0]) + max(q) <= 1", "2*abs(q[0]) - min(q) <= 1.5", "abs(q)/2 + q <= 1", "max(q[0], q[1]^2, 0.5*q[2]) <= 1", "norm(q) <= 1; q >= 0", "norm(q) <= 1; sum(q) <= 0.5; q[0] <= 0.3",
		"sum(abs(q)) <= 1; exp(q[0]) <= 1.5", "norm(q - 1) <= 1.5; exp(q[1]) <= 2; -1 <= q <= 1; A @ q <= 2", "dot(q, [1, 2, 3]*q) <= 2", "max(q) <= -0.2", "min(q) >= 0.1", "exp(q[0]) - 3 <= -1", "q[0]^2 - 3 <= -1", "-log(q[0]) <= -0.1; q >= 0.01", "abs(q[0]) - 1 <= -0.2", "dot(q, q) - 3 <= -1", "sum(abs(q)) - 3 <= -1", "norm(q) - 2 <= -0.5", "1 >= abs(q[0]) + abs(q[1])",
	} {
		texts := strings.Split(strings.ReplaceAll(all, "max(q[0], q[1]^2, 0.5*q[2])", "max([q[0], q[1]^2, 0.5*q[2]])"), "; ")
		sets, err := compileConstraints(texts...)
		if err != nil {
			t.Errorf("%s: %v", all, err)
			continue
		}
		inside := 0
		for range 150 {
			q := []float64{1.3 * r.NormFloat64(), 1.3 * r.NormFloat64(), 1.3 * r.NormFloat64()}
			walk := &walker[float64]{kit: floats(), names: map[string]array[float64]{"q": {vector(3), q}, "up": {vector(3), []float64{1, 2, 3}}, "A": {matrix(2, 3), []float64{1, 2, 3, 0, 1, 0}}}}
			want := true
			for _, text := range texts {
				want = want && !slices.Contains(walk.walk(mustParse(text)).x, 0)
			}
			most := math.Inf(-1)
			for _, s := range sets {
				most = max(most, excessOf(s, q))
			}
			if inside += int(truth(want)); math.Abs(most) > 1e-9 && (most <= 0) != want {
				t.Errorf("%s: %v is inside: %v, of %+v by %v", all, q, want, sets, most)
				break
			}
		}
		if inside == 0 || inside == 150 {
			t.Errorf("%s: %d of 150 are inside, which tells nothing", all, inside)
		}
	}
}

// Ranks by hand: a diagonal has none, every product of a weighted sum over the state with another vector one; the same weights twice are one, and what is behind a full matrix has −1, or nothing to solve by where it bends.
func TestRanksOfJacobians(t *testing.T) {
	for next, want := range map[string]int{
		"0.5*p + d": 0, "tanh(p)*q": 0, "p*d/(1 + q^2)": 0, "-p": 0, "d": 0, "p - 0.5*p": 0, "where(d > 0, 0.5*p, -0.1*p)": 0, "where(d > 0, 0.5*p, 0)": 0, "p^2/9 + exp(-abs(p))": 0, "min(p, d)": 0, "sqrt(1 + p^2)": 0, "p/(2 + d)": 0,
		"0.1*sum(p)*d": 1, "0.5*p + sum(p)": 1, "dot(p, d)*q": 1, "norm(p)*d": 1, "norm(p + d)*d/9": 1, "d/(3 + norm(p))": 1, "normalize(p + d)": 1, "max(p)*d": 1, "logsumexp(p)*d": 1, "mean(p)*d - 0.2*p": 1, "sum(p)*d + sum(p)*q": 1, "tanh(sum(p))*d": 1, "-(dot(p, q)*d)": 1, "dot(p, q)*d/2": 1,
		"softmax(p)": 1, "p*sum(d)": 0, "sum(p*p)*d": 1, "sum(-p)*d": 1, "sum(p)/4*d": 1, "0.1*sum(tanh(p))*d": 1,
		"sum(p)*d + dot(p, q)*q": 2, "sum(p*d)*q + sum(p)*q": 2, "(sum(p) - dot(p, q))*d": 2, "sum(p)*d - norm(p)*q": 2, "normalize(p + d) + sum(p)*q": 2, "sum(p)*d + dot(p, q)*q + norm(p)*q*d": 3, "p*sum(p)": 1, "p*sum(p) + norm(p)*d": 2, "sum(p)*d + dot(p, q)*q + norm(p)*q*d + max(p)*q^2": 4,
		"sum(p)*d + dot(p, q)*q + norm(p)*q*d + max(p)*q^2 + min(p)*d^2": -2, "B @ p + d": -1, "tanh(B @ p)": -2, "[p[1], p[0], p[3], p[2]]": -1, "p*p[0]": -2, "sum(B @ p)*d": -1,
	} {
		m, err := Compile(Source{Decision: "q[4]", State: "p[4]", Trait: "d[4]", Next: next, Let: []Binding{{Name: "B", Data: filled(4, 4)}}})
		if err != nil {
			t.Fatal(next, err)
		}
		got := -2
		if r := m.dynamics.resolvent; r != nil {
			got = r.rank
		}
		if got != want {
			t.Errorf("%s has the rank %d, want %d", next, got, want)
		}
	}
}

// Small systems whose products overflow are given up, by hand: 1 − 10²⁰⁰·10²⁰⁰ says nothing.
func TestCorrectionsThatFail(t *testing.T) {
	w := &bench{small: make([]float64, 2)}
	if w.correct([]float64{1}, []float64{1}, []float64{1e200}, []float64{1e200}, 1) {
		t.Error("a system without numbers is solved")
	}
	x := []float64{1, 2} // (I − zxᵀ)⁻¹ by hand: zᵀx₀ = 1·0.5 + 2·0.25 = 1 and zᵀx = 0.2·0.5 + 0.4·0.25 = 0.2
	if !w.correct(x, []float64{1, 1}, []float64{0.2, 0.4}, []float64{0.5, 0.25}, 1) || math.Abs(x[0]-1.25) > 1e-15 || math.Abs(x[1]-2.5) > 1e-15 {
		t.Errorf("corrected to %v", x)
	}
	w.small[0] = 0
	if w.correct([]float64{1}, []float64{1}, []float64{1}, []float64{1}, 1) {
		t.Error("a singular system is solved")
	}
}

// Sums over people of what some of them share: of products with numbers of each or of all, of rows and of single numbers, as adding them up one by one.
func TestSumsOverPeople(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	for _, loss := range []string{
		"sum((p[0]*q)*w)", "p[0]*dot(q, w)", "sum(q*p)", "sum((p[0]*q)*d)", "sum((s*q)*p)", "sum((s*q)*w)", "p[0]*q[1]*d[2]", "sum((p[0]*p[1])*q*p)", "dot(q, q)", "sum(q*w)*s", "sum(exp((p[1]*d[0])*q))", "dot(p, d)*sum(q)", "norm(q + p)", "sum((q - p)*(s*q))", "q[0]*p[0] - q[0]*p[1]", "sum(outer(q, p) @ d)", "sum(where(p > 0, q, 2*q))",
	} {
		m, err := Compile(Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Minimize: loss, Let: []Binding{{Name: "w", Expr: "[1, -0.5, 2]"}, {Name: "s", Expr: "tanh(q[0])"}}})
		if err != nil {
			t.Fatal(loss, err)
		}
		for _, n := range []int{1, 2, 64, 65, 131} {
			draw := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64()
				}
				return x
			}
			p, u, d := draw(3*n), draw(3), draw(3*n)
			got, want := make([]float64, 3), make([]float64, 3)
			value, sum := m.Objective().EvalRows(nil, got, p, u, d), 0.0
			for i := range n {
				sum += m.Objective().Eval(nil, want, p[3*i:3*i+3], u, d[3*i:3*i+3])
			}
			if size := 1 + rows.MaxAbs(want) + math.Abs(sum); !(rows.Distance(got, want) <= 1e-12*size*float64(n)) || !(math.Abs(value-sum) <= 1e-12*size*float64(n)) {
				t.Fatalf("%s of %d: %v and %v, one by one %v and %v", loss, n, value, got, sum, want)
			}
		}
	}
}

// Slopes in states and decisions are those of differences, of choices by single numbers, of extremes, sums and parts of vectors.
func TestSlopesOfChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 1))
	const n, h = 3, 1e-6
	for _, next := range []string{
		"where(d[0] > 0, p*q, 2*p)", "where(q[0] > 0, p*q, d)", "where(p[0] < p[1], p*p, q)", "where(d > 0, p[0], q[1])", "where(d[0] > 0, p[0], q[1])*d", "where(d[0] > 0, sum(p), q[1])*p", "where(d[0] > 0, 1, 2)*p*q", "max(p[0], q)", "max(p, q[1])*d", "min(sum(p), q[0])*p", "clip(p*q, -0.5, q[0])",
		"p*max(p) - min(q)*d", "[p[2], q[0]*p[0], sum(p*q)]", "[[p[0], q[1]], [p[1], q[2]], [1, p[2]]] @ [q[0], p[0]]", "outer(p, q)' @ d", "p @ outer(q, p)", "sum(p)*q + p*sum(q)", "(p + q[0])*(p[1] - q)", "p/(2 + q[0]^2) + q[1]/(3 + p^2)", "(1 + p[0]^2)^(q/4)", "(3 + tanh(q))^(p[0]/4)", "norm(p)*q/norm(q)", "p*logsumexp([p, q])",
	} {
		m, err := Compile(Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: next})
		if err != nil {
			t.Fatal(next, err)
		}
		for range 4 {
			draw := func() []float64 { return []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()} }
			p, u, d, v := draw(), draw(), draw(), draw()
			gp, gu := make([]float64, n), make([]float64, n)
			m.Dynamics().Pullback(gp, gu, p, u, d, v)
			for _, c := range []struct{ x, got []float64 }{{p, gp}, {u, gu}} {
				for j, was := range c.x {
					high, low := make([]float64, n), make([]float64, n)
					c.x[j] = was + h
					m.Dynamics().Next(high, p, u, d)
					c.x[j] = was - h
					m.Dynamics().Next(low, p, u, d)
					c.x[j] = was
					if want := (rows.Dot(v, high) - rows.Dot(v, low)) / (2 * h); !(math.Abs(c.got[j]-want) <= 1e-6*(1+math.Abs(want))) {
						t.Fatalf("%s: slope %d is %v, by differences %v", next, j, c.got[j], want)
					}
				}
			}
		}
	}
}

// Who settles in closed form may have a state of another length than the trait: where it starts does not matter.
func TestLandscapesOfOtherLengths(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d", Next: "0.5*p + q*d", Minimize: "sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.Landscape(column(1, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	jet := make(interval.Jet, 2) // by hand, p = 2qd: the mean of 4qd is 8q
	if l.Enclose(jet, []interval.Span{interval.Point(2)}); math.Abs(jet[0].Mid()-16) > 1e-12 || math.Abs(jet[1].Mid()-8) > 1e-12 {
		t.Errorf("%v", jet)
	}
}
