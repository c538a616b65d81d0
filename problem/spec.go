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
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/doubt"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/stream"
)

// Spec is a problem, the algorithms to run on it and what to record.
type Spec struct {
	Seed       uint64 // of all random numbers
	Iterations int    // turns of a trial
	Trials     int    // trials of every algorithm that does not say otherwise
	Hold       int    // steps of the population a turn
	Generator  string // "kedge", or "numpy": generator and order of draws of the published runs

	Model       *Model              // instead of dynamics, objective and set; nil: none
	Data        *record.DataSection // the log that tells what is unknown; nil: there is none
	Bare        bool                // it has a log and names no algorithms, so that these are the usual ones
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
	Names       *kind.Naming // what entries are called; nil: they go by numbers
	Optimum     Optimum
	Doubt       doubt.Doubt       // of numbers of the model
	Live        *live.Arrangement // for people who are elsewhere; nil: it decides for those of the spec

	Kinds *kind.Catalogue // what it can name; nil: the standard ones

	asked   []record.Asking // of the dynamics, to be found from the log
	origin  *form.Node      // what the spec was read from
	written *Spec           // as it was before a file told how many people there are; nil: as it is
}

// Record says what is measured and how often.
type Record struct {
	Every    int    // measure every so many turns, and the last always
	chosen   bool   // nobody said how often, and it is not always
	W1       string // "none", or "items": the 1-Wasserstein distance over the items, |i−j| apart
	Rollout  int    // judge also by the value after so many steps from the start, and find that notion's optimum; 0: no
	Gradient bool   // measure ‖∇Φ̃‖²
	Paths    int    // individuals whose path is kept, of the last trial of every algorithm; 0: none

	Theory    bool // compare every measured turn with the bounds of the theory
	Transport int  // with that, the exact W₁ every so many turns and at the last; 0: never

	Decisions *bool // keep the decision of every measured turn, entry by entry; nil: if it is short
	Traits    bool  // keep the mean traits of the sample before it
}

// chooseEvery settles how often turns are measured if the document does not say. Who compares turns with the theory wants all of them.
func (s *Spec) chooseEvery(root *form.Node) {
	record := root.Get("record")
	if s.Model == nil || s.Record.Theory || record != nil && record.Get("every") != nil {
		return
	}
	s.Record.Every = loop.Every(s.Iterations, s.Population.Size, s.Hold)
	s.Record.chosen = s.Record.Every > 1
}

// ChosenNotes say that turns are left out which nobody asked to leave out; none where none are.
func (s *Spec) ChosenNotes() []string {
	if !s.Record.chosen {
		return nil
	}
	return []string{loop.EveryNote(s.Record.Every, s.Iterations, s.Population.Size)}
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

// errorf returns a mistake at the place where a path was written, or where the nearest key above it was.
func (s *Spec) errorf(path, format string, args ...any) *form.Mistake {
	return s.origin.PlaceOf(path).Mistake(path, format, args...)
}

// entry is the path of an entry of a list, which may go by a name.
func (s *Spec) entry(list string, i int) string { return s.origin.EntryPath(list, i) }

const maxCount = math.MaxInt32

// wrap names the section an error belongs to, with its place in the file.
func (s *Spec) wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	at := form.Under(path, err).(*form.PathError)
	return s.errorf(at.Path, "%v", at)
}

// Dynamics is how individuals answer a decision.
type Dynamics struct {
	Of       kind.Dynamics // of one alone
	Coupling float64       // κ in p⁺ = (1−κ)f(p, u, d) + κp̄: the weight of the crowd's mean
	Noise    form.Vector   // standard deviation of what is added to states every step
}

func (s *Spec) describeDynamics(f *form.Form) {
	d := &s.Dynamics
	s.kinds().DescribeDynamics(f, &d.Of)
	form.Field(f, "coupling", &d.Coupling, form.Number("a number from 0 to below 1", form.Below(0, 1)).Optional(), form.Says("How strongly everybody is drawn to the mean of the crowd. Without it nobody sees the others.", "κ in p⁺ = (1−κ)f(p, u, d) + κp̄", "0.2"))
	form.Field(f, "noise", &d.Noise, form.VectorOf(form.NotNegative()).Optional(), form.Says("The standard deviation of normal numbers added to every state after every step, one for all entries or one each; states stay where they live, on the sphere or the simplex. Decisions are judged by where people would settle without it.", "p⁺ = f(p, u, d) + noise·w", "0.05"))
}

// plain tells whether individuals are alike, alone and undisturbed: nothing but the kind of their dynamics.
func (d *Dynamics) plain() bool {
	return len(kind.ParametersOf(d.Of)) == 0 && d.Coupling == 0 && !d.noisy()
}

func (d *Dynamics) noisy() bool { return d.Noise.All != 0 || d.Noise.Each != nil }

// noisy tells whether noise moves people: that of their dynamics, or one that formulas name.
func (s *Spec) noisy() bool { return s.Dynamics.noisy() || s.Model != nil && len(s.Model.Noise) > 0 }

// stream is a source of random numbers of its own.
func (s *Spec) stream(name ...string) *stream.Stream { return stream.New(s.Seed, name...) }
