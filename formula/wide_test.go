package formula

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/ptx"
)

// taken is what a program computes and keeps: instructions of its stages, entries of an individual, shared ones, individuals at a time, sums, and runs that are woven.
func taken(p *program) string {
	woven := 0
	for _, w := range p.woven {
		if w != nil {
			woven += w.length
		}
	}
	return fmt.Sprintf("%d+%d+%d %d/%d/%d %d %d", len(p.stages[once]), len(p.stages[perRow]), len(p.stages[after]), p.room, p.shared, p.block, len(p.sums), woven)
}

// sums are next states in which terms are taken together in many ways, or cannot be.
func sums() (list []Source) {
	for _, next := range []string{
		"0.5*p + 0.25*d - 0.125*q", "p*0.5 - d*q[0] - -q", "-(0.5*p) + d", "p + d + q + p*2 + d*3 + q*4 + p*d + p*q + 5*d*q + p", "2*p + 3*d - 4*q + 5*p - 6*d + 7*q - 8*p + 9*d - 10*q + 11*p - 12*d", "dot(p, d)*p + d", "dot(p, q)*q + d - p", "(p + 2*d) - (q + 3*p)", "p - (d - (q - 0.5*p))",
		"0.1*p + sum(p)*d + sum(p)*q", "0.1*p + sum(q)*q + d", "0.5*(p + d) + 0.5*(p + d)", "tanh(0.5*p + d) + 0.5*p + d", "(0.5*p + d)*(0.5*p - d)", "max(p, 0.5*d + q) - 2*q", "0.1*outer(p, q) @ d + p", "normalize(0.4*p + 0.6*d + dot(p, q)*q)", "normalize(p - d - 0.5*dot(q, p)*q)",
		"normalize(d + 2*p + dot(d, q)*q)", "normalize(0.4*p + 0.6*d + sum(q)*dot(p, q)*q)", "normalize(0.4*p + 0.6*d + dot(p, q)*d)", "normalize(0.4*p + 0.6*q + dot(p, q)*q)", "normalize(0.4*p + 0.6*d - dot(p, q)*0.3*q)", "normalize(0.4*p + 0.6*d + dot(p, q)*q)*dot(p, q)", "[p[0:2], q[0] + d[1]] + 0.5*p", "exp(q) + p", "q*2 + d[1]", "d", "0*p + 1", "0.1*sum(p) + d", "-0.1*sum(p)*q[0] + d", "mean(p) - d",
	} {
		for _, loss := range []string{"dot(p, q)", "sum((p - q)^2) + dot(d, p)*sum(q)", "norm(p - 2*q + d)"} {
			list = append(list, Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: next, Minimize: loss})
		}
	}
	for _, n := range []int{1, 2, 5, 15, 16, 17} { // short rows and long ones
		list = append(list, Source{Decision: fmt.Sprintf("q[%d]", n), State: fmt.Sprintf("p[%d]", n), Trait: fmt.Sprintf("d[%d]", n), Next: "0.3*p + 0.2*tanh(d - q)*p[0] + dot(p, q)*d/100 + exp(-abs(d))", Minimize: "logsumexp(p - q) + 0.5*norm(d)"})
	}
	unit := []Binding{{Name: "w", Expr: "[0.5, -0.25, 1]"}}
	for _, next := range []string{"normalize(q*p + 0.6*d + dot(p, w)*w)", "normalize(0.6*p + q*d + q*dot(p, w)*w)", "normalize(p - d - q*dot(d, w)*w)", "q*p + d*w", "dot(p, w)*q*w + d", "where(p > q, q*p, d) + 0.5*p"} {
		list = append(list, Source{Decision: "q", State: "p[3]", Trait: "d[3]", Let: unit, Next: next, Minimize: "dot(p, w)*q"})
	}
	return list
}

