package problem

import (
	"context"
	"io/fs"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
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
