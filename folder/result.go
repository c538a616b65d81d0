// Package folder is what a result is, in memory and on disk: runs, sweeps and what else kedge writes, sealed by a manifest, and
// read back. docs/formats describes the files. It knows nothing of problems and computes nothing.
package folder

import (
	"math"
	"time"

	"github.com/kedge-opt/kedge"
)

// Result is everything a finished or interrupted run knows.
type Result struct {
	Case       string // the name of the case or of the spec file
	Spec       string // the spec as run, in YAML
	Seed       uint64
	Iterations int
	Trials     int
	Partial    bool // the run was stopped before its end; unfinished trials are left out

	Individuals int     // size of the population
	Maximize    bool    // values are rewards: larger is better
	Optimum     Point   // the exact optimum of the settled population
	Stable      Point   // where retraining settles from the first decision
	Rests       []Point // all points found where it would rest, that one first
	Equilibrium *Point  // of several players; nil where none is known
	Reference   *Reference
	OverDraws   *OverDraws // nil: the numbers of the model are taken for true
	Names       kedge.Names
	Answer      *Advice // nil until somebody has worded it
	Runs        []Run
	Angles      *Angles  // nil when states and decisions do not share a space
	Notes       []string // what a reader must know, one sentence each, warnings first
	Sections    []Section
	Diagnoses   []Diagnosis // what an examination found that spoils the result
	Identity

	Started, Finished time.Time // of the computing
	Device            string    // that moved people: cpu, or a GPU
}

// Section is what a check, a certificate or a comparison adds to a report.
type Section struct {
	ID      string     `json:"id"` // of letters, digits and hyphens; unique in a result
	Title   string     `json:"title"`
	Verdict string     `json:"verdict,omitempty"` // one line; begins with ✓ or ✗ where it passes judgement
	Text    string     `json:"text,omitempty"`    // paragraphs, an empty line between them
	Columns []string   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"` // one entry a column
}

// Point is a decision found offline, with the evidence for it.
type Point struct {
	Value    float64   `json:"value"`
	Gap      float64   `json:"gap"`      // relative to the optimum; 0 for the optimum itself
	Distance float64   `json:"distance"` // relative to the optimum
	Residual float64   `json:"residual"` // ‖Π(u − ∇) − u‖ as a part of the largest on the way there; 0 at an exact solution
	Starts   int       `json:"starts"`
	Spread   float64   `json:"spread"` // largest difference in value between starts that ended there, as a part of how values differ over the set
	Decision []float64 `json:"decision"`
	Exact    []bool    `json:"exact,omitempty"`    // entries that are whole numbers, or of a list, and so known to the last digit; none: no entry
	Evidence *Evidence `json:"evidence,omitempty"` // nil in results of earlier versions
	Sampling *Sampling `json:"sampling,omitempty"` // of the optimum; nil in results of earlier versions
}

// Confidence is that of every interval.
const Confidence = 0.95

// Sampling is how well an optimum is known of the many whom the people at hand were drawn from: intervals that hold the optimum of all of
// them in 95 of 100 crowds, of a model that is right. Without intervals it says why there are none.
type Sampling struct {
	Low   []float64 `json:"low,omitempty"`
	High  []float64 `json:"high,omitempty"`
	Value *Reach    `json:"value,omitempty"`
	Why   string    `json:"why,omitempty"`
}

// OverDraws is what is known where numbers of the model are not: of the model as each of many draws of them has it. Values are as those of the result.
type OverDraws struct {
	Draws   int      `json:"draws"`
	Missing int      `json:"missing"`       // draws under which no decision is best
	Why     string   `json:"why,omitempty"` // of the first of those
	Rule    string   `json:"rule"`          // what makes a decision best over draws: mean, cvar with its part, or regret
	Robust  Point    `json:"robust"`        // that decision; its value is the mean over draws, intervals hold 95 of 100 draws
	Stakes  []Stake  `json:"stakes"`        // of decisions, that which the numbers of the spec call for first
	Costs   *float64 `json:"costs"`         // the most that the robust decision loses against that under any draw
	Stretch *float64 `json:"costs_at_most"` // the most that it may lose where draws are few, and of few people; nil: cannot be told
}

