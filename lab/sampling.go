package lab

import (
	"context"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/optimum"
)

// sampling says how well the optimum is known of the many whom the people stand for.
func (r *run) sampling(ctx context.Context, best *optimum.Constrained) *folder.Sampling {
	switch p := r.problem; {
	case len(r.bounds.list) > 0:
		return &folder.Sampling{Why: "what constraints allow depends on who is there as well"}
	case r.game.settled != nil:
		return &folder.Sampling{Why: "several players decide"}
	case p.Moves():
		return &folder.Sampling{Why: "the people change"}
	case best.Kink || best.Jump:
		return &folder.Sampling{Why: "the loss is not smooth at the optimum"}
	}
	errs, err := optimum.SamplingOf(ctx, r.problem.Model, r.problem.Set, best.Decision)
	switch {
	case ctx.Err() != nil:
		return &folder.Sampling{Why: "the run was stopped before"}
	case err != nil:
		return &folder.Sampling{Why: err.Error()}
	}
	value := r.valued(best.Loss)
	half := folder.StudentHalf(errs.Loss, errs.People, folder.Confidence)
	out := &folder.Sampling{Value: &folder.Reach{Low: value - half, High: value + half}}
	if errs.Decision == nil {
		out.Why = "the decision is one of separate points, which either stays or jumps"
	}
	for i, e := range errs.Decision {
		half := folder.StudentHalf(e, errs.People, folder.Confidence)
		out.Low, out.High = append(out.Low, best.Decision[i]-half), append(out.High, best.Decision[i]+half)
	}
	return out
}
