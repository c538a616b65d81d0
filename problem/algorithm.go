package problem

import (
	"math"
	"strings"

	"github.com/kedge-opt/kedge/online"
)

// Algorithm is a decision rule to run.
type Algorithm struct {
	Name string // the label in results, unique
	Kind string // the name of one of online.Methods; the default is the name

	Step     float64 // η
	Schedule string  // of the step: "constant" η, "inverse-sqrt" η/√(k+1), "horizon" η/√T or "diminishing" η/(1 + k/delay)^power
	Delay    float64 // of diminishing; 0: 1
	Power    float64 // of diminishing; 0: 1
	Batch    int     // individuals sampled a turn; the default is as many as there are
	Clip     float64 // longest gradient; +∞: no clipping
	Momentum float64 // β of the running average of gradients; 0: none
	Hold     int     // turns that a decision is deployed before it is learned from
	Average  int     // the step from which on iterates are averaged; 0: none
	Trials   int     // the default is the spec's

	RateLimit float64 // the longest change of the decision; 0: none

	// Under constraints, of methods that follow gradients.
	Heed     bool    // keep them
	DualStep float64 // η of the multipliers
	Leak     float64 // ε by which they forget

	// Of several players, of methods that follow gradients.
	Play       string // "simultaneous", "alternating", "best-response", "alternating-response" or "planner"
	Anticipate bool   // that the others go on as they have begun

	Contraction float64 // of epochs: by which the population comes closer to settled in a turn

	// Of composite, epoch-composite, adam and storm: how steady states answer decisions.
	Sensitivity string // "closed" formulas, "implicit" differentiation, "differences", or of composite "learned" from what is observed
	At          string // of closed and implicit: at the "sample" as it is, or at the "settled" state of who was sampled
	Norm        string // of closed under polarized dynamics: ‖p̃‖ of the "current" state or, as published, of the "previous"

	Learn Learn  // of learned
	Wrong *Wrong // of composite: how the sensitivity is spoiled, to study robustness; nil: it is not

	Scaling string  // of adam: entries are divided by a "joint" size, or "each" by its own
	Decay   float64 // of adam: β₂
	Weight  float64 // of storm: a

	// Of lazy.
	Deploy float64 // steps on the first deployment
	Growth float64 // power with which later deployments take more

	// Of methods that try decisions beside their own.
	Delta     float64 // how far from it
	Perturbed string  // "anywhere", or kept "feasible"
	First     string  // of derivative-free, on the first turn, without a loss to compare with: "skip" the step, or compare with "zero"
	Carry     bool    // of derivative-free: begin a trial with the last loss of the trial before
	Window    int     // of performative and reinforce: deployments to learn from; 0: 2(n + 1)
	Tries     int     // of plug-in: decisions tried; 0: 4(n + 1)
	Family    string  // of plug-in: "location" or "location-scale"
}