// Sums, products and unit vectors in many forms give what they gave, and take as many instructions and as much memory.
func TestProgramsAreAsRecorded(t *testing.T) {
	r := author{rand.New(rand.NewPCG(61, 7))}
	list := sums()
	for range 25 {
		list = append(list, newTrial(t, r).source)
	}
	var lines []string
	for i, s := range list {
		m, err := Compile(s)
		if err != nil {
			t.Fatal(s, err)
		}
		said := []string{fmt.Sprint(i), taken(m.dynamics.next())}
		for _, of := range []programs{m.dynamics.pull, m.objective.programs} {
			for _, one := range of {
				said = append(said, taken(one()))
			}
		}
		if f := m.dynamics.resolvent; f != nil {
			said = append(said, fmt.Sprint("rank ", f.rank, f.isShared, f.isFixed, f.together()))
		}
		if slope := m.dynamics.slope; slope != nil {
			said = append(said, fmt.Sprint("values ", slope.id))
		}
		for range 2 { // of other decisions and people
			out, _, _, _, _ := computed(m, r.Rand)
			said = append(said, out...)
		}
		lines = append(lines, strings.Join(said, ", "))
	}
	evidence.AsRecorded(t, "testdata/programs.txt", lines)
}

// edges are numbers at which functions change their way.
func edges() []float64 {
	list := []float64{0, 0x1p-1074, 0x1p-1022, 1e-300, 1e-160, 1e-20, 0.3, 0.5, 0.6249, 0.625, 0.7, 1, 1.5, 2, 2.5, 20, 300, 707.9, 708.1, 1e15, 1e140, 1e160, 1e300, math.MaxFloat64, math.Inf(1)}
	for _, v := range slices.Clone(list) {
		list = append(list, -v)
	}
	return append(list, math.NaN())
}

// Functions have the values, slopes and lists for devices that they had, where numbers are out of the ordinary too, of one entry and of several.
func TestEdgesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, body := range []string{
		"exp(p)", "log(p)", "sqrt(p)", "tanh(p)", "sigmoid(p)", "abs(p)", "sin(p)", "cos(p)", "tan(p)", "erf(p)", "floor(p)", "round(p)", "clip(p, -1, 2)", "p^2", "p^3", "p^-1", "p^-2", "p^0", "p^0.5", "p^1.5", "p^-0.5", "1/p", "p/3", "2^p", "0^p", "(-2)^p", "p^p", "max(p, 0.5)", "min(0.5, p)", "-p", "p*p",
		"where(p > 0.5, p, -p)", "where(p <= 0.5, 1, p)", "where(p == 0.5, 3, p)", "where(p != 0.5, p, 7)", "where(0 < p < 1, p, 2)", "where(not p > 0 or p >= 2, p, 0)", "where(p > 0 and p < 1, p, 0)",
		"max(p + [0, 1]) + min([p, 2])", "norm([p, p])", "norm([p, 1, p])", "sum(softmax([p, 1, 2])*[1, 2, 3])", "logsumexp([p, 1])", "logsumexp([p, p, -p])", "sum(normalize([p, 3]))", "sum(normalize([p, p]))", "sum(normalize([p, -2*p, 4*p]))", "dot([p, 1], [1, p])", "mean([p, 1, 2])", "sum([p, 1, p, 2, p, 3, p, 4, 5])", "max([p, p])", "min([2*p, p])",
	} {
		m, err := Compile(Source{Decision: "q", State: "p", Next: body, Minimize: body + " + q*p"})
		if err != nil {
			t.Fatal(body, err)
		}
		f := m.Dynamics()
		p := edges()
		next, slope, bend, one := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
		for i := range one {
			one[i] = 1
		}
		f.NextRows(next, p, []float64{2}, nil)
		f.PullbackRows(slope, nil, p, []float64{2}, nil, one)
		m.Objective().EvalRows(bend, make([]float64, 1), p, []float64{2}, nil)
		if of := m.dynamics; of.Shares() >= 0 { // a list for devices has the bits, or a flag
			list, got, shared := ptx.New(1, 0, of.Shares()), make([]float64, 1), make([]float64, of.Shares())
			of.EmitNext(list)
			of.Share(shared, []float64{2})
			run := ptx.NewEvaluator(list)
			for i := range p {
				if _, flag := run.Eval(got, p[i:], nil, shared); !flag && math.Float64bits(got[0]) != math.Float64bits(next[i]) && (got[0] == got[0] || next[i] == next[i]) {
					t.Errorf("%s at %v: the list gives %v, the program %v", body, p[i], got[0], next[i])
				}
			}
		}
		lines = append(lines, body, fmt.Sprintf("  %.17g", next), fmt.Sprintf("  %.17g %s", slope, sumOf(bend)))
	}
	evidence.AsRecorded(t, "testdata/edges.txt", lines)
}

