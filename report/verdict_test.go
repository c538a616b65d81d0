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

// ending makes a run whose trials end with these gaps.
func ending(name string, gaps ...float64) folder.Run {
	run := folder.Run{Name: name, Planned: len(gaps)}
	for i, g := range gaps {
		run.Trials = append(run.Trials, folder.Trial{Index: i, Measured: measured([]int{0}, map[string]float64{"gap": g})})
	}
	return run
}

// Student's interval of 1, 2, 3, 4 by hand: mean 5/2, deviation √(5/3), t₃ at 97.5 % = 3.182446305284263 (tables), so
// half the width is 3.182446 · √(5/3) / 2 = 2.0542602.
func TestIntervalIsStudents(t *testing.T) {
	mean, half := folder.Student([]float64{1, 2, 3, 4}, 0.95)
	if mean != 2.5 || math.Abs(half-2.0542602) > 1e-6 {
		t.Errorf("%v ± %v", mean, half)
	}
	if _, half := folder.Student([]float64{1}, 0.95); !math.IsNaN(half) {
		t.Errorf("one number has the interval ± %v", half)
	}
}

// An interval at 95 % covers the truth in 95 of 100 samples; over 4000 samples of five the share is within 4 deviations.
func TestIntervalCovers(t *testing.T) {
	covered := 0
	for i := range 4000 {
		mean, half := folder.Student(bell(string(rune('a'+i%26))+string(rune(i)), 90, 9)[:5], 0.95)
		if math.Abs(mean-90) <= half {
			covered++
		}
	}
	if share := float64(covered) / 4000; math.Abs(share-0.95) > 0.014 {
		t.Errorf("covers %.3f", share)
	}
}

func TestVerdict(t *testing.T) {
	inf := math.Inf(1)
	for what, c := range map[string]struct {
		runs []folder.Run
		want string
	}{
		"clear":        {[]folder.Run{ending("a", .5, .51, .49), ending("b", .1, .11, .12)}, "b wins: it ends 11.0 % from the optimum."},
		"chance":       {[]folder.Run{ending("a", .1, .3, .2), ending("b", .2, .1, .28)}, "No clear winner: b and a cannot be told apart."},
		"paired":       {[]folder.Run{ending("a", .1, .5, .9), ending("b", .11, .51, .91)}, "a wins: it ends 50.0 % from the optimum."},
		"one trial":    {[]folder.Run{ending("a", .5), ending("b", .1)}, "b ends closest to the optimum, 10.0 % away, but a single trial names no winner."},
		"equal":        {[]folder.Run{ending("a", .5, .5), ending("b", .5, .5)}, "No clear winner: a and b cannot be told apart."},
		"diverging":    {[]folder.Run{ending("a", .5, .51, .49), ending("b", .1, inf, .1)}, "b ends closest to the optimum, 10.0 % away, but 1 trial of it had no finite gap: no winner."},
		"alone":        {[]folder.Run{ending("a", .5, .51, .49)}, "a ends 50.0 % from the optimum."},
		"not measured": {[]folder.Run{ending("a", math.NaN()), ending("b", inf)}, "The gap was not measured, so there is nothing to conclude."},
		"nothing":      {nil, "No trial was finished, so there is nothing to conclude yet."},
		// The mean difference .02 is 3.27 standard errors: more than t₃ at 95 %, 3.18, but less than the 4.18 that two
		// comparisons ask for.
		"one rival":            {[]folder.Run{ending("a", .1, .1, .1, .1), ending("c", .105, .12, .135, .12)}, "a wins: it ends 10.0 % from the optimum."},
		"two methodEndsAcross": {[]folder.Run{ending("a", .1, .1, .1, .1), ending("b", .5, .5, .5, .5), ending("c", .105, .12, .135, .12)}, "No clear winner: a and c cannot be told apart."},
	} {
		if got := strings.ReplaceAll(verdict(&folder.Result{Runs: c.runs}, nil, methodEnds(labelled{Result: &folder.Result{Runs: c.runs}})).Headline, phrase.ThinSpace, " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, c.want)
		}
	}
}

// Differences .4, .4, .37 by hand: mean .39, deviation .01732, t₂ = 4.30265, half the width 4.30265 · .01732 / √3 = .04303.
func TestVerdictSaysByHowMuch(t *testing.T) {
	r := &folder.Result{Runs: []folder.Run{ending("vanilla", .5, .51, .49), ending("b", .1, .11, .12)}}
	r.Stable = folder.Point{Decision: []float64{1}, Gap: .51, Distance: .2}
	got := strings.ReplaceAll(strings.Join(verdict(r, nil, methodEnds(labelled{Result: r})).Reasons, "\n"), phrase.ThinSpace, " ")
	want := "vanilla ends 50.0 % away, behind b by 39.0 % of the optimal value (95 % interval 34.7 % to 43.3 %, paired over 3 trials; 4.5 times the gap).\n" +
		"Retraining settles at the stable point, 51.0 % from the optimum in value and 20.0 % in decision, and that is where vanilla has come to rest."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// In the case study choice nothing is random about vanilla and composite: one trial each decides between them, and composite
// is compared with every trial of derivative-free.
func TestVerdictKnowsWhatIsNotRandom(t *testing.T) {
	src, _ := problem.Case("choice")
	s, err := problem.Parse(kind.Standard(), "choice", src)
	if err != nil {
		t.Fatal(err)
	}
	r := &folder.Result{Runs: []folder.Run{ending("vanilla", .02), ending("composite", .01), ending("derivative-free", .03, .031, .032)}}
	got := verdict(r, s, methodEnds(labelled{"", r, s}))
	if want := "composite wins"; !strings.HasPrefix(got.Headline, want) {
		t.Errorf("got %q, want %q", got.Headline, want)
	}
	if !strings.Contains(got.Reasons[0], "nothing about the two is random") || !strings.Contains(got.Reasons[1], "paired over 3 trials") {
		t.Errorf("reasons %q", got.Reasons)
	}
}

// Every case is put into words without falling back on the names of its kinds.
func TestQuestionOfTheCases(t *testing.T) {
	for _, name := range problem.Cases() {
		src, _ := problem.Case(name)
		s, err := problem.Parse(kind.Standard(), name, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range question.Of(s) {
			t.Logf("%s: %s: %s", name, term.Name, term.Text)
			if term.Text == "" || strings.Contains(term.Text, "the law") || strings.Contains(term.Text, "the dynamics") || strings.Contains(term.Text, "the objective ") {
				t.Errorf("%s: %s: %q", name, term.Name, term.Text)
			}
		}
	}
}
