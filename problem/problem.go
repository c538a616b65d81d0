package problem

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/doubt"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
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

	files       *witness        // that the spec names
	within      context.Context // of building it
	formulas    *formula.Model  // nil: the parts are known by name
	law         population.Law  // of the traits
	firstLaw    population.Law  // of the first states; nil: the trait
	people      *census.People  // of a table; nil: they are drawn or listed
	weights     []float64       // as they were given; the model has them with the mean 1
	players     []game.Player
	draws       *doubt.Table      // of numbers of the model; nil: they are taken for true
	targets     []doubt.Aim       // what they are of
	source      formula.Source    // of the model, where there are draws
	stages      []set.Stage       // of the set, as it changes
	constraints []risk.Constraint // every group one of its own
	most        []float64         // the largest multiplier of each
	set         kind.Set          // as data
	numpy       [][]*stream.NumPy // of every trial, when the generator is numpy: where its draws begin
}

// buildSet makes the set of n-vectors at a path of the spec and checks it.
func (s *Spec) buildSet(path string, from kind.Set, n int) (kedge.Set, error) {
	made, err := kind.BuildSet(kind.Named(from, s.entryNames()), n)
	return made, s.wrap(path, err)
}

// ExactEntries tells which entries of decisions are whole numbers or from a list; nil for none.
func (p *Problem) ExactEntries() (exact []bool) {
	if _, ok := p.Set.(set.Discrete); !ok {
		return nil
	}
	l, isLattice := p.Set.(set.Lattice)
	for i := range p.Spec.Dims().Decision {
		exact = append(exact, !isLattice || l.IsWhole(i))
	}
	return exact
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
	return dim.Decision == dim.State && dim.State == dim.Trait-s.beside() && s.Population.Law.Habitat() == kind.Sphere
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

// Settle writes where individuals of the given traits settle under u to states, one a row, which holds where they begin.
func (p *Problem) Settle(states, u, traits []float64) error {
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
	_, err := kedge.SettleRowsFrom(p.RowSettler(), states, u, traits)
	return err
}

// Landscape returns the settled objective as its formulas say, of which bounds over boxes are known; nil where there are no formulas, or
// where bounds are not known: people who see each other, or change, or are so many that a single look costs too much.
func (p *Problem) Landscape() *formula.Landscape {
	dim := p.Spec.Dims()
	if p.formulas == nil || p.Objective == nil || p.Social || p.Moves() || len(p.players) > 0 || p.Individuals()*dim.State*(1+dim.Decision) > mostEnclosed {
		return nil
	}
	l, err := p.formulas.WeightedLandscape(p.Traits, p.States, p.Weights)
	if err != nil {
		return nil
	}
	return l
}

// mostEnclosed is how many derivatives of settled states are bounded in one look.
const mostEnclosed = 20_000

// Effort says how far a search for the optimum goes: how many decisions are looked at first depends on how many there are to decide, and
// on what it costs to judge the crowd.
func (p *Problem) Effort() optimum.Effort {
	e, dim := p.Search, p.Spec.Dims()
	if dim.Decision <= mostScreened {
		e.Screen = min(2000, screenedEntries/max(1, p.Individuals()*dim.State))
	}
	return e
}

const (
	mostScreened    = 4         // decisions that are looked at all over the set
	screenedEntries = 4_000_000 // of states that are judged for it
)

const seesMean = "Individuals are drawn to the mean of the crowd: what is said of one by itself holds the mean where it settles under the first decision."

// Warnings returns what a reader of the results must know about the problem.
func (p *Problem) Warnings() (list []string) {
	d := &p.Spec.Dynamics
	list = p.notes()
	if d.Coupling > 0 {
		list = append(list, seesMean)
	}
	list = append(append(list, p.Spec.ChosenNotes()...), p.worldWarnings()...)
	if of, ok := d.Of.(kind.Wary); ok {
		if warning := of.Warning(p.farthest()); warning != "" {
			list = append(list, warning)
		}
	}
	return list
}

// farthest is how long the longest decision is, +∞ where the set has no end or that cannot be told.
func (p *Problem) farthest() float64 {
	r, _, err := set.Farthest(p.Set, p.Spec.Dims().Decision)
	if err != nil {
		return math.Inf(1)
	}
	return r
}

// Lag returns what tells how far a population is from being settled.
func (p *Problem) Lag() *steady.Lag {
	return &steady.Lag{Model: p.Model, Steps: p.Spec.Hold}
}

// SteadyBy returns Φ̃ of the whole population whose gradient counts what a given sensitivity says of the dynamics, for points where
// somebody comes to rest who knows less of the answer than there is. Individuals that see the crowd's mean are refused.
func (p *Problem) SteadyBy(answer func(kedge.Smooth) kedge.Sensitivity) (*steady.Objective, error) {
	if p.Social {
		return nil, errors.New("individuals see the mean of the crowd, so that no sensitivity of one alone says how they answer")
	}
	m := p.Model
	m.Sensitivity = answer(m.Smooth())
	return steady.New(m)
}

// Moves tells whether the people of the population change by themselves: their traits drift, or they come and go.
func (p *Problem) Moves() bool { return p.Spec.moves() }

// Noisy tells whether noise pushes states.
func (p *Problem) Noisy() bool {
	return p.Spec.Dynamics.noisy() || p.formulas != nil && p.formulas.Stirred() != nil
}

// SteadyOf returns Φ̃ of a population with the given traits, which may move. Where people come from first states of their own, there must be
// as many as of these; else the error is a *kedge.DimError.
func (p *Problem) SteadyOf(traits kedge.Rows) (*steady.Objective, error) {
	m := p.Model
	m.Traits = traits
	return steady.New(m)
}

// Alone returns the model of individuals as they are without the others: of a crowd that sees its mean with that mean held where
// it settles under the first decision.
func (p *Problem) Alone() kedge.Model {
	m := p.Model
	if !m.Social {
		return m
	}
	h := dynamics.Held{Moves: m.Smooth(), Settler: m.RowSettler(), Answer: m.Sensitivity, Mean: make([]float64, m.Dims().State)}
	if f, err := p.Steady(); err == nil {
		_ = f.Mean(h.Mean, p.Start) // a mean that does not settle is found elsewhere; 0 is as good as any
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = h, h, h, false
	return m
}

// Deployed is Alone with the decisions that an algorithm deploys, which lie outside the set by as much as it perturbs them.
func (p *Problem) Deployed(algorithm int) kedge.Model {
	m, known := p.Alone(), p.Spec.Algorithms[algorithm].Facts()
	if known.Reach > 0 && !known.Inside {
		m.Set = set.Ball{Radius: p.farthest() + known.Reach}
	}
	return m
}
