package lab

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/risk"
)

// By hand: bounds of 2, 3 and 4 over 1, 2 and 4 have the ratios 2, 1.5 and 1, the least at turn 30; what is not known is not judged, what is faint has no ratio, and what
// is above by rounding is not broken.
func TestClaimsAreWeighed(t *testing.T) {
	trial := func(index int, measured, bounds []float64) folder.Trial {
		m := folder.NewMeasured([]kedge.Column{loop.Describe("bias"), loop.Describe("bias_by_v")}, len(measured))
		for i := range measured {
			m.Add(10*i, []float64{measured[i], bounds[i]})
		}
		return folder.Trial{Index: index, Measured: m}
	}
	c, nan := claims(0.5)[0], math.NaN()
	m := c.weigh([]folder.Trial{trial(0, []float64{1, 2, nan, 4}, []float64{2, 3, 5, 4}), trial(1, []float64{1, 1e-9, 1, 4 + 3e-13}, []float64{nan, 1, nan, 4})})
	if m.judged != 5 || m.turn != 30 || m.broken != "" || len(m.ratios) != 4 || !slices.IsSorted(m.ratios) || !(math.Abs(m.ratios[0]-1) <= 1e-12) || m.ratios[2] != 1.5 || m.ratios[3] != 2 {
		t.Errorf("%+v", m)
	}
	if got, want := m.row("x", c), []string{"x", c.words, "5", "1", "1.5", "30"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (margins{}).row("x", c); got[3] != "" || got[4] != "" || got[2] != "0" {
		t.Errorf("of nothing: %q", got)
	}
	broken := c.weigh([]folder.Trial{trial(0, []float64{1, 2}, []float64{2, 3}), trial(7, []float64{1, 4.5, 9}, []float64{2, 4, 5})})
	if !strings.HasSuffix(broken.broken, "fails at turn 10 of trial 7") {
		t.Errorf("%q", broken.broken)
	}
	for want, got := range map[string]string{
		"✗ a; b": verdict(4, []string{"a", "b"}), "No bound is known, so there is nothing to judge.": verdict(0, nil), "✓ Every bound held, all 4 times.": verdict(4, nil),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// By hand, of 1,024 turns in 512 pieces: the first has turns 0 and 1, and what is at the end counts in the last.
func TestGapsOfPieces(t *testing.T) {
	m := &Watched{Trials: 2, Turns: 1024}
	for _, x := range []struct {
		k   int
		gap float64
	}{{0, 4}, {1, 2}, {2, 7}, {3, math.NaN()}, {1023, 5}, {1024, 6}} {
		m.measured(x.k, x.gap)
	}
	if got, want := m.Gaps(), []Gap{{1, 3}, {3, 7}, {1023, 5.5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	one := folder.Trial{Measured: folder.NewMeasured([]kedge.Column{loop.Describe("gap")}, 1)}
	one.Add(2, []float64{9})
	if m.resumed(&one, 512); m.Done() != 512 || m.Share() != 0.25 || m.Gaps()[1].Mean != 8 {
		t.Errorf("%d turns, %v of all, %v", m.Done(), m.Share(), m.Gaps())
	}
}

// Where values are wanted as large as can be they are turned, and their intervals with them; what cannot be told is left out.
func TestStakesAreTurned(t *testing.T) {
	r := &run{problem: paced(t, "lq2")}
	c := decide.Choice{Decision: []float64{1}, Mean: 3, Tail: 5, Regret: 0.5, Most: math.Inf(1), Reach: decide.Between{Low: 2, High: 6}}
	for maximize, sign := range map[bool]float64{false: 1, true: -1} {
		r.problem.Maximize = maximize
		s := r.stake("x", c)
		low, high := min(sign*2, sign*6), max(sign*2, sign*6)
		if s.Name != "x" || *s.Mean != sign*3 || *s.Tail != sign*5 || *s.Regret != 0.5 || s.Most != nil || s.Within == nil || *s.Within != (folder.Reach{Low: low, High: high}) {
			t.Errorf("maximize %v: %+v", maximize, s)
		}
	}
	c.Reach = decide.Between{Low: 2, High: math.Inf(1)}
	if c.Mean = math.NaN(); r.stake("x", c).Within != nil || r.stake("x", c).Mean != nil {
		t.Error("what cannot be told is told")
	}
}

// Whenever there is no sampling error it is said why; where there is one, intervals are around the optimum by Student's quantiles, wide as the errors of package optimum are.
func TestWhySamplingIsNotTold(t *testing.T) {
	p := paced(t, "lq2")
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := p.Best(t.Context(), f, [][]float64{p.Start})
	if err != nil {
		t.Fatal(err)
	}
	best := &optimum.Constrained{Search: *found}
	errs, err := optimum.SamplingOf(t.Context(), p.Model, p.Set, best.Decision)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{problem: p}
	for _, sign := range []float64{1, -1} {
		p.Maximize = sign < 0
		s := r.sampling(t.Context(), best)
		half := folder.StudentHalf(errs.Loss, errs.People, 0.95)
		if s.Why != "" || !(math.Abs(s.Value.Low-(sign*best.Loss-half)) <= 1e-12) || !(math.Abs(s.Value.High-(sign*best.Loss+half)) <= 1e-12) || len(s.Low) != 2 || len(s.High) != 2 {
			t.Fatalf("%+v", s)
		}
		for i, e := range errs.Decision {
			half := folder.StudentHalf(e, errs.People, 0.95)
			if !(math.Abs(s.Low[i]-(best.Decision[i]-half)) <= 1e-12) || !(math.Abs(s.High[i]-(best.Decision[i]+half)) <= 1e-12) || !(half > 0) {
				t.Errorf("entry %d: %v … %v around %v", i, s.Low[i], s.High[i], best.Decision[i])
			}
		}
	}
	p.Maximize = false
	ended, end := context.WithCancel(t.Context())
	end()
	kink, jump := *best, *best
	kink.Kink, jump.Jump = true, true
	for why, s := range map[string]*folder.Sampling{
		"the run was stopped": r.sampling(ended, best), "the loss is not smooth": r.sampling(t.Context(), &kink), "the loss is not smooth ": r.sampling(t.Context(), &jump),
		"what constraints allow": (&run{problem: p, bounds: bounds{list: []*risk.SettledConstraint{nil}}}).sampling(t.Context(), best),
	} {
		if !strings.HasPrefix(s.Why, strings.TrimSpace(why)) || s.Value != nil || s.Low != nil {
			t.Errorf("%s: %+v", why, s)
		}
	}
}

// By hand: what is known over three draws of which one has no answer, as results have it, and what the section says of it. (4, 6) is 5 from (1, 2), that is √5 of its length.
func TestOverDrawsAsResultsHaveIt(t *testing.T) {
	r := &run{problem: paced(t, "lq2"), result: &folder.Result{Optimum: folder.Point{Decision: []float64{1, 2}}}}
	r.meter.Optimum = loop.Target{Decision: []float64{1, 2}}
	a := &decide.Ruling{
		Draws: make([]decide.Drawn, 3), Missing: 1, Why: context.Canceled, Costs: 0.5, Stretch: math.NaN(), Search: &optimum.Search{Point: optimum.Point{Residual: 1e-9}, Found: make([]optimum.Point, 4)},
		Plug: decide.Choice{Mean: 3, Tail: 4, Regret: 0.25, Most: 0.75, Reach: decide.Between{Low: 2, High: 5}}, Robust: decide.Choice{Decision: []float64{4, 6}, Mean: 2.5, Reach: decide.Between{Low: 1, High: 7}},
		Beside: []decide.Choice{{Mean: 9, Reach: decide.Between{Low: 1, High: math.Inf(1)}}}, Decision: []decide.Between{{Low: 3, High: 5}, {Low: 5.5, High: 6.5}},
	}
	d := r.overDraws(a)
	if d.Draws != 3 || d.Missing != 1 || d.Why != context.Canceled.Error() || *d.Costs != 0.5 || d.Stretch != nil || len(d.Stakes) != 3 || d.Stakes[0].Name != byFit || d.Stakes[1].Name != overDraws || d.Stakes[2].Name != retraining {
		t.Fatalf("%+v", d)
	}
	if spec := r.problem.Spec; d.Rule != "mean" {
		t.Errorf("the rule is %q", d.Rule)
	} else if spec.Doubt.Decide = "cvar 0.1"; r.overDraws(a).Rule != "cvar 0.1" {
		t.Errorf("the rule is %q", r.overDraws(a).Rule)
	} else {
		spec.Doubt.Decide = ""
	}
	p := d.Robust
	if p.Value != 2.5 || !(math.Abs(p.Distance-math.Sqrt(5)) <= 1e-14) || p.Residual != 1e-9 || p.Starts != 4 || *p.Sampling.Value != (folder.Reach{Low: 1, High: 7}) || !slices.Equal(p.Sampling.Low, []float64{3, 5.5}) || !slices.Equal(p.Sampling.High, []float64{5, 6.5}) || p.Sampling.Why != "" {
		t.Errorf("%+v, %+v", p, p.Sampling)
	}
	r.result.OverDraws = d
	s, err := r.stakes()
	if err != nil || len(s.Rows) != 3 || !slices.Equal(s.Rows[0], []string{byFit, "3", "2 … 5", "4", "0.25", "0.75"}) || s.Rows[2][2] != "cannot be told" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, words := range []string{"each of 3 draws", "1 by the numbers of the spec, 4 over the draws; best under 95 of 100 draws within 3 … 5.", "2 by the numbers of the spec, 6 over the draws; best under 95 of 100 draws within 5.5 … 6.5."} {
		if !strings.Contains(s.Text, words) {
			t.Errorf("%q is not in %q", words, s.Text)
		}
	}
	if !strings.HasPrefix(s.Verdict, "Under no draw does the decision over the draws lose more than 0.5 against") {
		t.Errorf("%q", s.Verdict)
	}
	a.Decision[1], a.Robust.Reach = decide.Between{Low: math.Inf(-1), High: 1}, decide.Between{Low: 1, High: 0}
	if p := r.overDraws(a).Robust; p.Sampling.Low != nil || p.Sampling.High != nil || p.Sampling.Value != nil || p.Sampling.Why != "too many draws have no value" {
		t.Errorf("where it cannot be told: %+v", p.Sampling)
	}
	if s, err := (&run{result: &folder.Result{}}).stakes(); s != nil || err != nil {
		t.Errorf("without draws: %+v, %v", s, err)
	}
}

// By hand: 28 bytes a number and three millions for the report; a column for every entry that is kept.
func TestDiskNeedByHand(t *testing.T) {
	s := *paced(t, "lq2").Spec
	s.Iterations, s.Record.Every = 20, 10
	s.Algorithms = append(s.Algorithms[:0:0], s.Algorithms[0], s.Algorithms[0])
	s.Algorithms[0].Trials, s.Algorithms[1].Trials = 2, 3
	columns := measuredColumns(&s)
	if got, want := DiskNeed(&s), 3e6+5*4*columns*28; got != want {
		t.Errorf("%v bytes, want %v", got, want)
	}
	s.Record.Theory = !s.Record.Theory
	if got := math.Abs(measuredColumns(&s) - columns); got != 12 {
		t.Errorf("the theory takes %v columns", got)
	}
	s.Record.Theory = !s.Record.Theory
	s.Record.Traits = !s.Record.Traits
	if got := math.Abs(measuredColumns(&s) - columns); got != float64(s.Dims().Trait) {
		t.Errorf("traits take %v columns", got)
	}
	for want, u := range map[string][]float64{"1, 2": {1, 2}, "1, 2, 3, 4": {1, 2, 3, 4}, "1, 2, 3, 4, …": {1, 2, 3, 4, 5}, "": nil} {
		if got := decided(u); got != want {
			t.Errorf("%v is written %q", u, got)
		}
	}
}

// By hand, of an optimum of 5 where losses differ by 2: a recorded decision refutes it that is lower by more than 2·10⁻⁸ and keeps the constraints; the lowest is kept.
func TestDecisionsThatRefuteTheOptimum(t *testing.T) {
	columns := []kedge.Column{loop.Describe("value"), loop.Describe("excess_0")}
	for name, x := range map[string]struct {
		rows     [][]float64
		maximize bool
		moves    bool
		want     float64 // 0: none
	}{
		"lower": {[][]float64{{4.5, 0}}, false, false, 4.5}, "lower by rounding": {[][]float64{{5 - 1e-8, 0}}, false, false, 0}, "just lower": {[][]float64{{5 - 3e-8, -1}}, false, false, 5 - 3e-8}, "higher": {[][]float64{{6, 0}}, false, false, 0},
		"beyond a constraint": {[][]float64{{4.5, 0.1}}, false, false, 0}, "the lowest": {[][]float64{{4.5, 0}, {4, 0}, {4.2, 0}}, false, false, 4}, "a gain": {[][]float64{{-4.5, 0}}, true, false, 4.5}, "no gain": {[][]float64{{4.5, 0}}, false, true, 0},
		"no number": {[][]float64{{math.NaN(), 0}}, false, false, 0},
	} {
		p := *paced(t, "lq2")
		p.Maximize = x.maximize
		r := &run{problem: &p, scale: 2, result: &folder.Result{}}
		r.meter.Optimum.Loss = 5
		if x.moves {
			r.meter.Course = []loop.Stage{{}}
		}
		u := []float64{0, 0}
		for i, row := range x.rows {
			u[0] = float64(i)
			r.watchFor(row, u, columns)
		}
		if (r.passed != nil) != (x.want != 0) || r.passed != nil && (r.passed.Loss != x.want || r.passed.Decision[0] == 2) {
			t.Errorf("%s: %+v, want %v", name, r.passed, x.want)
		}
		if r.mention(); (len(r.result.Notes) == 1) != (x.want != 0) {
			t.Errorf("%s: %q", name, r.result.Notes)
		}
	}
	seen := &run{problem: paced(t, "lq2"), scale: 2, result: &folder.Result{}}
	seen.meter.Optimum.Loss = 5
	record := &series{run: seen, trial: &folder.Trial{Measured: folder.NewMeasured(append(columns, loop.Describe("gap")), 1)}, seen: &Watched{}}
	if err := record.Record(&kedge.Step{Row: []float64{4.5, 0, -0.5}, U: []float64{1, 0}}); err != nil || seen.passed == nil {
		t.Errorf("a turn that is recorded is not looked at: %v", err)
	}
	again := &run{seeds: [][]float64{{1}}, result: &folder.Result{}}
	if again.mention(); len(again.result.Notes) != 1 || !strings.HasPrefix(again.result.Notes[0], "The search over the set had missed") {
		t.Errorf("%q", again.result.Notes)
	}
}
