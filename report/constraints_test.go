package report

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/question"
)

// broken is a run of a method that keeps its constraint and of one that does not and has a better value.
func broken() *folder.Result {
	trial := func(gap, excess, multiplier float64) []folder.Trial {
		at := func(k float64) map[string]float64 {
			return map[string]float64{"gap": gap * k, "distance": 1, "excess_1": excess * k, "multiplier_1": multiplier}
		}
		return []folder.Trial{{Measured: measured([]int{0, 1, 2}, at(3), at(2), at(1)), Finished: true}}
	}
	return &folder.Result{
		Iterations: 2, Trials: 1, Stable: folder.Point{Gap: -.5, Distance: .6, Decision: []float64{1}},
		Runs: []folder.Run{{Name: "heedless", Trials: trial(-.5, .6, math.NaN())}, {Name: "primal–dual", Trials: trial(.01, -.001, 2)}},
	}
}

// Who breaks a constraint is not ranked, neither by a better value nor by a worse one; the columns of gaps stay.
func TestWhoBreaksConstraintsIsNotRanked(t *testing.T) {
	r := broken()
	s := &problem.Spec{Constraints: []problem.Constraint{{Name: "peak"}}}
	all := methodEnds(labelled{"", r, s})
	j := judge(all)
	if got, want := plain(j.Headline), "primal–dual ends 1.00 % from the optimum."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(j.Reasons, " "), "heedless breaks peak by 0.6, so it is not ranked."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	row := methods(r, all).Rows[0]
	if got := plain(row[3].Text + ", " + row[5].Text + ", " + row[5].Small[0]); got != "−50.0 %, not ranked, breaks peak by 0.6" {
		t.Error(got)
	}
	if got := retrained(r); !strings.Contains(got, "heeds no constraints") {
		t.Error(got)
	}
	r.Runs = r.Runs[:1]
	if got := judge(methodEnds(labelled{"", r, nil})); got.Headline != "No method keeps the constraints, so none is ranked." || got.Reasons[0] != "heedless breaks constraint 1 by 0.6, so it is not ranked." {
		t.Error(got)
	}
}

// Negative gaps are drawn where they are, and multipliers only of methods that have them.
func TestConstraintFigures(t *testing.T) {
	gap := gapFigure(broken())
	if y := gap.Grid.Panels[0].Y.Ruler; y.Log || y.Min > -1.5 {
		t.Errorf("the gap is drawn from %v on", y.Min)
	}
	s := constraintFigure(broken())
	if len(s.Grid.Panels) != 2 {
		t.Fatalf("%d panels, want excess and multiplier", len(s.Grid.Panels))
	}
	if s := constraintFigure(&folder.Result{Runs: []folder.Run{{Trials: []folder.Trial{{Measured: measured([]int{0}, map[string]float64{"gap": 0})}}}}}); len(s.Panels) > 0 {
		t.Error("a figure of constraints without constraints")
	}
}

func TestConstraintsInWords(t *testing.T) {
	s := &problem.Spec{Constraints: []problem.Constraint{
		{Name: "a", Kind: &kind.CVaRCriterion{Level: .75}, Of: &kind.QuadraticObjective{}, Bound: 1.5}, {Name: "b", Kind: &kind.ChanceCriterion{Level: .9}, Of: &kind.AffinityObjective{}},
		{Name: "c", Kind: &kind.WorstGroupCriterion{Cuts: []float64{0}}, Of: &kind.RevenueObjective{}}, {Name: "d", Kind: &kind.ExpectationCriterion{}, Of: &kind.LogisticObjective{}},
	}}
	const want = "Of the settled population: a: the mean of a loss (quadratic) over the worst 25.0 % of people is at most 1.5, " +
		"b: a loss (affinity) is at most 0 for 90.0 % of people, c: the mean of a loss (revenue) over each of 2 groups is at most 0 and " +
		"d: the mean of a loss (logistic) is at most 0."
	if got := strings.ReplaceAll(question.Bounded(s), phrase.ThinSpace, " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
