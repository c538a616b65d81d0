// Package problem reads problems written in YAML, strictly: a key that is not known, a value of the wrong type or outside its
// range, a dimension that does not fit another's are refused, all of them at once, each with its file, line and key.
//
// A Spec is plain data with every default filled in. The embedded cases are specs too and their comments are the manual of
// the vocabulary: see Case. What a spec needs to run is built from it in this package as well.
//
// Keys are the lower-case names of the fields, words joined by hyphens.
package problem

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Spec is a problem, the algorithms to run on it and what to record.
type Spec struct {
	Seed       uint64 // of all random numbers
	Iterations int    // turns of a trial
	Trials     int    // trials of every algorithm that does not say otherwise
	Hold       int    // steps of the population a turn
	Generator  string // "kedge", or "numpy": generator and order of draws of the published runs

	Model       *Model // instead of dynamics, objective and set; nil: none
	Population  Population
	Dynamics    Dynamics
	Objective   kind.Objective
	Set         kind.Set
	Start       kind.Start   // of the first decision, which is projected onto the set
	Players     []Player     // instead of objective and set; nil: a single decision-maker
	Changes     []Change     // of the set, with the turns
	Constraints []Constraint // on the settled population
	Algorithms  []kind.Algorithm
	Record      Record
	Optimum     Optimum

	Kinds *kind.Catalogue // what it can name; nil: the standard ones

	origin *form.Node // what the spec was read from
}

// Record says what is measured and how often.
type Record struct {
	Every    int    // measure every so many turns, and the last always
	W1       string // "none", or "items": the 1-Wasserstein distance over the items, |i−j| apart
	Rollout  int    // judge also by the value after so many steps from the start, and find that notion's optimum; 0: no
	Gradient bool   // measure ‖∇Φ̃‖²
	Paths    int    // individuals whose path is kept, of the last trial of every algorithm; 0: none

	Theory    bool // compare every measured turn with the bounds of the theory
	Transport int  // with that, the exact W₁ every so many turns and at the last; 0: never

	Decisions bool // keep the decision of every measured turn, entry by entry
	Traits    bool // keep the mean traits of the sample before it
}

// Optimum says how the exact optimum is sought.
type Optimum struct {
	Starts    int     // random starts
	Tolerance float64 // of the projected gradient
}

// Dims returns the lengths of one individual's decision, state and trait.
func (s *Spec) Dims() kedge.Dims {
	if s.Model != nil {
		return s.Model.dims()
	}
	if s.Dynamics.Of != nil {
		return s.Dynamics.Of.Dims(s.Population.Dim)
	}
	n := s.Population.Dim
	return kedge.Dims{Decision: n, State: n, Trait: n}
}

// kinds returns what the spec can name.
func (s *Spec) kinds() *kind.Catalogue {
	if s.Kinds == nil {
		return kind.Standard()
	}
	return s.Kinds
}

func (s *Spec) describeSet(f *form.Form) { s.kinds().DescribeSet(f, &s.Set) }

func (s *Spec) describeObjective(f *form.Form) { s.kinds().DescribeObjective(f, &s.Objective) }

// errorf returns a mistake at the place where a path was written, or where the nearest key above it was.
func (s *Spec) errorf(path, format string, args ...any) *form.Mistake {
	return s.origin.PlaceOf(path).Mistake(path, format, args...)
}

const maxCount = math.MaxInt32

func (s *Spec) describe(f *form.Form) {
	form.Field(f, "seed", &s.Seed, form.Word64().Or(1), form.Says("The seed of all random numbers: the same seed gives the same bits.", "", "1"))
	form.Field(f, "iterations", &s.Iterations, form.Count(1, maxCount), form.Says("Turns of a trial: deploy a decision, let the crowd answer, sample it, take a step.", "T", "8000"))
	form.Field(f, "trials", &s.Trials, form.Count(1, maxCount).Or(1), form.Says("Repetitions of every algorithm, alike in the crowd and the first decision.", "", "20"))
	form.Field(f, "hold", &s.Hold, form.Count(1, maxCount).Or(1), form.Says("Steps that the crowd takes under a decision before it is sampled.", "", "1"))
	form.Field(f, "generator", &s.Generator, form.OneOf(form.Choice("kedge", "Named streams of one seed, so that a new consumer shifts nobody's draws.", ""), form.Choice("numpy", "NumPy's legacy generator, in the order of draws of the published runs.", "")).Or("kedge"), form.Says("Where random numbers come from.", "", "kedge"))
	s.describeModel(f)
	f.NeedSection("population", "a mapping with size, dim and law", form.Says("The crowd. Everybody has a trait d, fixed for good, and a state p, which moves.", "", ""), s.describePopulation)
	s.describeParts(f)
	f.Section("start", form.Says("The first decision. It is projected onto the set.", "u₀", ""), func(f *form.Form) { s.kinds().DescribeStart(f, &s.Start) })
	form.Field(f, "changes", &s.Changes, form.Parts("a list of changes", s.describeChange).Optional(), form.Says("Sets that take the place of the first one as turns go by. Without it the set stays.", "u ∈ 𝒞ₖ", ""))
	form.Field(f, "constraints", &s.Constraints, form.Parts("a list of constraints", s.describeConstraint).Optional(), form.Says("What the settled crowd must keep, besides the set that decisions are in: rules heed it by multipliers. Without it there are none.", "minimize Φ̃(u) subject to ρ(ℓ(h(u, d), u)) ≤ bound", ""))
	form.Field(f, "algorithms", &s.Algorithms, form.Parts("a list of algorithms", s.describeAlgorithm), form.Says("The decision rules to run, each for all its trials.", "", ""))
	f.Section("record", form.Says("What is measured and how often.", "", ""), s.Record.describe)
	f.Section("optimum", form.Says("How the exact optimum of the settled crowd is sought, which everything is compared with.", "u★ = argmin Φ̃ over 𝒞", ""), s.Optimum.describe)
}

