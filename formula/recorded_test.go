package formula

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/interval"
)

// sumOf is a short sum of numbers as they are written.
func sumOf(x ...any) string { return fmt.Sprintf("%.6x", sha256.Sum256([]byte(fmt.Sprint(x...)))) }

// computed is all that a model computes of drawn people and decisions.
func computed(m *Model, r *rand.Rand) (out []string, n int, p, u, d []float64) {
	dims := m.Dims()
	n = 1 + r.IntN(70)
	draw := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = math.Round(64*r.NormFloat64()) / 64
		}
		return x
	}
	p, u, d = draw(n*dims.State), draw(dims.Decision), draw(n*dims.Trait)
	v := draw(n * dims.State)
	if f := m.Dynamics(); f != nil {
		u := u
		if m.Social() {
			u = slices.Concat(u, draw(dims.State))
		}
		next, gp, gu := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(u))
		f.NextRows(next, p, u, d)
		f.PullbackRows(gp, gu, p, u, d, v)
		out = append(out, "next "+sumOf(next)+" pull "+sumOf(gp, gu))
		if s, ok := f.(kedge.RowSettler); ok {
			_, err := s.SettleRows(next, u, d)
			out = append(out, fmt.Sprint("settle ", sumOf(next), " ", err))
		}
		if s := m.Sensitivity(); s != nil {
			g := make([]float64, len(u))
			err := s.PullRows(g, p, u, d, v)
			out = append(out, fmt.Sprint("answer ", sumOf(g), " ", err))
		}
	}
	if o := m.Objective(); o != nil && !m.Social() {
		gp, gu := make([]float64, len(p)), make([]float64, len(u))
		loss := o.EvalRows(gp, gu, p, u, d)
		out = append(out, fmt.Sprintf("loss %.9g %s", loss, sumOf(gp, gu)))
	}
	return out, n, p, u, d
}

// offered is all that a model computes of drawn people, decisions and boxes.
func offered(t *testing.T, m *Model, r *rand.Rand) string {
	t.Helper()
	dims := m.Dims()
	out, n, p, u, d := computed(m, r)
	few := min(n, 2)
	l, err := m.Landscape(kedge.Block{Data: d[:few*dims.Trait], Width: dims.Trait}, kedge.Block{Data: p[:few*dims.State], Width: dims.State})
	if err != nil {
		return strings.Join(append(out, err.Error()), ", ")
	}
	for _, width := range []float64{0.01, 0.6} {
		box, _ := boxAround(r, u, width)
		for order := 0; order < 3; order += 2 {
			jet := make(interval.Jet, interval.Jets{Variables: dims.Decision, Order: order}.Size())
			work := l.Enclose(jet, box)
			out = append(out, fmt.Sprintf("%.6g %s by %d", jet[0], sumOf(jet), work))
		}
		out = append(out, fmt.Sprint("convex ", l.Convex(box)))
	}
	return strings.Join(append(out, fmt.Sprint(m.AffineInState(), m.ReadsTrait())), ", ")
}

// Random models, and models whose people rest, compute what they computed when this was recorded. Other tests say that it is right.
func TestModelsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	r := author{rand.New(rand.NewPCG(31, 7))}
	var lines []string
	for range 40 {
		x := newTrial(t, r)
		lines = append(lines, offered(t, x.model, r.Rand))
	}
	list := restful()
	for _, next := range []string{
		"normalize(0.4*p + 0.6*d + 0.5*dot(p, q)*q)", "0.3*p + 0.2*d*dot(p, q) + q", "0.2*p*q + 0.1*sum(p) + d", "0.5*softmax(-q) + 0.3*p + 0.2*d", "where(p > q, 0.5*p, 0.2*p) + 0.1*d", "max(0.5*p, q - d)", "0.1*p^2 + tanh(q)*d",
		"0.2*p + 0.1*p*dot(q, d) + outer(q, d)[0]", "0.5*p + 0*d", "clip(0.8*p + q, -1, 1) + 0.1*d", "0.3*sin(p + q) + 0.2*erf(d)", "0.3*abs(p - q) + d", "0.2*norm(p)*q + d", "0.2*logsumexp(p)*d + q",
	} {
		for _, loss := range []string{"dot(p, q) + sum(q^2)", "sum(abs(p - q)) + max(q)", "norm(p - d) - log(1 + q[0]^2)"} {
			list = append(list, Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: next, Minimize: loss})
		}
	}
	for i, s := range list {
		m, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%d %s | %s: %s", i, s.Next, s.Minimize, offered(t, m, r.Rand)))
	}
	evidence.AsRecorded(t, "testdata/models.txt", lines)
}

