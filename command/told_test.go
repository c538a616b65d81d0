package command

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/design"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// A listing tells of folders that were changed, of what could not be looked into and that it was cut, each in a line of its own; without folders it says so.
func TestListingsTellWhatIsMissing(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	one := folder.Listed{Dir: "runs/a", Kind: folder.KindRun, Case: "lq2", Seed: 7, Finished: at, Problems: []string{"series.csv has other bytes", "tags.json is missing"}}
	for _, c := range []struct {
		found folder.Listing
		want  []string
	}{
		{folder.Listing{}, []string{"no results"}},
		{folder.Listing{Skipped: []string{"runs/x: permission denied", "runs/y: too deep"}, Cut: true}, []string{"no results", "runs/x: permission denied", "runs/y: too deep", "there are more names than are looked at"}},
		{folder.Listing{Folders: []folder.Listed{one}}, []string{"2026-01-02 03:04:05", "runs/a: series.csv has other bytes", "runs/a: tags.json is missing"}},
	} {
		text := page.Terminal{Width: 200}.Render(listed(&c.found)...)
		for _, want := range append(c.want, map[bool]string{true: "not looked into: runs/y"}[len(c.found.Skipped) > 0]) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if cut := strings.Contains(text, "more names"); cut != c.found.Cut {
			t.Errorf("cut: %t in\n%s", cut, text)
		}
	}
}

// Words stand at the left of their columns, numbers at the right; every column is as wide as its widest text, and the last as it comes. What there is no one number of is a dash.
func TestTablesOfListings(t *testing.T) {
	list := []folder.Listed{{Dir: "a", Case: "a-long-case", Tags: []string{"baseline", "paper"}}, {Dir: "b", Turns: 1, Seed: 12345678901}, {Dir: "c", Turns: 12, Partial: true, Best: &folder.Leader{Method: "composite", Gap: 0.01}}}
	table := tableOf(list)
	words := map[string]int{"finished (UTC)": -19, "kind": -4, "case": -11, "best": -9, "tags": -14, "folder": 0}
	numbers := map[string]int{"seed": 11, "turns": 12}
	for i, c := range table.Columns {
		want, isWord := words[c.Name]
		if w, is := numbers[c.Name]; is {
			want = w
		} else if !isWord {
			want = c.Wide
		}
		if c.Numeric == isWord || c.Wide != want || table.Brief[i] != i {
			t.Errorf("%q: a number: %t, %d wide, want %d", c.Name, c.Numeric, c.Wide, want)
		}
	}
	for i, want := range []string{phrase.Absent, "1", "12 (partial)"} {
		if got := table.Rows[i][4].Text; got != want {
			t.Errorf("turns of %d are %q, want %q", i, got, want)
		}
	}
}

// Texts get as wide as the widest of them, and those of nothing stay so.
func TestPaddedTexts(t *testing.T) {
	for _, c := range [][2][]string{{{"a", "bcd", ""}, {"a  ", "bcd", "   "}}, {{""}, {""}}, {{"", ""}, {"", ""}}, {{}, {}}} {
		if got := padded(c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("%q, want %q", got, c[1])
		}
	}
}

// A table that is drawn over is drawn five times a second, a line is added every ten seconds.
func TestHowOftenASweepIsShown(t *testing.T) {
	if got := between(page.Terminal{Rewrites: true}); got != time.Second/5 {
		t.Errorf("a table every %v", got)
	}
	if got := between(page.Terminal{}); got != 10*time.Second {
		t.Errorf("a line every %v", got)
	}
}

// A design of 100 turns is one, which only its spec can be missing for; and draws are told of that have no best decision, where there are some.
func TestDesignsOfManyTurnsAndDrawsLeftOut(t *testing.T) {
	for args, want := range map[string]string{"--turns 100 --noise 1e-9": "nowhere.yaml", "--turns 1 --noise 1": "nowhere.yaml", "--turns 8 --noise 0": "--noise above 0", "--turns 101 --noise 1": "--turns from 1 to 100"} {
		if out, code := command(t, append([]string{"design", "nowhere.yaml"}, strings.Fields(args)...)...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %s, want %q", args, code, out, want)
		}
	}
	s, err := problem.Parse(kind.Standard(), "a.yaml", []byte(strings.NewReplacer("draws: draws.csv\n", "", "uncertain: 40\n", "").Replace(taught)))
	if err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[int]bool{0: false, 1: true, 3: true} {
		var b bytes.Buffer
		plan := &lab.Curriculum{Timetable: design.Timetable{Decisions: [][]float64{{1}, {2}}, Errors: []float64{1}, Left: []float64{0.5}}, Base: []float64{1}, Names: []string{"b"}, Worth: []float64{3}, Draws: 40, Missing: missing}
		if err := tellDesign(&b, &problem.Problem{Spec: s}, plan); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "of them no decision is best; those are left out.\n"); got != want {
			t.Errorf("%d left out:\n%s", missing, b.String())
		}
	}
}

// Where what is written cannot be told, a plot ends with that: nothing more is written.
func TestPlotsThatNobodyHearsOf(t *testing.T) {
	t.Chdir(t.TempDir())
	quickRun(t, "run")
	shut, err := os.Create("out")
	if err != nil {
		t.Fatal(err)
	}
	shut.Close()
	root := newRoot(kind.Standard())
	root.SetOut(shut)
	root.SetErr(&bytes.Buffer{})
	root.SetArgs([]string{"plot", "run", "--out", "a.svg", "--out", "b.svg"})
	if err := root.ExecuteContext(t.Context()); !errors.Is(err, os.ErrClosed) || exitCode(err) != exitFailed {
		t.Errorf("%v, exit code %d", err, exitCode(err))
	}
	if _, err := os.Stat("a.svg"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("b.svg"); err == nil {
		t.Error("a second figure was written behind that")
	}
}

// What README.md runs is in the help of kedge itself.
func TestHelpListsWhatIsRun(t *testing.T) {
	text, code := command(t, "--help")
	if code != 0 {
		t.Fatal(text)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^kedge ([a-z]+)`).FindAllStringSubmatch(string(readme), -1)
	if len(found) < 20 {
		t.Fatalf("only %d lines of README.md run kedge", len(found))
	}
	for _, f := range found {
		if !strings.Contains(text, "\n  "+f[1]+" ") && f[1] != "optimizes" {
			t.Errorf("kedge %s is not in the help of kedge", f[1])
		}
	}
}
