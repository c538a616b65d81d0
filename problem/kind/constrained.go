package kind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem/form"
)

// Constrained returns the set that the constraints of a model describe.
func Constrained(m *formula.Model) Set {
	all := lists.Of(m.Constraints(), func(c formula.Constraint) Set { return constraint(c, m.Dims().Decision) })
	switch len(all) {
	case 0:
		return &WholeSet{}
	case 1:
		return all[0]
	}
	return &IntersectionSet{Of: all}
}

func constraint(c formula.Constraint, n int) Set {
	switch c := c.(type) {
	case formula.Ball:
		return &BallSet{Radius: c.Radius, Center: form.Vector{Each: c.Center}}
	case formula.L1Ball:
		return &L1BallSet{Radius: c.Radius, Center: form.Vector{Each: c.Center}}
	case formula.Box:
		return &BoxSet{Lower: form.Vector{Each: c.Lower}, Upper: form.Vector{Each: c.Upper}}
	case formula.HalfSpace:
		return &HalfSpaceSet{Normal: c.Normal, Bound: c.Bound}
	case formula.Affine:
		return &AffineSet{Matrix: slices.Collect(slices.Chunk(c.A, n)), RHS: c.B}
	case formula.Simplex:
		return &SimplexSet{Sum: c.Sum}
	case formula.CappedSimplex:
		return &CappedSimplexSet{Sum: c.Sum, Upper: form.Vector{All: c.Upper}}
	case formula.Convex:
		return &ConvexSet{of: &c}
	}
	panic(fmt.Sprintf("kind: no set for a constraint %T", c))
}

// ReportFormulas reports the mistakes that the compiler of formulas joined, each at its place in a spec, under the names that their fields have there.
func ReportFormulas(found *form.Mistakes, root *form.Node, err error, name func(field string) string) {
	for _, one := range joined(err) {
		if e, is := errors.AsType[*formula.Error](one); is {
			told := *e
			told.Field = name(e.Field)
			path := strings.TrimSuffix(strings.Replace(told.Field, "[", ".", 1), "]")
			found.Unread(path)
			found.Report(root.TextPlace(path, e.Line, e.Column), path, "%v", &told)
		}
	}
}
