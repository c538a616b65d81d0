package torture

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/board"
)

// small is a module whose tests hold, are over their bar, skip and say nothing; and whose sum can be broken.
func small() map[string]string {
	row := func(test, more string) string {
		return `{"promise": "` + test + ` holds", ` + more + `"package": "./sums", "test": "` + test + `", "whole": true, "cases": 1, "wrong": 0}`
	}
	return map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.26\n",
		"sums/sums.go": "// Package sums adds.\npackage sums\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n\n// Rest subtracts.\nfunc Rest(a, b int) int { return a - b }\n",
		"sums/sums_test.go": `package sums

import (
	"os"
	"path/filepath"
	"testing"
)

func tell(t *testing.T, name, figure string) {
	if dir := os.Getenv("KEDGE_FIGURES"); dir != "" {
		os.WriteFile(filepath.Join(dir, name+".json"), []byte(figure), 0o644)
	}
}

func TestHolds(t *testing.T) {
	tell(t, "holds", "{\"cases\": 12}")
	if os.Getenv("KEDGE_TORTURE") != "" {
		tell(t, "holds-too", "{\"cases\": 300}")
	}
	if Sum(1, 1) != 2 {
		t.Error("1 + 1 is not 2")
	}
}

func TestWrong(t *testing.T) {
	tell(t, "wrong", "{\"cases\": 5, \"wrong\": 2}")
	t.Error("two are wrong")
}

func TestSkips(t *testing.T) {
	tell(t, "skips", "{\"skipped\": true, \"needs\": \"root\"}")
	t.Skip("not root")
}

func TestSilent(t *testing.T) {}

func TestHangs(t *testing.T) { select {} }

` + "func Fuzz" + `Sum(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b int) { Sum(a, b) })
}
`,
		board.Dir + "/holds.json":     row("TestHolds", `"keeps": ["P10", "P1"], "tests": ["T02"], "short": "a few", "run": {"date": "2026-01-02", "seconds": 7}, `),
		board.Dir + "/holds-too.json": row("TestHolds", `"keeps": ["P1"], "tests": ["T01"], "short": "none", `),
		board.Dir + "/wrong.json":     row("TestWrong", `"tests": ["T31"], `),
		board.Dir + "/skips.json":     row("TestSkips", `"tests": ["T06"], "needs": "root", `),
	}
}

