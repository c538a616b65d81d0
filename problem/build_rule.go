package problem

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
)

// rule makes the decision rule of an algorithm that sees individuals as m. What it draws comes from directions.
func (p *Problem) rule(from *kind.Algorithm, m kedge.Model, directions online.Normals) (online.Rule, error) {
	r, err := from.Rule(&kind.Site{
		Model: m, Feasible: p.set, Turns: p.Spec.Iterations, Directions: directions,
		Narrow: func(x kind.Set) (kedge.Set, error) { return p.Spec.buildSet("set", x, m.Dims().Decision) },
		Keep:   func(e online.Estimator, h kedge.Sensitivity) (online.Estimator, error) { return p.heed(from, e, h) },
		Fail: func(key, format string, args ...any) error {
			path := "algorithms." + from.Name
			if key != "" {
				path += "." + key
			}
			return p.Spec.errorf(path, "%s%s", path, fmt.Sprintf(format, args...))
		},
	})
	if err != nil {
		return r, err
	}
	r.Set = p.limited(from, r.Set)
	return r, nil
}

// FirstStep returns the step size with which algorithm a begins. No schedule has a larger one later.
func (p *Problem) FirstStep(a int) float64 {
	from := &p.Spec.Algorithms[a]
	return from.Steps(from.Step, p.Spec.Iterations).Step(0)
}
