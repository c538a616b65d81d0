package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// SharedEquilibrium is a generalized Nash equilibrium of players who must keep constraints c ≤ 0 together: nobody finds a better reply among
// those that keep them while the others stay. It is the variational one: a constraint has the same multiplier for all,
//
//	u = Π(u − F(u) − Σ λᵢ∇cᵢ(u)),   λ ≥ 0,   c(u) ≤ 0,   λᵢcᵢ(u) = 0,
//
// with every player's gradient F in its own block. As a rule there are others, at which players bear the constraints unequally.
type SharedEquilibrium struct {
	Equilibrium
	Multipliers []float64 // λ
	Excess      []float64 // c(u), at most 0 but for rounding
}

const (
	sharedStarts = 3    // from which variational equilibria are looked for
	sharedRounds = 40   // of multipliers
	balanced     = 1e-9 // what constraints and multipliers may be off, each in its unit
)

// Shared looks for variational equilibria of a game under constraints that all players keep together, by augmented Lagrangians of their
// gradients, from the start and from decisions over the set. What comes to rest is an equilibrium only if no reply that a search over a
// player's whole set and within the constraints finds is better. There may be more, or none.
func Shared[F Function](ctx context.Context, g Game[F], constraints []Function, sets []kedge.Set, set kedge.Set, start []float64, o Effort) ([]SharedEquilibrium, error) {
	s := &sharing[F]{table: &table[F]{ctx: ctx, game: g, sets: sets, set: set, effort: o}, constraints: constraints}
	if err := s.measure(start); err != nil {
		return nil, err
	}
	var list []SharedEquilibrium
	last := error(&kedge.NotConvergedError{What: "a variational equilibrium", Tolerance: balanced, Residual: math.Inf(1)})
	for k := range sharedStarts {
		e, err := s.balance(s.table.from(start, k))
		if err == nil {
			err = s.verify(e)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			last = err
			continue
		}
		if !slices.ContainsFunc(list, func(known SharedEquilibrium) bool { return alike(e.Decision, known.Decision) }) {
			list = append(list, *e)
		}
	}
	if len(list) == 0 {
		return nil, last
	}
	return list, nil
}

// sharing is where variational equilibria are looked for.
type sharing[F Function] struct {
	*table[F]
	constraints []Function
	units       []float64 // what a constraint changes by over the set
	prices      []float64 // multipliers that weigh as much as the players' gradients
	penalties   []float64 // ρ
	multipliers []float64
	g           []float64
}

// measure finds the units of constraints and multipliers.
func (s *sharing[F]) measure(start []float64) error {
	n := len(s.constraints)
	s.units, s.prices, s.penalties, s.multipliers = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	s.g = make([]float64, len(start))
	l := newLandscape(s.ctx, Field(s.game.Field), s.set, len(start))
	first, err := l.inward(start)
	if err != nil {
		return err
	}
	e, err := l.surveyField(first)
	if err != nil {
		return err
	}
	for k := -1; k < 8; k++ {
		u := e.from
		if k >= 0 {
			if u, err = l.spread(e, k); err != nil {
				continue
			}
		}
		for i, c := range s.constraints {
			if _, err := c.Gradient(s.g, l.outward(u)); err == nil {
				s.units[i] = max(s.units[i], rows.Norm(s.g)*l.length)
			}
		}
	}
	for i, unit := range s.units {
		if !(unit > 0) || math.IsInf(unit, 1) {
			return errors.New("optimum: a shared constraint does not depend on the decision, or has no value")
		}
		s.prices[i] = l.slope * l.length / unit
		s.penalties[i] = 10 * s.prices[i] / unit
	}
	return nil
}

// pressed is the field of the players with the augmented Lagrangian's share of the constraints.
func (s *sharing[F]) pressed(g, u []float64) (float64, error) {
	loss, err := s.game.Field(g, u)
	if err != nil {
		return 0, err
	}
	for i, c := range s.constraints {
		v, err := c.Gradient(s.g, u)
		if err != nil {
			return 0, err
		}
		rows.AddScaled(g, max(0, s.multipliers[i]+float64(s.penalties[i]*v)), s.g)
	}
	return loss, nil
}

// balance raises multipliers where constraints are broken and lowers them where they are not needed, until both are in balance.
func (s *sharing[F]) balance(u []float64) (*SharedEquilibrium, error) {
	clear(s.multipliers)
	off := math.Inf(1)
	for range sharedRounds {
		p, err := Stable(s.ctx, s.pressed, s.set, u, s.effort)
		if err != nil {
			return nil, err
		}
		u = p.Decision
		e := &SharedEquilibrium{Equilibrium: Equilibrium{Point: *p}, Excess: make([]float64, len(s.constraints))}
		off = 0
		for i, c := range s.constraints {
			v, err := c.Gradient(s.g, u)
			if err != nil {
				return nil, err
			}
			was := s.multipliers[i]
			s.multipliers[i] = max(0, was+float64(s.penalties[i]*v))
			e.Excess[i] = v
			off = max(off, v/s.units[i], math.Abs(s.multipliers[i]-was)/s.prices[i])
		}
		if off <= balanced {
			e.Multipliers = append([]float64(nil), s.multipliers...)
			return e, nil
		}
	}
	return nil, &kedge.NotConvergedError{What: "a variational equilibrium", Tolerance: balanced, Residual: off, Steps: sharedRounds}
}

// verify looks for better replies of every player within the constraints.
func (s *sharing[F]) verify(e *SharedEquilibrium) error {
	losses := make([]float64, s.game.Players())
	if err := s.game.Losses(losses, e.Decision); err != nil {
		return err
	}
	e.Loss, e.Gains, e.Nash = rows.Sum(losses), make([]float64, len(losses)), true
	o := s.effort
	o.Starts, o.Screen = max(4, min(o.Starts, 8)), min(max(o.Screen, 64), 256)
	for j, loss := range losses {
		var own []Function
		for i, c := range s.constraints {
			own = append(own, &slice[F]{game: s.game, of: c, player: j, slack: balanced * s.units[i], at: append([]float64(nil), e.Decision...), g: make([]float64, len(e.Decision))})
		}
		best, err := Constrain(s.ctx, s.game.Reply(j, e.Decision), own, s.sets[j], [][]float64{s.game.Block(e.Decision, j)}, o)
		if err != nil {
			return err
		}
		e.Gains[j] = max(0, loss-best.Loss) / best.Range
		if e.Gains[j] > worthwhile {
			return fmt.Errorf("optimum: where the players' gradients are in balance, player %d gains %.3g of what its losses differ by with another decision that keeps the constraints", j+1, e.Gains[j])
		}
	}
	return nil
}

// slice is a constraint as a function of one player's block while the others stay. What it may be off counts as kept: a player who has no say in it could not mend it.
type slice[F Function] struct {
	game   Game[F]
	of     Function
	player int
	slack  float64
	at, g  []float64
}

func (s *slice[F]) Gradient(g, x []float64) (float64, error) {
	copy(s.game.Block(s.at, s.player), x)
	v, err := s.of.Gradient(s.g, s.at)
	copy(g, s.game.Block(s.g, s.player))
	return v - s.slack, err
}
