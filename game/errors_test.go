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

var errBroken = errors.New("broken")

// broken fails wherever it is asked: settling, with nobody moved, or pulling gradients back.
type broken struct{ settles, pulls bool }

func (b broken) Dims() kedge.Dims { return kedge.Dims{Decision: 2, State: 1, Trait: 1} }

func (b broken) Next(dst, p, u, d []float64) { copy(dst, p) }

func (b broken) Settle(dst, u, d []float64) (r kedge.Residual, err error) {
	return b.SettleRows(dst, u, d)
}

func (b broken) SettleRows(dst, u, d []float64) (r kedge.Residual, err error) {
	if !b.settles {
		return r, errBroken
	}
	for i := range dst {
		dst[i] = 1
	}
	return r, nil
}

func (b broken) PullRows(g, p, u, d, pull []float64) error {
	if !b.pulls {
		return errBroken
	}
	return nil
}

// look asks a best response for the loss and the gradient of its first player at x, and stays there.
func look(t *testing.T, c *contest, f game.Foresight, o kedge.Observation, x float64) (loss, slope float64, err error) {
	t.Helper()
	asked := false
	search := func(f game.Function, _ kedge.Set, start []float64) ([]float64, error) {
		if asked {
			return start, nil
		}
		asked = true
		g := []float64{math.NaN()}
		loss, err = f.Gradient(g, []float64{x})
		slope = g[0]
		return start, err
	}
	e := must2(game.NewBestResponse(c.dims, c.players, []kedge.Set{set.Whole{}, set.Whole{}}, f, game.Simultaneous, search))(t)
	if failed := e.Estimate(make([]float64, 2), o); !errors.Is(failed, err) {
		t.Errorf("Estimate ends with %v, the search with %v", failed, err)
	}
	return loss, slope, err
}

// The loss of a player is the mean over people, and so is its slope. By hand, of left in the duopoly, Φ₁ = −u₁p + ½u₁², at u₁ = 1/2: people at p = 1, 3, 5 have the mean 3,
// so that the loss is −3/2 + 1/8 and the slope −3 + 1/2. Those who foresee that demand settles at p = d − ½u₁ − ½u₂, of traits 1, 3, 5 and u₂ = 1 at the mean 9/4, lose −9/8 + 1/8
// at the slope −9/4 + ½u₁ + u₁ = −3/2.
func TestResponsesAreMeansOverPeople(t *testing.T) {
	c := duopoly(t)
	o := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 3, 5}, D: []float64{1, 3, 5}}
	for _, x := range []struct {
		f           game.Foresight
		loss, slope float64
	}{{game.Foresight{}, -11.0 / 8, -2.5}, {game.Foresight{Settler: c.dynamics, Sensitivity: c.sensitivity}, -1, -1.5}} {
		loss, slope, err := look(t, c, x.f, o, 0.5)
		if err != nil || !(math.Abs(loss-x.loss) <= 1e-15) || !(math.Abs(slope-x.slope) <= 1e-15) {
			t.Errorf("loss %v, slope %v (%v), want %v and %v", loss, slope, err, x.loss, x.slope)
		}
	}
}

// stays is a population that never moves.
type stays struct{ broken }

func (stays) SettleFrom(dst, u, d []float64) (r kedge.Residual, err error) { return r, nil }

// People are counted, not their numbers: in the quarrel, of two people with two each, at p₁ = 1 and 3, Φ₁ = u₁² + u₁p₁ + ½p₁² has at u₁ = 1/2 the mean 1/4 + 1 + 5/2 and the slope 1 + 2.
// A population that stays where it is does so for those who foresee, too.
func TestResponsesCountPeople(t *testing.T) {
	c := quarrel(t)
	o := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 7, 3, 8}, D: []float64{1, 2, 3, 4}}
	for name, f := range map[string]game.Foresight{"given": {}, "foreseen": {Settler: stays{broken{pulls: true}}, Sensitivity: broken{pulls: true}}} {
		if loss, slope, err := look(t, c, f, o, 0.5); err != nil || !(math.Abs(loss-3.75) <= 1e-15) || !(math.Abs(slope-3) <= 1e-15) {
			t.Errorf("%s: loss %v, slope %v (%v), want 3.75 and 3", name, loss, slope, err)
		}
	}
}

// Where the population does not settle, or has no answer, a best response says so and gives no number.
func TestResponsesTellErrors(t *testing.T) {
	c := duopoly(t)
	o := kedge.Observation{U: []float64{2, 1}, P: []float64{1, 3}, D: []float64{1, 3}}
	for name, b := range map[string]broken{"settling": {pulls: true}, "pulling": {settles: true}} {
		if loss, _, err := look(t, c, game.Foresight{Settler: b, Sensitivity: b}, o, 0.5); !errors.Is(err, errBroken) || loss != 0 {
			t.Errorf("%s: loss %v, error %v, want 0 and %v", name, loss, err, errBroken)
		}
	}
	if loss, _, err := look(t, c, game.Foresight{Settler: broken{true, true}, Sensitivity: broken{true, true}}, o, 0.5); err != nil || loss == 0 {
		t.Errorf("with nothing broken: loss %v, %v", loss, err)
	}
}

