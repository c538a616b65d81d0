package problem

import (
	"io/fs"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
)

// guardrails checks the formulas of guardrails, and the traits whose mix is watched.
func (c *check) guardrails() {
	l := c.s.Live
	if l == nil {
		return
	}
	for i := range l.Guardrails {
		g, path := &l.Guardrails[i], c.pathOf("live.guardrails", i)
		if s, err := g.Statistic(); g.Kind == live.Metric && err == nil {
			c.objective(path+".of", &kind.FormulaObjective{Minimize: s.Body})
		}
	}
}

// Formula makes what a formula in the names of the model says of an individual. Path is where it stands in the spec.
func (s *Spec) Formula(path, text string, files fs.FS) (kedge.RowObjective, error) {
	return s.buildObjective(path, &kind.FormulaObjective{Minimize: text}, files)
}

// retreat lets a rule that goes by its model fall back on what needs none of the answer, where a loop wants that.
func (p *Problem) retreat(from *kind.Algorithm, m kedge.Model, r *online.Rule) (*online.Fallback, error) {
	if l := p.Spec.Live; l == nil || l.TrustOtherwise != live.Vanilla || !from.Facts().Needs.Sensitivity {
		return nil, nil
	}
	other, err := p.heed(from, &online.Vanilla{Objective: m.RowObjective(), Dims: m.Dims()}, nil)
	if err != nil {
		return nil, err
	}
	f, err := online.NewFallback(r.Gradient, other)
	if err != nil {
		return nil, p.Spec.errorf("live.trust.otherwise", "live.trust.otherwise is vanilla, but algorithms.%s cannot fall back on it: %v", from.Name, err)
	}
	r.Gradient = f
	return f, nil
}
