package inference

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/logs"
)

// A half-life is told with its interval, if there is one, and with that people may never settle, if that is within it.
func TestHalfLife(t *testing.T) {
	nan, inf := logs.Amount(math.NaN()), logs.Amount(math.Inf(1))
	for want, f := range map[string]logs.Inferred{
		"Half of the way is gone after 2.500 turns":                               {Value: 2.5, Low: nan, High: nan},
		"Half of the way is gone after 2.500 turns (2.000 … 3.125)":               {Value: 2.5, Low: 2, High: 3.125},
		"Half of the way is gone after 2.500 turns (0.7349 … ∞: it may never be)": {Value: 2.5, Low: 0.7349, High: inf},
	} {
		if got := HalfLife(&logs.Response{HalfLife: f}); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