func lay(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A plan has every test once with all its rows, the gate only what is of its tests, the night the whole tests last and the release them alone.
func TestPlans(t *testing.T) {
	module := fstest.MapFS{}
	for name, text := range small() {
		module[name] = &fstest.MapFile{Data: []byte(text), Mode: fs.ModePerm}
	}
	ids := func(tier Tier, only ...string) (all []string) {
		plan, err := Make(module, tier, only, "seed")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range plan {
			if o.Fault == nil {
				all = append(all, strings.Join(o.Of, " ")+": "+o.ID())
			}
		}
		return all
	}
	fuzz := "P5 P7 T33: fuzz ./sums FuzzSum"
	for _, c := range []struct {
		got, want []string
	}{
		{ids(Gate), []string{"P1 P10 T01 T02: short ./sums TestHolds", "T06: short ./sums TestSkips"}},
		{ids(Nightly), []string{"P1 P10 T01 T02: short ./sums TestHolds", "T06: short ./sums TestSkips", "T31: short ./sums TestWrong", fuzz, "P1 P10 T01 T02: whole ./sums TestHolds"}},
		{ids(Release), []string{"P1 P10 T01 T02: whole ./sums TestHolds", "T06: short ./sums TestSkips", "T31: short ./sums TestWrong", fuzz}},
		{ids(Gate, "T31"), []string{"T31: short ./sums TestWrong"}},
		{ids(Release, "holds-too", "TestSkips"), []string{"P1 P10 T01 T02: whole ./sums TestHolds", "T06: short ./sums TestSkips"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("the plan is %q, want %q", c.got, c.want)
		}
	}
	plan, _ := Make(module, Gate, nil, "seed")
	other, _ := Make(module, Gate, nil, "another seed")
	if n := len(plan); n != 2+gateTwins || plan[n-1].Fault == nil || plan[n-1].ID() == other[n-1].ID() {
		t.Errorf("the gate has %d, ends with %s, with another seed with %s", n, plan[n-1].ID(), other[n-1].ID())
	}
	if plan, _ := Make(module, Nightly, nil, ""); plan[len(plan)-1].Seconds != 7 {
		t.Errorf("a whole test that took 7 s is expected to take %g", plan[len(plan)-1].Seconds)
	}
	if _, err := Make(module, Gate, []string{"T99"}, ""); err == nil || !strings.Contains(err.Error(), `nothing of the tier gate is called "T99"`) {
		t.Error(err)
	}
	if _, err := Make(module, "daily", nil, ""); err == nil {
		t.Error("a tier that does not exist is planned")
	}
}

// Every kind of end has its verdict, with the cases that the tests told.
func TestFates(t *testing.T) {
	rack, err := NewRack(lay(t, small()), false)
	if err != nil {
		t.Fatal(err)
	}
	defer rack.Close()
	sum := func(lines ...string) *board.Planted {
		return &board.Planted{Name: "f", Where: "sums", Pack: "./sums", Test: "TestHolds", Lines: lines}
	}
	skipping := sum("a + b", "a * b")
	skipping.Test = "TestSkips"
	for _, c := range []struct {
		o    Ordeal
		want Fate
		says string
	}{
		{Ordeal{Rows: []string{"holds", "holds-too"}, Test: "TestHolds", Short: true}, Fate{Verdict: Survived, Tried: 12}, ""},
		{Ordeal{Rows: []string{"holds", "holds-too"}, Test: "TestHolds", Whole: true}, Fate{Verdict: Survived, Tried: 312}, ""},
		{Ordeal{Rows: []string{"wrong"}, Test: "TestWrong"}, Fate{Verdict: Lost, Tried: 5, Lost: 2}, "two are wrong"},
		{Ordeal{Rows: []string{"skips"}, Test: "TestSkips"}, Fate{Verdict: Skipped}, "needs root"},
		{Ordeal{Rows: []string{"silent"}, Test: "TestSilent"}, Fate{Verdict: Lost, Lost: 1}, "no figure was told"},
		{Ordeal{Rows: []string{"gone"}, Test: "TestGone"}, Fate{Verdict: Lost, Lost: 1}, "has no test TestGone"},
		{Ordeal{Fault: sum("a + b", "a * b")}, Fate{Verdict: Caught, Tried: 1}, ""},
		{Ordeal{Fault: sum("a - b", "b - a")}, Fate{Verdict: Green, Tried: 1, Lost: 1}, "PASS"},
		{Ordeal{Fault: sum("a + b", "a +")}, Fate{Verdict: Green, Tried: 1, Lost: 1}, "build failed"},
		{Ordeal{Fault: sum("a / b", "a")}, Fate{Verdict: Green, Tried: 1, Lost: 1}, `has the line "a / b" 0 times`},
		{Ordeal{Fault: skipping}, Fate{Verdict: Skipped}, "its test skips here"},
	} {
		c.o.Pack = "./sums"
		f, err := rack.Try(t.Context(), c.o)
		said := f.Said
		if spent := f.Work > 0; spent != (c.says != `has the line "a / b" 0 times`) {
			t.Errorf("%s: %g s of work", c.o.ID(), f.Work)
		}
		f.ID, f.Seconds, f.Work, f.Said = "", 0, 0, ""
		if err != nil || f != c.want || !strings.Contains(said, c.says) {
			t.Errorf("%s: %v, %+v, want %+v; said %q, want %q", c.o.ID(), err, f, c.want, said, c.says)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if f, err := rack.Try(ctx, Ordeal{Pack: "./sums", Test: "TestHangs"}); err == nil || f.Verdict != CutOff {
		t.Errorf("a test that hangs: %v, %+v", err, f)
	}
}

// A run that was stopped goes on where it was, also when its last line was cut; one of another tree begins anew. What is lost is told and is the exit.
func TestRunsGoOn(t *testing.T) {
	root := lay(t, small())
	var out strings.Builder
	stop := make(chan struct{})
	close(stop)
	w := Wish{Root: root, Tier: Gate, Only: []string{"TestHolds", "TestWrong"}, Out: &out, Stop: stop}
	if s, err := Run(t.Context(), w); !errors.Is(err, ErrStopped) || s.Left == 0 {
		t.Errorf("stopped at once: %v, %+v", err, s)
	}
	path := filepath.Join(root, ".torture", "gate.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	done := `{"id":"short ./sums TestHolds","verdict":"survived","tried":99,"lost":0,"seconds":1}` + "\n" + `{"id":"short ./sums TestWr`
	if err := os.WriteFile(path, append(text, done...), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Stop = nil
	out.Reset()
	s, err := Run(t.Context(), w)
	s.Work = 0
	if !errors.Is(err, ErrLost) || s != (Toll{Tried: 104, Lost: 2, Survived: 1, Bad: 1}) {
		t.Errorf("gone on with: %v, %+v\n%s", err, s, out.String())
	}
	for _, want := range []string{"1 of 2 were tried by a run of the same tree", "T01 T02 P1 P10   survived            99 tried", "T31              LOST                 5 tried    2 lost", "two are wrong", "gate: 2 of 2 in "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the run does not say %q:\n%s", want, out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(root, ".torture", "gate-last.jsonl")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the next run would go on with one that has ended")
	}
	for _, c := range []struct {
		h     head
		fresh bool
		want  int
	}{{head{Tier: Gate, Tree: "a"}, false, 0}, {head{Tier: Gate, Tree: "a"}, false, 1}, {head{Tier: Gate, Tree: "a"}, true, 0}, {head{Tier: Gate, Tree: "b"}, false, 0}} {
		l, err := openLedger(path, c.h, c.fresh)
		if err != nil || len(l.done) != c.want {
			t.Fatalf("%+v: %v, %d of a run before, want %d", c, err, len(l.done), c.want)
		}
		if err := errors.Join(l.add(Fate{ID: "x"}), l.end(false)); err != nil {
			t.Fatal(err)
		}
	}
}

// A budget leaves out what is known to take longer.
func TestBudgets(t *testing.T) {
	var out strings.Builder
	s, err := Run(t.Context(), Wish{Root: lay(t, small()), Tier: Release, Only: []string{"holds"}, Out: &out, Budget: 2 * time.Second})
	if err != nil || s.Left != 1 || !strings.Contains(out.String(), "1 were not tried, or take longer than 2s has room for") {
		t.Errorf("%v, %+v\n%s", err, s, out.String())
	}
	if err := list(&out, []Ordeal{{Of: []string{"T01"}, What: "sums", Test: "TestSums", Pack: "./sums", Whole: true}}); err != nil || !strings.HasSuffix(out.String(), "KEDGE_TORTURE=1 go test -v -timeout 1h -run '^TestSums$' ./sums\n1 to try\n") {
		t.Error(err, out.String())
	}
}
