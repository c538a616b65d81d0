package problem

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
)

// Constraint is a bound on the settled population that decisions must keep.
type Constraint struct {
	Name  string
	Kind  string    // "expectation", "cvar", "chance" or "worst-group"
	Of    Objective // ℓ; rewards count as losses, so that affinity is −pᵀu
	Bound float64   // on the mean of ℓ, on CVaR, on ℓ itself (chance), on the mean of every group
	Level float64   // of cvar: 1 minus the share of the worst; of chance: the share that must keep the bound

	Smoothing float64   // of chance: the width over which breaking the bound begins to count
	GroupBy   int       // of worst-group: the entry of the trait, from 1
	Cuts      []float64 // where one group ends and the next begins

	Most float64 // the largest multiplier
}

// maxConstraints is how many can be recorded, groups counted one by one.
const maxConstraints = 16

func (c *Constraint) describe(f *form.Form) {
	form.Field(f, "name", &c.Name, form.Label(), form.Says("The label in results; no other constraint has it.", "", "load"))
	f.Choose("kind", &c.Kind, form.Says("What is bounded.", "ρ", "cvar"), form.Choice("expectation", "The mean over the crowd.", "mean ℓ ≤ bound"), form.Choice("cvar", "The mean over those who fare worst.", "min over t of t + mean (ℓ − t)₊/(1 − level) ≤ bound"), form.Choice("chance", "How many exceed the bound, smoothed.", "mean 1/(1 + exp((bound − ℓ)/smoothing)) ≤ 1 − level"), form.Choice("worst-group", "The mean over every group of people, each with a multiplier of its own.", "max over groups of mean ℓ ≤ bound"))
	f.NeedSection("of", "a mapping with the kind of an objective", form.Says("The loss ℓ that is bounded, with the keys of an objective. Rewards count as losses: affinity is −pᵀu.", "ℓ(p, u, d)", ""), c.Of.describe)
	form.Field(f, "bound", &c.Bound, form.Finite(), form.Says("How large it may be.", "bound in ρ ≤ bound", "1.5"))
	switch c.Kind {
	case "cvar":
		form.Field(f, "level", &c.Level, form.Number("a number from 0 to below 1", form.Below(0, 1)), form.Says("Of cvar: all but this share are the worst. Of chance: the share that must keep the bound.", "level in P(ℓ ≤ bound) ≥ level", "0.9"))
	case "chance":
		form.Field(f, "level", &c.Level, form.Number("a number above 0 and below 1", form.Open(0, 1)), form.Says("Of cvar: all but this share are the worst. Of chance: the share that must keep the bound.", "level in P(ℓ ≤ bound) ≥ level", "0.9"))
		form.Field(f, "smoothing", &c.Smoothing, form.Positive(), form.Says("Over which width of ℓ exceeding the bound begins to count; a tenth of the spread of ℓ is a good start.", "mean 1/(1 + exp((bound − ℓ)/smoothing))", "0.1"))
	case "worst-group":
		form.Field(f, "group-by", &c.GroupBy, form.Count(1, maxCount), form.Says("The entry of the trait, counted from 1, that says which group somebody is in.", "", "1"))
		form.Field(f, "cuts", &c.Cuts, form.Numbers(form.Finite()), form.Says("Where one group ends and the next begins, in growing order; a number on a cut is in the group above.", "", "[0]"))
	}
	form.FieldOr(f, "largest-multiplier", &c.Most, form.Positive(), 1000, form.Says("Where multipliers stop growing, as they do when no decision keeps the constraint.", "λ ≤ largest-multiplier", "1000"))
}

// constraints checks what constraints are made of.
func (c *check) constraints() {
	seen, total := map[string]bool{}, 0
	for i := range c.s.Constraints {
		one, path := &c.s.Constraints[i], c.s.origin.Get("constraints").Items[i].Path
		if seen[one.Name] && c.Sound(path+".name") {
			c.Fail(form.Paths(path+".name"), "%s.name is %s, which another constraint has", path, one.Name)
		}
		seen[one.Name] = true
		total += one.groups()
		c.judges(path+".of", &one.Of)
		c.groups(path, one)
		c.tails(path, one)
	}
	if total > maxConstraints {
		c.Fail(form.Paths("constraints"), "constraints are %d, groups counted one by one, want at most %d", total, maxConstraints)
	}
	p := &c.s.Population
	if total > 0 && (p.moves() || c.s.Dynamics.Coupling > 0) {
		c.Fail(form.Paths("constraints", "population.drift", "population.churn", "dynamics.coupling"),
			"constraints are kept by people who stay and do not see each other; want no drift, churn or coupling")
	}
	if total > 0 && c.s.Generator == "numpy" {
		c.Fail(form.Paths("constraints", "generator"), "generator numpy draws what the published runs drew, which had no constraints")
	}
}

