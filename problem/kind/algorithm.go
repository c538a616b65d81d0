package kind

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// Algorithm is a decision rule to run: a method, and the settings that all methods have.
type Algorithm struct {
	Name   string // the label in results, unique
	Method Method // the default is that of the name

	Step     float64 // η
	Schedule string  // of the step: "constant" η, "inverse-sqrt" η/√(k+1), "horizon" η/√T or "diminishing" η/(1 + k/delay)^power
	Delay    float64 // of diminishing; 0: 1
	Power    float64 // of diminishing; 0: 1
	Batch    int     // individuals sampled a turn; the default is as many as there are
	Clip     float64 // longest gradient; +∞: no clipping
	Momentum float64 // β of the running average of gradients; 0: none
	Average  int     // the step from which on iterates are averaged; 0: none
	Trials   int     // the default is the spec's

	Hold        int     // turns that a decision is deployed before it is learned from
	Contraction float64 // of methods in epochs, instead: by which the population comes closer to settled in a turn
	RateLimit   float64 // the longest change of the decision; 0: none

	Heeding // of methods that follow gradients, under constraints
	Playing // of methods that follow gradients, with several players
}

// Heeding is how a rule keeps constraints.
type Heeding struct {
	Heed     bool    // keep them
	DualStep float64 // η of the multipliers
	Leak     float64 // ε by which they forget
}

// Playing is how players move.
type Playing struct {
	Play       string // "simultaneous", "alternating", "best-response", "alternating-response" or "planner"
	Anticipate bool   // that the others go on as they have begun
}

// Kind returns the name of the method.
func (a *Algorithm) Kind() string { return form.NameOf(a.Method) }

// Facts returns what is known of the method.
func (a *Algorithm) Facts() Facts {
	if a.Method == nil {
		return Facts{}
	}
	return a.Method.Facts()
}

// Random tells whether trials differ even if everybody is sampled.
func (a *Algorithm) Random() bool {
	known := a.Facts()
	return known.Draws || known.Needs.Panel
}

// Words says what runs.
func (a *Algorithm) Words() string {
	how := []string{"step " + phrase.Exact(a.Step), phrase.Count(a.Batch, "individual") + " sampled a turn", phrase.Count(a.Trials, "trial")}
	if a.Kind() != a.Name {
		how = append([]string{a.Kind()}, how...)
	}
	return a.Name + " (" + strings.Join(how, ", ") + ")"
}

// Describe describes the algorithm by its method and the keys of that.
func (a *Algorithm) Describe(f *form.Form, h *Host) {
	form.Field(f, "name", &a.Name, form.Label(), form.Says("The label in results; no other algorithm has it.", "", "composite"))
	kind := a.Kind()
	methods := form.OneOf(h.Kinds.methodWords()...)
	if a.Name == "" || h.Kinds.MethodOf(a.Name) != nil {
		methods = methods.Like("name", a.Name)
	}
	f.Choose("kind", &kind, methods, form.Says("The decision rule.", "", "composite"))
	if kind != a.Kind() {
		a.Method = h.Kinds.MethodOf(kind)
	}
	known := a.Facts()
	a.describeStep(f, known)
	form.Field(f, "batch", &a.Batch, h.everybody(), form.Says("Individuals sampled a turn.", "", "50"))
	form.Field(f, "clip", &a.Clip, form.Number("a number above 0 or .inf", form.Above(0, math.Inf(1))).Or(math.Inf(1)), form.Says("The longest gradient: longer ones are shortened to it; .inf: none are.", "", "10"))
	form.Field(f, "momentum", &a.Momentum, form.Number("a number from 0 to below 1", form.Below(0, 1)).Or(known.Momentum), form.Says("The weight of the past in a running average of gradients; 0: none.", "β in m⁺ = βm + (1−β)g", "0.9"))
	a.describeRhythm(f, known)
	form.Field(f, "average", &a.Average, form.Count(1, maxCount).Optional(), form.Says("The step from which on iterates are averaged, 1 for all; the average is what is recommended and measured. Without it there is no average.", "ū = mean of u_average … uₖ", "1"))
	form.Field(f, "rate-limit", &a.RateLimit, form.Positive().Optional(), form.Says("The longest change of the decision from one to the next. Without it there is none.", "‖u⁺ − u‖ ≤ rate-limit", "0.1"))
	form.Field(f, "trials", &a.Trials, form.Count(1, maxCount).Like("trials", h.Trials), form.Says("Trials of this algorithm, 1 where nothing about it is random.", "", "1"))
	if f.May(h.Constrained && known.Follows) {
		a.Heeding.describe(f, a.Step)
	}
	if f.May(h.Contested && known.Follows) {
		a.Playing.describe(f)
	}
	if a.Method != nil {
		a.Method.Describe(f, h)
	}
}

