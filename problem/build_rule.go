package problem

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
)

// rule makes the decision rule of an algorithm. What it draws comes from directions.
func (p *Problem) rule(t *Trial, from *Algorithm, m kedge.Model, directions online.Normals) (online.Rule, error) {
	r := online.Rule{Transforms: transforms(from), Step: p.schedule(from), Set: p.Set, Average: from.Average}
	var err error
	if r.Set, err = p.room(from); err != nil {
		return r, err
	}
	switch {
	case from.waits():
		r.Wait = online.Settling{Contraction: from.Contraction}
	case from.Hold > 1:
		r.Wait = online.Hold(from.Hold)
	}
	if from.Kind == "lazy" {
		r.Inner = online.Polynomial{First: from.Deploy, Power: from.Growth}
	}
	if r.Gradient, err = p.estimator(t, from, m, r.Set, directions); err != nil {
		return r, err
	}
	r.Set, err = p.limited(from, r.Set)
	return r, err
}

// room returns the set of iterates: that of decisions, or one smaller by as much as the method tries beside them.
func (p *Problem) room(from *Algorithm) (kedge.Set, error) {
	if from.Perturbed != "feasible" {
		return p.Set, nil
	}
	path, n := p.pathOf(from), p.Spec.Dims().Decision
	narrow, ok := kind.Shrink(p.set, from.Delta, n)
	if !ok {
		return nil, p.Spec.errorf(path+".perturbed", "%s.perturbed is feasible, but the set of kind %s has no inside to keep away from; want ball, box, half-space, or products and intersections of them", path, form.NameOf(p.set))
	}
	made, err := p.Spec.buildSet("set", narrow, n)
	if err != nil {
		return nil, p.Spec.errorf(path+".delta", "%s.delta is %s, which leaves no decision as far inside the set: %v", path, short(from.Delta), err)
	}
	return made, nil
}

// pathOf returns where an algorithm stands in the spec.
func (p *Problem) pathOf(a *Algorithm) string { return "algorithms." + a.Name }

// checkRules makes the rule of every algorithm once, so that mistakes are told before anything runs.
func (p *Problem) checkRules() error {
	for i := range p.Spec.Algorithms {
		a := &p.Spec.Algorithms[i]
		if a.Kind == "adam" && a.Scaling == "each" && !kind.Separates(p.set) {
			path := p.pathOf(a)
			return p.Spec.errorf(path+".scaling", "%s.scaling is each, but entries scaled one by one and projected on a set of kind %s settle somewhere else; want joint", path, form.NameOf(p.set))
		}
		if _, err := p.rule(&Trial{}, a, p.trialModel(a), p.stream("unused")); err != nil {
			return err
		}
	}
	return nil
}

func (p *Problem) estimator(t *Trial, from *Algorithm, m kedge.Model, room kedge.Set, directions online.Normals) (online.Estimator, error) {
	dim, judge := m.Dims(), m.RowObjective()
	switch from.Kind {
	case "vanilla", "lazy", "repeated-gradient", "epoch":
		return p.heed(from, online.Vanilla{Objective: judge, Dims: dim}, nil)
	case "repeated-risk", "delayed-risk":
		return online.NewRetrain(judge, dim, room), nil
	case "composite":
		return p.composite(from, m, dim, directions)
	case "epoch-composite", "adam", "storm":
		c := &online.Composite{Objective: judge, Sensitivity: answer(m, from), Dims: dim}
		if from.Kind == "storm" {
			return online.NewRecursive(c, dim, from.Weight)
		}
		return p.heed(from, c, c.Sensitivity)
	case "derivative-free":
		return t.residual(from, dim.Decision, directions)
	}
	e, err := trying(from, m, dim, room, directions)
	return e, p.Spec.wrap(p.pathOf(from), err)
}

// residual makes the estimator of a derivative-free rule, which the trial asks for what it carries on.
func (t *Trial) residual(from *Algorithm, n int, directions online.Normals) (online.Estimator, error) {
	e, err := online.NewDerivativeFree(n, from.Delta, directions)
	if err != nil {
		return nil, err
	}
	if from.First == "zero" {
		e.Resume(0)
	}
	t.explore = e
	return e, nil
}

// trying makes the estimators that try decisions.
func trying(from *Algorithm, m kedge.Model, dim kedge.Dims, room kedge.Set, directions online.Normals) (online.Estimator, error) {
	n, judge := dim.Decision, m.RowObjective()
	switch from.Kind {
	case "one-point", "epoch-derivative-free":
		return online.NewOnePoint(n, from.Delta, directions)
	case "two-point":
		return online.NewTwoPoint(n, from.Delta, directions)
	case "performative":
		return online.NewPerformative(judge, dim, online.Reparametrized, orElse(from.Window, 2*(n+1)), from.Delta, directions)
	case "reinforce":
		return online.NewPerformative(judge, dim, online.Gaussian, orElse(from.Window, 2*(n+1)), from.Delta, directions)
	case "plug-in":
		family := online.Location
		if from.Family == "location-scale" {
			family = online.LocationScale
		}
		return online.NewPlugIn(judge, dim, family, orElse(from.Tries, 4*(n+1)), from.Delta, directions, room)
	}
	return nil, fmt.Errorf("no algorithm of kind %s", from.Kind)
}

// orElse returns x, or another value where x was left out.
func orElse[T int | float64](x, absent T) T {
	if x == 0 {
		return absent
	}
	return x
}

// answer returns how the settled crowd answers the decision, as far as one of its individuals can tell.
func answer(m kedge.Model, from *Algorithm) kedge.Sensitivity {
	h := partial(m, from)
	if m.Social {
		return &sensitivity.Coupled{Of: h, States: m.Dims().State}
	}
	return h
}

// partial is answer at a given mean of the crowd.
func partial(m kedge.Model, from *Algorithm) kedge.Sensitivity {
	h := m.Sensitivity
	switch from.Sensitivity {
	case "implicit":
		h = &sensitivity.Implicit{Dynamics: m.Smooth()}
	case "differences":
		return &sensitivity.Differences{Settler: m.RowSettler()}
	}
	if from.At == "settled" {
		h = &sensitivity.Settled{Of: h, Settler: m.RowSettler()}
	}
	return h
}

func transforms(from *Algorithm) []online.Transform {
	var list []online.Transform
	if !math.IsInf(from.Clip, 1) {
		list = append(list, online.Clip{Norm: from.Clip})
	}
	switch {
	case from.Kind == "adam":
		adam := &online.Adam{Beta1: from.Momentum, Beta2: from.Decay, Epsilon: 1e-8}
		if from.Scaling == "each" {
			adam.Scaling = online.Each
		}
		list = append(list, adam)
	case from.Anticipate:
		list = append(list, &online.Optimistic{})
	case from.Momentum > 0:
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
	case "diminishing":
		return online.Diminishing{Eta: from.Step, Delay: orElse(from.Delay, 1), Power: orElse(from.Power, 1)}
	default:
		return online.Constant(from.Step)
	}
}

// FirstStep returns the step size with which algorithm a begins. No schedule has a larger one later.
func (p *Problem) FirstStep(a int) float64 { return p.schedule(&p.Spec.Algorithms[a]).Step(0) }