// spans are boxes of one number: points, narrow and wide ones on both sides of 0 and around it, halves of the line and all of it.
func spans() []interval.Span {
	inf := math.Inf(1)
	return []interval.Span{{Lo: 0.5, Hi: 0.5}, {Lo: 0, Hi: 0}, {Lo: 1, Hi: 1.25}, {Lo: -1.25, Hi: -1}, {Lo: 0, Hi: 2}, {Lo: -2, Hi: 0}, {Lo: -0.5, Hi: 1}, {Lo: 0.1, Hi: 9}, {Lo: -40, Hi: 30}, {Lo: 0, Hi: inf}, {Lo: -inf, Hi: -1}, {Lo: -inf, Hi: inf}, {Lo: 800, Hi: 900}}
}

// What functions can be over spans, their slopes and bends, and whether they are convex there, is what it was.
func TestSpansAreAsRecorded(t *testing.T) {
	var lines []string
	for _, loss := range []string{
		"exp(q)", "log(q)", "sqrt(q)", "tanh(q)", "sigmoid(q)", "erf(q)", "abs(q)", "sin(q)", "floor(q)", "round(q)", "q^2", "q^3", "q^4", "q^-1", "q^-2", "q^-3", "q^0.5", "q^1.5", "q^2.5", "q^-0.5", "q^0", "2^q", "0.5^q", "q^q", "1/q", "-1/q", "q/4", "-q/4", "q/-4", "1/(q^2 + 1)", "2/q", "d/q", "q*q", "q*abs(q)", "q*d", "d*q^2", "-q^2", "q - q^2", "q^2 - q",
		"-abs(q)", "abs(q - 1)", "max(q, 1)", "min(q, 1)", "max(q^2, q)", "min(-q^2, q)", "-min(q, 2*q)", "-max(q, 2*q)", "norm([q, 1])", "norm([q, d])^2", "norm([q, 1])^3", "norm([q, q])^-2", "max([q, 2*q, 1])", "-max([q, 2*q, 1])", "min([q, 2*q, 1])", "-min([q, q^2])", "logsumexp([q, 1])", "logsumexp([q^2, -q])", "sum(softmax([q, 1])*[1, 2])", "sum([q, q^2])", "mean([q, q^4])", "[q, 2*q][1]", "dot([q, 1], [q, 2])",
		"dot([q, 1], [q, 1])", "dot([1, 2], [q^2, q])", "-dot([1, 2], [q^2, q])", "sum(outer([q, 1], [1, 2]))", "sum([[1, 2], [3, 4]] @ [q, 1])", "sum([q, 1] @ [[1, 2], [3, 4]])", "sum(outer([q, 1], [1, 2]) @ [[1, 2], [3, 4]])", "sum(outer([q, 1], [1, 2])')", "where(d > 0, q^2, -q^2)", "where(q > 0.5, q, 1)", "where(q >= 0.5, q^2, q)", "where(q == 0.5, q, 1)", "where(q != 0, q, 2)",
		"where(log(q) < 0, 1, 2)", "where(sqrt(q) <= 1 and q > 0, q, 2)", "where(not q < 1, q, 1)", "exp(q^2)", "0 - (-log(q))", "1 - (-sqrt(q))", "0 - (-tanh(q))", "q/d", "q^2/d", "-q/d", "exp(-q)", "exp(-q^2)", "log(exp(q) + 1)", "sqrt(q^2 + 1)", "(q + abs(q))^2", "tanh(q^2)", "sum(normalize([q, 1]))", "sum(normalize([q, q]))", "clip(q, 0, 1)", "(q^2)^0.5", "abs(q)^3", "3", "d",
	} {
		m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Minimize: loss})
		if err != nil {
			t.Fatal(loss, err)
		}
		var said []string
		for _, traits := range [][]float64{{2}, {-1, 3}, {0, 1}} {
			l, err := m.Landscape(column(traits...), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range spans() {
				jet := make(interval.Jet, 3)
				work := l.Enclose(jet, []interval.Span{s})
				said = append(said, fmt.Sprintf("%.5g %s %d %t", jet[0], sumOf(jet), work, l.Convex([]interval.Span{s})))
			}
		}
		lines = append(lines, loss, "  "+strings.Join(said, ", "))
	}
	evidence.AsRecorded(t, "testdata/spans.txt", lines)
}

