package problem

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Constraint is a bound on the settled population that decisions must keep.
type Constraint struct {
	Name  string
	Kind  kind.Criterion
	Of    kind.Objective // ℓ; rewards count as losses, so that affinity is −pᵀu
	Bound float64        // on the mean of ℓ, on CVaR, on ℓ itself (chance), on the mean of every group
	Most  float64        // the largest multiplier
}

// maxConstraints is how many can be recorded, groups counted one by one.
const maxConstraints = 16

const tooMany = "constraints are %d, groups counted one by one, want at most %d"

func (s *Spec) describeConstraint(f *form.Form, c *Constraint) {
	form.Field(f, "name", &c.Name, form.Label(), form.Says("The label in results; no other constraint has it.", "", "load"))
	s.kinds().DescribeCriterion(f, &c.Kind)
	s.needObjective(f, "of", "a formula, or a mapping with the kind of an objective", form.Says("The loss ℓ that is bounded: a formula, or the keys of an objective. Rewards count as losses: affinity is −pᵀu.", "ℓ(p, u, d)", "p[0] + 0.1*u[0]"), &c.Of)
	form.Field(f, "bound", &c.Bound, form.Finite(), form.Says("How large it may be.", "bound in ρ ≤ bound", "1.5"))
	if c.Kind != nil {
		c.Kind.Describe(f)
	}
	form.Field(f, "largest-multiplier", &c.Most, form.Positive().Or(1000), form.Says("Where multipliers stop growing, as they do when no decision keeps the constraint.", "λ ≤ largest-multiplier", "1000"))
}

// constraints checks what constraints are made of.
func (c *check) constraints() {
	seen, total := map[string]bool{}, 0
	for i := range c.s.Constraints {
		one, path := &c.s.Constraints[i], c.pathOf("constraints", i)
		c.unique(seen, path, one.Name, "constraint")
		total += kind.GroupsOf(one.Kind)
		c.objective(path+".of", one.Of)
		if one.Kind != nil {
			one.Kind.Check(&c.Scene, path)
		}
		c.tails(path, one)
	}
	c.FailIf(total > maxConstraints, form.Paths("constraints"), tooMany, total, maxConstraints)
	c.FailIf(c.s.namesGroups() && c.s.Population.moves(), form.Paths("constraints", "population.churn", "population.drift"),
		"constraints are on groups by name, which are those of the people there are at the start; want no drift and no churn")
	if len(c.s.Players) > 0 {
		c.shared()
	}
	c.FailIf(total > 0 && c.s.Generator == "numpy", form.Paths("constraints", "generator"),
		"generator numpy draws what the published runs drew, which had no constraints")
}

// tails refuses samples too small to have a tail.
func (c *check) tails(path string, one *Constraint) {
	for i := range c.s.Algorithms {
		a := &c.s.Algorithms[i]
		if norm := form.Join("algorithms", a.Name) + ".norm"; a.Facts().Remembers && a.Heed {
			c.Fail(form.Paths(norm, path), "%s is previous, which wants no constraints", norm)
		}
		of, tailed := one.Kind.(kind.Tailed)
		if batch := form.Join("algorithms", a.Name) + ".batch"; tailed && a.Heed && a.Batch > 0 && of.Tail()*float64(a.Batch) < 0.999 && c.Sound(path+".level", "algorithms") {
			c.Fail(form.Paths(batch, path+".level"), "%s is %d, but the worst %.4g of a sample must be somebody; want at least %.0f", batch, a.Batch, of.Tail(), math.Ceil(0.999/of.Tail()))
		}
	}
}

// buildConstraints makes the constraints, every group one of its own.
func (p *Problem) buildConstraints() error {
	answer := p.Sensitivity
	if p.Social {
		answer = &sensitivity.Coupled{Of: answer, States: p.Spec.Dims().State}
	}
	for i := range p.Spec.Constraints {
		from, path := &p.Spec.Constraints[i], p.Spec.entry("constraints", i)
		loss, err := p.Spec.buildObjective(path+".of", from.Of, p.files)
		if err != nil {
			return err
		}
		mean := risk.Constraint{Name: from.Name, Loss: loss, Measure: risk.Mean{}, Bound: from.Bound, Sensitivity: answer, Dims: p.Spec.Dims()}
		all, err := p.groupwise(from.Kind, mean)
		if err != nil {
			return p.Spec.wrap(path, err)
		}
		p.constraints = append(p.constraints, all...)
		p.most = append(p.most, slices.Repeat([]float64{from.Most}, len(all))...)
	}
	if n := len(p.constraints); n > maxConstraints {
		return p.Spec.errorf("constraints", tooMany, n, maxConstraints)
	}
	return nil
}

// groupwise makes the constraint on a mean those of its kind, one for every group.
func (p *Problem) groupwise(x kind.Criterion, mean risk.Constraint) ([]risk.Constraint, error) {
	if !kind.ByName(x) {
		return x.Build(mean), nil
	}
	of, names := p.Groups()
	if of == nil {
		return nil, errors.New("the groups of a table are known where its people are, and here nobody is drawn")
	}
	return x.(kind.NamedGroups).BuildNamed(mean, of, names)
}

// Constraints returns the constraints as the settled population is judged by them, each with the largest multiplier it may get.
func (p *Problem) Constraints() (list []*risk.SettledConstraint, most []float64, err error) {
	list, err = p.ConstraintsOf(p.Traits)
	return list, p.most, err
}

// ConstraintsOf are those on a population with the given traits, which may move.
func (p *Problem) ConstraintsOf(traits kedge.Rows) (list []*risk.SettledConstraint, err error) {
	if len(p.constraints) == 0 {
		return nil, nil
	}
	f, err := p.SteadyOf(traits)
	if err != nil {
		return nil, err
	}
	for _, c := range p.constraints {
		s, err := risk.NewSettled(c, func() risk.SettlingCrowd { return f.Clone() }, traits)
		if err == nil {
			err = s.Weigh(p.weights)
		}
		if err != nil {
			return nil, p.Spec.wrap("constraints", err)
		}
		list = append(list, s)
	}
	return list, nil
}

// heed lets the players play and makes an estimator keep the constraints, with their gradients through the sensitivity h; nil takes states for
// given. Players who share constraints pay the same price for each: every one adds the gradient in its own part.
func (p *Problem) heed(from *kind.Algorithm, e online.Estimator, h kedge.Sensitivity) (online.Estimator, error) {
	if len(p.players) > 0 {
		var err error
		if e, err = p.play(from, e, h); err != nil {
			return nil, err
		}
	}
	if !from.Heed || len(p.constraints) == 0 {
		return e, nil
	}
	if l, ok := h.(kedge.Learner); ok {
		h = trusted{l}
	}
	var list []online.Restriction
	for _, c := range p.constraints {
		c.Sensitivity = h
		g, err := risk.NewGauge(c)
		if err != nil {
			return nil, p.Spec.wrap("constraints", err)
		}
		list = append(list, g)
	}
	steps := from.Steps(from.DualStep, p.Spec.Iterations)
	return online.NewLagrangian(p.Spec.Dims().Decision, e, list, online.Dual{Step: steps, Leak: from.Leak, Most: p.most})
}

// trusted answers only as far as what was learned is trusted.
type trusted struct{ kedge.Learner }

func (t trusted) PullRows(gu, p, u, d, v []float64) error {
	if t.Trust() == 0 {
		return nil
	}
	return t.Learner.PullRows(gu, p, u, d, v)
}
