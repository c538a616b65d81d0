package dynamics_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// pulling adds 10 for the place and the decision's entry to every entry of a gradient.
type pulling struct{ err error }

func (s pulling) PullRows(gu, _, u, _, _ []float64) error {
	for i := range gu {
		gu[i] += 10*float64(i) + u[i]
	}
	return s.err
}

// Somebody whose crowd's mean is held moves, settles and answers as those do who see it behind the decision.
func TestHeldSeesTheMeanBehindTheDecision(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 1}, []float64{0.5, 0.1, 0, 0.4}, []float64{1, 2}, []float64{0.5, -1})
	if err != nil {
		t.Fatal(err)
	}
	both, err := dynamics.NewCoupled(f, 0.3, dynamics.Flat)
	if err != nil {
		t.Fatal(err)
	}
	settler := dynamics.Settled(both)
	h := dynamics.Held{Moves: both, Settler: settler, Answer: pulling{}, Mean: []float64{0.7, -0.2}}
	if got := h.Dims(); got != (kedge.Dims{Decision: 1, State: 2, Trait: 1}) {
		t.Errorf("%+v", got)
	}
	p, u, d, seen := []float64{1, 2}, []float64{0.25}, []float64{3}, []float64{0.25, 0.7, -0.2}
	got, want := make([]float64, 2), make([]float64, 2)
	same := func(what string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	h.Next(got, p, u, d)
	both.Next(want, p, seen, d)
	same("moves")
	for what, x := range map[string][2]func(dst []float64) error{
		"settles":      {func(dst []float64) error { _, err := h.Settle(dst, u, d); return err }, func(dst []float64) error { _, err := settler.Settle(dst, seen, d); return err }},
		"settles rows": {func(dst []float64) error { _, err := h.SettleRows(dst, u, d); return err }, func(dst []float64) error { _, err := settler.SettleRows(dst, seen, d); return err }},
		"settles from": {func(dst []float64) error { _, err := h.SettleFrom(dst, u, d); return err }, func(dst []float64) error { _, err := kedge.SettleRowsFrom(settler, dst, seen, d); return err }},
	} {
		copy(got, p)
		copy(want, p)
		if err := errors.Join(x[0](got), x[1](want)); err != nil {
			t.Fatal(err)
		}
		same(what)
	}
	v, gu, all := []float64{1, -2}, []float64{5}, []float64{5, 0, 0}
	clear(got)
	clear(want)
	h.Pullback(got, gu, p, u, d, v)
	both.Pullback(want, all, p, seen, d, v)
	if same("pulls back"); gu[0] != all[0] || gu[0] == 5 {
		t.Errorf("pulls back %v, want %v", gu, all)
	}
	clear(got)
	h.Pullback(got, nil, p, u, d, v)
	same("pulls back without a decision")
	gu[0] = 5
	if err := h.PullRows(gu, p, u, d, v); err != nil || gu[0] != 5.25 {
		t.Errorf("answers by %v (%v), want 5.25", gu, err)
	}
	h.Answer = pulling{errors.ErrUnsupported}
	if err := h.PullRows(gu, p, u, d, v); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("what cannot be answered: %v", err)
	}
}

// Rows that are none, of all ways to settle, and of one alone without the number of its row.
func TestWalkedRefuses(t *testing.T) {
	steps := 0
	s := dynamics.NewWalked(nearing{-3, &steps})
	bad, one := []float64{1, 2}, []float64{1}
	if _, err := s.Settle(bad, one, one); err == nil {
		t.Error("settles two for one")
	}
	if _, err := s.SettleRows(bad, one, one); err == nil {
		t.Error("settles two rows for one")
	}
	if _, err := s.SettleFrom(bad, one, one); err == nil {
		t.Error("settles two from one")
	}
	var row *kedge.RowError
	h := []float64{7}
	if _, err := s.Settle(h, one, []float64{2}); err != nil && errors.As(err, &row) || h[0] != 7 && h[0] != 2 {
		t.Errorf("of one alone: %v, %v", err, h)
	}
	if _, err := s.SettleFrom([]float64{5}, one, []float64{2}); !errors.As(err, &row) {
		t.Errorf("of one in a block: %v", err)
	}
}
