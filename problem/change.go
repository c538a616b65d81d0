package problem

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// Change is a set of feasible decisions that takes the place of the one before.
type Change struct {
	From int // the first turn it holds for
	Set  kind.Set
}

func (s *Spec) describeChange(f *form.Form, c *Change) {
	form.Field(f, "from", &c.From, form.Count(1, maxCount), form.Says("The first turn that the set holds for, after that of the change before.", "k", "500"))
	f.NeedSection("set", "a mapping with a kind", form.Says("Which decisions are feasible from then on, with the keys of a set.", "u ∈ 𝒞ₖ", ""), func(f *form.Form) { s.kinds().DescribeSet(f, &c.Set) })
}

func (c *check) changes() {
	if len(c.s.Changes) == 0 {
		return
	}
	for i := range c.s.Changes {
		one, path := &c.s.Changes[i], fmt.Sprintf("changes.%d", i)
		kind.CheckSet(&c.Scene, path+".set", one.Set, c.Decision())
		kind.CheckConvex(&c.Scene, path+".set", one.Set, "a set that takes the place of another")
		c.FailIf(i > 0 && one.From <= c.s.Changes[i-1].From && c.Sound("changes"), form.Paths(path+".from"),
			"%s.from is %d, not after the change before", path, one.From)
	}
	for i := range c.s.Algorithms {
		a, path := &c.s.Algorithms[i], c.pathOf("algorithms", i)
		c.FailIf(c.Sound(path) && (!a.Facts().Follows || a.Facts().Learned), form.Paths("changes", path),
			"changes of the set are followed by methods that follow gradients at their own decisions, which %s does not", a.Name)
	}
	c.FailIf(c.s.Population.moves() || len(c.s.Players)+len(c.s.Constraints) > 0 || c.s.Generator == "numpy", form.Paths("changes", "population.drift", "population.churn", "players", "constraints", "generator"),
		"changes of the set want no drift, churn, players, constraints or generator numpy")
}

// buildChanges makes the sets that decisions must be in later.
func (p *Problem) buildChanges() error {
	p.stages = []set.Stage{{Set: p.Set}}
	for i := range p.Spec.Changes {
		from := &p.Spec.Changes[i]
		s, err := p.Spec.buildSet(fmt.Sprintf("changes.%d.set", i), from.Set, p.Spec.Dims().Decision)
		if err != nil {
			return err
		}
		p.stages = append(p.stages, set.Stage{From: from.From, Set: s})
	}
	return nil
}

// Changes tells whether the set of decisions changes.
func (p *Problem) Changes() bool { return len(p.Spec.Changes) > 0 }

// Stages returns the sets of decisions, each with the turn from which on it holds.
func (p *Problem) Stages() []set.Stage { return p.stages }

// limited returns the set for one rule of its own: as it changes, and as far as the rule may go from its last decision.
func (p *Problem) limited(from *kind.Algorithm, room kedge.Set) kedge.Set {
	if p.Changes() {
		room = set.Changing(p.stages)
	}
	if from.RateLimit == 0 {
		return room
	}
	return set.RateLimit{Of: room, Most: from.RateLimit}
}
