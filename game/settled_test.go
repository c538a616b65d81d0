package game_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/wire"
)

// A clone answers as the game does. By hand, in the duopoly at (1, 1) demand settles at 1: everybody loses −1 + 1/2, and the field is −1 + 1/2 + 1 for both.
func TestClonesAnswerAlike(t *testing.T) {
	s := duopoly(t).judge(t)
	for name, s := range map[string]*game.SettledGame{"the game": s, "its clone": s.Clone()} {
		losses, g := make([]float64, 2), make([]float64, 2)
		if err := s.Losses(losses, []float64{1, 1}); err != nil {
			t.Fatal(err)
		}
		total, err := s.Field(g, []float64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+": losses", losses, [2]float64{-0.5, -0.5}, 1e-15)
		near(t, name+": field", g, [2]float64{0.5, 0.5}, 1e-15)
		if !(math.Abs(total+1) <= 1e-15) || s.Players() != 2 {
			t.Errorf("%s: all lose %v, %d players", name, total, s.Players())
		}
	}
}

// A player without entries of its own is refused although the sizes add up, and so is one without an objective.
func TestPlayersNeedAPart(t *testing.T) {
	c := duopoly(t)
	for name, players := range map[string][]game.Player{
		"no entries":   {{Size: 2, Objective: c.players[0].Objective}, {Size: 0, Objective: c.players[1].Objective}},
		"no objective": {{Size: 1, Objective: c.players[0].Objective}, {Size: 1}},
	} {
		if _, err := game.NewPlay(c.dims, players, nil, game.Simultaneous); err == nil {
			t.Errorf("a player with %s is taken", name)
		}
	}
}

// A saved game of more turns than a number of a file holds exactly is refused, and one of as many is not.
func TestSavedTurnsAreBounded(t *testing.T) {
	c := duopoly(t)
	play := c.gradients(t, nil, game.Alternating).(*game.Play)
	for turn, want := range map[int]bool{1 << 53: true, 1<<53 + 1: false, math.MaxInt: false} {
		saved, err := wire.Append(nil, "game.Table/1", func(f *wire.Fields) { f.Int(&turn, math.MaxInt) })
		if err != nil {
			t.Fatal(err)
		}
		if err := play.UnmarshalBinary(saved); (err == nil) != want {
			t.Errorf("turn %d: %v", turn, err)
		}
	}
	g := make([]float64, 2) // it is the first player's turn, as 2⁵³ is even
	if err := play.Estimate(g, kedge.Observation{U: []float64{2, 1}, P: []float64{1}, D: []float64{1}}); err != nil || g[0] == 0 || g[1] != 0 {
		t.Errorf("gradient %v, %v", g, err)
	}
}
