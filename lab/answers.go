package lab

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/optimum"
)

// note adds what a reader must know.
func (r *run) note(format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

// find looks for the optimum of a function, unless an earlier process found it.
func (r *run) find(ctx context.Context, what string, f optimum.Function, starts [][]float64) (*optimum.Search, error) {
	s, err := r.keeper.recall(what, func() (*solved, error) {
		s, err := optimum.Find(ctx, f, r.problem.Set, starts, r.problem.Search)
		if err != nil {
			return nil, err
		}
		return &solved{Search: *s}, nil
	})
	if err != nil {
		return nil, err
	}
	return &s.Search, nil
}

// point judges a decision found offline by the settled population.
func (r *run) point(q optimum.Point, starts int, spread float64) folder.Point {
	t := &r.meter.Optimum
	value := q.Loss
	if r.problem.Maximize {
		value = -value
	}
	return folder.Point{
		Decision: q.Decision, Value: value, Gap: t.Gap(q.Loss), Distance: t.Distance(q.Decision),
		Residual: q.Residual, Starts: starts, Spread: spread,
	}
}

// rest looks for where a field comes to rest, unless an earlier process did. Not every field has such a point; then a note says so, and
// there is none.
func (r *run) rest(ctx context.Context, what string, field optimum.Field, start []float64) (*optimum.Point, error) {
	s, err := r.keeper.recall(what, func() (*solved, error) {
		q, err := optimum.Stable(ctx, field, r.problem.Set, start, r.problem.Search)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return &solved{failure: err.Error()}, nil
		}
		return &solved{Search: optimum.Search{Point: *q}}, nil
	})
	if err != nil {
		return nil, err
	}
	if s.failure != "" {
		r.note("No %s was found: %s.", what, s.failure)
		return nil, nil
	}
	return &s.Point, nil
}
