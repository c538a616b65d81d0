package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/risk"
)

// of is a case with some keys set.
func of(t *testing.T, name string, sets ...string) *problem.Problem {
	t.Helper()
	text, _ := problem.Case(name)
	return built(t, name, text, sets)
}

// built is the problem of a spec with some keys set.
func built(t *testing.T, name string, text []byte, sets []string) *problem.Problem {
	t.Helper()
	var over []problem.Overlay
	for _, s := range sets {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(kind.Standard(), name, text, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// By hand, of the linear-quadratic case with G = [5/4 1/2; 1/2 1], R = 2I and S = Q = I: the curvature is 2I + 2G + G², and the slope 0 at the optimum (−56, 99)/229.
func TestBentByHand(t *testing.T) {
	p := of(t, "lq2")
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	slope, curve, err := bentAt(f, []float64{-56.0 / 229, 99.0 / 229})
	if err != nil || rows.Norm(slope) > 1e-9 || rows.Distance(curve, []float64{6.3125, 2.125, 2.125, 5.25}) > 1e-6 {
		t.Errorf("%v, %v (%v)", slope, curve, err)
	}
	slope, curve, err = bentAt(f, []float64{1 - 56.0/229, 2 + 99.0/229})
	if err != nil || rows.Distance(slope, []float64{6.3125 + 2*2.125, 2.125 + 2*5.25}) > 1e-9 || rows.Distance(curve, []float64{6.3125, 2.125, 2.125, 5.25}) > 1e-6 {
		t.Errorf("beside it: %v (%v)", slope, err)
	}
}

// By hand: demand settles at 2 − u, so demand of at most 1 wants u ≥ 1, which is best at 1 with the loss 0; without a bound it is ½ with −½; and demand of at most −10 has nobody within [−4, 4].
func TestScenesByHand(t *testing.T) {
	for bound, want := range map[float64][2]float64{1: {1, 0}, -10: {0.3, math.NaN()}, 5: {0.5, -0.5}} {
		p := of(t, "scalar-pricing", fmt.Sprintf("constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: %v}]", bound))
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := p.Constraints()
		if err != nil {
			t.Fatal(err)
		}
		s := &scene{objective: f, set: p.Set}
		free, err := s.best(t.Context(), []float64{0.3}, p.Search)
		if err != nil || !(math.Abs(free.Decision[0]-0.5) <= 1e-6) || !(math.Abs(free.Loss+0.5) <= 1e-9) {
			t.Errorf("without a bound: %+v, %v", free, err)
		}
		for _, c := range list {
			s.constraints = append(s.constraints, optimum.Function(c))
		}
		got, err := s.best(t.Context(), []float64{0.3}, p.Search)
		if err != nil || !(math.Abs(got.Decision[0]-want[0]) <= 1e-5) || math.IsNaN(want[1]) != math.IsNaN(got.Loss) || math.Abs(got.Loss-want[1]) > 1e-5 {
			t.Errorf("demand of at most %v: %+v, %v; want %v", bound, got, err, want)
		}
	}
}

// Of a sweep the largest cells count, as many as are at work at a time, with the workers that are left for each; of its disk every cell.
func TestSweepNeedsByHand(t *testing.T) {
	parse := func(sizes string) *family.Sweep {
		w, err := family.Parse(kind.Standard(), "grid.yaml", []byte("base: polarized\nset: {iterations: 20, record.every: 10, trials: 3, population.dim: 4}\nover: {population.size: "+sizes+"}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := parse("[100, 30000, 2000]")
	need := func(cell, workers int) float64 { return Need(w.Spec(w.Cells[cell]), workers).Bytes() }
	for workers, want := range map[int]float64{1: need(1, 1), 2: need(1, 1) + need(2, 1), 3: need(0, 1) + need(1, 1) + need(2, 1), 9: need(0, 3) + need(1, 3) + need(2, 3)} {
		if got := SweepNeed(w, workers).Bytes(); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%d workers: %v bytes, want %v", workers, got, want)
		}
	}
	if got, want := SweepNeed(w, 0).Bytes(), SweepNeed(w, runtime.GOMAXPROCS(0)).Bytes(); got != want {
		t.Errorf("%v bytes on all cores, want %v", got, want)
	}
	if got, want := Need(w.Spec(w.Cells[1]), 0).Bytes(), need(1, runtime.GOMAXPROCS(0)); got != want {
		t.Errorf("%v bytes of a run on all cores, want %v", got, want)
	}
	if !(need(1, 2) > need(1, 1)) || !(need(1, 1) > need(2, 1)) {
		t.Errorf("%v, %v and %v bytes", need(1, 2), need(1, 1), need(2, 1))
	}
	if largest, _ := sweepNeed(w, 1); largest.Population.Size != 30000 {
		t.Errorf("the largest has %d people", largest.Population.Size)
	}
	if err := SweepFits(w, 2); err != nil {
		t.Error(err)
	}
	if err := SweepFits(parse("[10, 2000000000]"), 1); err == nil {
		t.Error("two thousand million people fit")
	}
	s := w.Spec(w.Cells[0])
	trials := 0.0
	for _, a := range s.Algorithms {
		trials += float64(a.Trials)
	}
	each := 40e3 + trials*4*measuredColumns(s)*10
	for n := range 4 {
		if got, want := SweepDiskNeed(w, w.Cells[:n]), 5e6+float64(n)*each; !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%d cells: %v bytes of disk, want %v", n, got, want)
		}
	}
	last := Need(s, 1)[len(Need(s, 1))-1]
	if want := trials * (8500 + 28*measuredColumns(s)*4); last.Bytes != want || last.Key != "trials" {
		t.Errorf("measured is %+v, want %v bytes", last, want)
	}
	s.Record.Every = 1
	if more := Need(s, 1); more[len(more)-1].Key != "record.every" {
		t.Errorf("of many turns: %+v", more[len(more)-1])
	}
}

// A state remembers the last hundred cells that came to an end.
func TestProgressForgetsTheFirst(t *testing.T) {
	p := new(SweepProgress)
	p.begin(2, 150)
	for i := range 130 {
		p.leave(folder.CellResult{ID: fmt.Sprint(i), Err: map[bool]string{true: "it fell"}[i%10 == 0]})
	}
	if s := p.State(); len(s.Last) != 100 || s.Last[0].ID != "30" || s.Last[99].ID != "129" || s.Done != 117 || s.Failed != 13 || s.Kept != 2 || s.Total != 150 {
		t.Errorf("%+v", s)
	}
}

// All that a search found must be decisions of the run that recalls it, wherever they are in what was saved.
func TestSavedAnswersAreOfTheRun(t *testing.T) {
	k := &keeper{width: 2}
	at := func(n int) optimum.Point { return optimum.Point{Decision: make([]float64, n)} }
	for n, ok := range map[int]bool{1: false, 2: true, 3: false} {
		for name, s := range map[string]*solved{
			"best": {Best: &optimum.Constrained{Search: optimum.Search{Point: at(n)}}}, "rests": {Rests: []optimum.Rest{{Point: at(2)}, {Point: at(n)}}},
			"equilibria": {Equilibria: []optimum.Equilibrium{{Point: at(2)}, {Point: at(n)}}}, "shared": {Shared: []optimum.SharedEquilibrium{{Equilibrium: optimum.Equilibrium{Point: at(n)}}}},
		} {
			data, err := s.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			back := new(solved)
			if err := k.check(back, data); (err == nil) != ok || !slices.EqualFunc(back.decisions(), s.decisions(), slices.Equal[[]float64]) {
				t.Errorf("%s of %d numbers: %v, %v", name, n, back.decisions(), err)
			}
			if err := k.check(back, data[:len(data)-1]); err == nil {
				t.Errorf("%s that were cut are taken", name)
			}
		}
	}
}

// Where players share constraints and their equilibrium is not known, nobody can say how far they are from it.
func TestResidualsAreNotGuessed(t *testing.T) {
	p := paced(t, "examples/duopoly.yaml")
	g, err := p.Game()
	if err != nil || g == nil {
		t.Fatal(g, err)
	}
	r := &run{problem: p}
	r.game.settled = g
	if left, err := r.residual()([]float64{0.5, 0.5}); err != nil || math.IsNaN(left) {
		t.Errorf("without constraints: %v, %v", left, err)
	}
	r.bounds.list = []*risk.SettledConstraint{nil}
	if left, err := r.residual()([]float64{0.5, 0.5}); err != nil || !math.IsNaN(left) {
		t.Errorf("with an unknown equilibrium: %v, %v", left, err)
	}
	if n := r.nash(); n == nil || n.Equilibrium != nil {
		t.Errorf("%+v", n)
	}
}

// A constraint without a value is told: at −9 and −9 people settle at d + 9, and ½·10³⁰⁷·(3 + 9)² is too large for a number, while what players lose has a value. At 2 and 2 it has one, and where the bound costs
// nothing players go along their own gradients.
func TestResidualsTellWhatHasNoValue(t *testing.T) {
	p := exampleOf(t, "duopoly", "constraints=[{name: steep, kind: expectation, of: {kind: quadratic, state: [[1e307]]}, bound: 1}]", "algorithms=[{name: players, kind: composite, step: 0.05, dual-step: 0.1}]")
	g, err := p.Game()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{problem: p}
	r.game.settled, r.game.nash, r.game.multipliers = g, &loop.Target{}, []float64{0}
	if r.bounds.list, _, err = p.Constraints(); err != nil {
		t.Fatal(err)
	}
	want, wrong := g.Residual([]float64{2, 2})
	if got, err := r.residual()([]float64{2, 2}); err != nil || wrong != nil || got != want || !(got > 0) {
		t.Errorf("for nothing: %v, want %v (%v, %v)", got, want, err, wrong)
	}
	if _, wrong = g.Residual([]float64{-9, -9}); wrong != nil {
		t.Fatal(wrong)
	}
	if got, err := r.residual()([]float64{-9, -9}); err == nil || !strings.Contains(err.Error(), "steep") {
		t.Errorf("without a value: %v, %v", got, err)
	}
}

// ticks measures the turn.
type ticks struct{}

func (ticks) Columns() []kedge.Column { return []kedge.Column{{Name: "ticks"}} }
func (ticks) Measure(_ context.Context, dst []float64, turn *kedge.Turn) error {
	dst[0] = float64(turn.K)
	return nil
}

// What is asked for is measured, every recorded turn, and nothing else; what somebody measures besides comes last. Demand settles at 2 − 0.3 = 1.7 under the first decision, 0.7 above a bound of 1.
func TestColumnsOfWhatIsAsked(t *testing.T) {
	evidence.OneGoroutine(t)
	capacity := "constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]"
	few := []string{"iterations=2", "record.every=1", "algorithms=[{name: one, kind: composite, step: 0.01, batch: 2, trials: 1}]"}
	names := []string{"excess_1", "multiplier_1", "bias", "tracking", "regret", "trait_0", "nash_residual", "ticks"}
	for _, x := range []struct {
		sets  []string
		ticks bool
		want  []string
	}{
		{nil, false, nil}, {[]string{capacity}, false, []string{"excess_1", "multiplier_1"}}, {[]string{"record.theory=true"}, false, []string{"bias"}}, {[]string{"record.traits=true"}, false, []string{"trait_0"}},
		{[]string{"population.drift={rate: [0.1]}"}, false, []string{"tracking", "regret"}}, {[]string{capacity, "record.traits=true"}, true, []string{"excess_1", "multiplier_1", "trait_0", "ticks"}},
	} {
		o := Options{Workers: 1}
		if x.ticks {
			o.Instruments = func() []kedge.Instrument { return []kedge.Instrument{ticks{}} }
		}
		r, err := Execute(t.Context(), of(t, "scalar-pricing", append(few, x.sets...)...), o)
		if err != nil {
			t.Fatal(x.sets, err)
		}
		one := r.Runs[0].Trials[0]
		if said := strings.Join(r.Notes, " "); strings.Contains(said, "nothing is left") || strings.Contains(said, "depends on where they come from") {
			t.Errorf("%v: %s", x.sets, said)
		}
		for _, name := range names {
			if one.Has(name) != slices.Contains(x.want, name) || one.Has(name) && len(one.Of(name)) != 3 {
				t.Errorf("%v: %s is measured: %v", x.sets, name, one.Of(name))
			}
		}
		if slices.Contains(x.want, "excess_1") && !(math.Abs(one.Of("excess_1")[0]-0.7) <= 1e-9) {
			t.Errorf("%v: an excess of %v, want 0.7", x.sets, one.Of("excess_1"))
		}
		if x.ticks && (one.Columns[len(one.Columns)-1].Name != "ticks" || !slices.Equal(one.Of("ticks"), []float64{0, 1, 2})) {
			t.Errorf("last is %+v", one.Columns[len(one.Columns)-1])
		}
	}
}

// By hand: what can run at a time, the first line that differs, one turn without trust, and one bound that is broken.
func TestLittleThings(t *testing.T) {
	s := *paced(t, "lq2").Spec
	s.Algorithms = append(s.Algorithms[:0:0], s.Algorithms[0], s.Algorithms[0])
	s.Algorithms[0].Trials, s.Algorithms[1].Trials = 2, 3
	if got := jobsOf(&s); got != 5 {
		t.Errorf("%v trials at a time, want 5", got)
	}
	if got := Trials(&s); got != 5 {
		t.Errorf("2 and 3 trials are %v", got)
	}
	if got := jobsOf(&problem.Spec{}); got != 1 {
		t.Errorf("of nothing %v", got)
	}
	for _, x := range [][4]string{{"a\nb\n", "a\nc\n", "b", "c"}, {"a\n b\n", "a\n", "b", ""}, {"a\n", "a\nb\n", "", "b"}, {"a", "b", "a", "b"}, {"a\nb\nc", "a\nb", "b", "b"}, {"a\nb", "a\nb\nc", "b", "b"}} {
		if was, is := firstDifference(x[0], x[1]); was != x[2] || is != x[3] {
			t.Errorf("%q and %q differ by %q and %q", x[0], x[1], was, is)
		}
	}
	one := runOf("x", "trust", 0, 1, 1)
	one.Trials = one.Trials[:1]
	if notes := mistrust(&folder.Result{Runs: []folder.Run{one}}); len(notes) != 1 || !strings.Contains(notes[0], "at 1 of 3 measured turns") {
		t.Errorf("%q", notes)
	}
	one = runOf("x", "value", math.NaN(), 1)
	one.Trials = one.Trials[:1]
	if notes := unsettled(&folder.Result{Runs: []folder.Run{one}}); len(notes) != 1 || !strings.Contains(notes[0], "at 1 of 2 measured turns") {
		t.Errorf("%q", notes)
	}
	if got := verdict(3, []string{"it broke"}); got != "✗ it broke" {
		t.Error(got)
	}
	if got := (yardstick{failure: errors.New("no constants")}).words(); got != "No bounds: no constants." {
		t.Error(got)
	}
	if b := (yardstick{}).bounds(); !math.IsNaN(b.L) || !math.IsNaN(finite(math.Inf(1))) || finite(2) != 2 {
		t.Errorf("%+v", b)
	}
}

// First trials come first, those that carry something over follow each other, and all their turns are to do.
func TestJobsByHand(t *testing.T) {
	p := of(t, "lq2", "iterations=7", "algorithms=[{name: a, kind: composite, step: 0.1, trials: 2}, {name: b, kind: derivative-free, step: 0.1, delta: 0.1, carry: true, trials: 3}, {name: c, kind: vanilla, step: 0.1, trials: 1}]")
	r := &run{problem: p, result: newResult(p)}
	r.Progress = new(Progress)
	want := []job{{0, 0, 1}, {1, 0, 3}, {2, 0, 1}, {0, 1, 2}}
	if got := r.jobs(); !slices.Equal(got, want) || r.Progress.Total.Load() != 6*7 {
		t.Errorf("%v with %d turns, want %v", got, r.Progress.Total.Load(), want)
	}
}

// A file of finished trials gives those whose decisions are of the run, and no more where it is damaged.
func TestFinishedTrialsAreRead(t *testing.T) {
	root := t.TempDir()
	dir, err := disk.Disk{}.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Mkdir(filepath.Join(root, folder.CheckpointDir), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(cut int, widths ...int) *keeper {
		k := &keeper{dir: dir, width: 2, finished: map[place]*folder.Trial{}, underway: map[place]int{}}
		var b []byte
		for i, n := range widths {
			for _, s := range []wire.State{&reached{place{0, i}, 5}, &folder.Trial{Index: i, Decision: make([]float64, n)}} {
				if b, err = s.AppendBinary(b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(root, folder.CheckpointDir, "done-1.bin"), b[:len(b)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		return k
	}
	for name, x := range map[string]struct {
		k  *keeper
		n  int
		ok bool
	}{"whole": {nil, 2, true}, "cut": {nil, 1, false}, "another width": {nil, 1, false}} {
		switch name {
		case "whole":
			x.k = write(0, 2, 2)
		case "cut":
			x.k = write(3, 2, 2)
		default:
			x.k = write(0, 2, 3, 2)
		}
		if err := x.k.readDone("done-1.bin"); (err == nil) != x.ok || len(x.k.finished) != x.n {
			t.Errorf("%s: %d trials, %v", name, len(x.k.finished), err)
		}
		if err := x.k.readTurns("done-1.bin"); err != nil || x.k.underway[place{0, 0}] != 5 {
			t.Errorf("%s: %v, %v", name, x.k.underway, err)
		}
	}
	k := write(0, 2)
	if err := errors.Join(k.readDone("none.bin"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := k.readTurns("none.bin"); !errors.Is(err, fs.ErrNotExist) || len(k.underway) > 0 {
		t.Errorf("no file of turns: %v", err)
	}
}

// The optimum of a set that changes is known at every recorded turn and at the last, as the set is then.
func TestCoursesAreOfRecordedTurns(t *testing.T) {
	p := paced(t, "examples/limits.yaml")
	p.Spec.Iterations, p.Spec.Record.Every = 450, 200
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	best, _, err := p.Best(t.Context(), f, [][]float64{p.Start})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{problem: p, result: &folder.Result{}}
	r.meter.Steady, r.meter.Optimum = f, loop.Target{Decision: best.Decision, Loss: best.Loss}
	if err := r.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	var turns []int
	for _, s := range r.meter.Course {
		turns = append(turns, s.Turn)
		last := p.Set
		for _, stage := range p.Stages() {
			if stage.From <= s.Turn {
				last = stage.Set
			}
		}
		u := slices.Clone(s.Target.Decision)
		if err := last.Project(u); err != nil || rows.Distance(u, s.Target.Decision) > 1e-9 {
			t.Errorf("the optimum of turn %d, %v, is not in its set (%v)", s.Turn, s.Target.Decision, err)
		}
	}
	if !slices.Equal(turns, []int{0, 200, 400, 450}) || len(r.result.Notes) != 1 || !strings.HasPrefix(r.result.Notes[0], "The set of decisions changes, and the optimum with it") {
		t.Errorf("turns %v; %q", turns, r.result.Notes)
	}
	if c := r.meter.Course; rows.Distance(c[0].Target.Decision, c[1].Target.Decision) == 0 || rows.Distance(c[2].Target.Decision, c[3].Target.Decision) > 1e-9 {
		t.Errorf("%+v", c)
	}
}

// By hand: what the search takes is 25 gradients for every start and two more, besides those over the set, once more and twice for a constraint, 30 for every measured turn of an optimum that moves, 6,000 for
// every player, and 100 for the stable point.
func TestSearchLengthsByHand(t *testing.T) {
	each := func(p *problem.Problem) float64 { return float64(p.Effort().Screen + 25*(p.Effort().Starts+2)) }
	plain, bounded := of(t, "scalar-pricing"), of(t, "scalar-pricing", "constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]")
	changing, players, moving := paced(t, "examples/limits.yaml"), paced(t, "examples/duopoly.yaml"), of(t, "scalar-pricing", "population.drift={rate: [0.1]}", "iterations=40", "record.every=10")
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"plain", searchLength(plain), each(plain) + 100}, {"bounded", searchLength(bounded), 3*each(bounded) + 100}, {"players", searchLength(players), each(players) + 100 + 2*6000},
		{"changing", searchLength(changing), each(changing) + 100 + 30*measuredTurns(changing.Spec)}, {"moving", searchLength(moving), each(moving) + 100 + 30*6},
	} {
		if x.got != x.want {
			t.Errorf("%s: %v gradients, want %v", x.name, x.got, x.want)
		}
	}
}

// By hand, of two trials that end with excesses 1 and 3, multipliers 4 and 6 and values 10 and 20; a multiplier as large as may be is noted.
func TestKeepingByHand(t *testing.T) {
	columns := []kedge.Column{loop.Describe("value"), loop.Describe("excess_1"), loop.Describe("multiplier_1")}
	one := folder.Run{Name: "x"}
	for _, last := range [][]float64{{10, 1, 4}, {20, 3, 6}} {
		m := folder.NewMeasured(columns, 2)
		m.Add(0, []float64{99, 99, 99})
		m.Add(1, last)
		one.Trials = append(one.Trials, folder.Trial{Measured: m})
	}
	for most, notes := range map[float64]int{5: 1, 5.1: 0} {
		r := &run{result: &folder.Result{}}
		r.bounds.most = []float64{most}
		if got := r.kept(&one, 0, "capacity"); !slices.Equal(got, []string{"x", "capacity", "2", "3", "5", "15"}) || len(r.result.Notes) != notes {
			t.Errorf("%q; %q", got, r.result.Notes)
		}
		if got := r.kept(&folder.Run{}, 0, "capacity"); got != nil {
			t.Errorf("of no trial: %q", got)
		}
	}
	if s, err := (&run{}).keeping(); s != nil || err != nil {
		t.Errorf("without constraints: %+v, %v", s, err)
	}
}

// Demand of at most 1 is best met by the price 1, which loses 0; the loss rises there by 2 and demand falls by 1, so a looser bound is worth 2. A run tells that before what methods did.
func TestConstrainedRunsTellThePrice(t *testing.T) {
	p := of(t, "scalar-pricing", "iterations=2", "record.every=1", "algorithms=[{name: one, kind: composite, step: 0.01, batch: 2, trials: 1}, {name: heedless, kind: composite, step: 0.01, batch: 2, trials: 1, heed: false}]",
		"constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]")
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Sections, func(s folder.Section) bool { return s.ID == "constraints" })
	if at < 0 || len(r.Sections[at].Rows) != 3 || !strings.Contains(r.Sections[at].Text, "Karush–Kuhn–Tucker residual is ") || len(r.Sections[at].Columns) != 6 {
		t.Fatalf("%+v", r.Sections)
	}
	for i, name := range []string{"optimum", "one", "heedless"} {
		if row := r.Sections[at].Rows[i]; row[0] != name || row[1] != "capacity" || len(row) != 6 {
			t.Errorf("%q", row)
		}
	}
	price, err := strconv.ParseFloat(r.Sections[at].Rows[0][4], 64)
	if err != nil || !(math.Abs(price-2) <= 1e-3) || !(math.Abs(r.Optimum.Decision[0]-1) <= 1e-5) || !(math.Abs(r.Optimum.Value) <= 1e-4) {
		t.Errorf("the price is %v (%v), the optimum %+v", price, err, r.Optimum)
	}
	if row := r.Sections[at].Rows[2]; row[4] != "–" {
		t.Errorf("a method that does not heed it pays %s", row[4])
	}
}

// Constants that all methods share are told once, others by method; angles of some people are said to be those of some.
func TestKnownConstantsAndAngles(t *testing.T) {
	p := of(t, "polarized", "population.size=20", "population.dim=3")
	r := &run{problem: p, result: newResult(p), shown: []int{0, 7, 13}}
	first, second := yardstick{failure: errors.New("first")}, yardstick{failure: errors.New("second")}
	r.sticks = []yardstick{first, first}
	if got := r.known(); strings.Count(got, "No bounds: first.") != 1 || strings.Contains(got, p.Spec.Algorithms[0].Name+":") {
		t.Errorf("%q", got)
	}
	r.sticks = []yardstick{first, second}
	for i, want := range []string{"first", "second"} {
		if got := r.known(); !strings.Contains(got, "\n\n"+p.Spec.Algorithms[i].Name+": No bounds: "+want+".") {
			t.Errorf("%q", got)
		}
	}
	r.meter.Optimum.Decision = slices.Clone(p.Start)
	if err := r.angles(); err != nil {
		t.Fatal(err)
	}
	states, _ := p.First(r.shown)
	if a := r.result.Angles; !slices.Equal(a.Initial, degrees(states, p.Start)) || len(a.Optimal) != 3 || slices.Equal(a.Optimal, a.Initial) || len(r.result.Notes) != 1 || !strings.HasPrefix(r.result.Notes[0], "Angles are those of 3 individuals") {
		t.Errorf("%+v; %q", a, r.result.Notes)
	}
}

// By hand: with two items, W₁ is how far the first share is from where it settles, (λ₂ softmax(−εu) + (1 − λ₁ − λ₂) p₀)/(1 − λ₁).
func TestItemsAreApart(t *testing.T) {
	const spec = "iterations: 1\npopulation: {size: 1, dim: 2, law: values, values: [[0.7, 0.3]]}\ndynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5}\nobjective: {kind: revenue, entropy: 0.1}\n" +
		"set: {kind: capped-simplex, sum: 3, upper: 2}\nstart: {law: values, values: [1, 2]}\nalgorithms: [{name: composite, step: 0.05}]\nrecord: {every: 1, w1: items}\noptimum: {starts: 1}\n"
	r, err := Execute(t.Context(), built(t, "x", []byte(spec), nil), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	share := 1 / (1 + math.Exp(-0.5)) // of the first item, which costs 1 less
	want := math.Abs(0.7 - (0.5*share+0.3*0.7)/0.8)
	if got := r.Runs[0].Trials[0].Of("w1_own"); len(got) == 0 || !(math.Abs(got[0]-want) <= 1e-14) {
		t.Errorf("W₁ is %v, want %v", got, want)
	}
}
