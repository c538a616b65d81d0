// Package live is the section of a spec on how a rule decides for people who are elsewhere.
package live

import (
	"math"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/problem/form"
)

// Arrangement are how a rule decides for people who are elsewhere: when, on how many of them, and how far it may go.
type Arrangement struct {
	Algorithm string // whose rule decides; empty: the first of the spec
	Trial     int    // whose random numbers it draws

	Period time.Duration // between decisions
	Step   time.Duration // of the model's dynamics
	Settle time.Duration // after a deployment, before people's answers count

	Deploy  time.Duration // a decision that is not deployed by then lapses
	Data    time.Duration // after a deployment; then somebody is told, and after twice that it holds
	Approve time.Duration // a proposal that nobody approves by then is rejected
	GiveUp  time.Duration // after a deployment; a decision that is not closed by then is abandoned

	Least   int    // people who must have answered; weighted ones count as many as they are worth
	Weights string // whether rows have weights and ids: none, optional or required
	IDs     string
	Traits  string // optional or required

	StateRange, TraitRange []float64 // what entries can be, from and to; who is outside does not count
	Beyond                 float64   // how many deviations from the median somebody may be to count
	Share                  float64   // of people who do not count, above which it holds

	Norm      *float64 // cap on how far a decision is from what is live; nil: none was named
	Each, Day float64  // the same by entry, and in all of 24 hours
	Lead      *float64 // how far the iterate may be from what is live; nil: Norm
	Safe      []float64
	Approval  string   // never, always or beyond
	Large     *float64 // the change that wants approval

	TrustWindow    int       // closes over which the model is judged; 0: it is not
	TrustBetween   []float64 // what part of the model's answer people may show, from and to
	TrustOtherwise string    // hold, vanilla or warn

	MixOf    form.Chosen // traits whose mix is watched
	Declared []Mix       // of traits whose mix is known
	MixAlpha float64     // how unlikely a mix must be

	Guardrails []Guardrail

	Retain time.Duration // how long after its end a decision keeps who answered it
}

// What rows of people have besides their states.
const (
	Without  = "none"
	Optional = "optional"
	Required = "required"
)

// When a decision wants approval.
const (
	ApproveNever  = "never"
	ApproveAlways = "always"
	ApproveBeyond = "beyond"
)

// Vanilla is what a rule falls back on whose model is not trusted.
const Vanilla = "vanilla"

const day = 24 * time.Hour

func anything() []float64 { return []float64{math.Inf(-1), math.Inf(1)} }

// Simulated leaves out what is for people: a simulated crowd is as its spec has it.
func (l *Arrangement) Simulated() {
	l.Beyond, l.TrustWindow = math.Inf(1), 0
}

// Steps is how many steps of the model's dynamics lie between two decisions.
func (l *Arrangement) Steps() int {
	if l.Step <= 0 {
		return 1
	}
	return int(max(1, min(l.Period/l.Step, 64)))
}

// New is what is so unless a spec says otherwise.
func New() *Arrangement {
	l := &Arrangement{}
	form.Read(&form.Node{Shape: form.Mapping}, &form.Mistakes{}, l.Describe)
	return l
}

