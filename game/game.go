// Package game lets several decision-makers meet on one population. Each owns a block of the decision and has an objective of its
// own; the population answers all of them. Play and BestResponse are estimators for rules of package online, so that a game is
// played with the schedules, transforms and rhythms of any other rule, over the product of the players' sets. SettledGame judges
// decisions by the settled population: where Nash equilibria are, and how far a decision is from one.
package game

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Player is one decision-maker.
type Player struct {
	Name      string
	Size      int                // entries of the decision that are its own, after those of the players before
	Objective kedge.RowObjective // its loss, of the whole decision
}

// Order says who moves in a turn.
type Order int

const (
	// Simultaneous lets all players move.
	Simultaneous Order = iota
	// Alternating lets one player move after the other, a turn each.
	Alternating
)

// table is the players with their places.
type table struct {
	players []Player
	dims    kedge.Dims
	order   Order
	turn    int // steps taken
}

func newTable(dims kedge.Dims, players []Player, order Order) (table, error) {
	total := 0
	var err error
	for i, p := range players {
		if p.Size < 1 || p.Objective == nil {
			err = errors.Join(err, fmt.Errorf("game: player %d needs a part of the decision and an objective", i))
		}
		total += p.Size
	}
	if len(players) == 0 || total != dims.Decision {
		err = errors.Join(err, &kedge.DimError{Arg: "the players' parts", Got: total, Want: dims.Decision})
	}
	return table{players: players, dims: dims, order: order}, err
}

// block returns the part of u that is player j's own.
func (t *table) block(u []float64, j int) []float64 {
	first := 0
	for _, p := range t.players[:j] {
		first += p.Size
	}
	return u[first : first+t.players[j].Size]
}

// moves tells whether player j has a move in this turn.
func (t *table) moves(j int) bool { return t.order == Simultaneous || t.turn%len(t.players) == j }

// Commit goes on to the next turn.
func (t *table) Commit(kedge.Observation) { t.turn++ }

const tableKind = "game.Table/1"

// AppendBinary appends whose turn it is.
func (t *table) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, tableKind, t.fields) }

// UnmarshalBinary makes the game go on where the saved one was. On an error it is unchanged.
func (t *table) UnmarshalBinary(data []byte) error { return wire.Restore(data, tableKind, t.fields) }

func (t *table) fields(f *wire.Fields) { f.Int(&t.turn, 1<<53) }

// Play estimates the gradients of all players, each for its own block: gⱼ = mean [∂Φⱼ/∂uⱼ + ∇ᵤⱼh ∂Φⱼ/∂p] [narang2023]. A rule of it
// settles at a Nash equilibrium of the settled population. Without a sensitivity players take the population for given, and settle
// where nobody who does so would move.
type Play struct {
	table
	sensitivity kedge.Sensitivity
	g           []float64
	alone       []float64 // the gradient without the answer
}

var _ wire.State = (*Play)(nil)

// NewPlay returns the estimator. A nil sensitivity takes the population for given.
func NewPlay(dims kedge.Dims, players []Player, h kedge.Sensitivity, order Order) (*Play, error) {
	t, err := newTable(dims, players, order)
	if err != nil {
		return nil, err
	}
	return &Play{table: t, sensitivity: h, g: make([]float64, dims.Decision)}, nil
}

// Estimate writes the players' gradients, zeros for those who have no move.
func (e *Play) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(e.dims)
	if err != nil {
		return err
	}
	clear(g)
	for j := range e.players {
		if !e.moves(j) {
			continue
		}
		if err := e.gradient(j, o); err != nil {
			return fmt.Errorf("player %s: %w", e.players[j].Name, err)
		}
		rows.AddScaled(e.block(g, j), 1/o.Total(n), e.block(e.g, j))
	}
	return nil
}

// gradient sums the gradients of player j over the sample. Where that is so far from settled that the formulas of the sensitivity have no
// answer the player takes the population for given, as online.Composite does.
func (e *Play) gradient(j int, o kedge.Observation) error {
	clear(e.g)
	room := scratch.Borrow(len(e.g))
	defer room.Return()
	if e.sensitivity == nil {
		kedge.EvalWeighted(e.players[j].Objective, nil, e.g, o.P, o.U, o.D, o.W, room.X)
		return nil
	}
	pull := scratch.Borrow(len(o.P))
	defer pull.Return()
	kedge.EvalWeighted(e.players[j].Objective, pull.X, e.g, o.P, o.U, o.D, o.W, room.X)
	e.alone = append(e.alone[:0], e.g...)
	err := e.sensitivity.PullRows(e.g, o.P, o.U, o.D, pull.X)
	if errors.Is(err, kedge.ErrSingular) {
		copy(e.g, e.alone)
		return nil
	}
	return err
}
