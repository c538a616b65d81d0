package formula

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// author writes random formulas that mean something and stay away from the edges of their domains.
type author struct{ *rand.Rand }

// source is a random model.
func (r author) source() Source {
	return Source{
		Decision: "q[3]", State: "p[4]", Trait: "d[2]",
		Let: []Binding{
			{Name: "c", Expr: "0.7"}, {Name: "w", Expr: "[1, -0.5, 2, 0.25]"},
			{Name: "A", Expr: "[[1, 2, -1], [0.5, -0.3, 0.2], [0, 1, 1], [-1, 0.4, 0.6]]"},
			{Name: "B", Data: &Value{Shape: []int{4, 4}, Data: []float64{.1, .2, -.3, .4, .5, -.6, .7, .8, .9, .1, .2, .3, -.4, .5, .6, .7}}},
			{Name: "x", Expr: r.of(vector(4), 2)}, {Name: "s", Expr: r.of(scalar(), 2)},
		},
		Next:     r.of(vector(4), 2+r.IntN(3)),
		Minimize: r.of(scalar(), 2+r.IntN(3)),
	}
}

func (r author) pick(all ...string) string { return all[r.IntN(len(all))] }

// of writes a formula of a shape.
func (r author) of(s shape, depth int) string {
	if depth == 0 {
		return r.leaf(s)
	}
	if r.IntN(3) > 0 {
		return r.entrywise(s, depth-1)
	}
	switch {
	case s.rank == 0:
		return r.scalar(depth - 1)
	case s.rank == 1:
		return r.vector(s.rows, depth-1)
	}
	return r.matrix(s, depth-1)
}

func (r author) leaf(s shape) string {
	switch {
	case s.rank == 0:
		return r.pick("c", "0.3", "1.5", "q[1]", "p[0]", "d[1]", "dot(p, w)", "pi", "w[2]", "A[1, 2]")
	case s.rank == 1 && s.rows == 4:
		return r.pick("p", "p", "w", "([d, q[1:3]])", "([q, c])", "(A @ q)", "B[:, 1]")
	case s.rank == 1 && s.rows == 3:
		return r.pick("q", "q", "p[1:4]", "([p[0], d])", "A[2]")
	case s.rank == 1:
		return fmt.Sprintf("([%s])", strings.TrimSuffix(strings.Repeat(r.leaf(scalar())+", ", s.rows), ", "))
	case s == matrix(4, 3):
		return r.pick("A", "outer(p, q)", "transpose(outer(q, w))")
	case s == matrix(4, 4):
		return r.pick("B", "outer(p, w)", "B'")
	}
	return fmt.Sprintf("outer(%s, %s)", r.leaf(vector(s.rows)), r.leaf(vector(s.cols)))
}

// entrywise writes what works for any shape.
func (r author) entrywise(s shape, depth int) string {
	x := r.of(s, depth)
	y := func() string {
		if r.IntN(3) == 0 {
			return r.of(scalar(), depth)
		}
		return r.of(s, depth)
	}
	switch r.IntN(19) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", x, y())
	case 2, 3:
		return fmt.Sprintf("(%s - %s)", y(), x)
	case 4, 5:
		return fmt.Sprintf("((%s) * (%s))", y(), x)
	case 6:
		return fmt.Sprintf("((%s) / (0.5 + abs(%s)))", x, y())
	case 7:
		return fmt.Sprintf("%s(%s)", r.pick("tanh", "sigmoid", "abs"), x)
	case 8:
		return fmt.Sprintf("exp(-0.3*abs(%s))", x)
	case 9:
		return fmt.Sprintf("%s(0.2 + (%s)^2)", r.pick("log", "sqrt"), x)
	case 10:
		return fmt.Sprintf("(%s)^%s", x, r.pick("2", "3", "1", "2"))
	case 11:
		return fmt.Sprintf("(0.3 + abs(%s))^%s", x, r.pick("-1", "0.5", "1.3", "-2", "tanh(p[1])"))
	case 12:
		return fmt.Sprintf("%s(%s, %s)", r.pick("min", "max"), x, y())
	case 13:
		return fmt.Sprintf("where(%s %s %s, %s, %s)", r.of(s, 0), r.pick("<", ">", "<=", ">=", "!="), y(), x, y())
	case 14:
		return "(-" + x + ")"
	case 15:
		return fmt.Sprintf("%s(%s)", r.pick("sin", "cos", "erf", "floor", "round"), x)
	case 16:
		return fmt.Sprintf("tan(%s/(1 + abs(%s)))", x, r.of(scalar(), 0))
	case 17:
		return fmt.Sprintf("clip(%s, %s, %s)", x, r.pick("-1", "-0.5", "q[0] - 2"), r.pick("1", "0.4", "q[0] + 2"))
	}
	return fmt.Sprintf("(%s*(%s) + c*(%s) - %s)", r.of(scalar(), 0), x, r.leaf(s), r.leaf(s))
}

