package spec

import "math"

// Algorithm is a decision rule to run.
type Algorithm struct {
	Name string // the label in results, unique
	Kind string // "vanilla", "composite" or "derivative-free"; the default is the name

	Step     float64 // η
	Schedule string  // of the step: "constant" η, "inverse-sqrt" η/√(k+1) or "horizon" η/√T
	Batch    int     // individuals sampled a turn; the default is as many as there are
	Clip     float64 // longest gradient; +∞: no clipping
	Momentum float64 // β of the running average of gradients; 0: none
	Trials   int     // the default is the spec's

	// Of composite: how steady states answer decisions.
	Sensitivity string // "closed" formulas, "implicit" differentiation or "differences"
	At          string // of closed and implicit: at the "sample" as it is, or at the "settled" state of who was sampled
	Norm        string // of closed under polarized dynamics: ‖p̃‖ of the "current" state or, as published, of the "previous"

	// Of derivative-free.
	Delta float64 // smoothing radius δ
	First string  // on the first turn, without a loss to compare with: "skip" the step, or compare with "zero"
	Carry bool    // begin a trial with the last loss of the trial before
}

func (s *Spec) describeAlgorithm(f *form, a *Algorithm) {
	field(f, "name", &a.Name, label())
	f.chooseLike("kind", &a.Kind, "name", a.Name, "vanilla", "composite", "derivative-free")
	field(f, "step", &a.Step, positive())
	fieldOr(f, "schedule", &a.Schedule, oneOf("constant", "inverse-sqrt", "horizon"), "constant")
	fieldLike(f, "batch", &a.Batch, count(1, maxCount), "population.size", s.Population.Size)
	fieldOr(f, "clip", &a.Clip, number("a number above 0 or .inf", above(0, math.Inf(1))), math.Inf(1))
	fieldOr(f, "momentum", &a.Momentum, number("a number from 0 to below 1", below(0, 1)), 0)
	fieldLike(f, "trials", &a.Trials, count(1, maxCount), "trials", s.Trials)
	switch a.Kind {
	case "composite":
		f.refineOr("sensitivity", &a.Sensitivity, "closed", "closed", "implicit", "differences")
		if a.Sensitivity != "differences" {
			fieldOr(f, "at", &a.At, oneOf("sample", "settled"), "sample")
		}
		if a.Sensitivity == "closed" && f.may(s.Dynamics.Kind == "polarized") {
			fieldOr(f, "norm", &a.Norm, oneOf("current", "previous"), "current")
		}
	case "derivative-free":
		field(f, "delta", &a.Delta, positive())
		fieldOr(f, "first", &a.First, oneOf("skip", "zero"), "skip")
		fieldOr(f, "carry", &a.Carry, boolean(), false)
	}
}

func (c *check) algorithms() {
	seen := map[string]bool{}
	for i := range c.s.Algorithms {
		a, path := &c.s.Algorithms[i], c.s.origin.get("algorithms").items[i].path
		if seen[a.Name] && c.sound(path+".name") {
			c.fail(keys(path+".name"), "%s.name is %s, which another algorithm has", path, a.Name)
		}
		seen[a.Name] = true
		c.batch(path+".batch", a.Batch)
		if a.Norm == "previous" && c.s.Objective.Kind != "affinity" && c.sound("objective.kind") {
			c.fail(keys(path+".norm", "objective.kind"), "%s.norm is previous, which wants objective.kind affinity", path)
		}
	}
}

func (c *check) batch(path string, batch int) {
	p := &c.s.Population
	if !c.sound(path, "population.size") {
		return
	}
	if p.Sampling == "without-replacement" && batch > p.Size {
		c.fail(keys(path, "population.size", "population.sampling"),
			"%s is %d, but population.size is %d and sampling is without-replacement", path, batch, p.Size)
	}
	c.fits(path, batch, "sampled individuals")
}