// constraintsSay is what constraints on three numbers hold; those that bend, at one place.
func constraintsSay(list []Constraint, bend func(v float64, g, h []float64) string) (said []string) {
	for _, c := range list {
		convex, ok := c.(Convex)
		if !ok {
			said = append(said, fmt.Sprintf("%T%+v", c, c))
			continue
		}
		said = append(said, fmt.Sprintf("convex from %v to %v, equal %+v", convex.Lower, convex.Upper, convex.Equal))
		for _, curve := range convex.Curves {
			g, h := make([]float64, 3), make([]float64, 9)
			said = append(said, bend(curve.Expand(g, h, []float64{0.5, 1.25, -0.75}), g, h))
		}
	}
	return said
}

// Constraints of all kinds are read as they were, and those that are refused are refused in the same words.
func TestConstraintsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, all := range []string{
		"norm(q) <= 1", "norm(q - up) <= 2; q >= 0", "sum(abs(q)) <= 2", "sum(abs(q)) <= 2; sum(q) == 1", "q >= 0; sum(q) == 1", "0 <= q <= 1; sum(q) == 2", "q >= 0; q <= up; sum(q) == 2", "0 <= q <= 1; q[0] + 2*q[1] + q[2] == 2",
		"0 <= q <= 1; sum(q) == 2; q[0] == q[1]", "-1 <= q <= 1; sum(q) == 0", "q >= 0; sum(q) == -1", "A @ q <= b", "A @ q >= b; q <= 9", "A @ q == b", "q[0]^2 + q[1] <= 3", "q[0]^2 + q[1]^2/4 <= 1; q[2] == 0", "exp(q[0]) + q[1] <= 2; 0 <= q <= 5",
		"max(q) <= 1", "max(q[0], 2*q[1]) <= 3", "abs(q[0] - q[1]) <= 1", "logsumexp(q) <= 2; norm(q) <= 4", "q[0]*q[1] <= 1", "sqrt(q[0]) <= 1", "q[0]^4 <= 16", "sum(q^2) + q[0] <= 3", "1/q[0] <= 2", "norm(q) >= 1", "q == 1", "q == up; sum(q) == 6", "q <= 1; q >= 2",
		"q[0] >= 1; q[0] <= 1", "-log(q[0]) <= 1; q[1] >= 0", "norm(A @ q - b) <= 3", "dot(q, q) <= 4; q[2] >= -1", "where(q[0] > 0, 1, 2) <= 1", "floor(q[0]) <= 1", "q + 1", "q < 1", "p <= 1", "q[0] <= q", "2 <= 3", "sum(q) == 250; q >= 0; q <= 100",
	} {
		list, err := compileConstraints(strings.Split(all, "; ")...)
		said := constraintsSay(list, func(v float64, g, h []float64) string { return fmt.Sprintf("%.9g %.9g %.9g", v, g, h) })
		lines = append(lines, strings.Split(fmt.Sprintf("%s: %s %v", all, strings.Join(said, "; "), err), "\n")...)
	}
	evidence.AsRecorded(t, "testdata/constraints.txt", lines)
}

