package backtest

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/logs"
)

// dated is a date at which the composite rule and what was done are worth so much, at once and settled.
func dated(mineOnce, mineSettled, otherOnce, otherSettled float64) PastDate {
	worth := func(v float64) Worth { return Worth{Value: logs.Amount(v), drawn: slices.Repeat([]float64{v}, fewest)} }
	return PastDate{Rules: []Verdict{
		{Rule: Composite, Decision: []float64{1}, Once: worth(mineOnce), Settled: worth(mineSettled)},
		{Rule: Done, Decision: []float64{2}, Once: worth(otherOnce), Settled: worth(otherSettled)},
	}}
}

// By hand: 5 and 9 are 2 and 4 more than 3 and 5, and 7 and 15 are 4 and 10 more, in the mean 3 and 7; less is better where nothing is maximized. A date at which one of the
// values is not known, or one of the rules decides nothing, has no part in that.
func TestMarginsAreOfDatesWhereAllIsKnown(t *testing.T) {
	hole := math.NaN()
	undecided := [2]PastDate{dated(5, 9, 3, 5), dated(5, 9, 3, 5)}
	for rule := range undecided {
		undecided[rule].Rules[rule].Decision = nil
	}
	for i, bad := range []PastDate{
		dated(hole, 9, 3, 5), dated(5, hole, 3, 5), dated(5, 9, hole, 5), dated(5, 9, 3, hole), dated(math.Inf(1), 9, 3, 5), undecided[0], undecided[1], {},
	} {
		for sign, maximize := range map[float64]bool{1: true, -1: false} {
			h := &Retrospect{Maximize: maximize, Dates: []PastDate{dated(5, 9, 3, 5), bad, dated(7, 15, 3, 5)}}
			if h.margins(); len(h.Margins) != 1 {
				t.Fatalf("date %d: margins %+v", i, h.Margins)
			}
			m := h.Margins[0]
			for _, one := range []struct {
				got  Worth
				want float64
			}{{m.Once, 3 * sign}, {m.Settled, 7 * sign}} {
				want := logs.Amount(one.want)
				if m.Against != Done || m.Dates != 2 || one.got.Value != want || one.got.Low != want || one.got.High != want {
					t.Errorf("date %d: %+v, want %v of two dates against %s", i, m, want, Done)
				}
			}
		}
		h := &Retrospect{Dates: []PastDate{bad}}
		if h.margins(); h.Margins != nil {
			t.Errorf("date %d alone: margins %+v", i, h.Margins)
		}
		h = &Retrospect{Maximize: true, Dates: []PastDate{dated(5, 9, 3, 5), bad}}
		if h.margins(); len(h.Margins) != 1 || h.Margins[0].Dates != 1 || h.Margins[0].Settled.Value != 4 {
			t.Errorf("date %d beside one: margins %+v", i, h.Margins)
		}
	}
}
