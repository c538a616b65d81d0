package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/transport"
)

// solve finds the stable points, the optimum, the equilibria and the reference, and sets up what trials are measured by.
func (r *run) solve(ctx context.Context) error {
	p := r.problem
	f, err := p.Steady()
	if err != nil {
		return err
	}
	f.Workers = r.Workers
	f.Until = ctx
	defer func() { f.Until = nil }()
	r.jury(f)
	r.meter = loop.Meter{Steady: f, Maximize: p.Maximize, Gradient: p.Spec.Record.Gradient || p.Spec.Record.Theory}
	if p.MeasureItems() {
		r.meter.W1 = itemsApart(p.Spec.Dims().State, p.Weights)
	}
	if r.game.settled, err = p.Game(); err != nil {
		return err
	}
	rests, err := r.rests(ctx)
	if err != nil {
		return err
	}
	seeds := slices.Concat([][]float64{p.Start}, r.seeds, lists.Of(rests, func(s optimum.Rest) []float64 { return s.Decision }))
	best, err := r.best(ctx, f, seeds)
	if err != nil {
		return fmt.Errorf("find the optimum: %w", err)
	}
	f.Until = nil // what is known is told even if there is a stop
	r.meter.Optimum = loop.Target{Decision: best.Decision, Loss: best.Loss}
	r.scale = best.Range
	r.result.Optimum = r.searched(&best.Search)
	r.result.Optimum.Evidence.Bounded = r.bounds.best != nil
	r.result.Optimum.Evidence.Credit(r.proven.Why, r.problem.Bound(r.proven))
	r.result.Optimum.Sampling = r.sampling(ctx, best)
	r.describeRests(rests)
	if err := r.decideOver(ctx); err != nil {
		return err
	}
	r.remember()
	r.mourn()
	if err := errors.Join(r.findNash(ctx), r.follow(ctx)); err != nil {
		return err
	}
	if n := r.game.nash; n != nil {
		p := r.point(optimum.Point{Decision: n.Decision, Loss: n.Loss})
		r.result.Equilibrium = &p
	}
	return r.reference(ctx, seeds)
}

// itemsApart measures how far crowds of proportions over items are apart: the mean over individuals of how far each is, who count by weights
// of the mean 1, or alike.
func itemsApart(items int, weights []float64) func(states, own, optimal []float64) (toOwn, toOptimal float64, err error) {
	return func(states, own, optimal []float64) (toOwn, toOptimal float64, err error) {
		n := kedge.Count(states, items)
		for i := range n {
			a, b, err := transport.W1Both(kedge.Row(states, i, items), kedge.Row(own, i, items), kedge.Row(optimal, i, items))
			if err != nil {
				return 0, 0, err
			}
			if weights != nil {
				a, b = a*weights[i], b*weights[i]
			}
			toOwn, toOptimal = toOwn+a, toOptimal+b
		}
		return toOwn / float64(n), toOptimal / float64(n), nil
	}
}

// best finds the optimum, among the decisions that keep the constraints if there are any. Where none that keeps them is found a note says
// so, and the optimum without constraints takes its place.
func (r *run) best(ctx context.Context, f *steady.Objective, seeds [][]float64) (*optimum.Constrained, error) {
	var err error
	if r.bounds.list, r.bounds.most, err = r.problem.Constraints(); err != nil {
		return nil, err
	}
	if len(r.bounds.list) == 0 {
		s, err := r.keeper.recall("optimum", func() (*solved, error) {
			best, known, err := r.problem.Best(ctx, f, seeds)
			if err != nil {
				return nil, err
			}
			return &solved{Best: &optimum.Constrained{Search: *best}, Known: known}, nil
		})
		if err != nil {
			return nil, err
		}
		r.proven = s.Known
		return s.Best, nil
	}
	s, err := r.keeper.recall("optimum under constraints", func() (*solved, error) {
		best, err := optimum.Constrain(ctx, f, functions(r.bounds.list), r.problem.Set, seeds, r.problem.Effort())
		if _, is := errors.AsType[*kedge.NotConvergedError](err); is {
			return &solved{Failure: err.Error()}, nil
		}
		s := &solved{Best: best}
		if err == nil {
			s.Known = problem.AllLooked(&best.Search)
		}
		return s, err
	})
	if err != nil {
		return nil, err
	}
	if s.Failure != "" {
		r.note("The best decision under the constraints is not known: %s. Gaps and distances are those to the optimum without constraints.", s.Failure)
		return r.find(ctx, "optimum", f, seeds)
	}
	r.bounds.best, r.proven = s.Best, s.Known
	r.note("The optimum is the best decision that keeps the constraints; a gap below 0 is that of a decision that breaks them.")
	return s.Best, nil
}

