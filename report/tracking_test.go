package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/question"
)

// Where the optimum moves there is no level at which retraining rests, the verdict is about who follows, and the pursuit is drawn.
func TestReportOfAMovingOptimum(t *testing.T) {
	r := choiceEvery(100)
	// Sixty steps apart, the errors of the second half are f(30) … f(60), f(k) = c/(1+k): c·(H(61) − H(30))/31 on average.
	for i := range r.Runs {
		c := []float64{2, 1, 3}[i]
		for j := range r.Runs[i].Trials {
			trial := &r.Runs[i].Trials[j]
			off, regret := make([]float64, len(trial.K)), make([]float64, len(trial.K))
			for k := range trial.K {
				off[k], regret[k] = c/float64(1+k), float64(k)
			}
			trial.Columns = append(slices.Clone(trial.Columns), loop.Describe("tracking"), loop.Describe("regret"))
			trial.Values = append(trial.Values, off, regret)
		}
	}
	// What a section says in words is not read back.
	r.Sections = []folder.Section{{ID: "tracking", Verdict: "vanilla follows.", Rows: [][]string{{"vanilla", "?", "?", "?", "?"}}}}
	d := runDocument(kind.Standard(), r, nil)
	if want := "composite follows most closely, 0.0226 from the optimum on average."; d.Verdict.Headline != want {
		t.Errorf("headline %q, want %q", d.Verdict.Headline, want)
	}
	if want := "vanilla: on average 0.0452 from the optimum of the turn, at most 0.0645; regret 60."; len(d.Verdict.Reasons) != 3 || d.Verdict.Reasons[0] != want {
		t.Errorf("reasons %q", d.Verdict.Reasons)
	}
	shown := map[string]bool{}
	for _, g := range d.Graphs {
		shown[g.ID] = true
		if len(g.Rules) > 0 {
			t.Errorf("%s has the levels %v", g.ID, g.Rules)
		}
	}
	var drawn []string
	for _, s := range sketches(r) {
		drawn = append(drawn, s.Name)
	}
	if figures := strings.Join(drawn, " "); !shown["tracking"] || !shown["regret"] || !strings.HasPrefix(figures, "gap distance tracking regret") {
		t.Errorf("graphs %v, figures %v", shown, figures)
	}
}

func TestWordsForWhatMoves(t *testing.T) {
	s := &problem.Spec{Population: problem.Population{Size: 3, Law: &kind.SphereLaw{}, Drift: &problem.Drift{}, Churn: 0.01}}
	s.Dynamics = problem.Dynamics{Of: &kind.ChoiceDynamics{Each: &kind.ChoiceIntervals{Epsilon: []float64{0.1, 0.3}}}, Coupling: 0.2, Noise: form.Vector{All: 1}}
	got := question.Answers(s)
	for _, want := range []string{"Everybody's own ε is between 0.1 and 0.3.", "drawn to the mean of the crowd with the weight 0.2",
		"noise pushes the states", "Traits d are at first uniform on the unit sphere, and drift from there; 1.00"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// A page on a model of formulas says it, too.
func TestWordsForModelsThatMove(t *testing.T) {
	s := &problem.Spec{Model: &problem.Model{Trait: "taste[2]"}, Population: problem.Population{Law: &kind.SphereLaw{}, Churn: 0.01}}
	if got := question.Of(s)[1].Text; strings.Contains(got, "stay as they are") || !strings.Contains(got, "Traits taste[2] are at first uniform on the unit sphere; ") {
		t.Errorf("the page says %q", got)
	}
}
