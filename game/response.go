package game

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Function is the loss of a player as a function of its own block.
type Function interface {
	// Gradient returns the loss at x and writes the gradient to g.
	Gradient(g, x []float64) (float64, error)
}

// Responder finds the minimum of a function over a set from a start, as optimum.Minimize does.
type Responder func(f Function, set kedge.Set, start []float64) ([]float64, error)

// Foresight is what a best response is the best for.
type Foresight struct {
	Settler     kedge.RowSettler  // how the population will settle; nil takes the sampled one for given
	Sensitivity kedge.Sensitivity // at settled states; with a settler
}

// BestResponse lets players jump: with the step size 1 the next block of a player is the one that is best for it if the others stay,
// for the population that would then settle of the people who were sampled. A smaller step goes a part of the way.
//
// Where responses are stronger than what they answer, jumps of all players at once overshoot for ever.
type BestResponse struct {
	table
	foresight Foresight
	sets      []kedge.Set // of every player
	search    Responder

	u, g, states, pull []float64
	seen               kedge.Observation // during Estimate
	who                int
}

var _ wire.State = (*BestResponse)(nil)

// NewBestResponse returns the estimator, with the set of every player's block.
func NewBestResponse(dims kedge.Dims, players []Player, sets []kedge.Set, f Foresight, order Order, search Responder) (*BestResponse, error) {
	t, err := newTable(dims, players)
	if err != nil {
		return nil, err
	}
	if len(sets) != len(players) || search == nil || (f.Settler == nil) != (f.Sensitivity == nil) {
		return nil, fmt.Errorf("game: best responses need a search, a set a player and a settler and a sensitivity or neither")
	}
	t.order = order
	return &BestResponse{table: t, foresight: f, sets: sets, search: search, u: make([]float64, dims.Decision), g: make([]float64, dims.Decision)}, nil
}

// Estimate writes what players would leave behind, uⱼ minus the best response, zeros for those who have no move.
func (e *BestResponse) Estimate(g []float64, o kedge.Observation) error {
	if _, err := o.Sample(e.dims); err != nil {
		return err
	}
	if cap(e.pull) < len(o.P) {
		e.states, e.pull = make([]float64, len(o.P)), make([]float64, len(o.P))
	}
	e.seen = o
	defer func() { e.seen = kedge.Observation{} }()
	clear(g)
	for e.who = range e.players {
		if !e.moves(e.who) {
			continue
		}
		copy(e.u, o.U)
		own := e.block(o.U, e.who)
		best, err := e.search((*response)(e), e.sets[e.who], own)
		if err != nil {
			return fmt.Errorf("the best response of %s: %w", e.players[e.who].Name, err)
		}
		copy(e.block(g, e.who), own)
		rows.AddScaled(e.block(g, e.who), -1, best)
	}
	return nil
}

// response is the loss of the player who responds.
type response BestResponse

// Gradient implements Function.
func (r *response) Gradient(g, x []float64) (float64, error) {
	e := (*BestResponse)(r)
	o, judge, n := e.seen, e.players[e.who].Objective, float64(len(e.seen.P)/e.dims.State)
	copy(e.block(e.u, e.who), x)
	clear(e.g)
	loss := 0.0
	if h := e.foresight; h.Settler == nil {
		loss = judge.EvalRows(nil, e.g, o.P, e.u, o.D)
	} else {
		p, pull := e.states[:len(o.P)], e.pull[:len(o.P)]
		copy(p, o.P) // where steady states depend on the start, people go on from where they are
		if _, err := kedge.SettleRowsFrom(h.Settler, p, e.u, o.D); err != nil {
			return 0, err
		}
		clear(pull)
		loss = judge.EvalRows(pull, e.g, p, e.u, o.D)
		if err := h.Sensitivity.PullRows(e.g, p, e.u, o.D, pull); err != nil {
			return 0, err
		}
	}
	copy(g, e.block(e.g, e.who))
	rows.Scale(g, 1/n)
	return loss / n, nil
}
