package problem

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/problem/record"
)

// YAML returns the spec as it runs, every default written out, in one canonical form. Parse of it gives the same spec.
func (s *Spec) YAML() []byte {
	return s.Tree().YAML()
}

// AsWritten returns the spec as it was before a file told how many people there are, for those who write it with changes.
func (s *Spec) AsWritten() *Spec {
	if s.written != nil {
		return s.written
	}
	return s
}

// Annotated returns the spec like YAML does, with what every key means beside it.
func (s *Spec) Annotated() []byte { return Vocabulary(s.kinds()).Annotate(s.Tree()) }

// Tree returns the spec as YAML nodes without places.
func (s *Spec) Tree() *form.Node {
	s = s.AsWritten()
	return record.Unask(form.Print(s.describe), s.asked)
}

// Vocabulary returns all that specs can hold that name kinds of a catalogue.
func Vocabulary(kinds *kind.Catalogue) *form.Vocabulary {
	return form.NewVocabulary((&Spec{Kinds: kinds}).describe)
}

// Schema returns the JSON Schema of specs. What depends on several keys at once only Parse can tell.
func Schema(kinds *kind.Catalogue) []byte {
	return Vocabulary(kinds).Schema("kedge spec", "A problem, the algorithms to run on it and what to record.")
}

// Settings lists every value of the spec, defaults too, in the order of its YAML.
func (s *Spec) Settings() []form.Setting {
	root := s.Tree()
	root.Locate("")
	return root.Settings()
}

func (s *Spec) describe(f *form.Form) {
	form.Field(f, "seed", &s.Seed, form.Word64().Or(1), form.Says("The seed of all random numbers: the same seed gives the same bits.", "", "1"))
	form.Field(f, "iterations", &s.Iterations, form.Count(1, maxCount), form.Says("Turns of a trial: deploy a decision, let the crowd answer, sample it, take a step.", "T", "8000"))
	form.Field(f, "trials", &s.Trials, form.Count(1, maxCount).Or(1), form.Says("Repetitions of every algorithm, alike in the crowd and the first decision.", "", "20"))
	form.Field(f, "hold", &s.Hold, form.Count(1, maxCount).Or(1), form.Says("Steps that the crowd takes under a decision before it is sampled.", "", "1"))
	form.Field(f, "generator", &s.Generator, form.OneOf(form.Choice("kedge", "Named streams of one seed, so that a new consumer shifts nobody's draws.", ""), form.Choice("numpy", "NumPy's legacy generator, in the order of draws of the published runs.", "")).Or("kedge"), form.Says("Where random numbers come from.", "", "kedge"))
	s.describeModel(f)
	s.describeData(f)
	f.NeedSection("population", "a mapping with size, dim and law", form.Says("The crowd. Everybody has a trait d, fixed for good, and a state p, which moves.", "", ""), s.describePopulation)
	s.describeParts(f)
	f.Section("start", form.Says("The first decision. It is projected onto the set.", "u₀", ""), func(f *form.Form) { s.kinds().DescribeStart(f, &s.Start) })
	form.Field(f, "changes", &s.Changes, form.Parts("a list of changes", s.describeChange).Optional(), form.Says("Sets that take the place of the first one as turns go by. Without it the set stays.", "u ∈ 𝒞ₖ", ""))
	form.Field(f, "constraints", &s.Constraints, form.Parts("a list of constraints", s.describeConstraint).Optional(), form.Says("What the settled crowd must keep, besides the set that decisions are in: rules heed it by multipliers. Without it there are none.", "minimize Φ̃(u) subject to ρ(ℓ(h(u, d), u)) ≤ bound", ""))
	form.Field(f, "algorithms", &s.Algorithms, form.Parts("a list of algorithms", s.describeAlgorithm), form.Says("The decision rules to run, each for all its trials.", "", ""))
	s.describeNames(f)
	f.Section("record", form.Says("What is measured and how often.", "", ""), s.Record.describe)
	f.Section("optimum", form.Says("How the exact optimum of the settled crowd is sought, which everything is compared with.", "u★ = argmin Φ̃ over 𝒞", ""), s.Optimum.describe)
	s.Doubt.Describe(f)
	form.Field(f, "live", &s.Live, form.Part((*live.Arrangement).Describe).Optional(), form.Says("How a rule decides for people who are elsewhere, asked and told by kedge serve. It has no part in runs.", "", ""))
}

