package problem

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// Trial is one algorithm with a population of its own.
type Trial struct {
	Population *population.Crowd // nil where they are elsewhere
	People     Populace          // the population wherever it is
	Algorithm  *online.Descent
	Objective  kedge.RowObjective
	Batch      int

	width   int     // leading entries of a state that the model knows
	carrier carrier // nil: nothing is carried from trial to trial
}

// Populace is a crowd as trials use it, in this process or on a device.
type Populace interface {
	kedge.KnownCrowd
	wire.State
	TraitRows() kedge.Rows
	Look() kedge.Rows
	Employ(workers int)
}

// Elsewhere gathers the crowd of a config where this process does not keep it; nil where it must.
type Elsewhere func(population.Config) (Populace, error)

// carrier is an estimator that can begin with a loss that another trial saw.
type carrier interface {
	Previous() float64
	Resume(previous float64)
}

// Trials returns how many trials algorithm a runs for.
func (p *Problem) Trials(a int) int { return p.Spec.Algorithms[a].Trials }

// Carries tells whether algorithm a takes its last loss from one trial into the next, so that trials must follow each other.
func (p *Problem) Carries(a int) bool { return p.Spec.Algorithms[a].Facts().Carries }

// Carried returns what the trial would hand on: the last loss it saw, NaN when it does not matter.
func (t *Trial) Carried() float64 {
	if t.carrier == nil {
		return math.NaN()
	}
	return t.carrier.Previous()
}

// draws is where a trial's random numbers come from.
type draws interface {
	population.Source
	population.Uniforms
	online.Normals
}

// Trial makes trial t of algorithm a. A carried loss that is not NaN is the loss of the turn before the first.
func (p *Problem) Trial(a, t int, carried float64) (*Trial, error) {
	return p.TrialIn(nil, a, t, carried)
}

// TrialIn is Trial with people who may be elsewhere.
func (p *Problem) TrialIn(place Elsewhere, a, t int, carried float64) (*Trial, error) {
	from := &p.Spec.Algorithms[a]
	sample, directions := p.trialDraws(a, t)
	m := p.trialModel(from)
	crowd, people, err := p.crowd(place, from, t, m, sample)
	if err != nil {
		return nil, err
	}
	trial := &Trial{Population: crowd, People: people, Objective: m.RowObjective(), Batch: from.Batch, width: p.Spec.Dims().State}
	rule, err := p.rule(from, m, directions)
	if err != nil {
		return nil, err
	}
	trial.carrier, _ = rule.Gradient.(carrier)
	if trial.carrier != nil && p.Carries(a) && !math.IsNaN(carried) {
		trial.carrier.Resume(carried)
	}
	trial.Algorithm, err = rule.From(p.Start)
	return trial, err
}

// crowd gathers the people of trial t as an algorithm sees them, elsewhere if that is to be had.
func (p *Problem) crowd(place Elsewhere, from *kind.Algorithm, t int, m kedge.Model, sample draws) (*population.Crowd, Populace, error) {
	pick, err := p.picker(from, sample)
	if err != nil {
		return nil, nil, err
	}
	config := population.Config{
		Dynamics: m.Dynamics, Traits: p.Traits, States: p.trialStart(from), Pick: pick,
		Storage: p.Spec.Population.Storage, Motion: p.motion(), Noise: p.noise(t, m.Dims().State), Stir: p.stir(t), Social: m.Social,
		Tell: p.Spec.namesGroups(),
	}
	if place != nil {
		if far, err := place(config); far != nil || err != nil {
			return nil, far, err
		}
	}
	crowd, err := population.Gather(config)
	return crowd, crowd, err
}

// trialDraws returns the sources of a trial's samples and directions: two streams, or the one generator of a published run.
func (p *Problem) trialDraws(a, t int) (sample, directions draws) {
	if p.numpy != nil {
		g := *p.numpy[a][t]
		return &g, &g
	}
	name := []string{"trial", p.Spec.Algorithms[a].Name, strconv.Itoa(t)}
	return p.Spec.stream(append(name, "sample")...), p.Spec.stream(append(name, "directions")...)
}

