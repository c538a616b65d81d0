package optimum

import (
	"cmp"
	"context"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Game is several decision-makers who own a block of the decision each, as game.SettledGame.
type Game[F Function] interface {
	Players() int
	Block(u []float64, player int) []float64
	Field(g, u []float64) (float64, error) // every player's gradient in its own block
	Reply(player int, u []float64) F       // a player's loss in its own block while the others stay at u
	Losses(losses, u []float64) error
}

// Equilibrium is a decision that nobody leaves alone: at a Nash equilibrium no reply that a search over a player's whole set found is
// better; at a local one only none nearby is.
type Equilibrium struct {
	Point           // its loss is that of all together
	Nash  bool      // else local
	Gains []float64 // what the best reply found would gain every player, as a part of how its losses differ
	Rest  *Rest     // how the field behaves there
}

const (
	worthwhile  = 1e-7 // gain, as a part of how a player's losses differ, for which it would leave
	replyRounds = 60
	replyStarts = 6
)

// Equilibria looks for equilibria of a game: where the players' gradients rest, and where best replies to each other come to rest, from
// the start and from decisions over the set. Nash equilibria come first, those that following the gradients from the start reaches
// before others. A point of rest at which a player would leave for something nearby is none. It may be that there are more, or none.
func Equilibria[F Function](ctx context.Context, g Game[F], sets []kedge.Set, set kedge.Set, start []float64, o Effort) ([]Equilibrium, error) {
	h := &table[F]{ctx: ctx, game: g, sets: sets, set: set, effort: o}
	rests, err := Rests(ctx, g.Field, set, start, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range rests {
		if err := h.consider(rests[i].Point, &rests[i]); err != nil {
			return nil, err
		}
	}
	for k := range replyStarts {
		u, ok := h.replies(h.from(start, k))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if ok {
			if err := h.consider(Point{Decision: u}, nil); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(h.found, func(a, b Equilibrium) int { return cmp.Compare(rank(a), rank(b)) })
	if len(h.found) == 0 {
		if err == nil {
			err = &kedge.NotConvergedError{What: "equilibrium", Tolerance: worthwhile, Residual: h.least}
		}
		return nil, err
	}
	return h.found, nil
}

// rank puts Nash equilibria before local ones, and those that are reached before others.
func rank(e Equilibrium) int {
	r := 0
	if !e.Nash {
		r += 2
	}
	if e.Rest == nil || !e.Rest.Reached {
		r++
	}
	return r
}

// table is where equilibria of a game are looked for.
type table[F Function] struct {
	ctx    context.Context
	game   Game[F]
	sets   []kedge.Set
	set    kedge.Set
	effort Effort
	found  []Equilibrium
	least  float64 // the smallest of the largest gains at what is none
}

// from is where round k of replies begins: at the start, then over the set.
func (h *table[F]) from(start []float64, k int) []float64 {
	u := append([]float64(nil), start...)
	if h.set.Project(u) != nil || k == 0 {
		return u
	}
	l := newLandscape(h.ctx, Field(h.game.Field), h.set, len(u))
	e, err := l.surveyField(u)
	if err != nil {
		return u
	}
	v, err := l.spread(e, k-1)
	if err != nil {
		return u
	}
	return l.outward(v)
}

// replies lets players answer each other in turn by the best they find, until nobody moves.
func (h *table[F]) replies(u []float64) ([]float64, bool) {
	for range replyRounds {
		moved := 0.0
		for j := range h.game.Players() {
			own := h.game.Block(u, j)
			s, err := h.reply(j, u)
			if err != nil {
				return nil, false
			}
			moved = max(moved, rows.Distance(s.Decision, own)/(rows.Norm(own)+s.land.length))
			copy(own, s.Decision)
		}
		if moved < 1e-11 {
			return u, true
		}
	}
	return nil, false
}

// reply finds player j's best reply.
func (h *table[F]) reply(j int, u []float64) (*Search, error) {
	o := h.effort
	o.Starts, o.Screen = max(4, min(o.Starts, 8)), min(max(o.Screen, 64), 256)
	return Find(h.ctx, h.game.Reply(j, u), h.sets[j], [][]float64{h.game.Block(u, j)}, o)
}

// alike tells whether a decision is one that is known.
func alike(u, known []float64) bool {
	return rows.Distance(known, u) <= 1e-6*(rows.Norm(u)+1e-300)
}

// consider keeps a decision if it is an equilibrium, or a local one, that is not known yet.
func (h *table[F]) consider(p Point, rest *Rest) error {
	if slices.ContainsFunc(h.found, func(e Equilibrium) bool { return alike(p.Decision, e.Decision) }) {
		return nil
	}
	losses := make([]float64, h.game.Players())
	if err := h.game.Losses(losses, p.Decision); err != nil {
		return nil // there the game has no value
	}
	p.Loss = rows.Sum(losses)
	e := Equilibrium{Point: p, Nash: true, Rest: rest, Gains: make([]float64, len(losses))}
	local, largest := true, 0.0
	for j, loss := range losses {
		s, err := h.reply(j, p.Decision)
		if h.ctx.Err() != nil {
			return h.ctx.Err()
		}
		if err != nil {
			return nil
		}
		e.Gains[j] = max(0, loss-s.Loss) / s.Range
		largest = max(largest, e.Gains[j])
		e.Nash = e.Nash && e.Gains[j] <= worthwhile
		local = local && h.holds(j, p.Decision, loss, s)
	}
	if e.Nash || local {
		h.found = append(h.found, e)
	} else if h.least == 0 || largest < h.least {
		h.least = largest
	}
	return nil
}

// holds tells whether player j finds nothing better near its own block: a walk downhill from beside it comes back.
func (h *table[F]) holds(j int, u []float64, loss float64, s *Search) bool {
	own, f := h.game.Block(u, j), h.game.Reply(j, u)
	g := make([]float64, len(own))
	for i := range own {
		for _, by := range []float64{1e-3, -1e-3} {
			at := append([]float64(nil), own...)
			at[i] += float64(by * s.land.length)
			if h.sets[j].Project(at) != nil {
				continue
			}
			if there, err := f.Gradient(g, at); err == nil && there < loss-float64(worthwhile*1e-3*s.Range) {
				return false
			}
		}
	}
	return true
}