// Mistakes are told in the same words as when this was recorded: those of random formulas with a piece cut out, doubled or taken from another.
func TestMistakesAreAsRecorded(t *testing.T) {
	r := author{rand.New(rand.NewPCG(41, 7))}
	seen := map[string]string{}
	for range 900 {
		s := r.source()
		body := s.Next
		at, to := r.IntN(len(body)), r.IntN(len(body))
		at, to = min(at, to), min(max(at, to), min(at, to)+6)
		s.Next = body[:at] + r.pick("", "", body[at:to]+body[at:to], "[", ")", "q", " for i in 0:2", ",", "@", "1e", "unknown", "'", "[9]", "\n", "==", "dot(", "λ") + body[to:]
		if r.IntN(4) == 0 {
			s.Decision, s.Trait, s.Subject = r.pick("q", "q[0]", "q[3", "p[3]", "3", "", "q[a, b, c] in EUR"), r.pick("d[2]", "d[1000000000]", "q[3]", ""), []string{r.pick("q <= 1", "norm(q) < 2", "sum(q)", "q >= (")}
		}
		if _, err := Compile(s); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			_, what, _ := strings.Cut(first, " ")
			if len(what) < 160 {
				seen[what[:min(24, len(what))]] = err.Error()
			}
		}
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, strings.Split(seen[k], "\n")...)
	}
	evidence.AsRecorded(t, "testdata/mistakes.txt", lines)
}

// Regressions, rollers, networks and declarations give what they gave.
func TestOthersAreAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 7))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Round(64*r.NormFloat64()) / 64
		}
		return x
	}
	var lines []string
	list, _ := rolledModels()
	for i, c := range list {
		f, err := c.source.Roll(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		const people = 9
		dst := make([]float64, people*f.Width())
		f.Rows(dst, draw(people*f.States), c.theta, draw(people*f.Beside), draw(people*f.Shocks()))
		lines = append(lines, fmt.Sprintf("roller %d: %d %d %d %d %t %s %.6g", i, f.States, f.Unknowns, f.Beside, f.Shocks(), f.Affine, sumOf(dst), dst[:f.Width()]))
		for _, of := range []func([]string) (*Regressor, error){c.source.Regress, c.source.RegressTraits} {
			g, err := of(c.unknowns)
			if err != nil {
				lines = append(lines, err.Error())
				continue
			}
			rows, columns := make([]float64, people*g.Width()), make([]float64, people*g.Width())
			states, beside, traits := draw(people*g.States), draw(people*g.Beside), draw(people*g.Traits)
			g.RowsOf(rows, states, c.theta, traits, beside)
			if g.Traits == 0 {
				g.Columns(columns, states, c.theta, beside)
			}
			lines = append(lines, fmt.Sprintf("regressor %d: %d %d %d %d %s %s, %s, %s %t %t", i, g.States, g.Unknowns, g.Beside, g.Traits, sumOf(rows), sumOf(columns), taken(g.program), taken(g.columns()), g.Affine, g.Steady))
		}
	}
	for _, c := range []struct {
		edges []float64
		width int
	}{{[]float64{0, 1, 1, 2, 0, 2}, 2}, {[]float64{0, 1, 2, 0, 2, 6, 2, 2, 0}, 3}, {[]float64{0, 3}, 2}, {[]float64{0, 0.5}, 2}, {[]float64{-1, 0}, 2}, {[]float64{0, 1, -1}, 3}, {[]float64{0, 1, math.MaxFloat64}, 3}, {[]float64{0}, 1}, {[]float64{0, 1, 2, 3}, 4}, {nil, 2}} {
		v, err := Network(c.edges, c.width, 3)
		if lines = append(lines, fmt.Sprint(c.edges, " ", err)); v != nil {
			lines = append(lines, fmt.Sprint(v.Shape, v.Data))
		}
	}
	for _, s := range []string{"q", "q[3]", "q[apples, pears] in EUR", "q[a, 2]", "q[a:b]", "q +", "", "3", "q in kg"} {
		lines = append(lines, fmt.Sprintf("%q: %+v %+v %q", s, Declare(s), DeclaredNames(s, "p[x, y]", s), Columns(s)))
	}
	evidence.AsRecorded(t, "testdata/others.txt", lines)
}
