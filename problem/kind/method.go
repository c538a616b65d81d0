package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// Method is a kind of decision rules, with the settings that are its own. Those that all methods have are an [Algorithm]'s.
type Method interface {
	form.Kind
	// Facts returns what is known of the method.
	Facts() Facts
	// Describe describes the keys that are its own.
	Describe(f *form.Form, h *Host)
	// Build gives a rule its gradient. The rule has all that the common settings of a say; the method may change it.
	Build(r *online.Rule, a *Algorithm, s *Site) error
}

// CheckedMethod is a Method some of whose settings exclude others.
type CheckedMethod interface {
	// Check refuses what excludes each other in an algorithm at a path of the spec.
	Check(c *form.Check, a *Algorithm, path string)
}

// ComparedMethod is a Method with settings of its own for comparisons.
type ComparedMethod interface {
	// Usual returns the settings of a method that nobody has set.
	Usual(s Scales) []form.Setting
}

// SpoiledMethod is a Method whose sensitivity may be wrong on purpose.
type SpoiledMethod interface {
	// Spoiled returns the sensitivity of a model as it is and as it is spoiled, other than by age; nil where it is not, and where it
	// is learned.
	Spoiled(m kedge.Model) (right, wrong kedge.Sensitivity)
}

// Facts is what is known of a method. What a method does, it does under any step schedule, averaging and momentum.
type Facts struct {
	Title    string
	Assembly string       // the parts of the rule
	Needs    online.Needs // turn by turn or beforehand
	Limit    online.Limit // with decisions held for one turn, or as the method itself holds them
	Held     online.Limit // with decisions held until the population has settled
	Proven   string       // when it is known to get there
	Asks     Conditions   // on the problem, of that proof
	Source   string       // keys of docs/REFERENCES.md

	Step       Yardstick // what its step size is measured by
	Hold       int       // turns that a decision is held unless somebody says so; 0: 1
	Momentum   float64   // unless somebody says so
	Epochs     bool      // it decides by itself how long decisions are held
	Follows    bool      // it follows gradients at its own decision, so that it can keep constraints, be played and go with a set that changes
	Alternates bool      // its second decision meets the answer to the first, the opposite one
	Published  bool      // its draws are those of a published run
	Certified  bool      // the theorems are about it

	Habits // these depend on its settings
}

// Habits is what a method does with its settings that others must know of.
type Habits struct {
	Draws     bool    // directions or perturbations
	Reach     float64 // how far from its own decision it deploys others
	Inside    bool    // which are all feasible
	Carries   bool    // a trial begins with the last loss of the one before
	Settled   bool    // sensitivities are taken at settled states
	Remembers bool    // sensitivities take the length of the step before
	Learned   bool    // sensitivities are learned
	Wrong     *Wrong  // how sensitivities are spoiled; nil: they are not
}

// Conditions are those of a method's theory that not every problem meets.
type Conditions struct {
	StronglyConvex bool // the loss
	Affine         bool // settled states, in the decision
	Normal         bool // settled states, as they are distributed
}

// Yardstick is what the step size of a method is measured by.
type Yardstick int

const (
	// Curvature of the settled loss bounds the step.
	Curvature Yardstick = iota
	// Share is of a method that finds the next decision by itself: its step is a part of the way there.
	Share
	// Length is of a method that divides gradients by their size: its step is as long as it says.
	Length
	// Noise of the method, larger than anything else, bounds the step.
	Noise
	// Residual is of a method that compares successive losses, which move with its own steps.
	Residual
)

// Unjudged says why the curvature of the settled loss says nothing about the step, "" where it does.
func (y Yardstick) Unjudged() string {
	return [...]string{Share: "it goes to a minimum of its own", Length: "its gradients are divided by their size", Noise: "its noise bounds it, not the curvature", Residual: ""}[y]
}

// Settles says in words where the method settles.
func (f Facts) Settles() string {
	point := map[online.Limit]string{online.Stable: "the stable point", online.Myopic: "the myopic point", online.Optimal: "the optimum"}
	if f.Limit == f.Held {
		return "settles at " + point[f.Limit]
	}
	return "settles at " + point[f.Limit] + ", or at " + point[f.Held] + " if decisions are held until the crowd has settled"
}

// Conditions and needs that several methods have.
const (
	contracting = "the population contracts"
	weak        = "the population answers less than the loss curves, εβ < γ"
	smooth      = "Φ̃ is smooth; δ → 0 with the step"
)

func fromSamples() online.Needs { return online.Needs{Samples: true} }
func fromValues() online.Needs  { return online.Needs{Values: true} }
func fromModel() online.Needs   { return online.Needs{Samples: true, Model: true} }
func informed() online.Needs    { return online.Needs{Samples: true, Sensitivity: true} }

// MethodOf returns the method of a name, nil if the catalogue has none.
func (c *Catalogue) MethodOf(name string) Method { return form.Fresh(c.Methods, name) }

// MethodNames lists the methods.
func (c *Catalogue) MethodNames() []string {
	return lists.Of(c.Methods, func(m Method) string { return form.NameOf(m) })
}

// methodWords lists the methods with what they need and where they settle.
func (c *Catalogue) methodWords() []form.Option {
	return lists.Of(c.Methods, func(m Method) form.Option {
		one, known := m.Word(), m.Facts()
		one.Note = " Needs " + known.Needs.String() + "; " + known.Settles() + "."
		return one
	})
}

// Host is the spec that an algorithm stands in, as far as its keys depend on it.
type Host struct {
	Kinds       *Catalogue
	Size        int  // of the population; 0: a file will tell
	Trials      int  // of every algorithm that does not say otherwise
	Constrained bool // there are constraints on the population
	Contested   bool // there are several players
	Lengths     bool // the dynamics bring states back to a length that sensitivities may remember
}

// Site is the problem that a rule is built for, as its method sees it.
type Site struct {
	kedge.Model                // with the set of decisions
	Feasible    Set            // the same set as it was described
	Turns       int            // of a trial
	Directions  online.Normals // where the method draws from

	// Narrow makes a set that is a part of the feasible one.
	Narrow func(x Set) (kedge.Set, error)
	// Keep lets an estimator keep the constraints of the problem, or lets its players play, with gradients through the sensitivity
	// h; nil takes states for given.
	Keep func(e online.Estimator, h kedge.Sensitivity) (online.Estimator, error)
	// Fail blames a key of the algorithm, "" for all of it. The text goes on after the path of the key.
	Fail func(key, format string, args ...any) error
}

// everybody is a number of people, by default all of them.
func (h *Host) everybody() form.Codec[int] {
	c := form.Count(1, maxCount).Like("population.size", h.Size)
	if h.Size == 0 {
		return c.Optional()
	}
	return c
}