// Where people come to rest over boxes of decisions, and whether the loss is convex there, is what it was: for people who rest, who tip over and who never do.
func TestRestsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, next := range []string{
		"0.5*p + q", "q*p + 1", "q*p", "p + q", "2*p + q", "-1.5*p + q", "-p + q", "q", "0.9*sin(p) + q", "tanh(q*p)", "tanh(2*p + q)", "2*p^2/(1 + p^2) + 0.1*q", "0.5*p + exp(q)", "max(0.5*p, q)", "min(0.5*p, q) + 0.1", "abs(0.5*p - q)", "where(p > q, 0.5*p, 0.2*p)", "sqrt(p^2 + q)/2", "0.3*p^2 + q", "p^2 + q", "exp(-p) + q", "cos(p + q)", "0.5*p + q^2 + d", "0.5*p - q^2", "d*p + q",
		"0.5*p + log(q)", "p/(1 + q^2) + d", "sigmoid(4*p - 2 + q)", "3.2*p*(1 - p) + 0*q", "0.5*p + 1/q", "exp(p) + q", "p - 0.1*p^3 + 0*q",
	} {
		for _, loss := range []string{"p^2 + q", "-p"} {
			m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Next: next, Minimize: loss})
			if err != nil {
				t.Fatal(next, err)
			}
			l, err := m.Landscape(column(0.25, 0.75), column(0.1, 1.5))
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, s := range []interval.Span{{Lo: 0.3, Hi: 0.3}, {Lo: 0.3, Hi: 0.301}, {Lo: -0.5, Hi: 0.5}, {Lo: 0.9, Hi: 1.1}, {Lo: 0, Hi: 1}, {Lo: -3, Hi: -2}, {Lo: 1, Hi: 5}, {Lo: -1, Hi: 2.5}} {
				jet := make(interval.Jet, 3)
				work := l.Enclose(jet, []interval.Span{s})
				said = append(said, fmt.Sprintf("%.5g %s %d %t", jet[0], sumOf(jet), work, l.Convex([]interval.Span{s})))
			}
			lines = append(lines, next+" | "+loss, "  "+strings.Join(said, ", "))
		}
	}
	for _, next := range []string{
		"B @ p + q", "q*p + d", "0.3*p + dot(p, q)*d", "tanh(B @ p + q)", "[q[0]*p[0], 0.5*p[1] + q[1]]", "[0.5*p[1], 0.5*p[0]] + q", "[p[1], p[0]] + q", "[q[0]*p[1], 0.5*p[0] + 1]", "0.4*softmax(3*p + q) + 0.1*d", "0.5*normalize(p + q) + d", "[0.2*p[0] + q[0]^2, 0.3*p[1] + abs(q[1])]", "[2*p[0], 0.5*p[1]] + q", "[0.5*p[0] + p[1], 0.5*p[1]] + q", "[[0, 1], [-1, 0]] @ p + q", "[[0, 0.9], [-0.9, 0]] @ p + q",
	} {
		m, err := Compile(Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Let: []Binding{{Name: "B", Expr: "[[0.3, 0.4], [-0.2, 0.1]]"}}, Next: next, Minimize: "dot(p, p) + p[0]*q[1]"})
		if err != nil {
			t.Fatal(next, err)
		}
		l, err := m.Landscape(kedge.Block{Data: []float64{0.25, 0.5, 0.75, -0.125}, Width: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, width := range []float64{0, 1e-6, 0.01, 0.2, 1, 3} {
			box := []interval.Span{{Lo: 0.5 - width, Hi: 0.5 + width/2}, {Lo: -0.25, Hi: -0.25 + width}}
			jet := make(interval.Jet, 6)
			work := l.Enclose(jet, box)
			said = append(said, fmt.Sprintf("%.5g %s %d %t", jet[0], sumOf(jet), work, l.Convex(box)))
		}
		lines = append(lines, next, "  "+strings.Join(said, ", "))
	}
	evidence.AsRecorded(t, "testdata/rests.txt", lines)
}

