package loop_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
)

// What a theory cannot measure is told, of a recorded turn and of the one before it; what it needs for the exact distance is asked for where that is due alone.
func TestTheoriesTellWhatTheyCannotMeasure(t *testing.T) {
	states := make([]float64, 8)
	at := func(k int) kedge.Turn {
		return kedge.Turn{K: k, Algorithm: deploying{u: []float64{0.5, 0.25}}, States: states}
	}
	_, blind := displaced(t, []float64{1, -2})
	blind.Lag.Sensitivity = nil
	_, indefinite := displaced(t, []float64{1, -2})
	indefinite.Lag.Weight = []float64{1, 2, 2, 1}
	for _, exact := range []int{0, 1} {
		if _, err := measured(t, blind, at(exact)); err == nil || !strings.HasPrefix(err.Error(), "compare with the theory: steady: a lag needs") {
			t.Errorf("turn %d without a sensitivity: %v", exact, err)
		}
		row, err := measured(t, indefinite, at(exact))
		var out *kedge.RangeError
		if exact == 0 && (!errors.As(err, &out) || !strings.HasPrefix(err.Error(), "compare with the theory: pivot 1 of P")) || exact == 1 && (err != nil || !math.IsNaN(row[2])) {
			t.Errorf("turn %d with a weight that is none: %v, %v", exact, row, err)
		}
	}
	turn := at(1)
	if err := blind.Forerun(t.Context(), &turn); err == nil || !strings.HasPrefix(err.Error(), "compare with the theory: ") {
		t.Errorf("the turn before: %v", err)
	}
	_, called := displaced(t, []float64{1, -2})
	ended, end := context.WithCancel(t.Context())
	end()
	for k, want := range map[int]bool{0: true, 1: false, 5: true} {
		turn := at(k)
		if err := called.Measure(ended, make([]float64, 6), &turn); errors.Is(err, context.Canceled) != want {
			t.Errorf("turn %d after the end: %v", k, err)
		}
	}
	turn = at(7)
	if turn.Last = true; !errors.Is(called.Measure(ended, make([]float64, 6), &turn), context.Canceled) {
		t.Error("the last turn is not measured exactly")
	}
	if called.Employ(5); called.Lag.Workers != 5 {
		t.Errorf("%d workers", called.Lag.Workers)
	}
}
