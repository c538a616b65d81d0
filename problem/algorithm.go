package problem

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

func (s *Spec) describeAlgorithm(f *form.Form, a *kind.Algorithm) {
	_, remembers := s.Dynamics.Of.(kind.Remembering)
	a.Describe(f, &kind.Host{
		Kinds: s.kinds(), Size: s.Population.Size, Trials: s.Trials,
		Constrained: len(s.Constraints) > 0, Contested: len(s.Players) > 0, Lengths: remembers,
	})
}

// Exact tells whether nothing about the trials of an algorithm is random: no draw, no noise, no perturbation, everybody sampled.
func (s *Spec) Exact(a *kind.Algorithm) bool {
	everybody := s.Population.Size == 1 || s.Population.Sampling == "without-replacement" && a.Batch == s.Population.Size
	return everybody && !a.Random() && !s.noisy()
}

func (c *check) algorithms() {
	seen := map[string]bool{}
	for i := range c.s.Algorithms {
		a, path := &c.s.Algorithms[i], c.pathOf("algorithms", i)
		c.unique(seen, path, a.Name, "algorithm")
		c.batch(path+".batch", a.Batch)
		c.fitting(a, path)
	}
}

// fitting looks for settings of an algorithm that exclude each other or what else the spec says.
func (c *check) fitting(a *kind.Algorithm, path string) {
	known := a.Facts()
	c.FailIf(known.Remembers && form.NameOf(c.s.Objective) != "affinity" && c.Sound("objective.kind"), form.Paths(path+".norm", "objective.kind"),
		"%s.norm is previous, which wants objective.kind affinity", path)
	a.Check(&c.Check, path)
	c.FailIf(c.s.Generator == "numpy" && c.Sound("generator", path) && !(known.Published && a.Hold == 1), form.Paths(path+".kind", path+".hold", "generator"),
		"generator numpy draws what the published runs drew: vanilla, composite and derivative-free, held for one turn")
}

func (c *check) batch(path string, batch int) {
	p := &c.s.Population
	if !c.Sound(path, "population.size") {
		return
	}
	c.FailIf(p.Size > 0 && p.Sampling == "without-replacement" && batch > p.Size, form.Paths(path, "population.size", "population.sampling"),
		"%s is %d, but population.size is %d and sampling is without-replacement", path, batch, p.Size)
	c.fits(path, batch, "sampled individuals", maxSampled)
}
