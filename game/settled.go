package game

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/steady"
)

// SettledGame judges the decision of all players by the settled population. It owns its workspace: one goroutine at a time.
type SettledGame struct {
	table
	set    kedge.Set // of the whole decision
	losses []*steady.Objective
	g, at  []float64
}

// NewSettled returns the game of players over a set of joint decisions; make settles the population and judges it by an objective.
func NewSettled(dims kedge.Dims, players []Player, set kedge.Set, settled func(kedge.Objective) (*steady.Objective, error)) (*SettledGame, error) {
	t, err := newTable(dims, players, Simultaneous)
	if err != nil {
		return nil, err
	}
	s := &SettledGame{table: t, set: set, g: make([]float64, dims.Decision), at: make([]float64, dims.Decision)}
	for _, p := range players {
		f, err := settled(p.Objective)
		if err != nil {
			return nil, err
		}
		s.losses = append(s.losses, f)
	}
	return s, nil
}

// Clone returns the same game with a workspace of its own.
func (s *SettledGame) Clone() *SettledGame {
	losses := lists.Of(s.losses, (*steady.Objective).Clone)
	return &SettledGame{table: s.table, set: s.set, losses: losses, g: make([]float64, len(s.g)), at: make([]float64, len(s.at))}
}

// Field returns the sum of the losses and writes every player's gradient with respect to its own block to g. Nash equilibria of
// smooth convex games are where it vanishes, up to the set.
func (s *SettledGame) Field(g, u []float64) (float64, error) {
	return s.field(g, u, (*steady.Objective).Gradient)
}

// Partial is Field of players who take the settled population for given.
func (s *SettledGame) Partial(g, u []float64) (float64, error) {
	return s.field(g, u, (*steady.Objective).Partial)
}

func (s *SettledGame) field(g, u []float64, of func(f *steady.Objective, g, u []float64) (float64, error)) (float64, error) {
	total := 0.0
	for j, f := range s.losses {
		loss, err := of(f, s.g, u)
		if err != nil {
			return 0, err
		}
		total += loss
		copy(s.block(g, j), s.block(s.g, j))
	}
	return total, nil
}

// Losses writes the loss of every player to dst.
func (s *SettledGame) Losses(dst, u []float64) error {
	for j, f := range s.losses {
		loss, err := f.Value(u)
		if err != nil {
			return err
		}
		dst[j] = loss
	}
	return nil
}

// Residual returns ‖Π(u − F(u)) − u‖ for the field F: 0 at a Nash equilibrium.
func (s *SettledGame) Residual(u []float64) (float64, error) { return s.PricedResidual(u, nil) }

// PricedResidual is Residual of F(u) + price: of players who pay for what they share, Σ λᵢ∇cᵢ(u). It is 0 at a variational equilibrium.
func (s *SettledGame) PricedResidual(u, price []float64) (float64, error) {
	g := make([]float64, len(u))
	if _, err := s.Field(g, u); err != nil {
		return 0, err
	}
	rows.AddScaled(g[:len(price)], 1, price)
	copy(s.at, u)
	rows.AddScaled(s.at, -1, g)
	if err := s.set.Project(s.at); err != nil {
		return 0, err
	}
	return rows.Distance(s.at, u), nil
}

// PriceOfAnarchy compares what all lose together at an equilibrium with what they could: the ratio of losses, or of gains where losses
// are negative. It is not ok where one is a loss and the other a gain.
func PriceOfAnarchy(equilibrium, social float64) (price float64, ok bool) {
	switch {
	case social > 0 && equilibrium > 0:
		return equilibrium / social, true
	case social < 0 && equilibrium < 0:
		return social / equilibrium, true
	}
	return 0, false
}

// Players returns how many there are.
func (s *SettledGame) Players() int { return len(s.players) }

// Block returns the part of a decision that is player j's own.
func (s *SettledGame) Block(u []float64, j int) []float64 { return s.block(u, j) }

// Reply returns the loss of player j as a function of its own block while the others stay at u. It uses the game's workspace, and no two
// may be used at once.
func (s *SettledGame) Reply(j int, u []float64) Function {
	return &reply{game: s, player: j, at: append([]float64(nil), u...), g: make([]float64, len(u))}
}

type reply struct {
	game   *SettledGame
	player int
	at, g  []float64
}

func (r *reply) Gradient(g, x []float64) (float64, error) {
	copy(r.game.block(r.at, r.player), x)
	loss, err := r.game.losses[r.player].Gradient(r.g, r.at)
	copy(g, r.game.block(r.g, r.player))
	return loss, err
}