// kinds lists what an algorithm can be.
func kinds() (names []string) {
	for _, m := range online.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// waits tells whether the method decides by itself how long decisions are held.
func (a *Algorithm) waits() bool { return strings.HasPrefix(a.Kind, "epoch") }

// jumps tells whether the method finds the next decision by itself, so that its step is a part of the way there.
func (a *Algorithm) jumps() bool {
	return a.Kind == "repeated-risk" || a.Kind == "delayed-risk" || a.Kind == "plug-in"
}

// needs returns what the method must be given.
func (a *Algorithm) needs() online.Needs {
	m, _ := online.MethodOf(a.Kind)
	return m.Needs
}

func (s *Spec) describeAlgorithm(f *form, a *Algorithm) {
	field(f, "name", &a.Name, label())
	f.chooseLike("kind", &a.Kind, "name", a.Name, kinds()...)
	a.describeStep(f)
	fieldLike(f, "batch", &a.Batch, count(1, maxCount), "population.size", s.Population.Size)
	fieldOr(f, "clip", &a.Clip, number("a number above 0 or .inf", above(0, math.Inf(1))), math.Inf(1))
	a.describeMomentum(f)
	a.describeRhythm(f)
	optional(f, "average", &a.Average, count(1, maxCount))
	optional(f, "rate-limit", &a.RateLimit, positive())
	fieldLike(f, "trials", &a.Trials, count(1, maxCount), "trials", s.Trials)
	s.describeDual(f, a)
	s.describePlay(f, a)
	if a.needs().Sensitivity {
		s.describeSensitivity(f, a)
	}
	a.describeOwn(f)
}

func (a *Algorithm) describeStep(f *form) {
	if a.jumps() {
		fieldOr(f, "step", &a.Step, number("a number above 0, at most 1", above(0, 1)), 1)
	} else {
		field(f, "step", &a.Step, positive())
	}
	usual := "constant"
	if a.waits() {
		usual = "diminishing"
	}
	fieldOr(f, "schedule", &a.Schedule, oneOf("constant", "inverse-sqrt", "horizon", "diminishing"), usual)
	optional(f, "delay", &a.Delay, positive())
	optional(f, "power", &a.Power, number("a number above 0, at most 1", above(0, 1)))
}

func (a *Algorithm) describeMomentum(f *form) {
	usual := 0.0
	if a.Kind == "adam" {
		usual = 0.9
	}
	fieldOr(f, "momentum", &a.Momentum, number("a number from 0 to below 1", below(0, 1)), usual)
}

// describeRhythm describes how long decisions are held. Methods that are nothing without holding hold by default.
func (a *Algorithm) describeRhythm(f *form) {
	switch {
	case a.waits():
		field(f, "contraction", &a.Contraction, number("a number above 0 and below 1", open(0, 1)))
	case a.Kind == "repeated-gradient" || a.Kind == "delayed-risk":
		fieldOr(f, "hold", &a.Hold, count(1, maxCount), 10)
	default:
		fieldOr(f, "hold", &a.Hold, count(1, maxCount), 1)
	}
}

func (s *Spec) describeSensitivity(f *form, a *Algorithm) {
	ways := []string{"closed", "implicit", "differences"}
	if a.Kind == "composite" {
		ways = append(ways, "learned")
	}
	f.refineOr("sensitivity", &a.Sensitivity, "closed", ways...)
	if a.Sensitivity == "learned" {
		f.section("learn", a.Learn.describe)
	} else if a.Sensitivity != "differences" {
		fieldOr(f, "at", &a.At, oneOf("sample", "settled"), "sample")
	}
	if a.Sensitivity == "closed" && f.may(s.Dynamics.Kind == "polarized") {
		fieldOr(f, "norm", &a.Norm, oneOf("current", "previous"), "current")
	}
	if a.Kind == "composite" {
		optionalSection(f, "wrong", &a.Wrong, (*Wrong).describe)
	}
}

// describeOwn describes the keys that only one or a few methods have.
func (a *Algorithm) describeOwn(f *form) {
	switch a.Kind {
	case "adam":
		fieldOr(f, "scaling", &a.Scaling, oneOf("joint", "each"), "joint")
		fieldOr(f, "decay", &a.Decay, number("a number from 0 to below 1", below(0, 1)), 0.999)
	case "storm":
		fieldOr(f, "weight", &a.Weight, number("a number above 0, at most 1", above(0, 1)), 0.1)
	case "lazy":
		fieldOr(f, "deploy", &a.Deploy, number("a number ≥ 1", below(1, math.Inf(1))), 1)
		fieldOr(f, "growth", &a.Growth, notNegative(), 1)
	case "derivative-free":
		a.describeTrying(f)
		fieldOr(f, "first", &a.First, oneOf("skip", "zero"), "skip")
		fieldOr(f, "carry", &a.Carry, boolean(), false)
	case "one-point", "two-point", "epoch-derivative-free":
		a.describeTrying(f)
	case "performative", "reinforce":
		a.describeTrying(f)
		optional(f, "window", &a.Window, count(2, maxCount))
	case "plug-in":
		a.describeTrying(f)
		optional(f, "tries", &a.Tries, count(2, maxCount))
		fieldOr(f, "family", &a.Family, oneOf("location", "location-scale"), "location")
	}
}

func (a *Algorithm) describeTrying(f *form) {
	field(f, "delta", &a.Delta, positive())
	fieldOr(f, "perturbed", &a.Perturbed, oneOf("anywhere", "feasible"), "anywhere")
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
		c.fitting(a, path)
	}
}

// fitting looks for settings of an algorithm that exclude each other.
func (c *check) fitting(a *Algorithm, path string) {
	if a.Norm == "previous" && c.s.Objective.Kind != "affinity" && c.sound("objective.kind") {
		c.fail(keys(path+".norm", "objective.kind"), "%s.norm is previous, which wants objective.kind affinity", path)
	}
	for _, one := range []struct {
		key string
		set bool
	}{{"delay", a.Delay != 0}, {"power", a.Power != 0}} {
		if one.set && a.Schedule != "diminishing" && c.sound(path+".schedule") {
			c.fail(keys(path+"."+one.key, path+".schedule"), "%s.%s is of schedule diminishing, but the schedule is %s", path, one.key, a.Schedule)
		}
	}
	if a.Kind == "storm" && a.Batch%2 != 0 && c.sound(path+".batch") {
		c.fail(keys(path+".batch"), "%s.batch is %d, but storm wants an even number: half of a sample is seen again", path, a.Batch)
	}
	if a.Kind == "storm" && a.Hold > 1 && c.sound(path+".hold") {
		c.fail(keys(path+".hold"), "%s.hold is %d, but storm sees people again in the next turn; hold decisions by the key hold of the spec", path, a.Hold)
	}
	if c.s.Generator == "numpy" && c.sound("generator", path) && !a.published() {
		c.fail(keys(path+".kind", "generator"), "generator numpy draws what the published runs drew: vanilla, composite and derivative-free, held for one turn")
	}
}

// published tells whether the algorithm is one of the published runs, whose draws are known.
func (a *Algorithm) published() bool {
	return (a.Kind == "vanilla" || a.Kind == "composite" || a.Kind == "derivative-free") && a.Hold == 1
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
