package problem

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/world"
)

// clock is the name of the time in formulas, unless a model gives it to something else, and groupName that of an individual's group.
const (
	clock     = "t"
	groupName = "group"
)

func (m *Model) describeWorld(f *form.Form) {
	form.Field(f, "noise", &m.Noise, world.Noises().Optional(), form.Says(
		"Numbers that are drawn anew for everybody every step, by name and law: normal(mean, deviation), uniform(low, high), laplace(mean, scale), student(freedom, scale), lognormal(m, s), exponential(mean), bernoulli(probability). "+
			"Formulas of next can use them; w[3] draws three. Decisions are judged by where people settle with the noise at its mean, so that next must be affine in it.", "p⁺ = f(p, u, d, w)", "{shock: \"normal(0, 0.1)\"}"))
	form.Field(f, "groups", &m.Groups, world.Groups().Optional(), form.Says(
		"Groups of people with values of their own of numbers that formulas can use by name. The first share of the people is the first group, and so on; group is the number of somebody's group, from 0.", "", "{loyal: {share: 0.7, taste: 1}, others: {share: 0.3, taste: 2}}"))
}

// Besides says in words what formulas know besides decision, state and trait.
func (m *Model) Besides() (text string) {
	if len(m.Groups) > 0 {
		text += " Groups are " + phrase.Enumerate(lists.Of(m.Groups, func(g world.ModelGroup) string {
			return g.Name + " (" + phrase.Percent(g.Share) + g.Told() + ")"
		})) + "."
	}
	if len(m.Noise) > 0 {
		text += " Drawn anew every step are " + phrase.Enumerate(lists.Of(m.Noise, func(n world.ModelNoise) string { return n.Name + " from " + n.Words() })) + "."
	}
	return text
}

// beside are the names of what is fixed about an individual besides its trait, in their order: its group, what that has, and the time.
func (m *Model) beside() (names []string) {
	if len(m.Groups) > 0 {
		names = append(append(names, groupName), m.Groups[0].Parameters...)
	}
	if m.usesClock() {
		names = append(names, clock)
	}
	return append(names, m.covariates...)
}

// usesClock tells whether a formula depends on the time.
func (m *Model) usesClock() bool { return m.mentions(clock) }

// mentions tells whether a formula has a name that the model gives to nothing.
func (m *Model) mentions(name string) bool {
	s := formula.Source{Decision: m.Decision, State: m.State, Trait: m.Trait, Next: m.Next, Minimize: m.Minimize, Maximize: m.Maximize, Noise: m.noiseSource()}
	for _, g := range m.Groups {
		s.Beside = g.Parameters
	}
	s.Beside = append(slices.Clone(s.Beside), m.covariates...)
	s.Let = lists.Of(m.Let, func(l Let) formula.Binding { return formula.Binding{Name: l.Name, Expr: l.Formula} })
	return s.Mentions(name)
}

func (m *Model) noiseSource() []formula.Shock {
	return lists.Of(m.Noise, func(n world.ModelNoise) formula.Shock {
		if n.Law.Check() != nil {
			return formula.Shock{Declaration: n.Name}
		}
		return formula.Shock{Declaration: n.Name, Mean: n.Law.Mean()}
	})
}

// beside is how many entries a trait has besides those that its law draws.
func (s *Spec) beside() int {
	if s.Model != nil {
		return len(s.Model.beside())
	}
	return 0
}

// usesClock tells whether formulas depend on the time.
func (s *Spec) usesClock() bool { return s.Model != nil && s.Model.usesClock() }

// groups wants shares that add up and the same parameters in all groups, and somebody in each.
func (c *check) groups(m *Model) {
	sum, last, ends := 0.0, 0, c.s.classes().Ends
	for i, g := range m.Groups {
		path := form.Join("model.groups", g.Name)
		sum += g.Share
		c.FailIf(!slices.Equal(g.Parameters, m.Groups[0].Parameters), form.Paths(path),
			"%s has %s, the first group %s; want the same, in the same order", path, named(g.Parameters), named(m.Groups[0].Parameters))
		c.FailIf(ends[i] <= last && c.s.Population.Size > 0 && c.Sound("population.size"), form.Paths(path, "population.size"),
			"%s.share is %v, with which nobody of %d is in the group", path, g.Share, c.s.Population.Size)
		last = ends[i]
	}
	c.FailIf(len(m.Groups) > 0 && !(sum > 1-1e-9 && sum < 1+1e-9), form.Paths("model.groups"), "the shares of model.groups add up to %v, want 1", sum)
}

func named(names []string) string {
	if len(names) == 0 {
		return "no values"
	}
	return phrase.Enumerate(names)
}

// classes is the law of what is fixed about individuals besides their traits.
func (s *Spec) classes() population.Classes {
	n, time := s.Population.Size, []float64(nil)
	if s.usesClock() {
		time = []float64{0}
	}
	if len(s.Model.Groups) == 0 {
		return population.Classes{Ends: []int{n}, Rows: [][]float64{time}}
	}
	var law population.Classes
	sum := 0.0
	for i, g := range s.Model.Groups {
		sum += g.Share
		law.Ends = append(law.Ends, int(float64(sum*float64(n))+0.5))
		law.Rows = append(law.Rows, slices.Concat([]float64{float64(i)}, g.Values, time))
	}
	law.Ends[len(law.Ends)-1] = n
	return law
}

// worldWarnings are what a reader must know of a model of formulas.
func (p *Problem) worldWarnings() (list []string) {
	if p.formulas == nil {
		return nil
	}
	if p.Social {
		list = append(list, seesMean)
	}
	if p.formulas.Stirred() != nil {
		list = append(list, fmt.Sprintf("Noise (%s) enters every step: decisions are judged by where people would settle with it at its mean.",
			phrase.Enumerate(lists.Of(p.Spec.Model.Noise, func(n world.ModelNoise) string { return n.Name }))))
	}
	if p.Spec.usesClock() {
		list = append(list, "Formulas depend on the time t, the number of the step: people are called settled where they would settle if it stood still.")
	}
	return list
}