func (a *Algorithm) describeStep(f *form.Form, known Facts) {
	size := form.Says("The step size.", "η", "0.005")
	if known.Step == Share {
		form.Field(f, "step", &a.Step, form.Number("a number above 0, at most 1", form.Above(0, 1)).Or(1), size)
	} else {
		form.Field(f, "step", &a.Step, form.Positive(), size)
	}
	usual := "constant"
	if known.Epochs {
		usual = "diminishing"
	}
	form.Field(f, "schedule", &a.Schedule, form.OneOf(
		form.Choice("constant", "Not at all.", "η"),
		form.Choice("inverse-sqrt", "It falls from turn to turn.", "η/√(k+1)"),
		form.Choice("horizon", "It is smaller for longer runs.", "η/√T"),
		form.Choice("diminishing", "It falls from turn to turn, as delay and power say.", "η/(1 + k/delay)^power"),
	).Or(usual), form.Says("How the step size changes over turns k of T.", "", "inverse-sqrt"))
	form.Field(f, "delay", &a.Delay, form.Positive().Optional(), form.Says("Steps before a diminishing step size falls much; without it 1.", "η/(1 + k/delay)^power", "100"))
	form.Field(f, "power", &a.Power, form.Number("a number above 0, at most 1", form.Above(0, 1)).Optional(), form.Says("How fast a diminishing step size falls; without it 1.", "η/(1 + k/delay)^power", "0.6"))
}

// describeRhythm describes how long decisions are held. Methods that are nothing without holding hold by default.
func (a *Algorithm) describeRhythm(f *form.Form, known Facts) {
	if known.Epochs {
		form.Field(f, "contraction", &a.Contraction, form.Number("a number above 0 and below 1", form.Open(0, 1)), form.Says("How much of the distance to its settled state the crowd keeps in a turn; epochs are as long as that asks for.", "L in ⌈ln(j+2)/ln(1/L)⌉ + 1 turns", "0.5"))
		return
	}
	form.Field(f, "hold", &a.Hold, form.Count(1, maxCount).Or(max(1, known.Hold)), form.Says("Turns that a decision is deployed before it is learned from; the turns before are not looked at.", "", "10"))
}

func (d *Heeding) describe(f *form.Form, step float64) {
	form.Field(f, "heed", &d.Heed, form.Boolean().Or(true), form.Says("Whether the rule keeps the constraints.", "u⁺ = Π(u − η(∇Φ̃ + Σ λ∇c)/max(1, Σ λ))", "false"))
	form.Field(f, "dual-step", &d.DualStep, form.Positive().Like("algorithms.step", step), form.Says("The step size of the multipliers; it follows the same schedule.", "η in λ⁺ = max(0, λ + η(c − ελ))", "0.05"))
	form.Field(f, "leak", &d.Leak, form.NotNegative().Or(0), form.Says("How fast multipliers forget: above 0 they swing less and constraints are broken a little.", "ε in λ⁺ = max(0, λ + η(c − ελ))", "0.01"))
}

