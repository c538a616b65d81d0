// Package optimum finds answers offline: the decision whose settled population is best, and the stable points where retraining comes
// to rest. Every answer carries its evidence, and nothing depends on the units of losses or decisions: residuals are parts of the
// steepest gradient met, lengths parts of the set's own.
package optimum

import (
	"cmp"
	"fmt"
)

// Function is an objective of the decision, as steady.Objective and steady.Rollout are. Where it has no value it returns an error.
type Function interface {
	// Gradient returns the value at u and writes the gradient to g.
	Gradient(g, u []float64) (float64, error)
}

// Effort says how far a search goes; the zero value works.
type Effort struct {
	Tolerance float64 // on the residual, as a part of the steepest; 0 means 1e-10
	MaxSteps  int     // evaluations from one start; 0 means 5000
	Starts    int     // walks downhill, over the set; 0 means as many as decisions are given to start from
	Screen    int     // decisions that are looked at before, to see where walks should begin; 0 means none
}

// Few is the same effort from at most so many starts, without a look around: for searches that are repeated.
func (o Effort) Few(starts int) Effort {
	o.Starts, o.Screen = min(o.Starts, starts), 0
	return o
}

func (o Effort) filled(seeds int) Effort {
	o.Tolerance, o.MaxSteps = cmp.Or(o.Tolerance, 1e-10), cmp.Or(o.MaxSteps, 5000)
	o.Starts = max(o.Starts, seeds)
	return o
}

// Point is a decision with the evidence that it is what was sought.
type Point struct {
	Decision []float64
	Loss     float64
	Residual float64 // ‖Π(u − ∇) − u‖ as a part of the largest on the way there, in units in which steps are as long as gradients
	Steps    int     // evaluations
	Kink     bool    // the loss has a kink there: the residual is that of the smallest mean of the gradients nearby
	Jump     bool    // the loss jumps there: no gradient says anything of it
	Radius   float64 // how near, as a part of the size of the set
}

// Search is the outcome of a search over the whole set.
type Search struct {
	Point           // the best
	Found   []Point // where every walk ended, in order
	Basins  int     // different places among those
	Here    int     // walks that ended at the best
	Missed  float64 // estimated chance that one more walk would end in a place not seen yet [boender1987]
	Spread  float64 // largest difference in loss between walks that ended in this place, as a part of the losses' own range
	Residue float64 // residual of the best
	Range   float64 // by how much most losses differ over the set
	Walls   int     // walks that began where the function has no value
	All     int     `json:",omitempty"` // points of a set with gaps, if every one was looked at

	land *landscape
}

// Unbounded says that a loss falls without end.
type Unbounded struct {
	Decision []float64 // where it was given up
	Loss     float64
}

func (e *Unbounded) Error() string {
	return fmt.Sprintf("the loss falls without end: it is %.3g at %.3g and still falling; give the decision a set with an end there", e.Loss, e.Decision)
}
