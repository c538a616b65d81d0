package report

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// falling makes a run of trials whose gaps are given turn by turn, a hundred turns apart.
func falling(name string, trials ...[]float64) folder.Run {
	run := folder.Run{Name: name, Planned: len(trials)}
	for i, gaps := range trials {
		var k []int
		var rows []map[string]float64
		for j, g := range gaps {
			k, rows = append(k, 100*j), append(rows, map[string]float64{"gap": g})
		}
		run.Trials = append(run.Trials, folder.Trial{Index: i, Measured: measured(k, rows...), Finished: true})
	}
	return run
}

// geometric is a gap that keeps a share of itself every hundred turns.
func geometric(first, share float64, n int) (gaps []float64) {
	for range n {
		gaps, first = append(gaps, first), first*share
	}
	return gaps
}

// A gap of 0.1 that keeps 9/10 of itself every 100 turns is 0.1·0.9²⁰ = 1.216 % after 2000, and 1.501 % 200 turns before. It is 0.1 % after
// ln(0.01)/ln(0.9) = 43.7 hundreds of turns, in two digits rounded up 4400.
func TestMovingSaysWhatItTakes(t *testing.T) {
	run := falling("a", geometric(.1, .9, 21))
	d := moving(run, 2000)
	if d == nil {
		t.Fatal("a gap that falls by a tenth every hundred turns is at rest")
	}
	if got, want := plain(d.Text+" → "+d.Remedy), "a is still moving: in the last 200 turns its gap went from 1.50 % to 1.22 %. → set iterations=4400"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatIsAtRestDoesNotMove(t *testing.T) {
	noisy := func(phase float64) (gaps []float64) {
		for j := range 21 {
			gaps = append(gaps, .1+.01*math.Sin(phase+float64(7*j)))
		}
		return gaps
	}
	for what, run := range map[string]folder.Run{
		"a constant": falling("a", geometric(.1, 1, 21)), "noise": falling("a", noisy(0)), "noise of several trials": falling("a", noisy(0), noisy(2), noisy(4)),
		"arrived": falling("a", geometric(1e-3, .9, 21)), "nothing recorded": falling("a", []float64{.1}), "two rows": falling("a", []float64{.1, .1}),
	} {
		if d := moving(run, 2000); d != nil {
			t.Errorf("%s: %s", what, d.Text)
		}
	}
}

// Astray is who ends above a tenth of the gap that it began with, over all trials, and who loses one.
func TestAstray(t *testing.T) {
	for _, c := range []struct {
		trials [][]float64
		want   bool
	}{
		{[][]float64{{1, 1, 0.05}}, false}, {[][]float64{{1, 0.05, 1}}, true}, {[][]float64{{1}}, true}, {[][]float64{{1, 0.125}}, true}, {[][]float64{{-2, 7, -0.1875}}, false}, {[][]float64{{-2, 7, -0.25}}, true},
		{[][]float64{{5, 0}, {1, 0.5}}, false}, {[][]float64{{4, 0.5}, {1, 0}}, false}, {[][]float64{{3, 0.25}, {1, 0.25}}, true}, {[][]float64{{1, 0}, {1, math.NaN()}}, true}, {[][]float64{{0, 0}}, false},
	} {
		if run := falling("a", c.trials...); astray(run) != c.want {
			t.Errorf("%v is astray: %t", c.trials, !c.want)
		}
	}
	if !astray(folder.Run{Trials: make([]folder.Trial, 1)}) {
		t.Error("a trial in which nothing was measured is not astray")
	}
}

// longStep is a run of vanilla at its stable point and of composite that was led astray by a step of 5.
func longStep() *folder.Result {
	return &folder.Result{
		Iterations: 2000, Trials: 2, Optimum: folder.Point{Decision: []float64{1}}, Stable: folder.NoPoint(),
		Runs: []folder.Run{falling("vanilla", geometric(.01, 1, 21), geometric(.01, 1, 21)), falling("composite", geometric(5.36, 1, 21), geometric(5.36, 1, 21))},
		Diagnoses: Diagnoses(&doctor.Findings{Checks: []doctor.Check{
			{ID: "step.vanilla", Rule: "vanilla", Verdict: doctor.Pass, Figure: "0.1; good up to 1/L = 0.2, steady below 0.4"},
			{ID: "step.composite", Rule: "composite", Verdict: doctor.Warn, Detail: "composite's step 5 is above 2/L = 0.4: decisions may overshoot and swing.", Remedy: "set algorithms.composite.step=0.2"},
			{ID: "starts", Title: "one steady state", Verdict: doctor.Fail, Figure: "individual 3 ends 2 away", Remedy: "make the dynamics contracting"},
		}}),
	}
}

// A method with a step that is too long does not lose by its own fault, and the cause stands in the verdict, on the page and on a terminal.
func TestTooLongAStepIsTheCause(t *testing.T) {
	d := runDocument(nil, longStep(), nil)
	if got, want := plain(d.Verdict.Headline), "vanilla ends closest to the optimum, 1.00 % away, but the step of composite is too long: no fair winner."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const caution = "composite's step 5 is above 2/L = 0.4: decisions may overshoot and swing. → set algorithms.composite.step=0.2"
	const failed = "A check failed, one steady state: individual 3 ends 2 away. → make the dynamics contracting"
	html, err := d.HTML()
	if err != nil {
		t.Fatal(err)
	}
	page, markdown, terminal := strings.ReplaceAll(string(html), "&#39;", "'"), string(d.Markdown()), d.Terminal(page.Terminal{Width: 200})
	for _, want := range []string{caution, failed} {
		for where, text := range map[string]string{"page": page, "Markdown": markdown, "terminal": strings.ReplaceAll(terminal, "\n  ", " ")} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s does not say %q", where, want)
			}
		}
	}
	if at := strings.Index(page, caution); at > strings.Index(page, `<h2 id="methods"`) {
		t.Error("the cause comes after the tables")
	}
}