func (p *Playing) describe(f *form.Form) {
	form.Field(f, "play", &p.Play, form.OneOf(
		form.Choice("simultaneous", "All in every turn, each along its own gradient.", "uⱼ⁺ = Πⱼ(uⱼ − η(∂Φⱼ/∂uⱼ + ∇ᵤⱼh ∂Φⱼ/∂p))"),
		form.Choice("alternating", "One after the other, a turn each, along its own gradient.", ""),
		form.Choice("best-response", "All in every turn, to the decision that is best if the others stay; a step below 1 goes a part of the way. Vanilla takes the crowd for given.", "uⱼ⁺ = argmin Φ̃ⱼ(·, u₋ⱼ)"),
		form.Choice("alternating-response", "One after the other, a turn each, to the decision that is best if the others stay.", "uⱼ⁺ = argmin Φ̃ⱼ(·, u₋ⱼ)"),
		form.Choice("planner", "As one who owns all parts and minimizes the sum of all losses.", "u⁺ = Π(u − η∇ΣΦ̃ⱼ)"),
	).Or("simultaneous"), form.Says("How players move.", "", "alternating"))
	form.Field(f, "anticipate", &p.Anticipate, form.Boolean().Or(false), form.Says("Whether players expect the others to go on as they have begun.", "2gₖ − gₖ₋₁ instead of gₖ", "true"))
}

// Check looks for settings that exclude each other.
func (a *Algorithm) Check(c *form.Check, path string) {
	for _, one := range []struct {
		key string
		set bool
	}{{"delay", a.Delay != 0}, {"power", a.Power != 0}} {
		c.FailIf(one.set && a.Schedule != "diminishing" && c.Sound(path+".schedule"), form.Paths(path+"."+one.key, path+".schedule"),
			"%s.%s is of schedule diminishing, but the schedule is %s", path, one.key, a.Schedule)
	}
	c.FailIf(a.Anticipate && a.Momentum > 0 && a.Facts().Momentum == 0 && c.Sound(path), form.Paths(path+".momentum", path+".anticipate"),
		"%s.momentum is %v, but players who anticipate act on gradients as they will be, not on an average of past ones; want 0", path, a.Momentum)
	if m, ok := a.Method.(CheckedMethod); ok {
		m.Check(c, a, path)
	}
}

// Steps returns how a step size changes over the turns of a trial.
func (a *Algorithm) Steps(size float64, turns int) online.Schedule {
	switch a.Schedule {
	case "inverse-sqrt":
		return online.InverseSqrt(size)
	case "horizon":
		return online.Horizon{Eta: size, Turns: turns}
	case "diminishing":
		return online.Diminishing{Eta: size, Delay: cmp.Or(a.Delay, 1), Power: cmp.Or(a.Power, 1)}
	}
	return online.Constant(size)
}

// Rule makes the decision rule.
func (a *Algorithm) Rule(s *Site) (online.Rule, error) {
	if a.Method == nil {
		return online.Rule{}, fmt.Errorf("%s has no method", a.Name)
	}
	r := online.Rule{Transforms: a.clipping(), Step: a.Steps(a.Step, s.Turns), Set: s.Set, Average: a.Average}
	switch {
	case a.Anticipate:
		r.Transforms = append(r.Transforms, &online.Optimistic{})
	case a.Momentum > 0:
		r.Transforms = append(r.Transforms, &online.Momentum{Beta: a.Momentum})
	}
	switch {
	case a.Facts().Epochs:
		r.Wait = online.Settling{Contraction: a.Contraction}
	case a.Hold > 1:
		r.Wait = online.Hold(a.Hold)
	}
	err := a.Method.Build(&r, a, s)
	return r, err
}

// clipping is the transform that shortens gradients, if there is one.
func (a *Algorithm) clipping() []online.Transform {
	if math.IsInf(a.Clip, 1) {
		return nil
	}
	return []online.Transform{online.Clip{Norm: a.Clip}}
}