// describeParts reads what a spec without a model is made of.
func (s *Spec) describeParts(f *form.Form) {
	if s.Model != nil {
		for _, key := range []string{"dynamics", "objective", "set", "players"} {
			f.Refuse(key, key+" and model are both given; a model stands for dynamics, objective and set, so one must go")
		}
		return
	}
	f.NeedSection("dynamics", "a mapping with a kind, or a model", form.Says("How an individual answers a decision u.", "p⁺ = f(p, u, d)", ""), s.describeDynamics)
	s.describePlayers(f)
}

func (r *Record) describe(f *form.Form) {
	form.Field(f, "every", &r.Every, form.Count(1, maxCount).Or(1), form.Says("Measure every so many turns, and the last always.", "", "10"))
	form.Field(f, "w1", &r.W1, form.OneOf(form.Choice("none", "None.", ""), form.Choice("items", "That of proportions over items, |i−j| apart, from the crowd settled under u and under u★; for choice.", "")).Or("none"), form.Says("Which Wasserstein distance between crowds is measured.", "W₁", "items"))
	form.Field(f, "rollout", &r.Rollout, form.Count(0, 1_000_000).Or(0), form.Says("Judge decisions also by the value so many steps after the start, and find the optimum of that; 0: only by the settled crowd.", "Φ̃ₙ(u)", "10"))
	form.Field(f, "gradient", &r.Gradient, form.Boolean().Or(false), form.Says("Measure also the squared gradient of the settled value.", "‖∇Φ̃(u)‖²", "true"))
	form.Field(f, "paths", &r.Paths, form.Count(0, 10_000).Or(40), form.Says("Individuals whose path through the last trial of every algorithm is kept and drawn; 0: nobody's.", "", "40"))
	form.Field(f, "theory", &r.Theory, form.Boolean().Or(false), form.Says("Measure also how far the crowd is from settled, how far that leads gradients astray, and the theory's bounds on both.", "Vₖ = mean ‖p − h(u, d)‖_P, ‖eₖ‖ ≤ L_p Vₖ, Vₖ² ≤ ρ₁Vₖ₋₁² + ρ₂‖uₖ − uₖ₋₁‖²", "true"))
	form.Field(f, "transport", &r.Transport, form.Count(0, maxCount).Or(0), form.Says("With theory: work out the exact Wasserstein distance to the settled crowd every so many turns, of those measured, and at the last; 0: never. It is dear: some 0.04 s for 1000 people.", "W₁ ≤ Vₖ, ‖eₖ‖ ≤ L·W₁", "400"))
	form.Field(f, "decisions", &r.Decisions, form.Boolean().Optional(), form.Says("Keep the decision of every measured turn, entry by entry, as the columns u_0, u_1 and so on.", "uₖ", "true"))
	form.Field(f, "traits", &r.Traits, form.Boolean().Optional(), form.Says("Keep the mean traits of the people sampled in the turn before a measured one, entry by entry, as the columns trait_0, trait_1 and so on.", "", "true"))
}

func (o *Optimum) describe(f *form.Form) {
	form.Field(f, "starts", &o.Starts, form.Count(1, 10_000).Or(20), form.Says("Random starts. Each judges the whole crowd some thirty times: for millions of people take fewer.", "", "20"))
	form.Field(f, "tolerance", &o.Tolerance, form.Positive().Or(1e-10), form.Says("A start is done when its projected gradient is below this.", "‖Π(u − ∇Φ̃(u)) − u‖", "1e-10"))
}
