package game_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// What cannot be a game is refused at the door, by all three.
func TestGamesAreChecked(t *testing.T) {
	c := duopoly(t)
	two, stay := []kedge.Set{set.Whole{}, set.Whole{}}, func(_ game.Function, _ kedge.Set, x []float64) ([]float64, error) { return x, nil }
	far := game.Foresight{Settler: c.dynamics, Sensitivity: c.sensitivity}
	settled := func(err error) func(kedge.Objective) (*steady.Objective, error) {
		return func(o kedge.Objective) (*steady.Objective, error) {
			s, e := steady.New(kedge.Model{Settler: c.dynamics, Objective: o, Sensitivity: c.sensitivity, Traits: kedge.Block{Data: c.traits, Width: 1}})
			return s, errors.Join(e, err)
		}
	}
	respond := func(players []game.Player, sets []kedge.Set, f game.Foresight, search game.Responder) error {
		_, err := game.NewBestResponse(c.dims, players, sets, f, game.Simultaneous, search)
		return err
	}
	play := func(dims kedge.Dims, players ...game.Player) error {
		_, err := game.NewPlay(dims, players, nil, game.Simultaneous)
		return err
	}
	judge := func(players []game.Player, err error) error {
		_, e := game.NewSettled(c.dims, players, set.Whole{}, settled(err))
		return e
	}
	whole := game.Player{Size: 2, Objective: c.players[0].Objective}
	for _, x := range []struct {
		name string
		err  error
		ok   bool
	}{
		{"one player with all of it", play(c.dims, whole), true},
		{"nobody, with nothing to decide", play(kedge.Dims{State: 1, Trait: 1}), false},
		{"responses", respond(c.players, two, far, stay), true},
		{"responses to people as they are", respond(c.players, two, game.Foresight{}, stay), true},
		{"responses of one player too few", respond(c.players[:1], two[:1], far, stay), false},
		{"responses with a set too few", respond(c.players, two[:1], far, stay), false},
		{"responses without a search", respond(c.players, two, far, nil), false},
		{"responses with a settler alone", respond(c.players, two, game.Foresight{Settler: c.dynamics}, stay), false},
		{"responses with a sensitivity alone", respond(c.players, two, game.Foresight{Sensitivity: c.sensitivity}, stay), false},
		{"a settled game", judge(c.players, nil), true},
		{"a settled game of one player too few", judge(c.players[:1], nil), false},
		{"a settled game of nobody who settles", judge(c.players, errBroken), false},
	} {
		if (x.err == nil) != x.ok {
			t.Errorf("%s: %v", x.name, x.err)
		}
	}
	if err := judge(c.players, errBroken); !errors.Is(err, errBroken) {
		t.Errorf("what keeps people from settling comes back as %v", err)
	}
}

// A sample that is none of these people is refused, and what a sensitivity says is told.
func TestPlaysTellErrors(t *testing.T) {
	c := duopoly(t)
	half := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 3}, D: []float64{1}}
	good := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 3}, D: []float64{1, 3}}
	g := make([]float64, 2)
	if err := c.gradients(t, c.sensitivity, game.Simultaneous).Estimate(g, half); err == nil {
		t.Error("gradients of two states and one trait")
	}
	if err := c.responses(t, game.Foresight{}, game.Simultaneous).Estimate(g, half); err == nil {
		t.Error("responses to two states and one trait")
	}
	if err := c.gradients(t, broken{}, game.Simultaneous).Estimate(g, good); !errors.Is(err, errBroken) {
		t.Errorf("a sensitivity that fails: %v", err)
	}
}

// halfway is a sensitivity that finds out halfway that it has no answer.
type halfway struct{}

func (halfway) PullRows(g, _, _, _, _ []float64) error {
	g[0]++
	return kedge.ErrSingular
}

// By hand, in the duopoly at u = (2, 1) with people at 1 and 3: the gradients of those who take them for given are −2 + 2 and −2 + 1, those who anticipate that demand
// falls by half of what they add have ½uⱼ more. Who has no answer takes people for given, whatever it did before it knew.
func TestGradientsAreMeansOverPeople(t *testing.T) {
	c := duopoly(t)
	o := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 3}, D: []float64{1, 3}}
	for _, x := range []struct {
		h    kedge.Sensitivity
		want []float64
	}{{nil, []float64{0, -1}}, {c.sensitivity, []float64{1, -0.5}}, {halfway{}, []float64{0, -1}}} {
		g := []float64{9, 9}
		if err := c.gradients(t, x.h, game.Simultaneous).Estimate(g, o); err != nil || !slices.Equal(g, x.want) {
			t.Errorf("%T: gradients %v (%v), want %v", x.h, g, err, x.want)
		}
	}
}

// Where players alternate only one responds, and leaves the rest alone: by hand, to people at the mean 2 the best of the duopoly is 2, which leaves u − 2 behind.
func TestAlternatingResponses(t *testing.T) {
	c := duopoly(t)
	e := c.responses(t, game.Foresight{}, game.Alternating).(*game.BestResponse)
	o := kedge.Observation{U: []float64{5, 1}, P: []float64{1, 3}, D: []float64{1, 3}}
	for _, want := range [][2]float64{{3, 0}, {0, -1}, {3, 0}} {
		g := []float64{9, 9}
		if err := e.Estimate(g, o); err != nil {
			t.Fatal(err)
		}
		near(t, "what the one who moves leaves behind", g, want, 1e-10)
		e.Commit(o)
	}
}

// The loss of one player, with the other where it was: by hand, in the duopoly demand settles at 2 − ½x − ½, so that left loses −x(3/2 − ½x) + ½x² with the slope −3/2 + 2x.
func TestRepliesAreOfOnesOwn(t *testing.T) {
	s := duopoly(t).judge(t)
	u := []float64{7, 1}
	reply := s.Reply(0, u)
	for _, x := range []float64{0.5, 2} {
		g := []float64{9}
		loss, err := reply.Gradient(g, []float64{x})
		if want := -x*(1.5-x/2) + x*x/2; err != nil || !(math.Abs(loss-want) <= 1e-14) || !(math.Abs(g[0]-(2*x-1.5)) <= 1e-14) {
			t.Errorf("at %v: loss %v, slope %v (%v), want %v and %v", x, loss, g[0], err, want, 2*x-1.5)
		}
	}
	if u[0] != 7 || s.Block(u, 1)[0] != 1 {
		t.Errorf("the decision is %v now", u)
	}
}
