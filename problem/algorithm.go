package problem

import (
	"math"
	"strings"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
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
func kinds() (list []form.Option) {
	texts := map[string]form.Option{
		"vanilla":               form.Choice("", "Descends as if the crowd did not answer.", "u⁺ = Π(u − η ∇ᵤΦ(p, u))"),
		"lazy":                  form.Choice("", "Descends like vanilla, and deploys the decision only after several steps.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)), deployed after ⌈deploy·(j+1)^growth⌉ steps"),
		"repeated-gradient":     form.Choice("", "Descends like vanilla once the crowd has settled under every decision.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u"),
		"repeated-risk":         form.Choice("", "Takes the decision that is best for the crowd as it was sampled.", "u⁺ = argmin Φ(p, ·)"),
		"delayed-risk":          form.Choice("", "Takes the decision that is best for the crowd once it has settled under the one before.", "u⁺ = argmin Φ(p, ·) after holding u"),
		"epoch":                 form.Choice("", "Descends like vanilla after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"composite":             form.Choice("", "Counts the answer of the settled crowd.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ))"),
		"epoch-composite":       form.Choice("", "Descends like composite after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"adam":                  form.Choice("", "Descends like composite, by averages of the gradient over averages of its size.", "u⁺ = Π(u − η m̂/(√v̂ + 1e-8))"),
		"storm":                 form.Choice("", "Descends like composite, with less noise: half of a sample is seen a second time in the next turn.", "gₖ = ĝ(uₖ, pₖ) + (1−a)(gₖ₋₁ − ĝ(uₖ₋₁, pₖ₋₁)), both ĝ of the same people"),
		"one-point":             form.Choice("", "Follows the loss of a perturbed decision; it knows no derivatives.", "g = (n/δ)Φ̂v at u + δv"),
		"two-point":             form.Choice("", "Compares the losses of two opposite perturbed decisions; it knows no derivatives.", "g = (n/2δ)(Φ̂₊ − Φ̂₋)v at u + δv and u − δv"),
		"derivative-free":       form.Choice("", "Compares the losses of successive perturbed decisions; it knows no derivatives.", "g = (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v at u + δv"),
		"epoch-derivative-free": form.Choice("", "Follows the losses of perturbed decisions after epochs that grow with the logarithm of their number.", "g = (n/δ)Φ̂v after holding u + δv for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns"),
		"performative":          form.Choice("", "Fits how the mean of the crowd answers perturbed decisions and counts that answer.", "g = ∇ᵤΦ + Jᵀ∇ₚΦ, p̄ ≈ Ju + b"),
		"reinforce":             form.Choice("", "The same by scores of a normal crowd, without derivatives by the state.", "g = ∇ᵤΦ + Jᵀcov(p)⁻¹cov(p, Φ), p̄ ≈ Ju + b"),
		"plug-in":               form.Choice("", "Tries some decisions, fits how the crowd answers, goes to where the fitted crowd is best and stays there.", "u⁺ = argmin mean Φ(Gu + b + r, u)"),
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

func (s *Spec) describeAlgorithm(f *form.Form, a *Algorithm) {
	form.Field(f, "name", &a.Name, form.Label(), form.Says("The label in results; no other algorithm has it.", "", "composite"))
	f.ChooseLike("kind", &a.Kind, "name", a.Name, form.Says("The decision rule.", "", "composite"), kinds()...)
	a.describeStep(f)
	form.FieldLike(f, "batch", &a.Batch, form.Count(1, maxCount), "population.size", s.Population.Size, form.Says("Individuals sampled a turn.", "", "50"))
	form.FieldOr(f, "clip", &a.Clip, form.Number("a number above 0 or .inf", form.Above(0, math.Inf(1))), math.Inf(1), form.Says("The longest gradient: longer ones are shortened to it; .inf: none are.", "", "10"))
	a.describeMomentum(f)
	a.describeRhythm(f)
	form.Optional(f, "average", &a.Average, form.Count(1, maxCount), form.Says("The step from which on iterates are averaged, 1 for all; the average is what is recommended and measured. Without it there is no average.", "ū = mean of u_average … uₖ", "1"))
	form.Optional(f, "rate-limit", &a.RateLimit, form.Positive(), form.Says("The longest change of the decision from one to the next. Without it there is none.", "‖u⁺ − u‖ ≤ rate-limit", "0.1"))
	form.FieldLike(f, "trials", &a.Trials, form.Count(1, maxCount), "trials", s.Trials, form.Says("Trials of this algorithm, 1 where nothing about it is random.", "", "1"))
	s.describeDual(f, a)
	s.describePlay(f, a)
	if a.needs().Sensitivity {
		s.describeSensitivity(f, a)
	}
	a.describeOwn(f)
}

func (a *Algorithm) describeStep(f *form.Form) {
	if a.jumps() {
		form.FieldOr(f, "step", &a.Step, form.Number("a number above 0, at most 1", form.Above(0, 1)), 1, form.Says("The step size.", "η", "0.005"))
	} else {
		form.Field(f, "step", &a.Step, form.Positive(), form.Says("The step size.", "η", "0.005"))
	}
	usual := "constant"
	if a.waits() {
		usual = "diminishing"
	}
	form.FieldOr(f, "schedule", &a.Schedule, form.OneOf(form.Choice("constant", "Not at all.", "η"), form.Choice("inverse-sqrt", "It falls from turn to turn.", "η/√(k+1)"), form.Choice("horizon", "It is smaller for longer runs.", "η/√T"), form.Choice("diminishing", "It falls from turn to turn, as delay and power say.", "η/(1 + k/delay)^power")), usual, form.Says("How the step size changes over turns k of T.", "", "inverse-sqrt"))
	form.Optional(f, "delay", &a.Delay, form.Positive(), form.Says("Steps before a diminishing step size falls much; without it 1.", "η/(1 + k/delay)^power", "100"))
	form.Optional(f, "power", &a.Power, form.Number("a number above 0, at most 1", form.Above(0, 1)), form.Says("How fast a diminishing step size falls; without it 1.", "η/(1 + k/delay)^power", "0.6"))
}

func (a *Algorithm) describeMomentum(f *form.Form) {
	usual := 0.0
	if a.Kind == "adam" {
		usual = 0.9
	}
	form.FieldOr(f, "momentum", &a.Momentum, form.Number("a number from 0 to below 1", form.Below(0, 1)), usual, form.Says("The weight of the past in a running average of gradients; 0: none.", "β in m⁺ = βm + (1−β)g", "0.9"))
}

// describeRhythm describes how long decisions are held. Methods that are nothing without holding hold by default.
func (a *Algorithm) describeRhythm(f *form.Form) {
	switch {
	case a.waits():
		form.Field(f, "contraction", &a.Contraction, form.Number("a number above 0 and below 1", form.Open(0, 1)), form.Says("How much of the distance to its settled state the crowd keeps in a turn; epochs are as long as that asks for.", "L in ⌈ln(j+2)/ln(1/L)⌉ + 1 turns", "0.5"))
	case a.Kind == "repeated-gradient" || a.Kind == "delayed-risk":
		form.FieldOr(f, "hold", &a.Hold, form.Count(1, maxCount), 10, form.Says("Turns that a decision is deployed before it is learned from; the turns before are not looked at.", "", "10"))
	default:
		form.FieldOr(f, "hold", &a.Hold, form.Count(1, maxCount), 1, form.Says("Turns that a decision is deployed before it is learned from; the turns before are not looked at.", "", "10"))
	}
}

func (s *Spec) describeSensitivity(f *form.Form, a *Algorithm) {
	ways := []form.Option{
		form.Choice("closed", "By the formulas of the dynamics.", ""),
		form.Choice("implicit", "By implicit differentiation of the steady state.", ""),
		form.Choice("differences", "By differences of steady states.", ""),
	}
	if a.Kind == "composite" {
		ways = append(ways, form.Choice("learned", "From the decisions that were deployed and the samples that were seen; the dynamics are not used.", ""))
	}
	f.RefineOr("sensitivity", &a.Sensitivity, "closed", form.Says("How it is known how the settled crowd answers the decision.", "∇ᵤh", "implicit"), ways...)
	if a.Sensitivity == "learned" {
		f.Section("learn", form.Says("How the sensitivity is learned.", "", "{form: panel, dither: 0.1}"), a.Learn.describe)
	} else if a.Sensitivity != "differences" {
		form.FieldOr(f, "at", &a.At, form.OneOf(form.Choice("sample", "Those that were sampled, as they are.", ""), form.Choice("settled", "Those where the sampled individuals will settle.", "")), "sample", form.Says("The states at which the sensitivity is taken.", "", "settled"))
	}
	if a.Sensitivity == "closed" && f.May(s.Dynamics.Kind == "polarized") {
		form.FieldOr(f, "norm", &a.Norm, form.OneOf(form.Choice("current", "That at the state itself.", ""), form.Choice("previous", "That of the step that led to the state, as in the published run.", "")), "current", form.Says("The length by which polarized states are brought back to the sphere; only under polarized dynamics.", "‖p̃‖", "previous"))
	}
	if a.Kind == "composite" {
		form.OptionalSection(f, "wrong", &a.Wrong, form.Says("Spoils the sensitivity on purpose, to study robustness.", "", "{scale: 0.5}"), (*Wrong).describe)
	}
}

// describeOwn describes the keys that only one or a few methods have.
func (a *Algorithm) describeOwn(f *form.Form) {
	switch a.Kind {
	case "adam":
		form.FieldOr(f, "scaling", &a.Scaling, form.OneOf(form.Choice("joint", "The size of the whole gradient.", "v⁺ = β₂v + (1−β₂)‖g‖²/n"), form.Choice("each", "Every entry by its own size; only where the set bounds every entry by itself.", "v⁺ = β₂v + (1−β₂)g²")), "joint", form.Says("What gradients are divided by.", "", "each"))
		form.FieldOr(f, "decay", &a.Decay, form.Number("a number from 0 to below 1", form.Below(0, 1)), 0.999, form.Says("The weight of the past in the size of gradients.", "β₂ in v⁺ = β₂v + (1−β₂)g²", "0.999"))
	case "storm":
		form.FieldOr(f, "weight", &a.Weight, form.Number("a number above 0, at most 1", form.Above(0, 1)), 0.1, form.Says("How much of a gradient is taken anew in every turn.", "a in gₖ = ĝₖ + (1−a)(gₖ₋₁ − ĝₖ₋₁)", "0.1"))
	case "lazy":
		form.FieldOr(f, "deploy", &a.Deploy, form.Number("a number ≥ 1", form.Below(1, math.Inf(1))), 1, form.Says("Steps before the first decision after the start is deployed.", "deploy in ⌈deploy·(j+1)^growth⌉", "1"))
		form.FieldOr(f, "growth", &a.Growth, form.NotNegative(), 1, form.Says("How fast the steps between deployments grow.", "growth in ⌈deploy·(j+1)^growth⌉", "1"))
	case "derivative-free":
		a.describeTrying(f)
		form.FieldOr(f, "first", &a.First, form.OneOf(form.Choice("skip", "It takes no step.", ""), form.Choice("zero", "It compares with 0, as in the published run.", "")), "skip", form.Says("What the first turn does, which has no loss to compare with.", "", "zero"))
		form.FieldOr(f, "carry", &a.Carry, form.Boolean(), false, form.Says("Whether a trial begins with the last loss of the one before, as in the published run.", "", "true"))
	case "one-point", "two-point", "epoch-derivative-free":
		a.describeTrying(f)
	case "performative", "reinforce":
		a.describeTrying(f)
		form.Optional(f, "window", &a.Window, form.Count(2, maxCount), form.Says("Deployments from which the answer of the crowd is fitted, more than the decision has entries. Without it 2(n + 1).", "", "6"))
	case "plug-in":
		a.describeTrying(f)
		form.Optional(f, "tries", &a.Tries, form.Count(2, maxCount), form.Says("Decisions that are tried before the answer of the crowd is fitted, more than the decision has entries. Without it 4(n + 1).", "", "12"))
		form.FieldOr(f, "family", &a.Family, form.OneOf(form.Choice("location", "Everybody moves alike.", "p = Gu + b + r"), form.Choice("location-scale", "Everybody moves alike, and differences grow or shrink with the decision.", "p = Gu + b + (Ku + c)∘r")), "location", form.Says("How the crowd is taken to answer.", "", "location-scale"))
	}
}

func (a *Algorithm) describeTrying(f *form.Form) {
	form.Field(f, "delta", &a.Delta, form.Positive(), form.Says("How far from its own decision the rule tries others.", "δ in u + δv, ‖v‖ = 1", "2"))
	form.FieldOr(f, "perturbed", &a.Perturbed, form.OneOf(form.Choice("anywhere", "Outside of the set, too.", ""), form.Choice("feasible", "In the set: the rule's own decision stays as far inside. It wants a set with an inside, a ball or a box or such.", "")), "anywhere", form.Says("Where the decisions that are tried may lie.", "", "feasible"))
}

func (c *check) algorithms() {
	seen := map[string]bool{}
	for i := range c.s.Algorithms {
		a, path := &c.s.Algorithms[i], c.s.origin.Get("algorithms").Items[i].Path
		if seen[a.Name] && c.Sound(path+".name") {
			c.Fail(form.Paths(path+".name"), "%s.name is %s, which another algorithm has", path, a.Name)
		}
		seen[a.Name] = true
		c.batch(path+".batch", a.Batch)
		c.fitting(a, path)
	}
}

// fitting looks for settings of an algorithm that exclude each other.
func (c *check) fitting(a *Algorithm, path string) {
	if a.Norm == "previous" && c.s.Objective.Kind != "affinity" && c.Sound("objective.kind") {
		c.Fail(form.Paths(path+".norm", "objective.kind"), "%s.norm is previous, which wants objective.kind affinity", path)
	}
	for _, one := range []struct {
		key string
		set bool
	}{{"delay", a.Delay != 0}, {"power", a.Power != 0}} {
		if one.set && a.Schedule != "diminishing" && c.Sound(path+".schedule") {
			c.Fail(form.Paths(path+"."+one.key, path+".schedule"), "%s.%s is of schedule diminishing, but the schedule is %s", path, one.key, a.Schedule)
		}
	}
	if a.Kind == "storm" && a.Batch%2 != 0 && c.Sound(path+".batch") {
		c.Fail(form.Paths(path+".batch"), "%s.batch is %d, but storm wants an even number: half of a sample is seen again", path, a.Batch)
	}
	if a.Kind == "storm" && a.Hold > 1 && c.Sound(path+".hold") {
		c.Fail(form.Paths(path+".hold"), "%s.hold is %d, but storm sees people again in the next turn; hold decisions by the key hold of the spec", path, a.Hold)
	}
	if c.s.Generator == "numpy" && c.Sound("generator", path) && !a.published() {
		c.Fail(form.Paths(path+".kind", "generator"), "generator numpy draws what the published runs drew: vanilla, composite and derivative-free, held for one turn")
	}
}

// published tells whether the algorithm is one of the published runs, whose draws are known.
func (a *Algorithm) published() bool {
	return (a.Kind == "vanilla" || a.Kind == "composite" || a.Kind == "derivative-free") && a.Hold == 1
}

func (c *check) batch(path string, batch int) {
	p := &c.s.Population
	if !c.Sound(path, "population.size") {
		return
	}
	if p.Sampling == "without-replacement" && batch > p.Size {
		c.Fail(form.Paths(path, "population.size", "population.sampling"),
			"%s is %d, but population.size is %d and sampling is without-replacement", path, batch, p.Size)
	}
	c.fits(path, batch, "sampled individuals")
}
