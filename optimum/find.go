package optimum

import (
	"context"
	"errors"

	"github.com/kedge-opt/kedge"
)

var errNoStart = errors.New("optimum: there is no start")

// Find looks for the minimum of f over the set: from the given decisions, and from others spread over the set, the more promising first.
// Where a walk gets stuck at a kink it goes on with the gradients nearby, where at a jump with values alone. A start at which the
// function has no value is passed over; the error is that of the first when there is no other. The points of a set.Discrete are looked at one
// by one: all, or around several starts.
func Find(ctx context.Context, f Function, set kedge.Set, starts [][]float64, o Effort) (*Search, error) {
	switch {
	case len(starts) == 0:
		return nil, errNoStart
	case !hasGaps(set):
		return smoothly(ctx, f, set, starts, o)
	}
	c, err := overGaps(ctx, f, nil, set, starts, o)
	if err != nil {
		return nil, err
	}
	return &c.Search, nil
}

// Minimize goes downhill from one start. An answer that is not stationary to the tolerance, nor as near to it as rounding and kinks let
// one come, is a *kedge.NotConvergedError.
func Minimize(ctx context.Context, f Function, set kedge.Set, start []float64, o Effort) (*Point, error) {
	if !hasGaps(set) {
		return downTo(ctx, f, set, start, o)
	}
	c, err := overGaps(ctx, f, nil, set, [][]float64{start}, o)
	if err != nil {
		return nil, err
	}
	return &c.Point, nil
}

// Constrain looks for the minimum of f over the decisions of the set with all constraints c ≤ 0: from the given decisions and from
// others spread over the set, the more promising first, by augmented Lagrangians [hestenes1969, powell1969], each minimized by
// spectral projected gradients. Where those get stuck, at kinks, and where smoothed constraints differ from the truth, it goes on with an exact penalty
// and the gradients nearby. How many evaluations all of it may take grows with the starts and with nothing else. Where no decision was found that keeps the
// constraints the error is a *kedge.NotConvergedError.
func Constrain(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*Constrained, error) {
	switch {
	case len(starts) == 0:
		return nil, errNoStart
	case hasGaps(set):
		return overGaps(ctx, f, constraints, set, starts, o)
	}
	return constrainSmoothly(ctx, f, constraints, set, starts, o)
}
