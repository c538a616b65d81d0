package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
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
	Search      optimum.Options
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
	p := &Problem{
		Name: name, Spec: s, Search: optimum.Options{Tolerance: s.Optimum.Tolerance},
		stream: func(name ...string) *stream.Stream { return stream.New(s.Seed, name...) },
	}
	var err error
	if err = p.buildParts(files); err != nil {
		return nil, err
	}
	if s.Generator == "numpy" {
		err = p.drawPublished()
	} else {
		err = p.draw(files)
	}
	if err != nil {
		return nil, err
	}
	if err := p.Set.Project(p.Start); err != nil {
		return nil, s.refuseStart(err)
	}
	if err := p.buildChanges(); err != nil {
		return nil, err
	}
	if err := p.buildConstraints(); err != nil {
		return nil, err
	}
	if err := p.checkRules(); err != nil {
		return nil, err
	}
	return p, nil
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
		p.Maximize = s.Objective.Kind == "affinity" || s.Objective.Kind == "revenue"
	} else {
		path = "model.subject to"
		p.Maximize = s.Model.Maximize != ""
		err = p.buildFormulas(files)
	}
	if err == nil {
		err = p.seat()
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
	if p.Spec.Start.Law == "proportions" && !divides(p.set) {
		return p.Spec.errorf("start.law", "start.law is proportions, but model.subject to describes no simplex")
	}
	return nil
}

// draw draws the population and the first decision, each from a stream of its own.
func (p *Problem) draw(files fs.FS) error {
	s, dim := p.Spec, p.Spec.Dims()
	var err error
	if p.law, err = s.buildLaw("population", &s.Population.Law, s.Population.Dim, files); err != nil {
		return err
	}
	p.law = p.besides(p.law)
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

// uniforms draws what first decisions are made of.
type uniforms interface {
	Float64() float64
	Normal() float64
}

func (p *Problem) fillStart(u []float64, r uniforms) {
	switch p.Spec.Start.Law {
	case "values":
		copy(u, p.Spec.Start.Values)
	case "sphere":
		for i := range u {
			u[i] = r.Normal()
		}
		norm := rows.Norm(u)
		for i := range u {
			u[i] /= norm
		}
	case "proportions":
		for i := range u {
			u[i] = r.Float64()
		}
		total := rows.Sum(u)
		sum, _ := kind.Divides(p.set)
		for i := range u {
			u[i] = u[i] * sum / total
		}
	}
}

func (s *Spec) buildModel() (kedge.Model, error) {
	m, err := s.buildDynamics()
	if err == nil {
		m, err = s.couple(m)
	}
	if err != nil {
		return m, err
	}
	if m.Settler == nil {
		m.Settler = dynamics.Settled(m.Smooth())
	}
	if len(s.Players) > 0 {
		return m, nil
	}
	m.Objective, err = s.makeObjective("objective", &s.Objective, s.Dims())
	return m, err
}

func (s *Spec) buildDynamics() (kedge.Model, error) {
	d, dim := &s.Dynamics, s.Dims()
	if d.Heterogeneity != nil {
		return s.diverse(dim.State), nil
	}
	switch d.Kind {
	case "polarized":
		f := dynamics.Polarized{Dim: dim.State, Lambda: d.Lambda, Sigma: d.Sigma}
		h := &sensitivity.Polarized{Dim: dim.State, Lambda: d.Lambda, Sigma: d.Sigma}
		return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, s.wrap("dynamics", errors.Join(f.Check(), h.Check()))
	case "choice":
		f := dynamics.Choice{Dim: dim.State, Lambda1: d.Lambda1, Lambda2: d.Lambda2, Epsilon: d.Epsilon}
		h := &sensitivity.Choice{Dim: dim.State, Lambda1: d.Lambda1, Lambda2: d.Lambda2, Epsilon: d.Epsilon}
		return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, s.wrap("dynamics", errors.Join(f.Check(), h.Check()))
	case "affine":
		return s.affine(dynamics.NewAffine(dim, d.A.Flat(), d.B.Flat(), d.E.Flat()))
	default:
		n := dim.State
		return s.affine(dynamics.NewFriedkinJohnsen(d.Weights.Flat(), d.Susceptibility.Expand(n), d.Influence.Expand(n)))
	}
}

func (s *Spec) affine(f *dynamics.Affine, err error) (kedge.Model, error) {
	if err != nil {
		return kedge.Model{}, s.wrap("dynamics", err)
	}
	gain, err := f.Gain()
	if err != nil {
		return kedge.Model{}, s.wrap("dynamics", err)
	}
	h, err := sensitivity.NewAffine(f.Dims(), gain)
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, s.wrap("dynamics", err)
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

// makeObjective makes the objective at a path of the spec.
func (s *Spec) makeObjective(path string, o *Objective, dim kedge.Dims) (kedge.RowObjective, error) {
	switch o.Kind {
	case "affinity":
		f := objective.Affinity{State: dim.State}
		return f, s.wrap(path, f.Check(dim))
	case "revenue":
		f := objective.Revenue{Entropy: o.Entropy, State: dim.State}
		if o.Sign == "diversity" {
			f.Sign = objective.Diverse
		}
		return f, s.wrap(path, f.Check(dim))
	case "logistic":
		f := objective.Logistic{Features: dim.Decision, Ridge: o.Ridge, State: dim.State, Trait: dim.Trait}
		if o.Intercept {
			f.Features--
		}
		return f, s.wrap(path, f.Check(dim))
	default:
		m, n := dim.Decision, dim.State
		f, err := objective.NewQuadratic(dim, o.Decision.Dense(m, m), o.Cross.Dense(m, n), o.State.Dense(n, n),
			o.LinearDecision.Expand(m), o.LinearState.Expand(n))
		return f, s.wrap(path, err)
	}
}

// Individuals returns the size of the population.
func (p *Problem) Individuals() int { return p.Spec.Population.Size }

// SharedSpace tells whether states and decisions are directions of one space, so that angles between them mean something.
// Formulas do not say so; they are taken for directions where they have one length and traits are drawn from a sphere.
func (p *Problem) SharedSpace() bool {
	s, dim := p.Spec, p.Spec.Dims()
	if s.Model == nil {
		return s.Dynamics.Kind == "polarized"
	}
	return dim.Decision == dim.State && dim.State == dim.Trait && slices.Contains([]string{"sphere", "cap", "bimodal"}, s.Population.Law.Kind)
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
	if d.Kind != "polarized" {
		return list
	}
	lambda, sigma := d.Lambda, d.Sigma
	if own := d.own(); own != nil {
		lambda, sigma = own[0][1], own[1][1]
	}
	reach := kind.Reach(p.Spec.Set)
	if (dynamics.Polarized{Dim: 1, Lambda: lambda, Sigma: sigma}).Contracts(reach) {
		return list
	}
	return append(list, fmt.Sprintf(
		"λ + σR² = %s is not below 1 for decisions as long as R = %s: settled states jump where an individual stands at a right angle to the decision, and the sensitivity does not exist there.",
		short(lambda+sigma*reach*reach), short(reach)))
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// MaxSize is the largest spec that Parse reads, in bytes.
const MaxSize = form.MaxBytes
