package compare

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Classic is an embedded case whose answers are known.
type Classic struct {
	Name  string
	About string // the problem in one line

	Flat      bool // the loss is not strongly convex in the decision, so that nothing is known of retraining
	Nonlinear bool // settled states are not affine in the decision
	Abnormal  bool // settled states are far from normal, or have no regular covariance
}

// Classics lists the problems of the suite of that name: environments of the literature whose answers are known. Their specs are
// embedded cases, which say what is known and why.
func Classics() []Classic {
	return []Classic{
		{Name: "gaussian-mean", About: "A mean that follows its estimate."},
		{Name: "mixture", About: "People of two kinds, each with a slope of its own, who answer at once.", Flat: true},
		{Name: "square-root", About: "A mean √(1+u): infinitely sensitive where it is stable.", Flat: true, Nonlinear: true},
		{Name: "linear-pricing", About: "A price under linear demand that answers at once.", Flat: true},
		{Name: "scalar-pricing", About: "A price under demand that answers with a lag."},
		{Name: "stateful-toy", About: "Five prices under demands that answer with a lag.", Flat: true},
		{Name: "lq2", About: "Two numbers, everything linear and quadratic."},
		{Name: "mirror", About: "Two people who polarize, in mirror positions.", Flat: true, Nonlinear: true, Abnormal: true},
		{Name: "softmax", About: "A buyer of four items who avoids what is expensive.", Flat: true, Nonlinear: true, Abnormal: true},
		{Name: "credit", About: "Credit scores of people who improve their features.", Abnormal: true},
	}
}

// problem is the embedded case of a classic, with changes laid over it.
func (c Classic) problem(over []problem.Overlay) Subject {
	src, ok := problem.Case(c.Name)
	if !ok {
		panic(fmt.Sprintf("compare: the classic %s is no case", c.Name))
	}
	return Subject{Name: c.Name, Target: c.Name, Text: src, Over: over, Known: c, Usual: true}
}

// ClassicProblems are the classics to be compared on.
func ClassicProblems(over ...problem.Overlay) []Subject {
	return lists.Of(Classics(), func(c Classic) Subject { return c.problem(over) })
}

// ClassicMethods are all kinds of methods, and one that does not wait for the crowd.
func ClassicMethods(kinds *kind.Catalogue) []Entrant {
	list, err := ParseMethods(kinds, "all,derivative-free:hold=1")
	if err != nil {
		panic("compare: " + err.Error())
	}
	return list
}

// outside says which condition of a method the problem does not meet, "" where it meets all or nothing is known of it.
func (c Classic) outside(asks kind.Conditions) string {
	switch {
	case c.Flat && asks.StronglyConvex:
		return "the loss is not strongly convex"
	case c.Nonlinear && asks.Affine:
		return "settled states are not affine in the decision"
	case c.Abnormal && asks.Normal:
		return "settled states are not normal"
	}
	return ""
}
