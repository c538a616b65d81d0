package problem

import (
	"context"
	"errors"
	"io/fs"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Build makes a problem of a spec. Files that the spec names are read from files. A *MemoryError says that its people take more memory than
// there is, before anybody is drawn.
func Build(name string, s *Spec, files fs.FS) (*Problem, error) {
	return BuildWithin(context.Background(), name, s, files)
}

// BuildWithin is Build that ends with the error of the context once that is done: large crowds take long to draw, and large
// files to read.
func BuildWithin(ctx context.Context, name string, s *Spec, files fs.FS) (*Problem, error) {
	if err := s.Unfit(); err != nil {
		return nil, err
	}
	p := begin(ctx, name, s, files)
	if err := s.Fits(s.CrowdNeed()); err != nil {
		return nil, err
	}
	draw := p.draw
	if s.Generator == "numpy" {
		draw = p.drawPublished
	}
	return p.after(p.gather, p.buildIndividual, p.buildPlayers, p.buildSet, draw, p.buildWeights, p.enterSet, p.buildChanges, p.buildConstraints, p.checkRules, p.readDraws, p.stayed)
}

func begin(ctx context.Context, name string, s *Spec, files fs.FS) *Problem {
	return &Problem{
		Name: name, Spec: s, Search: optimum.Effort{Tolerance: s.Optimum.Tolerance, Starts: s.Optimum.Starts}, files: &witness{ctx: ctx, files: files, seen: map[string]seenFile{}},
		within: ctx,
	}
}

// after returns the problem as some steps leave it, or the error of the first that fails.
func (p *Problem) after(steps ...func() error) (*Problem, error) {
	for _, step := range steps {
		err := step()
		if stopped := p.within.Err(); stopped != nil { // whatever else went wrong, that may be why
			err = stopped
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// buildIndividual makes the individual from formulas, or from parts that are known by name, and says which decisions are feasible.
func (p *Problem) buildIndividual() error {
	s := p.Spec
	if s.Model != nil {
		return p.buildFormulas()
	}
	p.set, p.Maximize = s.Set, s.Objective != nil && s.Objective.IsReward()
	m, err := s.Dynamics.Of.Build(s.Dims())
	if err = s.wrap("dynamics", err); err == nil {
		m, err = s.couple(m)
	}
	if err != nil {
		return err
	}
	if m.Settler == nil {
		m.Settler = dynamics.Settled(m.Smooth())
	}
	if m.Sensitivity == nil {
		m.Sensitivity = &sensitivity.Implicit{Dynamics: m.Smooth()}
	}
	if len(s.Players) == 0 {
		m.Objective, err = s.buildObjective("objective", s.Objective, p.files)
	}
	p.Model = m
	return err
}

func (p *Problem) buildFormulas() error {
	m, err := p.Spec.compile(p.files)
	if err != nil {
		return err
	}
	if fault := p.Spec.formulasFit(m); fault != nil {
		return fault
	}
	p.Model, p.set, p.Maximize, p.formulas = individual(m), kind.Integer(kind.Constrained(m), p.Spec.Model.Integer), p.Spec.Model.Maximize != "", m
	if len(p.Spec.Players) == 0 && p.Spec.Start.Divides() && !divides(p.set) {
		return p.Spec.errorf("start.law", "start.law is proportions, but model.subject to describes no simplex")
	}
	return nil
}

func (p *Problem) buildSet() (err error) {
	key := p.Spec.setKey()
	if p.Spec.Model != nil && kind.IsDiscrete(p.set) {
		key = "model" // whose key integer is
	}
	p.Set, err = p.Spec.buildSet(key, p.set, p.Spec.Dims().Decision)
	return err
}

// enterSet brings the first decision into the set. Where there is none, that is the set's fault.
func (p *Problem) enterSet() error {
	switch err := p.Set.Project(p.Start); {
	case errors.Is(err, kedge.ErrInfeasible):
		return p.Spec.errorf(p.Spec.setKey(), "no decision is feasible: %v", err)
	case err != nil:
		return p.Spec.errorf("start", "the first decision cannot be brought into the set: %v", err)
	}
	return nil
}

// setKey is the key that says which decisions are feasible.
func (s *Spec) setKey() string {
	switch {
	case len(s.Players) > 0:
		return "players"
	case s.Model != nil:
		return "model.subject to"
	}
	return "set"
}

// draw draws the population and the first decision, each from a stream of its own.
func (p *Problem) draw() (err error) {
	s, dim := p.Spec, p.Spec.Dims()
	if p.law, err = p.traitLaw(); err != nil {
		return err
	}
	p.law = p.withParameters(p.law)
	if p.Traits, err = p.drawRows("population", p.law, dim.Trait, p.Spec.stream("population")); err != nil {
		return err
	}
	p.States = p.Traits
	switch {
	case s.Population.ownStates():
		if p.firstLaw, err = p.firstStates(dim.State); err != nil {
			return err
		}
		if p.States, err = p.drawRows("population.states", p.firstLaw, dim.State, p.Spec.stream("population", "states")); err != nil {
			return err
		}
	case dim.Trait > s.Population.Dim:
		p.States = kedge.Leading{Of: p.Traits, Entries: dim.State}
	}
	return p.drawStart()
}

// traitLaw returns the law of the traits, those of a table as they were gathered.
func (p *Problem) traitLaw() (population.Law, error) {
	if p.people != nil {
		return p.people.Traits, nil
	}
	return p.Spec.buildLaw("population", p.Spec.Population.Law, p.Spec.Population.Dim, p.files)
}

// checkRules makes the rule of every algorithm once, so that mistakes are told before anything runs.
func (p *Problem) checkRules() error {
	for i := range p.Spec.Algorithms {
		a := &p.Spec.Algorithms[i]
		if _, err := p.rule(a, p.trialModel(a), p.Spec.stream("unused")); err != nil {
			return err
		}
	}
	return nil
}