// groups returns how many groups of people the constraint binds.
func (c *Constraint) groups() int { return len(c.Cuts) + 1 }

func (c *check) groups(path string, one *Constraint) {
	if one.Kind != "worst-group" || !c.Sound(path) {
		return
	}
	if n := c.Trait(); n.N >= 0 && one.GroupBy > n.N {
		c.Fail(append(form.Paths(path+".group-by"), n.From...), "%s.group-by is %d, a trait has %s", path, one.GroupBy, form.Entries(n.N))
	}
	for i := 1; i < len(one.Cuts); i++ {
		if one.Cuts[i] <= one.Cuts[i-1] {
			c.Fail(form.Paths(path+".cuts"), "%s.cuts do not grow: %v comes after %v", path, one.Cuts[i], one.Cuts[i-1])
		}
	}
}

// tails refuses samples too small to have a tail.
func (c *check) tails(path string, one *Constraint) {
	for i := range c.s.Algorithms {
		a := &c.s.Algorithms[i]
		if norm := form.Join("algorithms", a.Name) + ".norm"; a.Facts().Remembers && a.Heed {
			c.Fail(form.Paths(norm, path), "%s is previous, which wants no constraints", norm)
		}
		if batch := form.Join("algorithms", a.Name) + ".batch"; one.Kind == "cvar" && a.Heed && (1-one.Level)*float64(a.Batch) < 0.999 && c.Sound(path+".level", "algorithms") {
			c.Fail(form.Paths(batch, path+".level"), "%s is %d, but the worst %s of a sample must be somebody; want at least %.0f", batch, a.Batch, short(1-one.Level), 1/(1-one.Level))
		}
	}
}

// buildConstraints makes the constraints, every group one of its own.
func (p *Problem) buildConstraints() error {
	for i := range p.Spec.Constraints {
		from, path := &p.Spec.Constraints[i], fmt.Sprintf("constraints.%d", i)
		loss, err := p.Spec.makeObjective(path+".of", &from.Of, p.Spec.Dims())
		if err != nil {
			return err
		}
		one := risk.Constraint{Name: from.Name, Loss: loss, Measure: risk.Mean{}, Bound: from.Bound, Sensitivity: p.Sensitivity, Dims: p.Spec.Dims()}
		switch from.Kind {
		case "cvar":
			one.Measure = risk.CVaR{Level: from.Level}
		case "chance":
			one.Measure, one.Bound = risk.Chance{Limit: from.Bound, Width: from.Smoothing}, 1-from.Level
		case "worst-group":
			p.constraints = append(p.constraints, from.split(one)...)
			continue
		}
		p.constraints = append(p.constraints, one)
	}
	return nil
}

// split makes a constraint for every group.
func (c *Constraint) split(one risk.Constraint) (list []risk.Constraint) {
	for g := range c.groups() {
		one.Name = fmt.Sprintf("%s, group %d", c.Name, g+1)
		one.Among = func(d []float64) bool {
			v := d[c.GroupBy-1]
			return (g == 0 || v >= c.Cuts[g-1]) && (g == len(c.Cuts) || v < c.Cuts[g])
		}
		list = append(list, one)
	}
	return list
}

// most returns the largest multiplier of every constraint, groups counted one by one.
func (p *Problem) most() (list []float64) {
	for i := range p.Spec.Constraints {
		c := &p.Spec.Constraints[i]
		for range c.groups() {
			list = append(list, c.Most)
		}
	}
	return list
}

// Constraints returns the constraints as the settled population is judged by them, each with the largest multiplier it may get.
func (p *Problem) Constraints() (list []*risk.Settled, most []float64, err error) {
	for _, c := range p.constraints {
		s, err := risk.NewSettled(c, p.RowSettler(), p.Traits)
		if err != nil {
			return nil, nil, p.Spec.wrap("constraints", err)
		}
		list = append(list, s)
	}
	return list, p.most(), nil
}

// heed lets the players play, or makes an estimator keep the constraints, with their gradients through the sensitivity h; nil takes states for given.
func (p *Problem) heed(from *kind.Algorithm, e online.Estimator, h kedge.Sensitivity) (online.Estimator, error) {
	if len(p.players) > 0 {
		return p.play(from, e, h)
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
	return online.NewLagrangian(p.Spec.Dims().Decision, e, list, online.Dual{Step: steps, Leak: from.Leak, Most: p.most()})
}

// trusted answers only as far as what was learned is trusted.
type trusted struct{ kedge.Learner }

func (t trusted) PullRows(gu, p, u, d, v []float64) error {
	if t.Trust() == 0 {
		return nil
	}
	return t.Learner.PullRows(gu, p, u, d, v)
}
