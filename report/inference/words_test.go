package inference

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/report/draw"
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

// By hand: four numbers are named in the headline, of five it says how many there are; of decisions no more than four have a reason.
func TestHowManyAHeadlineNames(t *testing.T) {
	for n, want := range map[int]string{
		3: "a is 1, b is 2 and c is 3, with 95 % intervals.", 4: "a is 1, b is 2, c is 3 and d is 4, with 95 % intervals.",
		5: "5 of 5 numbers were found; the table has them, with intervals that hold them in 95 of 100 such logs.",
	} {
		nan := logs.Amount(math.NaN())
		e := &logs.Inference{Answer: &logs.Response{Entries: make([]logs.Reply, n)}}
		for i := range n {
			e.Found = append(e.Found, logs.Inferred{Name: string(rune('a' + i)), Value: logs.Amount(i + 1), Low: nan, High: nan})
		}
		got := answer(e, Recipe{How: "Tried."})
		if got.Headline != want || len(got.Reasons) != min(n, 4)+1 {
			t.Errorf("%d numbers: %q with %d reasons", n, got.Headline, len(got.Reasons))
		}
	}
}

// By hand: with traits that were found, errors come back by −1/T without any cause, T being how many pairs there are of each of the people, and not below 1.
func TestErrorsThatTraitsLeave(t *testing.T) {
	for _, x := range []struct {
		pairs, people int
		want          string
	}{{12, 4, "−33.3"}, {4, 1, "−25.0"}, {5, 2, "−40.0"}, {3, 2, "−66.7"}, {2, 2, "−100"}, {2, 3, "−100"}, {4, 0, "−25.0"}} {
		e := &logs.Inference{Pairs: x.pairs, People: x.people, Quality: &logs.Quality{Echoes: []logs.Echoed{{State: "p", Share: 0.1, Error: 1}}}}
		e.Spec = &problem.Spec{Data: &record.DataSection{}}
		e.Spec.Data.Effects = record.OfPeople
		got := strings.Join(verdict(e).Reasons, "\n")
		if want := "; with traits that were found, about " + x.want + "\u202f% is no sign of anything"; !strings.Contains(got, want) {
			t.Errorf("%d pairs of %d people: %q, want %q", x.pairs, x.people, got, want)
		}
	}
}

// By hand: the mean of a turn and its middle eight tenths, of one person that person, and 0 where the mean is but rounding of what is there.
func TestNumbersOverTime(t *testing.T) {
	e := &logs.Inference{First: "2026-01-01", Ahead: &logs.Foreseen{Turn: []int{4, 2, 3, 3, 5, 5, 6}}}
	values := []float64{7, -5, 1, 4, -1e6, 1e6 + 1e-7, 3e-13}
	got := overTime(e, func(i int) float64 { return values[i] })
	want := []draw.LinePoint{{X: 2, Mean: -5, Low: -5, High: -5}, {X: 3, Mean: 2.5, Low: 1, High: 4}, {X: 4, Mean: 7, Low: 7, High: 7}, {X: 5, Low: -1e6, High: 1e6 + 1e-7}, {X: 6, Mean: 3e-13, Low: 3e-13, High: 3e-13}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
