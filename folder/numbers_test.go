package folder

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
)

// of is a trial whose columns hold the given numbers, at turns 0, 2, 4, ….
func of(index int, columns map[string][]float64) Trial {
	var list []kedge.Column
	rows := 0
	for _, name := range []string{"gap", "tracking", "regret", "special"} {
		if x, ok := columns[name]; ok {
			list, rows = append(list, loop.Describe(name)), len(x)
		}
	}
	m := NewMeasured(list, 1)
	for i := range rows {
		row := make([]float64, len(list))
		for j, c := range list {
			row[j] = columns[c.Name][i]
		}
		m.Add(2*i, row)
	}
	return Trial{Index: index, Measured: m, Finished: true}
}

func nearly(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Of 1 … 5 the mean is 3 and its standard error √½; published tables have t = 2.776445 for 4 degrees of freedom at 95 %, 12.706205 for 1 and 3.746947 for 4 at 98 %.
func TestStudentIntervals(t *testing.T) {
	for _, x := range []struct {
		numbers           []float64
		level, mean, half float64
	}{{[]float64{1, 2, 3, 4, 5}, 0.95, 3, 2.776445105 * math.Sqrt(0.5)}, {[]float64{1, 2, 3, 4, 5}, 0.98, 3, 3.746947388 * math.Sqrt(0.5)}, {[]float64{7, 9}, 0.95, 8, 12.706204736}} {
		mean, half := Student(x.numbers, x.level)
		nearly(t, "mean", mean, x.mean)
		nearly(t, "half", half, x.half)
	}
	if mean, half := Student([]float64{4}, 0.95); mean != 4 || !math.IsNaN(half) || !math.IsNaN(StudentHalf(1, 1.5, 0.95)) || !math.IsNaN(StudentHalf(1, math.NaN(), 0.95)) {
		t.Errorf("of one number: %v ± %v", mean, half)
	}
	third := 1.0 / 3
	if s, n := SpreadOfFinite([]float64{third, third, third, third, third, third}); s != (Spread{third, third, third}) || n != 6 {
		t.Errorf("equal numbers spread: %+v of %d", s, n)
	}
}

// By hand: over the second half of the turns, 4 and 6, the first trial is 2 and 4 from the optimum, the second 5 and 7; their regrets end at 11 and 3, and rise by 3 and 1 a turn.
func TestTrackingByHand(t *testing.T) {
	near := Run{Name: "near", Trials: []Trial{
		of(2, map[string][]float64{"tracking": {}, "regret": {}}), // which has no turn yet
		of(0, map[string][]float64{"tracking": {90, 90, 2, 4}, "regret": {0, 1, 5, 11}}), of(1, map[string][]float64{"tracking": {90, 90, 5, 7}, "regret": {0, 0, 1, 3}}),
	}}
	far := Run{Name: "far", Trials: []Trial{of(0, map[string][]float64{"tracking": {0, 0, 50, 50}, "regret": {0, 0, 0, 0}})}}
	once := Run{Name: "once", Trials: []Trial{of(0, map[string][]float64{"tracking": {60}, "regret": {8}})}}
	plain := Run{Name: "plain", Trials: []Trial{of(0, map[string][]float64{"gap": {1, 2}})}}
	list, closest := (&Result{Runs: []Run{far, {Name: "none"}, near, plain, once}}).Tracking()
	if len(list) != 3 || closest.Method != "near" || list[0].Method != "far" || list[2].Method != "once" {
		t.Fatalf("%+v, closest %+v", list, closest)
	}
	nearly(t, "mean", closest.Mean, 4.5)
	nearly(t, "worst", closest.Worst, 7)
	nearly(t, "regret", closest.Regret, 7)
	nearly(t, "rate", closest.Rate, 2)
	if o := list[2]; o.Mean != 60 || o.Regret != 8 || o.Rate != 0 {
		t.Errorf("of one turn: %+v", o)
	}
	if says := closest.Verdict(); says != "near follows most closely, 4.5 from the optimum on average." {
		t.Error(says)
	}
	if _, first := (&Result{Runs: []Run{near, far, once}}).Tracking(); first != closest {
		t.Errorf("closest of those that come first: %+v", first)
	}
	if list, _ := (&Result{Runs: []Run{plain, {Name: "begun", Trials: near.Trials[:1]}}}).Tracking(); list != nil {
		t.Errorf("an optimum that stays is tracked: %+v", list)
	}
}

// The last of one turn is its own; of the turns 0, 1 and 2 the second half is one turn long; the nearest is the first of those that are as near, and never one that is not known.
func TestLastsAndLeaders(t *testing.T) {
	m := NewMeasured([]kedge.Column{{Name: "tracking"}, {Name: "regret"}}, 3)
	if !math.IsNaN(m.Last("regret")) || !math.IsNaN(m.Last("none")) {
		t.Error("before the first turn something is last")
	}
	for k, regret := range []float64{1, 3, 7} {
		m.Add(k, []float64{1, regret})
		if m.Last("regret") != regret {
			t.Errorf("after turn %d the last is %v", k, m.Last("regret"))
		}
	}
	if rate := (&Run{Trials: []Trial{{Measured: m}}}).tracking().Rate; rate != 4 {
		t.Errorf("a rate of %v, want 4", rate)
	}
	var best *Leader
	for _, x := range []struct {
		name string
		gap  float64
		want string
	}{{"none", math.NaN(), ""}, {"a", 2, "a"}, {"b", 2, "a"}, {"c", math.NaN(), "a"}, {"d", 1, "d"}} {
		if best = nearer(best, x.name, x.gap); best == nil && x.want != "" || best != nil && best.Method != x.want {
			t.Errorf("after %s with %v the nearest is %+v", x.name, x.gap, best)
		}
	}
}

func TestBriefNumbers(t *testing.T) {
	for x, want := range map[float64]string{999.4: "999", 1000: "1000", 123456.7: "123457", 999999.4: "999999", 1e6: "1e+06", -1234.4: "-1234", 0.012345: "0.0123", 0: "0"} {
		if got := Brief(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

// By hand, of decisions (1, 5), (3, 5): means 2 and 5, with t = 12.706205 for one degree of freedom. One trial has no interval, one without an end no decision, and names and units come first.
func TestDecisionsByHand(t *testing.T) {
	r := &Result{Names: kedge.Names{Decision: []kedge.Called{{Name: "price", Unit: "EUR"}}}}
	ends := func(all ...[]float64) *Run {
		run := &Run{}
		for i, u := range all {
			run.Trials = append(run.Trials, Trial{Index: i, Decision: u})
		}
		return run
	}
	list := r.Decisions(ends([]float64{1, 5}, []float64{3, 5}))
	if len(list) != 2 || list[0].Name != "price" || list[0].Unit != "EUR" || list[1].Name != "u_1" || list[0].Spread != (Spread{2, 1, 3}) || list[1].Spread != (Spread{5, 5, 5}) {
		t.Fatalf("%+v", list)
	}
	nearly(t, "low", *list[0].Low, 2-12.706204736)
	nearly(t, "high", *list[0].High, 2+12.706204736)
	nearly(t, "low of what does not differ", *list[1].Low, 5)
	if one := r.Decisions(ends([]float64{1, 5})); len(one) != 2 || one[0].Low != nil || one[0].High != nil || one[0].Mean != 1 {
		t.Errorf("of one trial: %+v", one)
	}
	for name, run := range map[string]*Run{"no trial": ends(), "a trial without an end": ends([]float64{math.NaN(), 1}), "no decisions": ends(nil, nil)} {
		if list := r.Decisions(run); list != nil {
			t.Errorf("%s: %+v", name, list)
		}
	}
	r.Runs = []Run{*ends(nil, []float64{1}), *ends([]float64{1, 2, 3})}
	if e := r.Entries(); len(e) != 3 || e[0].Name != "price" || e[2].Name != "u_2" {
		t.Errorf("entries %+v", e)
	}
}

// What a result knows is in its summary, and what it does not know is not.
func TestSummaries(t *testing.T) {
	r := &Result{Case: "c", Seed: 7, Runs: []Run{{Name: "b", Planned: 3, Trials: []Trial{of(0, map[string][]float64{"gap": {9, 2}, "special": {1, 1}}), of(1, map[string][]float64{"gap": {9, 4}, "special": {1, 1}}), {Index: 2}}}, {Name: "a"}}}
	s := r.Summarize()
	if !slices.Equal(s.Order, []string{"b", "a"}) || s.Stable != nil || s.Names != nil || s.Case != "c" || s.Seed != 7 {
		t.Errorf("%+v", s)
	}
	if b := s.Algorithms["b"]; b.Trials != 3 || b.Planned != 3 || *b.Gap != (Spread{3, 2, 4}) || b.Value != nil || s.Algorithms["a"].Gap != nil {
		t.Errorf("%+v", b)
	}
	if len(s.Columns) != 1 || s.Columns[0].Name != "special" {
		t.Errorf("columns that are not known by their names: %+v", s.Columns)
	}
	r.Stable.Decision, r.Names.Decision = []float64{1}, []kedge.Called{{Name: "price"}}
	if s := r.Summarize(); s.Stable == nil || s.Names == nil {
		t.Errorf("stable %v, names %v", s.Stable, s.Names)
	}
	if c := (&Result{Runs: []Run{{}, {Trials: []Trial{{}}}}}).Columns(); len(c) != len(loop.Standard()) {
		t.Errorf("a result without turns has %d columns", len(c))
	}
}

var errFull = errors.New("the disk is full")

// tight takes so many writes.
type tight struct {
	bytes.Buffer
	left int
}

func (w *tight) Write(p []byte) (int, error) {
	if w.left--; w.left == -1 { // once: what is not told then is never told
		return 0, errFull
	}
	return w.Buffer.Write(p)
}

// A disk that is full at any write is told of, in series of both kinds; what CSV holds is by hand.
func TestSeriesTellErrors(t *testing.T) {
	r := &Result{Runs: []Run{{Name: "a, b", Trials: []Trial{of(4, map[string][]float64{"gap": {0.5, math.NaN()}, "regret": {1, 2}})}}, {Name: "c", Trials: []Trial{of(0, map[string][]float64{"gap": {3}, "regret": {-1}})}}}}
	for name, write := range map[string]func(*tight) error{"CSV": func(w *tight) error { return r.writeSeries(w) }, "Parquet": func(w *tight) error { return r.writeParquet(w) }} {
		all := &tight{left: 1 << 20}
		if err := write(all); err != nil {
			t.Fatal(err)
		}
		if want := "algorithm,trial,k,gap,regret\n\"a, b\",4,0,0.5,1\n\"a, b\",4,2,,2\nc,0,0,3,-1\n"; name == "CSV" && all.String() != want {
			t.Errorf("written\n%swant\n%s", all.String(), want)
		}
		for n := range 1<<20 - all.left {
			if err := write(&tight{left: n}); !errors.Is(err, errFull) {
				t.Errorf("%s: full after %d writes: %v", name, n, err)
			}
		}
	}
}

// A series is read back as it was written; one of algorithms that nobody knows is refused with its row.
func TestSeriesAreReadBack(t *testing.T) {
	r := &Result{Runs: []Run{{Name: "a", Trials: []Trial{of(0, map[string][]float64{"gap": {1, 2}, "special": {3, 4}}), of(1, map[string][]float64{"gap": {5, 6}, "special": {7, 8}})}}, {Name: "b", Trials: []Trial{of(1, map[string][]float64{"gap": {9, 10}, "special": {0, 0}})}}}}
	var file bytes.Buffer
	if err := r.writeParquet(&file); err != nil {
		t.Fatal(err)
	}
	read := func(names ...string) (*Result, error) {
		back := &Result{}
		for _, name := range names {
			back.Runs = append(back.Runs, Run{Name: name})
		}
		return back, back.readSeries(bytes.NewReader(file.Bytes()), int64(file.Len()), []kedge.Column{{Name: "special", Unit: "EUR"}})
	}
	back, err := read("a", "b")
	if err != nil || len(back.Runs[0].Trials) != 2 || len(back.Runs[1].Trials) != 1 {
		t.Fatalf("%+v, %v", back.Runs, err)
	}
	second := back.Runs[0].Trials[1]
	if second.Index != 1 || !second.Finished || !slices.Equal(second.K, []int{0, 2}) || !slices.Equal(second.Of("gap"), []float64{5, 6}) || second.Columns[1].Unit != "EUR" || second.Last("special") != 8 {
		t.Errorf("%+v", second)
	}
	if _, err := read("a"); err == nil || !strings.HasPrefix(err.Error(), "row 4: ") {
		t.Errorf("an algorithm that nobody knows: %v", err)
	}
}

// Who searched from several starts has searched; what is proven is not missed.
func TestEvidence(t *testing.T) {
	one := EvidenceOf(&optimum.Search{Found: make([]optimum.Point, 1), Missed: 0.5})
	two := EvidenceOf(&optimum.Search{Found: make([]optimum.Point, 2), Here: 2, Basins: 1, Missed: 0.5})
	if one.Standing != Stationary || two.Standing != Searched || two.Here != 2 || two.Places != 1 || two.Missed != 0.5 {
		t.Errorf("%+v, %+v", one, two)
	}
	bound := 3.0
	if one.Credit("", &bound); one.Standing != Stationary || one.Bound != &bound || one.Missed != 0.5 {
		t.Errorf("with a bound alone: %+v", one)
	}
	if two.Credit("convex", nil); two.Standing != Proven || two.Why != "convex" || two.Missed != 0 || two.Bound != nil {
		t.Errorf("proven: %+v", two)
	}
}

// Everything that bits depend on is named where it differs; inputs that only one has are no difference.
func TestIdentitiesDiffer(t *testing.T) {
	was := Identity{Build: Build{Version: "1", Numeric: 2, GOARCH: "amd64"}, Code: Code{System: "linux", Go: "go1", Module: "m"}, Inputs: map[string]string{"a": "one", "b": "two"}}
	if list := was.Differs(was); list != nil {
		t.Errorf("from itself: %q", list)
	}
	for what, change := range map[string]func(*Identity){
		"the version of kedge": func(id *Identity) { id.Build.Version = "2" }, "its arithmetic": func(id *Identity) { id.Build.Numeric = 3 }, "the build target": func(id *Identity) { id.Build.GOARCH = "arm64" },
		"the system": func(id *Identity) { id.Code.System = "darwin" }, "the version of Go": func(id *Identity) { id.Code.Go = "go2" }, "the module": func(id *Identity) { id.Code.Module = "n" },
		"b held other bytes": func(id *Identity) { id.Inputs = map[string]string{"b": "three", "c": "new"} },
	} {
		now := was
		change(&now)
		if list := now.Differs(was); len(list) != 1 || !strings.HasPrefix(list[0], what) {
			t.Errorf("%s: %q", what, list)
		}
	}
}
