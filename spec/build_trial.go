package spec

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Trial is one algorithm with a population of its own.
type Trial struct {
	Population *population.Crowd
	Algorithm  *online.Descent
	Objective  kedge.RowObjective
	Batch      int

	width   int // leading entries of a state that the model knows
	explore *online.DerivativeFree
}

// Trials returns how many trials algorithm a runs for.
func (p *Problem) Trials(a int) int { return p.Spec.Algorithms[a].Trials }

// Carries tells whether algorithm a takes its last loss from one trial into the next, so that trials must follow each other.
func (p *Problem) Carries(a int) bool { return p.Spec.Algorithms[a].Carry }

// Carried returns what the trial would hand on: the last loss it saw, NaN when it does not matter.
func (t *Trial) Carried() float64 {
	if t.explore == nil {
		return math.NaN()
	}
	return t.explore.Previous()
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
	dim := m.dynamics.Dims()
	crowd, err := population.Gather(population.Config{
		Dynamics: m.dynamics, Traits: p.Traits, States: p.trialStart(from), Pick: p.picker(sample),
		Storage: p.Spec.Population.storage(),
	})
	if err != nil {
		return nil, err
	}
	trial := &Trial{Population: crowd, Objective: m.objective, Batch: from.Batch, width: p.Spec.Dims().State}
	gradient, err := p.estimator(trial, from, m, dim, directions)
	if err != nil {
		return nil, err
	}
	if trial.explore != nil && from.Carry && !math.IsNaN(carried) {
		trial.explore.Resume(carried)
	}
	rule := online.Rule{Gradient: gradient, Transforms: transforms(from), Step: p.schedule(from), Set: p.Set}
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
func (p *Problem) trialModel(from *Algorithm) model {
	m := p.model
	if from.Norm != "previous" {
		return m
	}
	d, n := &p.Spec.Dynamics, p.Spec.Dims().State
	f := dynamics.PolarizedNorm{Polarized: dynamics.Polarized{Dim: n, Lambda: d.Lambda, Sigma: d.Sigma}}
	h := &sensitivity.PolarizedNorm{}
	h.Dim, h.Lambda, h.Sigma = n, d.Lambda, d.Sigma
	m.dynamics, m.settler, m.closed, m.objective = f, f, h, objective.Affinity{State: n + 1}
	return m
}

// trialStart returns where everybody starts as the algorithm sees it, nil for the own trait.
func (p *Problem) trialStart(from *Algorithm) kedge.Rows {
	switch {
	case from.Norm == "previous":
		return withNorm{p.States}
	case p.Spec.Population.States == nil:
		return nil
	}
	return p.States
}

func (p *Problem) picker(source population.Source) population.Picker {
	if p.Spec.Population.Sampling == "without-replacement" {
		return &population.WithoutReplacement{Source: source}
	}
	return population.WithReplacement{Source: source}
}

func (p *Problem) estimator(t *Trial, from *Algorithm, m model, dim kedge.Dims, directions online.Normals) (online.Estimator, error) {
	switch from.Kind {
	case "vanilla":
		return online.Vanilla{Objective: m.objective, Dims: dim}, nil
	case "composite":
		return &online.Composite{Objective: m.objective, Sensitivity: m.sensitivity(from), Dims: dim}, nil
	default:
		e, err := online.NewDerivativeFree(dim.Decision, from.Delta, directions)
		if err != nil {
			return nil, err
		}
		if from.First == "zero" {
			e.Resume(0)
		}
		t.explore = e
		return e, nil
	}
}

func (m model) sensitivity(from *Algorithm) kedge.Sensitivity {
	h := m.closed
	switch from.Sensitivity {
	case "implicit":
		h = &sensitivity.Implicit{Dynamics: m.dynamics}
	case "differences":
		return &sensitivity.Differences{Settler: m.settler}
	}
	if from.At == "settled" {
		h = &sensitivity.Settled{Of: h, Settler: m.settler}
	}
	return h
}

func transforms(from *Algorithm) []online.Transform {
	var list []online.Transform
	if !math.IsInf(from.Clip, 1) {
		list = append(list, online.Clip{Norm: from.Clip})
	}
	if from.Momentum > 0 {
		list = append(list, &online.Momentum{Beta: from.Momentum})
	}
	return list
}

func (p *Problem) schedule(from *Algorithm) online.Schedule {
	switch from.Schedule {
	case "inverse-sqrt":
		return online.InverseSqrt(from.Step)
	case "horizon":
		return online.Horizon{Eta: from.Step, Turns: p.Spec.Iterations}
	default:
		return online.Constant(from.Step)
	}
}