// describeParts reads what a spec without a model is made of.
func (s *Spec) describeParts(f *form.Form) {
	if s.Model != nil {
		for _, key := range []string{"dynamics", "objective", "set"} {
			f.Refuse(key, key+" and model are both given; a model stands for dynamics, objective and set, so one must go")
		}
		if f.Decide("players", len(s.Players) > 0) {
			s.describePlayerList(f)
		}
		return
	}
	f.NeedSection("dynamics", "a mapping with a kind, or a model", form.Says("How an individual answers a decision u.", "p⁺ = f(p, u, d)", ""), s.describeDynamics)
	s.describePlayers(f)
}

func (r *Record) describe(f *form.Form) {
	form.Field(f, "every", &r.Every, form.Count(1, maxCount).Or(1), form.Says("Measure every so many turns, and the last always. Without it all turns are measured, unless a model in formulas has 2000 turns or more and people settle more than a million times a trial: then one in 30 steps of the crowd, or 500 a trial if that is more, and a note says so.", "", "10"))
	form.Field(f, "w1", &r.W1, form.OneOf(form.Choice("none", "None.", ""), form.Choice("items", "That of proportions over items, |i−j| apart, from the crowd settled under u and under u★; for choice.", "")).Or("none"), form.Says("Which Wasserstein distance between crowds is measured.", "W₁", "items"))
	form.Field(f, "rollout", &r.Rollout, form.Count(0, 1_000_000).Or(0), form.Says("Judge decisions also by the value so many steps after the start, and find the optimum of that; 0: only by the settled crowd.", "Φ̃ₙ(u)", "10"))
	form.Field(f, "gradient", &r.Gradient, form.Boolean().Or(false), form.Says("Measure also the squared gradient of the settled value.", "‖∇Φ̃(u)‖²", "true"))
	form.Field(f, "paths", &r.Paths, form.Count(0, 10_000).Or(40), form.Says("Individuals whose path through the last trial of every algorithm is kept and drawn; 0: nobody's.", "", "40"))
	form.Field(f, "theory", &r.Theory, form.Boolean().Or(false), form.Says("Measure also how far the crowd is from settled, how far that leads gradients astray, and the theory's bounds on both.", "Vₖ = mean ‖p − h(u, d)‖_P, ‖eₖ‖ ≤ L_p Vₖ, Vₖ² ≤ ρ₁Vₖ₋₁² + ρ₂‖uₖ − uₖ₋₁‖²", "true"))
	form.Field(f, "transport", &r.Transport, form.Count(0, maxCount).Or(0), form.Says("With theory: work out the exact Wasserstein distance to the settled crowd every so many turns, of those measured, and at the last; 0: never. It is dear: some 0.04 s for 1000 people.", "W₁ ≤ Vₖ, ‖eₖ‖ ≤ L·W₁", "400"))
	form.Field(f, "decisions", &r.Decisions, form.Pointed(form.Boolean()).Optional(), form.Says("Keep the decision of every measured turn, entry by entry, as the columns u_0, u_1 and so on, or by the names of its entries. Without it decisions of up to 16 entries are kept.", "uₖ", "true"))
	form.Field(f, "traits", &r.Traits, form.Boolean().Optional(), form.Says("Keep the mean traits of the people sampled in the turn before a measured one, entry by entry, as the columns trait_0, trait_1 and so on, or trait_ and their names.", "", "true"))
}

func (o *Optimum) describe(f *form.Form) {
	form.Field(f, "starts", &o.Starts, form.Count(1, 10_000).Or(20), form.Says("Random starts. Each judges the whole crowd some thirty times: for millions of people take fewer.", "", "20"))
	form.Field(f, "tolerance", &o.Tolerance, form.Positive().Or(1e-10), form.Says("A start is done when its projected gradient is below this.", "‖Π(u − ∇Φ̃(u)) − u‖", "1e-10"))
}
