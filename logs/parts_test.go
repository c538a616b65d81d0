package logs

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/panel"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/steady"
)

// By hand: a step is half of one over the largest sum of a column of curvatures, with one digit, and not further than decisions went. Curvatures are by a thousandth of how far they went or of the
// decision, or by 1e-9: of q³/3 at 0, whose slope is q², that is what the curvature comes out as.
func TestStepsByHand(t *testing.T) {
	for _, c := range []struct {
		decision, loss string
		u, reach       []float64
		want           float64
	}{
		{"q", "2*q^2", []float64{3}, []float64{8}, 0.1}, {"q", "2*q^2", []float64{3}, []float64{0.6}, 0.05}, {"q", "2*q^2", []float64{3}, []float64{0}, 0.1}, {"q", "1.3*q^2", []float64{0}, []float64{1}, 0.2},
		{"q", "q^3/3", []float64{0}, []float64{1}, 500}, {"q", "(q - 1)^3/3", []float64{1}, []float64{0}, 500}, {"q", "(q + 1)^3/3", []float64{-1}, []float64{0}, 500}, {"q", "q^3/3", []float64{0}, []float64{0}, 5e8},
		{"q[2]", "q[0]^2 + 3*q[0]*q[1] + 2*q[1]^2", []float64{0, 0}, []float64{1, 1}, 0.07}, {"q[2]", "q[0]^2 - 3*q[0]*q[1] + 2*q[1]^2", []float64{1, 1}, []float64{0.5, 0.25}, 0.07}, {"q[2]", "q[0]^2 - 3*q[0]*q[1] + 2*q[1]^2", []float64{-1, 1}, []float64{0.14, 0.07}, 0.02},
		{"q", "3*q", []float64{1}, []float64{6}, 2}, {"q", "0*q", []float64{1}, []float64{6}, 0},
	} {
		m, err := formula.Compile(formula.Source{Decision: c.decision, State: "p", Trait: "d", Next: "0.5*p + 0*d*" + strings.Replace(c.decision, "[2]", "[0]", 1), Minimize: c.loss + " + 0*p"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := steady.New(kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: []float64{1, 2}, Width: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := stepBy(f, c.u, c.reach); !(math.Abs(got-c.want) <= 1e-12*c.want) {
			t.Errorf("%s at %v, within %v: %v, want %v", c.loss, c.u, c.reach, got, c.want)
		}
	}
}

// The usual decision is the mean, and how far an entry went is from the least to the most.
func TestTheUsualDecision(t *testing.T) {
	w := &work{log: &record.Recorded{Turn: make([]int, 4), Decision: record.Columns{Names: []string{"a", "b"}, Data: []float64{1, 5, 3, -1, 2, 2, 4, 6}}}}
	if mean, reach := w.usualDecision(); !slices.Equal(mean, []float64{2.5, 3}) || !slices.Equal(reach, []float64{3, 7}) {
		t.Errorf("%v, %v", mean, reach)
	}
}

// By hand: of 399 draws all are asked, of 400 every second and of 800 every third; those of which nothing comes are left out. Twenty make an interval.
func TestDrawsThatAreAsked(t *testing.T) {
	for n, want := range map[int]int{1: 1, 399: 399, 400: 200, 799: 400, 800: 267} {
		w := &work{out: &Inference{Draws: make([][]float64, n)}}
		for i := range n {
			w.out.Draws[i] = []float64{float64(i)}
		}
		if got := w.underDraws(slices.Clone[[]float64]); len(got) != want || got[0][0] != 0 || len(got) > 1 && got[1][0] != float64(1+n/400) {
			t.Errorf("of %d draws %d are asked", n, len(got))
		}
		if got := w.underDraws(func(theta []float64) []float64 { return nil }); got != nil {
			t.Errorf("of nothing comes %v", got)
		}
	}
	for n, known := range map[int]bool{0: false, 19: false, 20: true} {
		f := drawnAs("a", 3, slices.Repeat([]float64{2}, n))
		if f.Name != "a" || f.Value != 3 || f.Error.Known() || f.Low.Known() != known || f.High.Known() != known || known && (f.Low != 2 || f.High != 2) {
			t.Errorf("of %d draws: %+v", n, f)
		}
	}
}

// By hand: counts that vary between 0.67 and 1.5 times as much as their law says are let be.
func TestLawsThatAreNotQuiteRight(t *testing.T) {
	for excess, right := range map[float64]bool{0.66: false, 0.67: true, 1: true, 1.5: true, 1.51: false} {
		w := &work{out: &Inference{}, log: &record.Recorded{States: record.Columns{Names: []string{"p"}}}}
		w.sayLaws(&fit.Fitted{Laws: []fit.ErrorLaw{{Kind: fit.Poisson}}, Excess: []float64{excess}})
		if len(w.out.Notes) != 1 || !strings.HasPrefix(w.out.Notes[0], "p is taken as a count of Poisson's law, and varies ") || strings.Contains(w.out.Notes[0], "not quite right") == right {
			t.Errorf("%v: %q", excess, w.out.Notes)
		}
	}
}

// By hand, of next states 3 and 4, whose mean square is 12.5: a spread of 1e-13·√12.5 is rounding, and more is not.
func TestWhatIsMetExactly(t *testing.T) {
	for spread, met := range map[float64]bool{3.5e-13: true, 3.6e-13: false, 0: true} {
		w := &work{rows: fit.Log{After: []float64{3, -4}}, log: &record.Recorded{States: record.Columns{Names: []string{"p"}}}, out: &Inference{Spread: map[string]Amount{"p": Amount(spread)}}}
		if got := w.meets(); got != met {
			t.Errorf("a spread of %v is met exactly: %v", spread, got)
		}
	}
}

// By hand: columns at an angle θ move together where cos θ is above 1 − 1e-9, whatever their units and means; a column that stays where it is moves with nothing.
func TestColumnsThatMoveTogether(t *testing.T) {
	for least, together := range map[float64]bool{0.7e-9: true, 1.4e-9: false, 1: false} {
		cos := 1 - least
		sin := math.Sqrt(1 - cos*cos)
		a, c := []float64{1 / math.Sqrt2, -1 / math.Sqrt2, 0}, []float64{1 / math.Sqrt(6), 1 / math.Sqrt(6), -2 / math.Sqrt(6)}
		l := &record.Recorded{Turn: []int{0, 1, 2}, Decision: record.Columns{Names: []string{"x", "y", "z"}}}
		for i := range 3 {
			l.Decision.Data = append(l.Decision.Data, 3*a[i]+1, -0.5*(cos*a[i]+sin*c[i])-1, 4)
		}
		w := &work{log: l, pairs: record.Pairs{After: []int{0, 1, 2}}, turn: l.Turn, spec: &problem.Spec{}}
		w.spec.Data = &record.DataSection{Kind: record.Panel, Effects: record.NoEffects}
		still, common, pairs := w.stuck()
		if !slices.Equal(still, []string{"z"}) || common != nil || (len(pairs) == 1) != together || together && pairs[0] != [2]string{"x", "y"} {
			t.Errorf("at %v: %v, %v, %v", least, still, common, pairs)
		}
	}
	if got := unit([]float64{1e200, 2e200, 3e200}); !(math.Abs(got[0]+1/math.Sqrt2) <= 1e-15) || got[1] != 0 || !(math.Abs(got[2]-1/math.Sqrt2) <= 1e-15) {
		t.Errorf("%v", got)
	}
}

// By hand: 30 pairs of 6 people are 5 each, so that a lag of 0.5 is too small by 1.5/5.
func TestHowMuchLagsAreTooSmall(t *testing.T) {
	lag := &linear{lag: 1, table: panel.Table{Y: make([]float64, 30), Names: []string{"b", "a"}}}
	if got := lag.nickell(&Linear{of: &panel.Coefficients{Units: 6, Value: []float64{9, 0.5}}}); got != "Within people a is too small by about (1+a)/T = 0.3, with 5 pairs a person." {
		t.Error(got)
	}
}

// What people and times have of their own leaves a mean of 0 to each of them, by the normal equations; somebody without rows has the mean of the others.
func TestPartsOfPeopleAndTimes(t *testing.T) {
	person, turn := []int{0, 0, 0, 1, 1, 2, 2, 2}, []int{1, 2, 3, 1, 3, 2, 3, 4}
	for effects, has := range map[string][2]bool{record.OfPeople: {true, false}, record.OfTimes: {false, true}, record.OfBoth: {true, true}, record.ByChanceAndTime: {true, true}} {
		rest := []float64{1, 4, -2, 3, 0.5, 7, -1, 2}
		if effects == record.ByChanceAndTime { // all below 0
			for i := range rest {
				rest[i] -= 30
			}
		}
		w := &work{log: &record.Recorded{People: []string{"a", "b", "c", "d"}}, rows: fit.Log{Person: person}, turn: turn, spec: &problem.Spec{}}
		w.spec.Data = &record.DataSection{Effects: effects}
		own, season := w.parts(rest)
		people, times, mean := make([]float64, 4), map[int]float64{}, 0.0
		for i, v := range rest {
			left := v - own[person[i]] - season[turn[i]]
			people[person[i]] += left
			times[turn[i]] += left
		}
		for p, sum := range people[:3] {
			if mean += own[p] / 3; has[0] && !(math.Abs(sum) <= 1e-10) || !has[0] && own[p] != 0 {
				t.Errorf("%s: %v is left of person %d with %v", effects, sum, p, own[p])
			}
		}
		for at, sum := range times {
			if has[1] && !(math.Abs(sum) <= 1e-10) || !has[1] && season[at] != 0 {
				t.Errorf("%s: %v is left of time %d with %v", effects, sum, at, season[at])
			}
		}
		if !(math.Abs(own[3]-mean) <= 1e-14) {
			t.Errorf("%s: somebody without rows has %v, the others %v", effects, own[3], mean)
		}
	}
}

// By hand: means of columns, slopes by two ends, and traits of people of whom some have no rows.
func TestSmallSums(t *testing.T) {
	if got := means([]float64{1, 2, 3, 4, 5, 9}, 2); !slices.Equal(got, []float64{3, 5}) {
		t.Errorf("means %v", got)
	}
	if got := slope([]float64{1, 2}, []float64{3, -2}, 0.25); !slices.Equal(got, []float64{4, -8}) {
		t.Errorf("slopes %v", got)
	}
	for share, want := range map[float64]float64{0: 1, 0.125: 1.5, 0.25: 2, 0.75: 6, 0.875: 7, 1: 8} {
		if got := quantile([]float64{1, 2, 2, 6, 8}, share); got != want {
			t.Errorf("quantile %v is %v, want %v", share, got, want)
		}
	}
	w := &work{log: &record.Recorded{People: make([]string, 4)}, rows: fit.Log{Person: []int{2, 2, 0, 3, 0}}}
	if got := w.spread([]float64{1, 2, 3, 4, 8, 9}, 2); !slices.Equal(got, []float64{3, 4, 4, 5, 1, 2, 8, 9}) {
		t.Errorf("traits %v", got)
	}
	c := crowd{own: []float64{1}, ownBy: [][]float64{{1}}, seasonBy: [][]float64{{1}}}
	if c.trim(); c.ownBy == nil || c.seasonBy != nil {
		t.Errorf("%+v", c)
	}
	for v, want := range map[float64]string{0.1: "0.1", 0.123456789: "0.123456789", -3: "-3", 1e300: "1e+300", math.Inf(1): "null", math.Inf(-1): "null"} {
		if got, err := Amount(v).MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v is %s, %v", v, got, err)
		}
	}
}