// Whoever has arrived wins, however long the step of the check may be and whoever else still moves.
func TestArrivedWins(t *testing.T) {
	r := longStep()
	r.Runs[1] = falling("composite", geometric(1, .5, 21), geometric(1, .5, 21))
	r.Runs[0] = falling("vanilla", geometric(.1, .95, 21), geometric(.1, .95, 21))
	d := runDocument(nil, r, nil)
	if !strings.HasPrefix(d.Verdict.Headline, "composite wins") {
		t.Error(d.Verdict.Headline)
	}
	if all := strings.Join(d.Answer.Cautions, " "); strings.Contains(all, "composite") || !strings.Contains(all, "vanilla is still moving") {
		t.Error(all)
	}
}

func TestElsewhereNamesTheStart(t *testing.T) {
	src, _ := problem.Case("lq2")
	s, err := problem.Parse(kind.Standard(), "lq2", src)
	if err != nil {
		t.Fatal(err)
	}
	r := &folder.Result{
		Optimum: folder.Point{Decision: []float64{-31, .5}, Evidence: &folder.Evidence{Standing: folder.Searched, Places: 12}},
		Runs:    []folder.Run{falling("vanilla", geometric(.4, 1, 21)), falling("composite", geometric(.3, 1, 21))},
	}
	list := diagnosed(r, s)
	if len(list) != 1 || list[0].Method != "composite" || !strings.Contains(list[0].Text, "at least 12 places") || !strings.Contains(list[0].Remedy, "start={law: values, values: [-31, 0.5]}") {
		t.Errorf("%+v", list)
	}
}

// A method about which nothing is random and whose gap alternates between 0.5 and 0.7 swings; it is not said to rest elsewhere. A tenth of
// the step of lq2's composite, 0.1, is 0.01.
func TestSwingingIsNoRest(t *testing.T) {
	src, _ := problem.Case("lq2")
	s, err := problem.Parse(kind.Standard(), "lq2", src)
	if err != nil {
		t.Fatal(err)
	}
	var gaps []float64
	for i := range 21 {
		gaps = append(gaps, .5+.2*float64(i%2))
	}
	r := &folder.Result{
		Optimum: folder.Point{Decision: []float64{-31, .5}, Evidence: &folder.Evidence{Standing: folder.Searched, Places: 12}},
		Runs:    []folder.Run{falling("composite", gaps)},
	}
	list := cautions(diagnosed(r, s))
	const want = "composite swings: in the later half of the turns its gap goes to and fro between 50.0 % and 70.0 %. → set algorithms.composite.step=0.01, a tenth"
	if len(list) != 1 || plain(list[0]) != want {
		t.Errorf("got %q, want %q", list, want)
	}
}