// find looks for the optimum of a function, unless an earlier process found it.
func (r *run) find(ctx context.Context, what string, f optimum.Function, seeds [][]float64) (*optimum.Constrained, error) {
	s, err := r.keeper.recall(what, func() (*solved, error) {
		s, err := optimum.Find(ctx, f, r.problem.Set, seeds, r.problem.Effort())
		if err != nil {
			return nil, err
		}
		return &solved{Best: &optimum.Constrained{Search: *s}}, nil
	})
	if err != nil {
		return nil, err
	}
	return s.Best, nil
}

// seek looks for what need not be there, unless an earlier process did. Where nothing is found the answer says why.
func (r *run) seek(ctx context.Context, what string, search func(found *solved) error) (*solved, error) {
	return r.keeper.recall(what, func() (*solved, error) {
		found := new(solved)
		if err := search(found); err != nil {
			found.Failure = err.Error()
		}
		return found, ctx.Err()
	})
}

// point judges a decision found offline by the settled population.
func (r *run) point(q optimum.Point) folder.Point {
	t := &r.meter.Optimum
	return folder.Point{Decision: q.Decision, Exact: r.problem.ExactEntries(), Value: r.valued(q.Loss), Gap: t.Gap(q.Loss), Distance: t.Distance(q.Decision), Residual: q.Residual, Starts: 1}
}

// searched is what a search over the set found, with what it knows of it.
func (r *run) searched(s *optimum.Search) folder.Point {
	p := r.point(s.Point)
	p.Starts, p.Spread, p.Residual = len(s.Found), s.Spread, s.Residue
	p.Evidence = folder.EvidenceOf(s)
	return p
}

// field is what stable points are points of rest of: what those see who take the population for given.
func (r *run) field() optimum.Field {
	if r.game.settled != nil {
		return r.game.settled.Partial
	}
	return r.meter.Steady.Partial
}

