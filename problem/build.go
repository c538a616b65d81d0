package problem

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// Problem is a spec made real: the population at its start, the feasible set, the first decision, and everything that
// trials and exact answers are made of.
type Problem struct {
	Name        string
	Spec        *Spec
	Maximize    bool // values are reported as rewards
	Search      optimum.Effort
	kedge.Model // all of it; the first decision is feasible

	law         population.Law // of the traits
	firstLaw    population.Law // of the first states; nil: the trait
	players     []game.Player
	stages      []set.Stage       // of the set, as it changes
	constraints []risk.Constraint // every group one of its own
	set         kind.Set          // as data
	numpy       [][]*stream.NumPy // of every trial, when the generator is numpy: where its draws begin
	stream      func(name ...string) *stream.Stream
}

// Build makes a problem of a spec. Files that the spec names are read from files.
func Build(name string, s *Spec, files fs.FS) (*Problem, error) {
	p, err := begin(name, s, files)
	if err != nil {
		return nil, err
	}
	if s.Generator == "numpy" {
		err = p.drawPublished()
	} else {
		err = p.draw(files)
	}
	if err == nil {
		err = p.bind()
	}
	if err == nil {
		err = p.checkRules()
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// begin makes what a problem is without anybody in it: the individual and the set.
func begin(name string, s *Spec, files fs.FS) (*Problem, error) {
	p := &Problem{
		Name: name, Spec: s, Search: optimum.Effort{Tolerance: s.Optimum.Tolerance},
		stream: func(name ...string) *stream.Stream { return stream.New(s.Seed, name...) },
	}
	return p, p.buildParts(files)
}

// bind brings the first decision into the set and makes what else binds decisions: later sets and constraints.
func (p *Problem) bind() error {
	if err := p.Set.Project(p.Start); err != nil {
		return p.Spec.refuseStart(err)
	}
	if err := p.buildChanges(); err != nil {
		return err
	}
	return p.buildConstraints()
}

// refuseStart says why the first decision cannot be brought into the set; where there is no set, that is the set's fault.
func (s *Spec) refuseStart(err error) error {
	if !errors.Is(err, kedge.ErrInfeasible) {
		return s.errorf("start", "the first decision cannot be brought into the set: %v", err)
	}
	path := "set"
	if s.Model != nil {
		path = "model.subject to"
	}
	return s.errorf(path, "no decision is feasible: %v", err)
}

// buildParts makes the individual and the set, from formulas or from parts that are known by name.
func (p *Problem) buildParts(files fs.FS) (err error) {
	s, path := p.Spec, "set"
	if s.Model == nil {
		p.Model, err = s.buildModel()
		p.set = s.Set
		p.Maximize = s.Objective != nil && s.Objective.IsReward()
	} else {
		path = "model.subject to"
		p.Maximize = s.Model.Maximize != ""
		err = p.buildFormulas(files)
	}
	if err == nil {
		err = p.buildPlayers()
	}
	if err != nil {
		return err
	}
	p.Set, err = s.buildSet(path, p.set, s.Dims().Decision)
	return err
}

func (p *Problem) buildFormulas(files fs.FS) error {
	m, err := p.Spec.compile(files)
	if err != nil {
		return err
	}
	p.Model, p.set = individual(m), feasible(m)
	if p.Spec.Start.Divides() && !divides(p.set) {
		return p.Spec.errorf("start.law", "start.law is proportions, but model.subject to describes no simplex")
	}
	return nil
}

// draw draws the population and the first decision, each from a stream of its own.
func (p *Problem) draw(files fs.FS) error {
	s, dim := p.Spec, p.Spec.Dims()
	var err error
	if p.law, err = s.buildLaw("population", s.Population.Law, s.Population.Dim, files); err != nil {
		return err
	}
	p.law = p.withParameters(p.law)
	if p.Traits, err = s.drawRows("population", p.law, dim.Trait, p.stream("population")); err != nil {
		return err
	}
	p.States = p.Traits
	switch {
	case s.Population.States != nil:
		if p.firstLaw, err = s.buildLaw("population.states", s.Population.States, dim.State, files); err != nil {
			return err
		}
		if p.States, err = s.drawRows("population.states", p.firstLaw, dim.State, p.stream("population", "states")); err != nil {
			return err
		}
	case dim.Trait > s.Population.Dim:
		p.States = kedge.Leading{Of: p.Traits, Entries: dim.State}
	}
	p.Start = make([]float64, dim.Decision)
	p.fillStart(p.Start, p.stream("start"))
	return nil
}

func (p *Problem) fillStart(u []float64, r kind.Numbers) {
	total, _ := kind.Divides(p.set)
	p.Spec.Start.Fill(u, r, total)
}

func (s *Spec) buildModel() (kedge.Model, error) {
	m, err := s.Dynamics.Of.Build(s.Dims())
	if err = s.wrap("dynamics", err); err == nil {
		m, err = s.couple(m)
	}
	if err != nil {
		return m, err
	}
	if m.Settler == nil {
		m.Settler = dynamics.Settled(m.Smooth())
	}
	if m.Sensitivity == nil {
		m.Sensitivity = &sensitivity.Implicit{Dynamics: m.Smooth()}
	}
	if len(s.Players) > 0 {
		return m, nil
	}
	m.Objective, err = s.buildObjective("objective", s.Objective)
	return m, err
}

// wrap names the section an error belongs to, with its place in the file.
func (s *Spec) wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	if below := (*form.PathError)(nil); errors.As(err, &below) {
		path, err = path+"."+below.Path, below.Err
	}
	return s.errorf(path, "%s: %v", path, err)
}

// buildObjective makes the objective at a path of the spec.
func (s *Spec) buildObjective(path string, o kind.Objective) (kedge.RowObjective, error) {
	f, err := o.Build(s.Dims())
	return f, s.wrap(path, err)
}

// buildSet makes the set of n-vectors at a path of the spec and checks it.
func (s *Spec) buildSet(path string, from kind.Set, n int) (kedge.Set, error) {
	made, err := kind.BuildSet(from, n)
	return made, s.wrap(path, err)
}

// Individuals returns the size of the population.
func (p *Problem) Individuals() int { return p.Spec.Population.Size }

// SharedSpace tells whether states and decisions are directions of one space, so that angles between them mean something.
// Formulas do not say so; they are taken for directions where they have one length and traits are drawn from a sphere.
func (p *Problem) SharedSpace() bool {
	s, dim := p.Spec, p.Spec.Dims()
	if s.Model == nil {
		return kind.HabitatOf(s.Dynamics.Of) == kind.Sphere
	}
	return dim.Decision == dim.State && dim.State == dim.Trait && s.Population.Law.Habitat() == kind.Sphere
}

// MeasureItems tells whether W₁ between states, taken as weights on ordered items, is measured.
func (p *Problem) MeasureItems() bool { return p.Spec.Record.W1 == "items" }

// Steady returns Φ̃ of the whole population with its exact gradient.
func (p *Problem) Steady() (*steady.Objective, error) { return steady.New(p.Model) }

// Rollout returns the value a fixed number of steps after the start, nil when the spec does not ask for it.
func (p *Problem) Rollout() *steady.Rollout {
	if p.Spec.Record.Rollout == 0 {
		return nil
	}
	return &steady.Rollout{Model: p.Model, Steps: p.Spec.Record.Rollout}
}

// Settle writes where individuals of the given traits settle under u to dst, one a row.
func (p *Problem) Settle(dst, u, traits []float64) error {
	if p.Social {
		f, err := p.Steady()
		if err != nil {
			return err
		}
		mean := make([]float64, p.Spec.Dims().State)
		if err := f.Mean(mean, u); err != nil {
			return err
		}
		u = slices.Concat(u, mean)
	}
	_, err := p.RowSettler().SettleRows(dst, u, traits)
	return err
}

// Starts returns where searches for the optimum begin: the first decision, then random ones.
func (p *Problem) Starts() [][]float64 {
	starts := [][]float64{p.Start}
	for i := 1; i < p.Spec.Optimum.Starts; i++ {
		u := make([]float64, len(p.Start))
		s := p.stream("optimum")
		s.Seek(uint64(i))
		spread := max(1, rows.Norm(p.Start)) / math.Sqrt(float64(len(u)))
		for j := range u {
			u[j] = p.Start[j] + 2*spread*s.Normal()
		}
		starts = append(starts, u)
	}
	return starts
}

// Warnings returns what a reader of the results must know about the problem.
func (p *Problem) Warnings() (list []string) {
	d := &p.Spec.Dynamics
	if d.Coupling > 0 {
		list = append(list, "Individuals are drawn to the mean of the crowd: what is said of one by itself holds the mean where it settles under the first decision.")
	}
	if of, ok := d.Of.(kind.Wary); ok {
		if warning := of.Warning(kind.Reach(p.Spec.Set)); warning != "" {
			list = append(list, warning)
		}
	}
	return list
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// MaxSize is the largest spec that Parse reads, in bytes.
const MaxSize = form.MaxBytes
