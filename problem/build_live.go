package problem

import (
	"context"
	"io/fs"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
)

// Live is a rule of a spec for people who are elsewhere: nobody was drawn for it.
type Live struct {
	Algorithm *online.Descent    // at its first decision
	Objective kedge.RowObjective // judges samples
	Set       kedge.Set          // of feasible decisions
	Maximize  bool               // values are reported as rewards
	Dims      kedge.Dims         // of individuals as the rule sees them
	Model     kedge.Model        // that the rule was made of; it has no traits, no states and no weights

	// Traits tells whether the rule needs the traits of people whose states it sees. It does not where formulas only add them to the next state.
	Traits bool

	Informed    bool              // the rule goes by what the model says of people's answer
	Fallback    *online.Fallback  // of a rule that has one
	Constraints []risk.Constraint // on the settled population; those of groups are called NAME, group 1
}

// BuildLive makes the decision rule that trial t of an algorithm of a spec runs, its random numbers included: told what that trial observes, it decides the same,
// bit for bit. Files that the spec names are read from files. Where the rule cannot be had without its people, because both draw
// from one generator or it begins with a loss that the trial before saw, that is a mistake of the spec.
//
// Services and simulations drive it from outside.
func BuildLive(s *Spec, algorithm, trial int, files fs.FS) (*Live, error) {
	from := &s.Algorithms[algorithm]
	facts := from.Facts()
	switch {
	case facts.Draws && s.Generator == "numpy":
		return nil, s.errorf("generator", "generator is numpy, from which %s and the samples of its people are drawn in turn; to run it for people elsewhere, leave the key out", from.Name)
	case facts.Carries && trial > 0:
		return nil, s.errorf("algorithms."+from.Name, "algorithms.%s takes the last loss of a trial into the next, so that only trial 0 can be run for people elsewhere", from.Name)
	}
	if err := s.Unfit(); err != nil {
		return nil, err
	}
	p := begin(context.Background(), "", s, files)
	p, err := p.after(p.buildIndividual, p.buildPlayers, p.buildSet, p.drawStart, p.enterSet, p.buildChanges, p.buildConstraints)
	if err != nil {
		return nil, err
	}
	_, directions := p.trialDraws(algorithm, trial)
	m := p.trialModel(from)
	rule, err := p.rule(from, m, directions)
	if err != nil {
		return nil, err
	}
	fallback, err := p.retreat(from, m, &rule)
	if err != nil {
		return nil, err
	}
	live := &Live{Objective: m.RowObjective(), Set: p.Set, Maximize: p.Maximize, Dims: m.Dims(), Model: m, Traits: facts.Needs.Traits || facts.Settled || p.formulas == nil || p.formulas.ReadsTrait() || len(p.constraints)+len(p.players) > 0} // parts known by name all read traits
	live.Fallback, live.Informed, live.Constraints = fallback, facts.Needs.Sensitivity, p.constraints
	live.Algorithm, err = rule.From(p.Start)
	return live, err
}

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
