package game

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
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

	u, g []float64
	seen kedge.Observation // during Estimate
	who  int
}

var _ wire.State = (*BestResponse)(nil)

// NewBestResponse returns the estimator, with the set of every player's block.
func NewBestResponse(dims kedge.Dims, players []Player, sets []kedge.Set, f Foresight, order Order, search Responder) (*BestResponse, error) {
	t, err := newTable(dims, players, order)
	if err != nil {
		return nil, err
	}
	if len(sets) != len(players) || search == nil || (f.Settler == nil) != (f.Sensitivity == nil) {
		return nil, fmt.Errorf("game: best responses need a search, a set a player and a settler and a sensitivity or neither")
	}
	return &BestResponse{table: t, foresight: f, sets: sets, search: search, u: make([]float64, dims.Decision), g: make([]float64, dims.Decision)}, nil
}

// Estimate writes what players would leave behind, uⱼ minus the best response, zeros for those who have no move.
func (e *BestResponse) Estimate(g []float64, o kedge.Observation) error {
	if _, err := o.Sample(e.dims); err != nil {
		return err
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
	o, judge, n := e.seen, e.players[e.who].Objective, e.seen.Total(len(e.seen.P)/e.dims.State)
	room := scratch.Borrow(len(e.g) + 2*len(o.P))
	defer room.Return()
	one, p, pull := room.X[:len(e.g)], room.X[len(e.g):len(e.g)+len(o.P)], room.X[len(e.g)+len(o.P):]
	copy(e.block(e.u, e.who), x)
	clear(e.g)
	loss := 0.0
	if h := e.foresight; h.Settler == nil {
		loss = kedge.EvalWeighted(judge, nil, e.g, o.P, e.u, o.D, o.W, one)
	} else {
		copy(p, o.P) // where steady states depend on the start, people go on from where they are
		if _, err := kedge.SettleRowsFrom(h.Settler, p, e.u, o.D); err != nil {
			return 0, err
		}
		loss = kedge.EvalWeighted(judge, pull, e.g, p, e.u, o.D, o.W, one)
		if err := h.Sensitivity.PullRows(e.g, p, e.u, o.D, pull); err != nil {
			return 0, err
		}
	}
	copy(g, e.block(e.g, e.who))
	rows.Scale(g, 1/n)
	return loss / n, nil
}
