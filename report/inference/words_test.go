package inference

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
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

// A value of a look back has its interval where both its ends are known, and a value that is not known has a dash alone.
func TestValuesOfALookBackHaveIntervals(t *testing.T) {
	nan := logs.Amount(math.NaN())
	worths := []backtest.Worth{{Value: 5, Low: 4, High: 6}, {Value: 5, Low: nan, High: 6}, {Value: 5, Low: 4, High: nan}, {Value: nan, Low: 4, High: 6}}
	var once, settled []backtest.Verdict
	for _, w := range worths {
		none := backtest.Worth{Value: nan, Low: nan, High: nan}
		once, settled = append(once, backtest.Verdict{Once: w, Settled: none}), append(settled, backtest.Verdict{Once: none, Settled: w})
	}
	for _, isSettled := range []bool{false, true} {
		rules := map[bool][]backtest.Verdict{false: once, true: settled}[isSettled]
		h := new(backtest.Retrospect)
		h.Dates = append(h.Dates, backtest.PastDate{Date: "3", Observed: 7, Rules: rules})
		got := ""
		for _, c := range WouldBeWorth(h, isSettled).Rows[0] {
			got += c.Text + "; "
		}
		if want := "3; 7.000; 5.000 (4.000 … 6.000); 5.000; 5.000; –; "; got != want {
			t.Errorf("settled %t: %q, want %q", isSettled, got, want)
		}
	}
}
