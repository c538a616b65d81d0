package optimum

import (
	"context"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Field is the gradient that a decision-maker sees who takes the settled population for given, as steady.Objective.Partial.
type Field func(g, u []float64) (float64, error)

// Stable finds a performatively stable point [perdomo2020]: u = Π(u − F(u)) for the field F at the settled population, where
// retraining comes to rest. The residual is ‖Π(u − F(u)) − u‖.
func Stable(ctx context.Context, f Field, set kedge.Set, start []float64, o Effort) (*Point, error) {
	o = o.filled()
	s := &retraining{ctx: ctx, field: f, set: set, g: make([]float64, len(start))}
	u := append([]float64(nil), start...)
	if err := set.Project(u); err != nil {
		return nil, fmt.Errorf("project the start: %w", err)
	}
	scale, err := s.stepSize(u)
	if err != nil {
		return nil, err
	}
	// A step that the steepest direction bears may still overshoot elsewhere: shorten it until the iteration converges.
	for range 6 {
		p, err := s.solve(u, scale, o)
		if err == nil || ctx.Err() != nil {
			return p, err
		}
		scale /= 4
	}
	return nil, &kedge.NotConvergedError{What: "stable point", Tolerance: o.Tolerance, Residual: s.residual, Steps: s.steps}
}

// retraining is the map u ↦ Π(u − scale·F(u)).
type retraining struct {
	ctx      context.Context
	field    Field
	set      kedge.Set
	g        []float64
	steps    int
	residual float64
}

func (s *retraining) apply(dst, u []float64, scale float64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	s.steps++
	if _, err := s.field(s.g, u); err != nil {
		return err
	}
	copy(dst, u)
	rows.AddScaled(dst, -scale, s.g)
	return s.set.Project(dst)
}

// stepSize returns the inverse of how fast the field changes near u.
func (s *retraining) stepSize(u []float64) (float64, error) {
	next, before := make([]float64, len(u)), make([]float64, len(u))
	if err := s.apply(next, u, 1); err != nil {
		return 0, err
	}
	copy(before, s.g)
	if _, err := s.field(s.g, next); err != nil {
		return 0, err
	}
	moved, changed := rows.Distance(next, u), rows.Distance(s.g, before)
	if moved == 0 || changed == 0 {
		return 1, nil
	}
	return moved / changed, nil
}

func (s *retraining) solve(start []float64, scale float64, o Effort) (*Point, error) {
	u := append([]float64(nil), start...)
	// The accelerated iteration measures its residual with the step it uses; ask for less than the tolerance of step 1.
	solver := fixpoint.New(len(u), fixpoint.Settings{Tolerance: o.Tolerance * min(1, scale) / 10, MaxSteps: o.MaxSteps})
	_, err := solver.Solve(func(dst, x []float64) error { return s.apply(dst, x, scale) }, u)
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	moved := make([]float64, len(u))
	if projected := s.set.Project(u); projected != nil {
		return nil, errors.Join(err, projected)
	}
	if e := s.apply(moved, u, 1); e != nil {
		return nil, errors.Join(err, e)
	}
	s.residual = rows.Distance(moved, u)
	if s.residual > o.Tolerance {
		return nil, errors.Join(err, errors.New("optimum: the stable point's residual is too large"))
	}
	loss, err := s.field(s.g, u)
	if err != nil {
		return nil, err
	}
	return &Point{Decision: u, Loss: loss, Residual: s.residual, Steps: s.steps}, nil
}