// rests looks for where retraining comes to rest, unless an earlier process did. Not every field has such a point; then a note says so.
func (r *run) rests(ctx context.Context) ([]optimum.Rest, error) {
	s, err := r.seek(ctx, "stable point", func(found *solved) (err error) {
		found.Rests, err = optimum.Rests(ctx, r.field(), r.problem.Set, r.problem.Start, r.problem.Search)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Failure != "" {
		r.note("No stable point was found: %s.", s.Failure)
	}
	return s.Rests, nil
}

// describeRests keeps all points of rest, and as the stable point the one that retraining reaches from the first decision.
func (r *run) describeRests(rests []optimum.Rest) {
	r.result.Stable = folder.NoPoint()
	for _, s := range rests {
		p := r.point(s.Point)
		p.Evidence = &folder.Evidence{Standing: folder.Stationary, Eigenvalues: s.Eigenvalues, Attracting: &s.Attracting, Reached: s.Reached}
		if len(s.Eigenvalues) == 0 {
			p.Evidence.Attracting = nil
		}
		r.result.Rests = append(r.result.Rests, p)
	}
	switch {
	case len(rests) == 0:
	case rests[0].Reached:
		r.result.Stable = r.result.Rests[0]
	default:
		r.note("Retraining in small steps from the first decision was not seen to come to rest, so no point is called the one where it settles; the field rests elsewhere (see rests in summary.json).")
	}
	if len(rests) > 1 && rests[0].Reached {
		r.note("Retraining has at least %d points of rest; the stable point is the one that it reaches from the first decision.", len(rests))
	}
}

// findNash looks for equilibria of the players, if there are any.
func (r *run) findNash(ctx context.Context) error {
	if r.game.settled == nil {
		return nil
	}
	sets := lists.Of(r.problem.Set.(set.Product).Parts, func(part set.Part) kedge.Set { return part.Set })
	if len(r.bounds.list) > 0 {
		return r.findShared(ctx, sets)
	}
	s, err := r.seek(ctx, "Nash equilibrium", func(found *solved) (err error) {
		found.Equilibria, err = optimum.Equilibria[game.Function](ctx, r.game.settled, sets, r.problem.Set, r.problem.Start, r.problem.Search)
		return err
	})
	if err != nil {
		return err
	}
	r.note(severalPlayers)
	if s.Failure != "" {
		r.note("No Nash equilibrium was found: %s.", s.Failure)
		return nil
	}
	r.game.equilibria = s.Equilibria
	if first := s.Equilibria[0]; first.Nash {
		r.game.nash = &loop.Target{Decision: first.Decision, Loss: first.Loss}
	} else {
		r.note("No Nash equilibrium was found: at each of the %d points where nobody gains by a small move, somebody gains by a large one. They are called local.", len(s.Equilibria))
	}
	return nil
}

// severalPlayers says what values and points are those of.
const severalPlayers = "There are several players: values are the sum of their losses, the optimum is what they would choose together, " +
	"and the stable point is where they stop if they take the population for given."

// findShared looks for equilibria of players who keep constraints together.
func (r *run) findShared(ctx context.Context, sets []kedge.Set) error {
	s, err := r.seek(ctx, "shared-constraint equilibrium", func(found *solved) (err error) {
		found.Shared, err = optimum.Shared[game.Function](ctx, r.game.settled, functions(r.bounds.list), sets, r.problem.Set, r.problem.Start, r.problem.Search)
		return err
	})
	if err != nil {
		return err
	}
	r.note(severalPlayers + " They share constraints, which the stable point does not heed.")
	if s.Failure != "" {
		r.note("No equilibrium under the shared constraints was found and verified: %s.", s.Failure)
		return nil
	}
	first := s.Shared[0]
	r.game.equilibria = lists.Of(s.Shared, func(e optimum.SharedEquilibrium) optimum.Equilibrium { return e.Equilibrium })
	r.game.nash, r.game.multipliers = &loop.Target{Decision: first.Decision, Loss: first.Loss}, first.Multipliers
	r.note("The equilibrium is a shared-constraint (generalized) Nash equilibrium, the variational one: a bound has the same price for every player, here %s, and no reply "+
		"that a search over a player's whole set and within the bounds found is better. As a rule there are others, at which players bear the bounds unequally; kedge does not look for those.", decided(first.Multipliers))
	return nil
}

// reference finds the optimum by the roll-out's notion of value, if the problem asks for one.
func (r *run) reference(ctx context.Context, seeds [][]float64) error {
	f := r.problem.Rollout()
	if f == nil {
		return nil
	}
	f.Workers = r.Workers
	best, err := r.find(ctx, "reference", f, seeds)
	if err != nil {
		return fmt.Errorf("find the optimum after %d steps: %w", f.Steps, err)
	}
	loss, err := r.meter.Steady.Value(best.Decision)
	if err != nil {
		return err
	}
	found := r.searched(&best.Search)
	judged := best.Search
	judged.Loss = loss
	r.meter.Reference = &loop.Reference{Rollout: f, Optimum: loop.Target{Decision: best.Decision, Loss: best.Loss}}
	r.result.Reference = &folder.Reference{Steps: f.Steps, Optimum: found, True: r.searched(&judged)}
	return nil
}