// Describe reads and writes the section.
func (l *Arrangement) Describe(f *form.Form) {
	span, limit := form.Span(), form.Number("a number above 0; .inf: none", form.Above(0, math.Inf(1)))
	form.Field(f, "algorithm", &l.Algorithm, form.Label().Optional(), form.Says("Which algorithm of the spec decides; without it the first.", "", "composite"))
	form.Field(f, "trial", &l.Trial, form.Count(0, math.MaxInt32).Or(0), form.Says("Which trial's random numbers the rule draws, as kedge run counts trials from 0: loops with other numbers try other decisions out.", "", "3"))
	f.Section("time", form.Says("What the clock has to do with people.", "", ""), func(f *form.Form) {
		form.Field(f, "period", &l.Period, span.Or(day), form.Says("How long it is from a decision to the next.", "", "24h"))
		form.Field(f, "step", &l.Step, span.Or(day), form.Says("How long one step of the model's dynamics takes: period / step of them lie between two decisions.", "p⁺ = f(p, u, d)", "24h"))
		form.Field(f, "settle", &l.Settle, span.Or(0), form.Says("How long after a deployment people's answers begin to count.", "", "6h"))
	})
	f.Section("deadlines", form.Says("When what has not happened no longer counts. Nothing of it takes a step.", "", ""), func(f *form.Form) {
		form.Field(f, "deploy", &l.Deploy, form.SpanOrNever().Or(24*time.Hour), form.Says("A decision that is not deployed by then lapses; the same is offered again.", "", "24h"))
		form.Field(f, "data", &l.Data, form.SpanOrNever().Or(36*time.Hour), form.Says("How long after a deployment an alarm is raised if the decision is not closed.", "", "36h"))
		form.Field(f, "approve", &l.Approve, form.SpanOrNever().Or(24*time.Hour), form.Says("A proposal that nobody approves by then is rejected.", "", "24h"))
		form.Field(f, "give-up", &l.GiveUp, form.SpanOrNever().Or(form.Never), form.Says("How long after a deployment a decision is abandoned that was not closed.", "", "7d"))
	})
	f.Section("samples", form.Says("Who must have answered before a step is taken.", "", ""), func(f *form.Form) {
		may, must := form.Choice(Optional, "A row may have one.", ""), form.Choice(Required, "Every row has one.", "")
		any := form.OneOf(form.Choice(Without, "No row has one.", ""), may, must)
		form.Field(f, "least", &l.Least, form.Count(1, math.MaxInt32).Or(100), form.Says("How many people, where they are weighted as many as their weights are worth; with fewer no step is taken.", "n = (Σw)²/Σw²", "200"))
		form.Field(f, "weights", &l.Weights, any.Or(Without), form.Says("Whether rows have weights.", "", Optional))
		form.Field(f, "traits", &l.Traits, form.OneOf(may, must).Or(Required), form.Says("Whether rows have traits. A row without one is kept and does not count.", "d", Optional))
		form.Field(f, "ids", &l.IDs, any.Or(Without), form.Says("Whether rows say who answered.", "", Optional))
	})
	f.Section("outliers", form.Says("Who does not count because nobody answers like that.", "", ""), func(f *form.Form) {
		pair := form.Numbers(form.Number("a number", form.Closed(math.Inf(-1), math.Inf(1))))
		form.Field(f, "state", &l.StateRange, pair.Or(anything()), form.Says("What entries of states can be, from and to. Rows outside are kept, listed, and do not count.", "", "[0, 100]"))
		form.Field(f, "trait", &l.TraitRange, pair.Or(anything()), form.Says("The same of traits.", "", "[0, 1]"))
		form.Field(f, "beyond", &l.Beyond, form.Number("a number above 0; .inf: any", form.Above(0, math.Inf(1))).Or(12), form.Says("How far an entry may be from its median over the last 5 closes, in deviations of that time: 1.4826 MAD or, of people in several heaps or with long tails, a part of what lies between the 2nd and the 98th hundredth.", "|x − median| / max(1.4826 MAD, (q₉₈ − q₂)/4.1)", "12"))
		form.Field(f, "share", &l.Share, form.Share().Or(0.02), form.Says("If more people than that do not count, no step is taken.", "", "0.02"))
	})
	f.Section("cap", form.Says("How far a decision may be from what is live.", "", ""), func(f *form.Form) {
		form.Field(f, "norm", &l.Norm, form.Pointed(limit).Optional(), form.Says("As a whole. It must be written for a loop to leave the shadow; .inf will do.", "‖u − live‖", "0.5"))
		form.Field(f, "each", &l.Each, limit.Or(math.Inf(1)), form.Says("Every entry.", "|uᵢ − liveᵢ|", "0.1"))
		form.Field(f, "day", &l.Day, limit.Or(math.Inf(1)), form.Says("All changes of the last 24 hours together.", "Σ‖Δu‖", "1"))
	})
	form.Field(f, "lead", &l.Lead, form.Pointed(form.Number("a number ≥ 0; .inf: any", form.Closed(0, math.Inf(1)))).Optional(), form.Says("How far the iterate of the rule may be from what is live: more than what deployments are rounded to. Without it as far as cap.norm.", "", "0.2"))
	form.Field(f, "safe", &l.Safe, form.Numbers(form.Finite()).Optional(), form.Says("The decision after a kill. It must be feasible, and there for a loop to leave the shadow.", "", "[5, 5, 8]"))
	form.Field(f, "approval", &l.Approval, form.OneOf(form.Choice(ApproveNever, "None.", ""), form.Choice(ApproveAlways, "All of them.", ""), form.Choice(ApproveBeyond, "Those that change what is live by more than beyond.", "")).Or(ApproveNever), form.Says("Which decisions wait until somebody approves them.", "", "always"))
	form.Field(f, "beyond", &l.Large, form.Pointed(form.NotNegative()).Optional(), form.Says("With approval: beyond, how large a change wants approval.", "‖u − live‖", "0.5"))
	f.Section("trust", form.Says("Whether people answer decisions as much as the model says, where the rule goes by it.", "", ""), func(f *form.Form) {
		form.Field(f, "window", &l.TrustWindow, form.Count(0, 1000).Or(30), form.Says("Over how many closes that is judged; 0: not at all.", "", "30"))
		form.Field(f, "between", &l.TrustBetween, form.Numbers(form.NotNegative()).Or([]float64{0.5, 2}), form.Says("What part of the model's answer people may show, from and to.", "", "[0.5, 2]"))
		form.Field(f, "otherwise", &l.TrustOtherwise, form.OneOf(
			form.Choice(Hold, "Take no step.", ""),
			form.Choice(Vanilla, "Take the steps of vanilla, which need no model of the answer.", ""),
			form.Choice(Warn, "Raise an alarm, and go on.", "")).Or(Hold), form.Says("What happens while the model is not trusted.", "", Vanilla))
	})
	f.Section("mix", form.Says("Whether those answer who answered at first.", "", ""), func(f *form.Form) {
		form.Field(f, "of", &l.MixOf, form.SomeEntries().Optional(), form.Says("The traits whose mix is compared with that of the first 5 closes, by number or by name; without it none.", "d", "[0, 2]"))
		form.Field(f, "declared", &l.Declared, form.Parts("a list of mixes", describeMix).Optional(), form.Says("Mixes that are known, as from a census: people are compared with them from the first close on. Without it there are none.", "", ""))
		form.Field(f, "alpha", &l.MixAlpha, form.Number("a number between 0 and 1", form.Open(0, 1)).Or(0.001), form.Says("How unlikely a mix must be, twice one after the other, for no step to be taken.", "p < alpha by χ²", "0.001"))
	})
	form.Field(f, "guardrails", &l.Guardrails, form.Parts("a list of guardrails", describeGuardrail).Optional(), form.Says("Bounds that people must keep: each is judged at every close, and acts when it fails. Without it there are none.", "", ""))
	f.Section("retain", form.Says("What is kept, and how long.", "", ""), func(f *form.Form) {
		form.Field(f, "samples", &l.Retain, form.SpanOrNever().Or(90*24*time.Hour), form.Says("How long after the end of a decision the people who answered it are kept; those of the newest two always are.", "", "90d"))
	})
}

