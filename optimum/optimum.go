// Package optimum finds answers offline: the decision whose settled population is best, and the stable points where retraining comes
// to rest. Every answer carries its evidence, and nothing depends on the units of losses or decisions: residuals are parts of the
// steepest gradient met, lengths parts of the set's own.
package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
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

func (o Effort) filled(seeds int) Effort {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 5000
	}
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
	Residue float64 // largest residual over those walks
	Range   float64 // by how much most losses differ over the set
	Walls   int     // walks that began where the function has no value

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

// Minimize goes downhill from one start. An answer that is not stationary to the tolerance, nor as near to it as rounding and kinks let
// one come, is a *kedge.NotConvergedError.
func Minimize(ctx context.Context, f Function, set kedge.Set, start []float64, o Effort) (*Point, error) {
	o = o.filled(1)
	o.Screen = hardly
	s := &searcher{Effort: o, land: newLandscape(ctx, f, set, len(start))}
	if err := s.prepare([][]float64{start}); err != nil {
		return nil, err
	}
	best := s.finish(s.land.descend(s.screened[0].u, 0, o.Tolerance, o.MaxSteps), o.Tolerance*finely)
	if err := s.land.trouble(best); err != nil {
		return nil, err
	}
	p := s.land.point(best)
	if p.Residual > loose {
		return nil, &kedge.NotConvergedError{What: "optimum", Residual: p.Residual, Tolerance: o.Tolerance, Steps: p.Steps}
	}
	return &p, nil
}

// loose is the part of the steepest gradient below which a place is taken for stationary where rounding forbids more.
const loose = 1e-5

// trouble is why a place is no answer: the context ended, nothing has a value, or everything has and there is no end.
func (l *landscape) trouble(p place) error {
	switch {
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case math.IsInf(p.loss, 1) && l.refused != nil:
		return l.refused
	case math.IsInf(p.loss, 0) || math.IsNaN(p.loss):
		return errors.New("optimum: the loss is not finite")
	case endless(p):
		return &Unbounded{Decision: l.outward(p.u), Loss: p.loss * l.length * l.slope}
	}
	return nil
}

// endless tells whether a walk ran away: far beyond any length of the landscape, and still going.
func endless(p place) bool {
	far := 0.0
	for _, v := range p.u {
		far = max(far, math.Abs(v))
	}
	return far > 1e12 || far > 1e7 && !p.still(loose)
}