// Stake is what is at stake with a decision over draws; nil where that cannot be told.
type Stake struct {
	Name     string    `json:"name"`
	Decision []float64 `json:"decision"`
	Mean     *float64  `json:"mean"`           // value
	Within   *Reach    `json:"within"`         // the values of 95 of 100 draws
	Tail     *float64  `json:"tail"`           // the mean of the worst tenth, or of the part that the rule has
	Regret   *float64  `json:"regret"`         // the mean of what is lost against the best of a draw
	Most     *float64  `json:"largest_regret"` // the largest of that
}

// Reach is from the least to the greatest.
type Reach struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Standing says how much is known of an answer. The words are the same wherever kedge writes.
type Standing string

// The kinds of answers.
const (
	Proven     Standing = "proven"     // nothing is better
	Searched   Standing = "searched"   // nothing better was found from many starts
	Stationary Standing = "stationary" // nothing nearby is better
)

// Evidence is what is known of a point and how.
type Evidence struct {
	Standing Standing `json:"standing"`
	Why      string   `json:"why,omitempty"`     // how it was proven
	Bound    *float64 `json:"bound,omitempty"`   // no value is better than this, where that is proven
	Here     int      `json:"here,omitempty"`    // starts that ended there
	Places   int      `json:"places,omitempty"`  // different places where starts ended
	Missed   float64  `json:"missed,omitempty"`  // estimated chance that one more start would end in another place
	Kink     bool     `json:"kink,omitempty"`    // the loss has a kink there, or a constraint
	Jump     bool     `json:"jump,omitempty"`    // the loss jumps there
	Bounded  bool     `json:"bounded,omitempty"` // it is the best of those that keep the constraints

	Eigenvalues [][2]float64 `json:"eigenvalues,omitempty"` // of a point of rest, real and imaginary parts
	Attracting  *bool        `json:"attracting,omitempty"`  // whether it draws in who comes near
	Reached     bool         `json:"reached,omitempty"`     // from the first decision
}

// NoPoint stands for one that was not found.
func NoPoint() Point { return Point{Value: math.NaN(), Gap: math.NaN(), Distance: math.NaN()} }

// Reference is a second notion of optimum to compare against: the value after a fixed number of steps from the start,
// taken for the settled value.
type Reference struct {
	Steps   int   `json:"steps"`
	Optimum Point `json:"optimum"` // by the roll-out's own value
	True    Point `json:"true"`    // the same decision judged by the settled population
}

// Run is one algorithm over all its trials.
type Run struct {
	Name    string
	Planned int     // trials that were asked for
	Seconds float64 // wall-clock seconds of computing, summed over trials
	Trials  []Trial
}

// Trial is one algorithm against one seed.
type Trial struct {
	Index int
	Measured
	Decision []float64 // after the last turn
	Angles   []float64 // after the last turn, as in Result.Angles
	Path     *Path     // of the last trial, with record.paths
	Carried  float64   // the loss that it hands on to the next trial, where the algorithm carries one
	Seconds  float64   // of computing
	Finished bool
}

// Angles are the angles in degrees between individuals' states and a decision. Of more than 100 000 individuals they are
// those of 100 000 at equal distances: of N the numbers ⌊iN/100000⌋, i = 0 … 99999.
type Angles struct {
	Initial []float64            // at the start, with the first decision
	Final   map[string][]float64 // by algorithm, the last trial: final state and final decision
	Optimal []float64            // settled under the optimum, with the optimum
}

// Path is how some individuals and the decision moved in one trial.
type Path struct {
	K         []int     // the snapshots: the start of these turns, closest at first
	People    []int     // the individuals by number, at equal distances in the population
	States    []float64 // by snapshot, then individual: one state a row
	Decisions []float64 // by snapshot: one decision a row
}