// A settled game tells whoever asks that the population does not settle, in every question, and gives no number.
func TestSettledGamesTellErrors(t *testing.T) {
	c := duopoly(t)
	s := must2(game.NewSettled(c.dims, c.players, set.Whole{}, func(o kedge.Objective) (*steady.Objective, error) {
		return steady.New(kedge.Model{Settler: broken{}, Objective: o, Sensitivity: broken{}, Traits: kedge.Block{Data: c.traits, Width: 1}})
	}))(t)
	u, g := []float64{1, 1}, make([]float64, 2)
	ask := map[string]func() (float64, error){
		"Field":          func() (float64, error) { return s.Field(g, u) },
		"Partial":        func() (float64, error) { return s.Partial(g, u) },
		"Residual":       func() (float64, error) { return s.Residual(u) },
		"PricedResidual": func() (float64, error) { return s.PricedResidual(u, g) },
		"Losses":         func() (float64, error) { return 0, s.Losses(g, u) },
		"Reply":          func() (float64, error) { return s.Reply(0, u).Gradient(g[:1], u[:1]) },
	}
	for name, question := range ask {
		if x, err := question(); !errors.Is(err, errBroken) || x != 0 {
			t.Errorf("%s gives %v, %v, want 0 and %v", name, x, err, errBroken)
		}
	}
}

// wall refuses every point.
type wall struct{ set.Whole }

func (wall) Project([]float64) error { return errBroken }

// A price moves what players are at rest at. By hand, in the duopoly at the equilibrium (4/5, 4/5) the field is 0, so that a price of (3, 4) leaves a residual of 5; half of it, 5/2.
func TestPricedResiduals(t *testing.T) {
	c := duopoly(t)
	s := c.judge(t)
	u := []float64{0.8, 0.8}
	for _, x := range []struct {
		price []float64
		want  float64
	}{{nil, 0}, {[]float64{3, 4}, 5}, {[]float64{1.5, 2}, 2.5}} {
		at := slices.Clone(u)
		if r, err := s.PricedResidual(at, x.price); err != nil || !(math.Abs(r-x.want) <= 1e-15*10) || !slices.Equal(at, u) {
			t.Errorf("the residual under %v is %v (%v) at %v, want %v at %v", x.price, r, err, at, x.want, u)
		}
	}
	walled := must2(game.NewSettled(c.dims, c.players, set.Box{Lower: []float64{0, 0}, Upper: u}, func(o kedge.Objective) (*steady.Objective, error) {
		return steady.New(kedge.Model{Settler: c.dynamics, Objective: o, Sensitivity: c.sensitivity, Traits: kedge.Block{Data: c.traits, Width: 1}})
	}))(t)
	for sign, want := range map[float64]float64{-1: 0, 1: math.Hypot(0.8, 0.8)} { // paid to go where the set ends, they stay; fined, they go to the other end
		if r, err := walled.PricedResidual(u, []float64{3 * sign, 4 * sign}); err != nil || !(math.Abs(r-want) <= 1e-14) {
			t.Errorf("at the end of the set, under %v(3, 4), the residual is %v (%v), want %v", sign, r, err, want)
		}
	}
	behind := must2(game.NewSettled(c.dims, c.players, wall{}, func(o kedge.Objective) (*steady.Objective, error) {
		return steady.New(kedge.Model{Settler: c.dynamics, Objective: o, Sensitivity: c.sensitivity, Traits: kedge.Block{Data: c.traits, Width: 1}})
	}))(t)
	if r, err := behind.Residual(u); !errors.Is(err, errBroken) || r != 0 {
		t.Errorf("a set that refuses: %v, %v", r, err)
	}
}

// Losses are compared with losses and gains with gains, and neither with the other or with nothing.
func TestPriceOfAnarchy(t *testing.T) {
	for _, x := range []struct {
		equilibrium, social, price float64
		ok                         bool
	}{{3, 2, 1.5, true}, {0.5, 0.25, 2, true}, {-0.25, -0.5, 2, true}, {-2, -3, 1.5, true}, {3, -2, 0, false}, {-3, 2, 0, false}, {0, 2, 0, false}, {3, 0, 0, false}, {0, -2, 0, false}, {-3, 0, 0, false}, {0, 0, 0, false}} {
		if price, ok := game.PriceOfAnarchy(x.equilibrium, x.social); price != x.price || ok != x.ok {
			t.Errorf("%v against %v is %v, %v, want %v, %v", x.equilibrium, x.social, price, ok, x.price, x.ok)
		}
	}
}