// People whose numbers are not finite or too large, and such as do not come to rest, are refused in the same words, and others give what they gave: alone, and among others.
func TestFaultsOfPeopleAreAsRecorded(t *testing.T) {
	var lines []string
	for _, next := range []string{"0.5*p + d*q", "q*p + d", "d*p + q", "0.3*p + dot(p, q)*d", "[p[1]*d[0], p[0]*q[1]] + d", "B @ p + q", "tanh(q[0])*(B @ p) + d", "normalize(0.4*p + 0.6*d + 0.5*dot(p, q)*q)", "0.4*softmax(p - q) + 0.3*d", "0*p + d*q", "p + d"} {
		m, err := Compile(Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Let: []Binding{{Name: "B", Expr: "[[0.3, 0.4], [-0.2, 0.1]]"}}, Next: next, Minimize: "dot(p, q)"})
		if err != nil {
			t.Fatal(err)
		}
		const people = 67
		for at, value := range map[int]float64{0: 0.5, 1: math.NaN(), 2: math.Inf(1), 3: 1e308, 4: 1, 5: -1, 6: 2} {
			for part := range 4 {
				args := [4][]float64{slices.Repeat([]float64{0.25, -0.5}, people), {0.125, -0.25}, slices.Repeat([]float64{0.75, 0.5}, people), slices.Repeat([]float64{1, -1}, people)}
				args[part][min(len(args[part])-1, 131)] = value
				said := fmt.Sprint(next, " ", at, part)
				if s, ok := m.Dynamics().(kedge.RowSettler); ok && part%2+part/2 == 1 {
					h, one := make([]float64, 2*people), make([]float64, 2)
					r, err := s.SettleRows(h, args[1], args[2])
					_, alone := s.Settle(one, args[1], args[2][130:132])
					said += fmt.Sprintf(" settle %.3g %s %v | %.9g %v", r.Norm, sumOf(h), err, one, alone)
				}
				if s := m.Sensitivity(); s != nil {
					g := []float64{1, 2}
					err := s.PullRows(g, args[0], args[1], args[2], args[3])
					said += fmt.Sprintf(" pull %.9g %v", g, err)
				}
				lines = append(lines, strings.ReplaceAll(said, "\n", " / "))
			}
		}
	}
	slices.Sort(lines)
	evidence.AsRecorded(t, "testdata/faults.txt", lines)
}