// Cap is how far a decision may be from what is live.
func (l *Arrangement) Cap() float64 {
	if l.Norm == nil {
		return math.Inf(1)
	}
	return *l.Norm
}

// Ahead is how far the iterate may be from what is live.
func (l *Arrangement) Ahead() float64 {
	if l.Lead == nil {
		return l.Cap()
	}
	return *l.Lead
}

// Check refuses what does not fit the rest of the spec.
func (l *Arrangement) Check(c *form.Check, decision form.Length, algorithms, constraints []string) {
	if l == nil {
		return
	}
	known := l.Algorithm == "" || slices.Contains(algorithms, l.Algorithm)
	c.FailIf(!known && c.Sound("algorithms"), form.Paths("live.algorithm"), "live.algorithm is %s, which is none of the spec's algorithms", l.Algorithm)
	if l.Safe != nil && c.Sound("live.safe") {
		c.Length("live.safe", len(l.Safe), decision)
	}
	c.FailIf((l.Approval == ApproveBeyond) != (l.Large != nil) && c.Sound("live.approval", "live.beyond"), form.Paths("live.approval", "live.beyond"),
		"live.approval beyond and live.beyond belong together, want both or none")
	checkPair(c, "live.outliers.state", l.StateRange)
	checkPair(c, "live.outliers.trait", l.TraitRange)
	checkPair(c, "live.trust.between", l.TrustBetween)
	l.checkGuardrails(c, constraints)
	l.checkMixes(c)
}

// checkPair refuses what is not a range of numbers.
func checkPair(c *form.Check, path string, pair []float64) {
	c.FailIf(c.Sound(path) && !(len(pair) == 2 && pair[0] < pair[1]), form.Paths(path), "%s is %v, want two numbers, the smaller first", path, pair)
}
