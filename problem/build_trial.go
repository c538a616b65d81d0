package problem

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Trial is one algorithm with a population of its own.
type Trial struct {
	Population *population.Crowd
	Algorithm  *online.Descent
	Objective  kedge.RowObjective
	Batch      int

	width   int     // leading entries of a state that the model knows
	carrier carrier // nil: nothing is carried from trial to trial
}

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
	online.Normals
}

// Trial makes trial t of algorithm a. A carried loss that is not NaN is the loss of the turn before the first.
func (p *Problem) Trial(a, t int, carried float64) (*Trial, error) {
	from := &p.Spec.Algorithms[a]
	sample, directions := p.trialDraws(a, t)
	m := p.trialModel(from)
	dim := m.Dims()
	crowd, err := population.Gather(population.Config{
		Dynamics: m.Dynamics, Traits: p.Traits, States: p.trialStart(from), Pick: p.picker(from, sample),
		Storage: p.Spec.Population.Storage, Motion: p.motion(), Noise: p.noise(t, dim.State), Social: m.Social,
	})
	if err != nil {
		return nil, err
	}
	trial := &Trial{Population: crowd, Objective: m.RowObjective(), Batch: from.Batch, width: p.Spec.Dims().State}
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

// trialDraws returns the sources of a trial's samples and directions: two streams, or the one generator of a published run.
func (p *Problem) trialDraws(a, t int) (sample, directions draws) {
	if p.numpy != nil {
		g := *p.numpy[a][t]
		return &g, &g
	}
	name := []string{"trial", p.Spec.Algorithms[a].Name, strconv.Itoa(t)}
	return p.stream(append(name, "sample")...), p.stream(append(name, "directions")...)
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
	case p.Spec.Population.States == nil && len(kind.ParametersOf(p.Spec.Dynamics.Of)) == 0:
		return nil
	}
	return p.States
}

func (p *Problem) picker(from *kind.Algorithm, source population.Source) population.Picker {
	var pick population.Picker = population.WithReplacement{Source: source}
	if p.Spec.Population.Sampling == "without-replacement" {
		pick = &population.WithoutReplacement{Source: source}
	}
	if from.Facts().Needs.Panel {
		pick = &population.Rotating{Of: pick}
	}
	return pick
}