func (r author) scalar(depth int) string {
	n := r.IntN(3) + 2
	switch r.IntN(7) {
	case 5:
		return fmt.Sprintf("sum((%[1]s)*p[i%[2]d] for i%[2]d in %[3]d:4)", r.of(scalar(), depth), depth, r.IntN(4))
	case 6:
		return fmt.Sprintf("%s([w[i] - p[i + 1] for i in 0:%d])", r.pick("max", "norm", "mean"), n-1)
	case 0:
		return fmt.Sprintf("%s(%s)", r.pick("sum", "mean", "norm", "min", "max", "logsumexp"), r.of(vector(n), depth))
	case 1:
		return fmt.Sprintf("dot(%s, %s)", r.of(vector(n), depth), r.of(vector(n), depth))
	case 2:
		return fmt.Sprintf("(%s)[%d]", r.of(vector(n), depth), r.IntN(n))
	case 3:
		return fmt.Sprintf("%s(%s)", r.pick("sum", "mean", "norm"), r.of(matrix(4, 3), depth))
	}
	return fmt.Sprintf("((%s) @ (%s))", r.of(vector(n), depth), r.of(vector(n), depth))
}

func (r author) vector(n, depth int) string {
	if n == 1 {
		return r.leaf(vector(1))
	}
	switch r.IntN(7) {
	case 5:
		return fmt.Sprintf("sum(q[j%[2]d]*(%[1]s) for j%[2]d in 0:2)", r.of(vector(n), depth), depth)
	case 0:
		return fmt.Sprintf("%s(%s)", r.pick("softmax", "normalize"), r.of(vector(n), depth))
	case 1:
		return fmt.Sprintf("((%s) @ (%s))", r.of(matrix(n, 3), depth), r.of(vector(3), depth))
	case 2:
		return fmt.Sprintf("((%s) @ (%s))", r.of(vector(4), depth), r.of(matrix(4, n), depth))
	case 3:
		return fmt.Sprintf("([%s, %s])", r.of(scalar(), depth), r.of(vector(n-1), depth))
	case 4:
		return fmt.Sprintf("(%s)[:, 1]", r.of(matrix(n, 2), depth))
	}
	return fmt.Sprintf("([%s, %s])[1:%d]", r.of(vector(2), depth), r.of(vector(n), depth), n+1)
}

func (r author) matrix(s shape, depth int) string {
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("outer(%s, %s)", r.of(vector(s.rows), depth), r.of(vector(s.cols), depth))
	case 1:
		return fmt.Sprintf("(%s)'", r.of(s.flip(), depth))
	case 2:
		return fmt.Sprintf("((%s) @ (%s))", r.of(matrix(s.rows, 2), depth), r.of(matrix(2, s.cols), depth))
	}
	return fmt.Sprintf("(%s)[0:%d]", r.of(matrix(s.rows+1, s.cols), depth), s.rows)
}