// Long states settle by the parts of their slopes alone: (1 − 0.5)p = q + d, by hand.
func TestLongStatesSettle(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[600]", Trait: "d", Next: "0.5*p + q + d", Minimize: "sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	h, g, v := make([]float64, 600), make([]float64, 1), slices.Repeat([]float64{1}, 600)
	_, err = m.Dynamics().(kedge.RowSettler).SettleRows(h, []float64{1}, []float64{0.25})
	if pulled := m.Sensitivity().PullRows(g, h, []float64{1}, []float64{0.25}, v); err != nil || pulled != nil || slices.Min(h) != 2.5 || slices.Max(h) != 2.5 || g[0] != 1200 {
		t.Errorf("from %v to %v, slope %v: %v, %v", slices.Min(h), slices.Max(h), g, err, pulled)
	}
}

// Columns of a model with more entries than are taken apart are what its rows are, turned.
func TestColumnsOfLongStatesAreRows(t *testing.T) {
	var lines []string
	for _, n := range []int{1, 3, 9, 12, 14, 16, 18, 20, 25, 40} {
		f, err := Source{Decision: "q", State: fmt.Sprintf("p[%d]", n), Next: "a*p + b*q*sum(p) + tanh(p)"}.Regress([]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		const people = 300
		r := rand.New(rand.NewPCG(2, 2))
		states, beside := make([]float64, people*n), make([]float64, people)
		for i := range states {
			states[i] = r.NormFloat64()
		}
		rows, columns := make([]float64, people*f.Width()), make([]float64, people*f.Width())
		f.Rows(rows, states, []float64{0.5, 2}, beside)
		f.Columns(columns, states, []float64{0.5, 2}, beside)
		lines = append(lines, fmt.Sprint(n, " ", taken(f.columns())))
		for i := range people {
			for j := range f.Width() {
				if rows[i*f.Width()+j] != columns[j*people+i] {
					t.Fatalf("%d entries: row %d, entry %d is %v and %v", n, i, j, rows[i*f.Width()+j], columns[j*people+i])
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/long.txt", lines)
}

// Values of 1024 entries together are taken apart, if that makes no more values of them.
func TestFewEntriesAreTakenApart(t *testing.T) {
	g := newGraph()
	zeros := func(n int) *node { return g.literal(vector(n), make([]float64, n)) } // one value
	state := func(n int) *node { return g.input(opState, vector(n)) }              // of which one is the whole
	for _, c := range []struct {
		of   []*node
		want bool
	}{
		{[]*node{zeros(1024)}, true}, {[]*node{zeros(1025)}, false}, {[]*node{zeros(1000), zeros(24)}, true}, {[]*node{zeros(1000), zeros(25)}, false}, {[]*node{state(1023)}, true}, {[]*node{state(1024)}, false},
	} {
		var columns []output
		at := 0
		for _, n := range c.of {
			columns = append(columns, output{toColumns, n, at})
			at += n.shape.size()
		}
		if apart, ok := scattered(columns); ok != c.want || ok && (len(apart) != at || apart[at-1].at != at-1) {
			t.Errorf("%d entries: %d apart, %v, want %v", at, len(apart), ok, c.want)
		}
	}
}

// How many people are looked at at a time: 64 at most, one at least, and as many as keep 2¹⁴ entries of states, or 2¹⁶ of matrices of their own.
func TestFewAreLookedAtAtATime(t *testing.T) {
	for _, c := range []struct {
		next       string
		n, decided int
	}{{"0.5*p + q", 10, 64}, {"0.5*p + q", 256, 64}, {"0.5*p + q", 300, 1 << 14 / 300}, {"0.5*p + q", 20000, 1}, {"[p[1:], p[0]]*d + q", 10, 64}, {"[p[1:], p[0]]*d + q", 40, 1 << 16 / 1600}, {"[p[1:], p[0]]*d + q", 300, 1}, {"[p[1:], p[0]]/2 + q", 300, 1 << 14 / 300}, {"d*p + q", 300, 1 << 14 / 300}} {
		m, err := Compile(Source{Decision: "q", State: fmt.Sprintf("p[%d]", c.n), Trait: "d", Next: c.next})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.dynamics.resolvent.together(); got != c.decided {
			t.Errorf("%s of %d entries: %d at a time, want %d", c.next, c.n, got, c.decided)
		}
	}
}

// Of long states what is told of people who do not rest is a bound on the slopes: max|D| + Σ‖z‖₁·max|x|, here of 0.9p + (pᵀq)d + (pᵀd)q.
func TestBoundsOfLongStates(t *testing.T) {
	m, err := Compile(Source{Decision: "q[600]", State: "p[600]", Trait: "d[600]", Next: "0.9*p + dot(p, q)*d + dot(p, d)*q"})
	if err != nil {
		t.Fatal(err)
	}
	q, d := make([]float64, 600), make([]float64, 600)
	var sumQ, sumD, maxQ, maxD float64
	for i := range q {
		q[i], d[i] = 0.001*float64(1+i%3), -0.2*float64(1+i%2)
		sumQ, sumD, maxQ, maxD = sumQ+math.Abs(q[i]), sumD+math.Abs(d[i]), max(maxQ, math.Abs(q[i])), max(maxD, math.Abs(d[i]))
	}
	_, err = m.Dynamics().(kedge.RowSettler).SettleRows(make([]float64, 600), q, d)
	var unstable *kedge.UnstableError
	for i := range d { // shorter, so that they rest
		d[i] /= 100
	}
	_, rests := m.Dynamics().(kedge.RowSettler).SettleRows(make([]float64, 600), q, d)
	if want := 0.9 + sumD*maxQ + sumQ*maxD; !errors.As(err, &unstable) || rests != nil || math.Abs(unstable.Rate-want) > 1e-12 {
		t.Errorf("%v, %v, want a rate of %v", err, rests, want)
	}
}

// What has another length is refused by name, wherever it is handed in.
func TestOtherLengthsAreRefused(t *testing.T) {
	m, err := Compile(Source{Decision: "q[2]", State: "p[3]", Trait: "d[2]", Noise: []Shock{{"w", 0}}, Next: "0.5*p + q[0]*d[1] + w", Minimize: "sum(p)*q[1]", Subject: []string{"exp(q[0]) + q[1] <= 3"}})
	if err != nil {
		t.Fatal(err)
	}
	s := Source{Decision: "q[2]", State: "p[3]", Trait: "d[2]", Noise: []Shock{{"w", 0}}, Next: "a*p + q[0]*d[1] + w"}
	g, err := s.RegressTraits([]string{"a"})
	c, wrong := s.Regress([]string{"a"})
	r, fault := s.Roll([]string{"a"})
	if err := errors.Join(err, wrong, fault); err != nil {
		t.Fatal(err)
	}
	f, settle, curve := m.Dynamics(), m.Dynamics().(kedge.RowSettler), m.Constraints()[0].(Convex).Curves[0]
	var lines []string
	for what, ask := range map[string]struct {
		sizes []int // of two people
		call  func(x [][]float64) error
	}{
		"next":   {[]int{6, 6, 2, 4}, func(x [][]float64) error { f.NextRows(x[0], x[1], x[2], x[3]); return nil }},
		"one":    {[]int{3, 3, 2, 2}, func(x [][]float64) error { f.Next(x[0], x[1], x[2], x[3]); return nil }},
		"pull":   {[]int{6, 2, 6, 2, 4, 6}, func(x [][]float64) error { f.PullbackRows(x[0], x[1], x[2], x[3], x[4], x[5]); return nil }},
		"back":   {[]int{3, 2, 3, 2, 2, 3}, func(x [][]float64) error { f.Pullback(x[0], x[1], x[2], x[3], x[4], x[5]); return nil }},
		"loss":   {[]int{6, 2, 6, 2, 4}, func(x [][]float64) error { m.Objective().EvalRows(x[0], x[1], x[2], x[3], x[4]); return nil }},
		"eval":   {[]int{3, 2, 3, 2, 2}, func(x [][]float64) error { m.Objective().Eval(x[0], x[1], x[2], x[3], x[4]); return nil }},
		"stir":   {[]int{6, 6, 2, 4, 2}, func(x [][]float64) error { m.Stirred().NextRows(x[0], x[1], x[2], x[3], x[4]); return nil }},
		"settle": {[]int{6, 2, 4}, func(x [][]float64) error { _, err := settle.SettleRows(x[0], x[1], x[2]); return err }},
		"alone":  {[]int{3, 2, 2}, func(x [][]float64) error { _, err := settle.Settle(x[0], x[1], x[2]); return err }},
		"answer": {[]int{2, 6, 2, 4, 6}, func(x [][]float64) error { return m.Sensitivity().PullRows(x[0], x[1], x[2], x[3], x[4]) }},
		"rows":   {[]int{2 * g.Width(), 6, 1, 4, 4}, func(x [][]float64) error { g.RowsOf(x[0], x[1], x[2], x[3], x[4]); return nil }},
		"column": {[]int{2 * c.Width(), 6, 1, 8}, func(x [][]float64) error { c.Columns(x[0], x[1], x[2], x[3]); return nil }},
		"curve":  {[]int{2}, func(x [][]float64) error { curve.Expand(nil, nil, x[0]); return nil }},
		"roll":   {[]int{2 * r.Width(), 6, 1, 8, 2}, func(x [][]float64) error { r.Rows(x[0], x[1], x[2], x[3], x[4]); return nil }},
	} {
		for at := -1; at < len(ask.sizes); at++ {
			for _, more := range []int{-1, 1} {
				x := make([][]float64, len(ask.sizes))
				for i, n := range ask.sizes {
					if x[i] = make([]float64, n); i == at {
						x[i] = make([]float64, n+more)
					}
				}
				lines = append(lines, strings.ReplaceAll(fmt.Sprint(what, at, more, " ", tried(func() error { return ask.call(x) })), "\n", " / "))
			}
		}
	}
	slices.Sort(lines)
	evidence.AsRecorded(t, "testdata/lengths.txt", lines)
}

// tried is what a call says, by its error or as it panics.
func tried(call func() error) (said any) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint("panics: ", r)
		}
	}()
	return call()
}

// Next states may be written where states or traits stand, also of people whose vectors are too short for the quick way; too many coefficients are told once.
func TestNextStatesInPlace(t *testing.T) {
	m, err := Compile(Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "normalize(0.4*p + 0.6*d + 0.5*dot(p, q)*q)"})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []float64{1, 1e-170, 1e160} {
		p, d, u := make([]float64, 30), make([]float64, 30), []float64{0.5, -0.25, 0.125}
		for i := range p {
			p[i], d[i] = size*float64(1+i%7), -size*float64(1+i%4)
		}
		want := make([]float64, 30)
		m.Dynamics().NextRows(want, p, u, d)
		inP, inD := slices.Clone(p), slices.Clone(d)
		m.Dynamics().NextRows(inP, inP, u, d)
		if m.Dynamics().NextRows(inD, p, u, inD); !slices.Equal(inP, want) || !slices.Equal(inD, want) {
			t.Errorf("vectors of the size %g: %v and %v, want %v", size, inP[:3], inD[:3], want[:3])
		}
	}
	_, err = Compile(Source{Decision: "q[600]", State: "p", Subject: slices.Repeat([]string{"q[0:599] + q[1:600] <= 1"}, 4)})
	if n := strings.Count(fmt.Sprint(err), "more than 1048576 coefficients"); n != 1 {
		t.Errorf("told %d times", n)
	}
}