// trialModel returns the individual as the algorithm sees it. With the norm of the previous step remembered, the state has
// one entry more.
func (p *Problem) trialModel(from *kind.Algorithm) kedge.Model {
	m := p.Model
	if !from.Facts().Remembers {
		return m
	}
	n := p.Spec.Dims().State
	longer := p.Spec.Dynamics.Of.(kind.Remembering).Remember(n)
	m.Dynamics, m.Settler, m.Sensitivity, m.Objective = longer.Dynamics, longer.Settler, longer.Sensitivity, objective.Affinity{State: n + 1}
	return m
}

// trialStart returns where everybody starts as the algorithm sees it, nil for the own trait.
func (p *Problem) trialStart(from *kind.Algorithm) kedge.Rows {
	switch {
	case from.Facts().Remembers:
		return withNorm{p.States}
	case !p.Spec.Population.ownStates() && len(kind.ParametersOf(p.Spec.Dynamics.Of))+p.Spec.beside() == 0:
		return nil
	}
	return p.States
}

func (p *Problem) picker(from *kind.Algorithm, source draws) (pick population.Picker, err error) {
	pick = population.WithReplacement{Source: source}
	switch {
	case p.weights != nil:
		if pick, err = population.NewByWeight(source, p.weights); err != nil {
			return nil, p.Spec.wrap(p.Spec.Population.weighs(), err)
		}
	case p.Spec.Population.Sampling == "without-replacement":
		pick = &population.WithoutReplacement{Source: source}
	}
	if from.Facts().Needs.Panel {
		pick = &population.Rotating{Of: pick}
	}
	return pick, nil
}

// rule makes the decision rule of an algorithm that sees individuals as m. What it draws comes from directions.
func (p *Problem) rule(from *kind.Algorithm, m kedge.Model, directions online.Normals) (online.Rule, error) {
	gaps, isDiscrete := m.Set.(set.Discrete)
	if isDiscrete {
		m.Set = gaps.Relaxed()
	}
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
	if isDiscrete {
		r.Deploy = gaps
	} else {
		r.Set = p.limited(from, r.Set)
	}
	return r, err
}

// FirstStep returns the step size with which algorithm a begins. No schedule has a larger one later.
func (p *Problem) FirstStep(a int) float64 {
	from := &p.Spec.Algorithms[a]
	return from.Steps(from.Step, p.Spec.Iterations).Step(0)
}

// States returns a copy of the states of the given individuals, one a row, without what the trial's bookkeeping keeps beside
// them.
func (t *Trial) States(individuals []int) []float64 {
	return pick(t.People.Look(), individuals, t.width)
}

// pick copies the leading entries of the given rows.
func pick(r kedge.Rows, individuals []int, leading int) []float64 {
	return kedge.Pick(kedge.Leading{Of: r, Entries: leading}, individuals).Data
}

// First returns the first states and the traits of the given individuals, one a row.
func (p *Problem) First(individuals []int) (states, traits []float64) {
	dim := p.Spec.Dims()
	return pick(p.States, individuals, dim.State), pick(p.Traits, individuals, dim.Trait)
}

// Some returns everybody or, of a larger population, so many individuals at equal distances.
func (p *Problem) Some(most int) []int { return kedge.Some(p.Individuals(), most) }

// withNorm are unit vectors with their norm, 1, as one entry more.
type withNorm struct{ of kedge.Rows }

func (r withNorm) Size() (rows, width int) {
	rows, width = r.of.Size()
	return rows, width + 1
}

func (r withNorm) View(room []float64, first, last int) []float64 {
	_, width := r.Size()
	units := r.of.View(make([]float64, (last-first)*(width-1)), first, last)
	for i := range last - first {
		row := kedge.Row(room, i, width)
		copy(row, kedge.Row(units, i, width-1))
		row[width-1] = 1
	}
	return room[:(last-first)*width]
}
