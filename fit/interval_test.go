package fit

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

// ends fits and asks for an interval of number 0.
func ends(t *testing.T, f *formula.Regressor, l Log, unknowns []Unknown, o Options) (*Fitted, Ends) {
	t.Helper()
	got, err := Find(t.Context(), f, l, unknowns, o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := got.Interval(context.Background(), 0, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return got, e
}

// Far from bounds intervals are by standard errors, with Student's quantiles: 2.262 of 9 degrees of freedom, from tables; with enough draws by those.
func TestIntervalsFarFromBounds(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	l := walk(f, []float64{0.6, 1}, 10, 12, 0, 0.1, 1)
	got, e := ends(t, f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	if want := 2.262 * got.Error[0]; e.By != ByErrors || !(math.Abs(e.Upper-got.Value[0]-want) <= 1e-3*want) || !(math.Abs(got.Value[0]-e.Lower-want) <= 1e-3*want) {
		t.Errorf("%+v of %v ± %v", e, got.Value[0], got.Error[0])
	}
	if e.Words == "" {
		t.Error("nothing is said of ten people")
	}
	_, e = ends(t, f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{Repeats: 400})
	if e.By != ByBootstrap || !(e.Lower < got.Value[0] && got.Value[0] < e.Upper) {
		t.Errorf("%+v of %v", e, got.Value[0])
	}
}

// In a linear model the profile of one number is a parabola: its ends are value ± q errors as far as the bound lets them.
func TestProfilesOfLinearModels(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	l := walk(f, []float64{0.6, 1}, 30, 5, 0, 0.1, 1)
	free, wide := ends(t, f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	near := Free("a", 0)
	near.Upper = free.Value[0] + free.Error[0]
	got, e := ends(t, f, l, []Unknown{near, Free("b", 0)}, Options{})
	if e.By != ByProfile || e.Upper != near.Upper || math.Abs(e.Lower-wide.Lower) > 0.05*free.Error[0] || got.Held[0] {
		t.Errorf("%+v near a bound, %+v without", e, wide)
	}
	near.Upper = free.Value[0] - free.Error[0]
	got, e = ends(t, f, l, []Unknown{near, Free("b", 0)}, Options{})
	if e.By != ByProfile || e.Upper != near.Upper || !got.Held[0] || !(e.Lower < near.Upper && e.Lower > wide.Lower-free.Error[0]) {
		t.Errorf("%+v at a bound, %+v without", e, wide)
	}
}

// What the log does not tell has no ends but the range; one person's errors are those of independent rows.
func TestIntervalsOfWhatIsNotTold(t *testing.T) {
	f := regress(t, formula.Source{Decision: "q", State: "p", Next: "a*p + b*q"}, "a", "b")
	l := walk(f, []float64{0.6, 1}, 10, 5, 0, 0.1, 1)
	clear(l.States)
	got, e := ends(t, f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	if e.By != ByNothing || !math.IsInf(e.Upper, 1) || e.Words == "" {
		t.Errorf("%+v", e)
	}
	if _, err := got.Interval(t.Context(), 5, 0.95); err == nil {
		t.Error("there is no number 5")
	}
	l = walk(f, []float64{0.6, 1}, 1, 50, 0, 0.1, 1)
	got, e = ends(t, f, l, []Unknown{Free("a", 0), Free("b", 0)}, Options{})
	if e.By != ByErrors || !(got.Error[0] > 0.001 && got.Error[0] < 0.1) || len(got.Words) == 0 {
		t.Errorf("%+v ± %v, %v", e, got.Error, got.Words)
	}
}

// By hand: of 400 draws one in 20 is 20, which is enough, and of 399 it is not; of half the level 40 are. As many as a tenth may have failed. Ends are so many draws from both ends as
// (1 − level)/2 of the steps between draws, rounded down: 9.975 of 399, 10 of 400. Otherwise they are by Student's law of 40 degrees, whose quantiles at 0.975 and 0.75 are 2.021 and 0.681, from tables.
func TestDrawsThatMakeIntervals(t *testing.T) {
	for _, c := range []struct {
		draws, failed       int
		level, lower, upper float64
		by                  Way
	}{
		{400, 0, 0.95, 9, 390, ByBootstrap}, {401, 0, 0.95, 10, 390, ByBootstrap}, {400, 40, 0.95, 9, 390, ByBootstrap}, {40, 4, 0.5, 9, 30, ByBootstrap}, {41, 0, 0.5, 10, 30, ByBootstrap},
		{399, 0, 0.95, 5 - 2*2.021, 5 + 2*2.021, ByErrors}, {400, 41, 0.95, 5 - 2*2.021, 5 + 2*2.021, ByErrors}, {39, 0, 0.5, 5 - 2*0.681, 5 + 2*0.681, ByErrors}, {40, 5, 0.5, 5 - 2*0.681, 5 + 2*0.681, ByErrors},
	} {
		f := &Fitted{Unknowns: []Unknown{Free("a", 0), Free("b", 0)}, Value: []float64{-3, 5}, Error: []float64{1, 2}, Held: make([]bool, 2), People: 41, Failed: c.failed}
		for i := range c.draws {
			f.Draws = append(f.Draws, 1e3, float64(c.draws-1-i))
		}
		e, err := f.Interval(t.Context(), 1, c.level)
		if err != nil || e.By != c.by || e.Words != "" || !(math.Abs(e.Lower-c.lower) <= 2e-3) || !(math.Abs(e.Upper-c.upper) <= 2e-3) {
			t.Errorf("%d draws, %d failed, level %v: %+v, want %v to %v by %s (%v)", c.draws, c.failed, c.level, e, c.lower, c.upper, c.by, err)
		}
	}
}
