// Package spec reads problems written in YAML, strictly: a key that is not known, a value of the wrong type or outside its
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
	Objective   Objective
	Set         Set
	Start       Start
	Players     []Player     // instead of objective and set; nil: a single decision-maker
	Changes     []Change     // of the set, with the turns
	Constraints []Constraint // on the settled population
	Algorithms  []Algorithm
	Record      Record
	Optimum     Optimum

	origin *node // what the spec was read from
}

// Start says how the first decision is drawn; it is projected onto the set.
type Start struct {
	Law    string    // "zero", "sphere" (uniform on the unit sphere), "proportions" (uniforms scaled to the set's sum), "values"
	Values []float64 // of law values
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
	if d := s.Dynamics; d.Kind == "affine" {
		return kedge.Dims{Decision: d.B.Columns(), State: len(d.A), Trait: d.E.Columns()}
	}
	n := s.Population.Dim
	return kedge.Dims{Decision: n, State: n, Trait: n + len(s.Dynamics.own())}
}

// errorf returns a mistake at the place where a path was written, or where the nearest key above it was.
func (s *Spec) errorf(path, format string, args ...any) *Mistake {
	return s.place(path).error(path, format, args...)
}

// place returns where a path was written, or where the nearest key above it was.
func (s *Spec) place(path string) place { return s.origin.placeOf(path) }

const maxCount = math.MaxInt32

func (s *Spec) describe(f *form) {
	fieldOr(f, "seed", &s.Seed, word(), 1, says("The seed of all random numbers: the same seed gives the same bits.", "", "1"))
	field(f, "iterations", &s.Iterations, count(1, maxCount), says("Turns of a trial: deploy a decision, let the crowd answer, sample it, take a step.", "T", "8000"))
	fieldOr(f, "trials", &s.Trials, count(1, maxCount), 1, says("Repetitions of every algorithm, alike in the crowd and the first decision.", "", "20"))
	fieldOr(f, "hold", &s.Hold, count(1, maxCount), 1, says("Steps that the crowd takes under a decision before it is sampled.", "", "1"))
	fieldOr(f, "generator", &s.Generator, oneOf(option("kedge", "Named streams of one seed, so that a new consumer shifts nobody's draws.", ""), option("numpy", "NumPy's legacy generator, in the order of draws of the published runs.", "")), "kedge", says("Where random numbers come from.", "", "kedge"))
	s.describeModel(f)
	f.needSection("population", "a mapping with size, dim and law", says("The crowd. Everybody has a trait d, fixed for good, and a state p, which moves.", "", ""), s.describePopulation)
	s.describeParts(f)
	f.section("start", says("The first decision. It is projected onto the set.", "u₀", ""), s.Start.describe)
	optionalItems(f, "changes", &s.Changes, "a list of changes", says("Sets that take the place of the first one as turns go by. Without it the set stays.", "u ∈ 𝒞ₖ", ""), func(f *form, c *Change) { c.describe(f) })
	optionalItems(f, "constraints", &s.Constraints, "a list of constraints", says("What the settled crowd must keep, besides the set that decisions are in: rules heed it by multipliers. Without it there are none.", "minimize Φ̃(u) subject to ρ(ℓ(h(u, d), u)) ≤ bound", ""), func(f *form, c *Constraint) { c.describe(f) })
	items(f, "algorithms", &s.Algorithms, "a list of algorithms", says("The decision rules to run, each for all its trials.", "", ""), s.describeAlgorithm)
	f.section("record", says("What is measured and how often.", "", ""), s.Record.describe)
	f.section("optimum", says("How the exact optimum of the settled crowd is sought, which everything is compared with.", "u★ = argmin Φ̃ over 𝒞", ""), s.Optimum.describe)
}

// describeParts reads what a spec without a model is made of.
func (s *Spec) describeParts(f *form) {
	if s.Model != nil {
		for _, key := range []string{"dynamics", "objective", "set", "players"} {
			f.refuse(key, key+" and model are both given; a model stands for dynamics, objective and set, so one must go")
		}
		return
	}
	f.needSection("dynamics", "a mapping with a kind, or a model", says("How an individual answers a decision u.", "p⁺ = f(p, u, d)", ""), s.Dynamics.describe)
	s.describeTable(f)
}

func (s *Start) describe(f *form) {
	f.chooseOr("law", &s.Law, "zero", says("How the first decision is drawn.", "", "sphere"), option("zero", "Not at all: all entries are 0.", ""), option("sphere", "Uniform on the unit sphere.", ""), option("proportions", "Uniform numbers, scaled to the sum of the set, which must be a simplex.", ""), option("values", "The decision that values lists.", ""))
	if s.Law == "values" {
		field(f, "values", &s.Values, numbers(finite()), says("The first decision, entry by entry.", "", "[0.5, 0.5]"))
	}
}

func (r *Record) describe(f *form) {
	fieldOr(f, "every", &r.Every, count(1, maxCount), 1, says("Measure every so many turns, and the last always.", "", "10"))
	fieldOr(f, "w1", &r.W1, oneOf(option("none", "None.", ""), option("items", "That of proportions over items, |i−j| apart, from the crowd settled under u and under u★; for choice.", "")), "none", says("Which Wasserstein distance between crowds is measured.", "W₁", "items"))
	fieldOr(f, "rollout", &r.Rollout, count(0, 1_000_000), 0, says("Judge decisions also by the value so many steps after the start, and find the optimum of that; 0: only by the settled crowd.", "Φ̃ₙ(u)", "10"))
	fieldOr(f, "gradient", &r.Gradient, boolean(), false, says("Measure also the squared gradient of the settled value.", "‖∇Φ̃(u)‖²", "true"))
	fieldOr(f, "paths", &r.Paths, count(0, 10_000), 40, says("Individuals whose path through the last trial of every algorithm is kept and drawn; 0: nobody's.", "", "40"))
	fieldOr(f, "theory", &r.Theory, boolean(), false, says("Measure also how far the crowd is from settled, how far that leads gradients astray, and the theory's bounds on both.", "Vₖ = mean ‖p − h(u, d)‖_P, ‖eₖ‖ ≤ L_p Vₖ, Vₖ² ≤ ρ₁Vₖ₋₁² + ρ₂‖uₖ − uₖ₋₁‖²", "true"))
	fieldOr(f, "transport", &r.Transport, count(0, maxCount), 0, says("With theory: work out the exact Wasserstein distance to the settled crowd every so many turns, of those measured, and at the last; 0: never. It is dear: some 0.04 s for 1000 people.", "W₁ ≤ Vₖ, ‖eₖ‖ ≤ L·W₁", "400"))
}

func (o *Optimum) describe(f *form) {
	fieldOr(f, "starts", &o.Starts, count(1, 10_000), 20, says("Random starts. Each judges the whole crowd some thirty times: for millions of people take fewer.", "", "20"))
	fieldOr(f, "tolerance", &o.Tolerance, positive(), 1e-10, says("A start is done when its projected gradient is below this.", "‖Π(u − ∇Φ̃(u)) − u‖", "1e-10"))
}
