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

// kinds lists what an algorithm can be. A method also tells what it needs and where it settles.
func kinds() (list []Option) {
	texts := map[string]Option{
		"vanilla":               option("", "Descends as if the crowd did not answer.", "u⁺ = Π(u − η ∇ᵤΦ(p, u))"),
		"lazy":                  option("", "Descends like vanilla, and deploys the decision only after several steps.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)), deployed after ⌈deploy·(j+1)^growth⌉ steps"),
		"repeated-gradient":     option("", "Descends like vanilla once the crowd has settled under every decision.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u"),
		"repeated-risk":         option("", "Takes the decision that is best for the crowd as it was sampled.", "u⁺ = argmin Φ(p, ·)"),
		"delayed-risk":          option("", "Takes the decision that is best for the crowd once it has settled under the one before.", "u⁺ = argmin Φ(p, ·) after holding u"),
		"epoch":                 option("", "Descends like vanilla after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"composite":             option("", "Counts the answer of the settled crowd.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ))"),
		"epoch-composite":       option("", "Descends like composite after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"adam":                  option("", "Descends like composite, by averages of the gradient over averages of its size.", "u⁺ = Π(u − η m̂/(√v̂ + 1e-8))"),
		"storm":                 option("", "Descends like composite, with less noise: half of a sample is seen a second time in the next turn.", "gₖ = ĝ(uₖ, pₖ) + (1−a)(gₖ₋₁ − ĝ(uₖ₋₁, pₖ₋₁)), both ĝ of the same people"),
		"one-point":             option("", "Follows the loss of a perturbed decision; it knows no derivatives.", "g = (n/δ)Φ̂v at u + δv"),
		"two-point":             option("", "Compares the losses of two opposite perturbed decisions; it knows no derivatives.", "g = (n/2δ)(Φ̂₊ − Φ̂₋)v at u + δv and u − δv"),
		"derivative-free":       option("", "Compares the losses of successive perturbed decisions; it knows no derivatives.", "g = (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v at u + δv"),
		"epoch-derivative-free": option("", "Follows the losses of perturbed decisions after epochs that grow with the logarithm of their number.", "g = (n/δ)Φ̂v after holding u + δv for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"performative":          option("", "Fits how the mean of the crowd answers perturbed decisions and counts that answer.", "g = ∇ᵤΦ + Jᵀ∇ₚΦ, p̄ ≈ Ju + b"),
		"reinforce":             option("", "The same by scores of a normal crowd, without derivatives by the state.", "g = ∇ᵤΦ + Jᵀcov(p)⁻¹cov(p, Φ), p̄ ≈ Ju + b"),
		"plug-in":               option("", "Tries some decisions, fits how the crowd answers, goes to where the fitted crowd is best and stays there.", "u⁺ = argmin mean Φ(Gu + b + r, u)"),
	}
	for _, m := range online.Methods() {
		one := texts[m.Name]
		one.Value, one.Note = m.Name, " Needs "+m.Needs.String()+"; "+m.Settles()+"."
		list = append(list, one)
	}
	return list
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
	field(f, "name", &a.Name, label(), says("The label in results; no other algorithm has it.", "", "composite"))
	f.chooseLike("kind", &a.Kind, "name", a.Name, says("The decision rule.", "", "composite"), kinds()...)
	a.describeStep(f)
	fieldLike(f, "batch", &a.Batch, count(1, maxCount), "population.size", s.Population.Size, says("Individuals sampled a turn.", "", "50"))
	fieldOr(f, "clip", &a.Clip, number("a number above 0 or .inf", above(0, math.Inf(1))), math.Inf(1), says("The longest gradient: longer ones are shortened to it; .inf: none are.", "", "10"))
	a.describeMomentum(f)
	a.describeRhythm(f)
	optional(f, "average", &a.Average, count(1, maxCount), says("The step from which on iterates are averaged, 1 for all; the average is what is recommended and measured. Without it there is no average.", "ū = mean of u_average … uₖ", "1"))
	optional(f, "rate-limit", &a.RateLimit, positive(), says("The longest change of the decision from one to the next. Without it there is none.", "‖u⁺ − u‖ ≤ rate-limit", "0.1"))
	fieldLike(f, "trials", &a.Trials, count(1, maxCount), "trials", s.Trials, says("Trials of this algorithm, 1 where nothing about it is random.", "", "1"))
	s.describeDual(f, a)
	s.describePlay(f, a)
	if a.needs().Sensitivity {
		s.describeSensitivity(f, a)
	}
	a.describeOwn(f)
}

func (a *Algorithm) describeStep(f *form) {
	if a.jumps() {
		fieldOr(f, "step", &a.Step, number("a number above 0, at most 1", above(0, 1)), 1, says("The step size.", "η", "0.005"))
	} else {
		field(f, "step", &a.Step, positive(), says("The step size.", "η", "0.005"))
	}
	usual := "constant"
	if a.waits() {
		usual = "diminishing"
	}
	fieldOr(f, "schedule", &a.Schedule, oneOf(option("constant", "Not at all.", "η"), option("inverse-sqrt", "It falls from turn to turn.", "η/√(k+1)"), option("horizon", "It is smaller for longer runs.", "η/√T"), option("diminishing", "It falls from turn to turn, as delay and power say.", "η/(1 + k/delay)^power")), usual, says("How the step size changes over turns k of T.", "", "inverse-sqrt"))
	optional(f, "delay", &a.Delay, positive(), says("Steps before a diminishing step size falls much; without it 1.", "η/(1 + k/delay)^power", "100"))
	optional(f, "power", &a.Power, number("a number above 0, at most 1", above(0, 1)), says("How fast a diminishing step size falls; without it 1.", "η/(1 + k/delay)^power", "0.6"))
}

func (a *Algorithm) describeMomentum(f *form) {
	usual := 0.0
	if a.Kind == "adam" {
		usual = 0.9
	}
	fieldOr(f, "momentum", &a.Momentum, number("a number from 0 to below 1", below(0, 1)), usual, says("The weight of the past in a running average of gradients; 0: none.", "β in m⁺ = βm + (1−β)g", "0.9"))
}

// describeRhythm describes how long decisions are held. Methods that are nothing without holding hold by default.
func (a *Algorithm) describeRhythm(f *form) {
	switch {
	case a.waits():
		field(f, "contraction", &a.Contraction, number("a number above 0 and below 1", open(0, 1)), says("How much of the distance to its settled state the crowd keeps in a turn; epochs are as long as that asks for.", "L in ⌈ln(j+2)/ln(1/L)⌉ + 1 turns", "0.5"))
	case a.Kind == "repeated-gradient" || a.Kind == "delayed-risk":
		fieldOr(f, "hold", &a.Hold, count(1, maxCount), 10, says("Turns that a decision is deployed before it is learned from; the turns before are not looked at.", "", "10"))
	default:
		fieldOr(f, "hold", &a.Hold, count(1, maxCount), 1, says("Turns that a decision is deployed before it is learned from; the turns before are not looked at.", "", "10"))
	}
}

func (s *Spec) describeSensitivity(f *form, a *Algorithm) {
	ways := []Option{
		option("closed", "By the formulas of the dynamics.", ""),
		option("implicit", "By implicit differentiation of the steady state.", ""),
		option("differences", "By differences of steady states.", ""),
	}
	if a.Kind == "composite" {
		ways = append(ways, option("learned", "From the decisions that were deployed and the samples that were seen; the dynamics are not used.", ""))
	}
	f.refineOr("sensitivity", &a.Sensitivity, "closed", says("How it is known how the settled crowd answers the decision.", "∇ᵤh", "implicit"), ways...)
	if a.Sensitivity == "learned" {
		f.section("learn", says("How the sensitivity is learned.", "", "{form: panel, dither: 0.1}"), a.Learn.describe)
	} else if a.Sensitivity != "differences" {
		fieldOr(f, "at", &a.At, oneOf(option("sample", "Those that were sampled, as they are.", ""), option("settled", "Those where the sampled individuals will settle.", "")), "sample", says("The states at which the sensitivity is taken.", "", "settled"))
	}
	if a.Sensitivity == "closed" && f.may(s.Dynamics.Kind == "polarized") {
		fieldOr(f, "norm", &a.Norm, oneOf(option("current", "That at the state itself.", ""), option("previous", "That of the step that led to the state, as in the published run.", "")), "current", says("The length by which polarized states are brought back to the sphere; only under polarized dynamics.", "‖p̃‖", "previous"))
	}
	if a.Kind == "composite" {
		optionalSection(f, "wrong", &a.Wrong, says("Spoils the sensitivity on purpose, to study robustness.", "", "{scale: 0.5}"), (*Wrong).describe)
	}
}

// describeOwn describes the keys that only one or a few methods have.
func (a *Algorithm) describeOwn(f *form) {
	switch a.Kind {
	case "adam":
		fieldOr(f, "scaling", &a.Scaling, oneOf(option("joint", "The size of the whole gradient.", "v⁺ = β₂v + (1−β₂)‖g‖²/n"), option("each", "Every entry by its own size; only where the set bounds every entry by itself.", "v⁺ = β₂v + (1−β₂)g²")), "joint", says("What gradients are divided by.", "", "each"))
		fieldOr(f, "decay", &a.Decay, number("a number from 0 to below 1", below(0, 1)), 0.999, says("The weight of the past in the size of gradients.", "β₂ in v⁺ = β₂v + (1−β₂)g²", "0.999"))
	case "storm":
		fieldOr(f, "weight", &a.Weight, number("a number above 0, at most 1", above(0, 1)), 0.1, says("How much of a gradient is taken anew in every turn.", "a in gₖ = ĝₖ + (1−a)(gₖ₋₁ − ĝₖ₋₁)", "0.1"))
	case "lazy":
		fieldOr(f, "deploy", &a.Deploy, number("a number ≥ 1", below(1, math.Inf(1))), 1, says("Steps before the first decision after the start is deployed.", "deploy in ⌈deploy·(j+1)^growth⌉", "1"))
		fieldOr(f, "growth", &a.Growth, notNegative(), 1, says("How fast the steps between deployments grow.", "growth in ⌈deploy·(j+1)^growth⌉", "1"))
	case "derivative-free":
		a.describeTrying(f)
		fieldOr(f, "first", &a.First, oneOf(option("skip", "It takes no step.", ""), option("zero", "It compares with 0, as in the published run.", "")), "skip", says("What the first turn does, which has no loss to compare with.", "", "zero"))
		fieldOr(f, "carry", &a.Carry, boolean(), false, says("Whether a trial begins with the last loss of the one before, as in the published run.", "", "true"))
	case "one-point", "two-point", "epoch-derivative-free":
		a.describeTrying(f)
	case "performative", "reinforce":
		a.describeTrying(f)
		optional(f, "window", &a.Window, count(2, maxCount), says("Deployments from which the answer of the crowd is fitted, more than the decision has entries. Without it 2(n + 1).", "", "6"))
	case "plug-in":
		a.describeTrying(f)
		optional(f, "tries", &a.Tries, count(2, maxCount), says("Decisions that are tried before the answer of the crowd is fitted, more than the decision has entries. Without it 4(n + 1).", "", "12"))
		fieldOr(f, "family", &a.Family, oneOf(option("location", "Everybody moves alike.", "p = Gu + b + r"), option("location-scale", "Everybody moves alike, and differences grow or shrink with the decision.", "p = Gu + b + (Ku + c)∘r")), "location", says("How the crowd is taken to answer.", "", "location-scale"))
	}
}

func (a *Algorithm) describeTrying(f *form) {
	field(f, "delta", &a.Delta, positive(), says("How far from its own decision the rule tries others.", "δ in u + δv, ‖v‖ = 1", "2"))
	fieldOr(f, "perturbed", &a.Perturbed, oneOf(option("anywhere", "Outside of the set, too.", ""), option("feasible", "In the set: the rule's own decision stays as far inside. It wants a set with an inside, a ball or a box or such.", "")), "anywhere", says("Where the decisions that are tried may lie.", "", "feasible"))
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
