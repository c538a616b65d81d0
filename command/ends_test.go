package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// A spec is a case, or a file with one of two ends, and gives its results the name without it; others are no spec, also where there is such a file.
func TestWhatIsASpec(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b.yml", "c.d.yml", "e.txt", "f", "g.YAML"} {
		write(t, filepath.Join(dir, name), "text of "+name)
	}
	for name, want := range map[string]string{"a.yaml": "a", "b.yml": "b", "c.d.yml": "c.d"} {
		if src, called, err := source(filepath.Join(dir, name)); err != nil || called != want || string(src) != "text of "+name {
			t.Errorf("%s: %q, called %q, %v", name, src, called, err)
		}
	}
	for _, name := range []string{"e.txt", "f", "g.YAML", "yaml", ".", ""} {
		if _, _, err := source(filepath.Join(dir, name)); err == nil || !strings.HasPrefix(err.Error(), "there is no case ") || !strings.HasSuffix(err.Error(), "and a file ends in .yaml") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"none.yaml", "none.yml"} {
		if _, _, err := source(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if src, called, err := source("lq2"); err != nil || called != "lq2" || len(src) == 0 {
		t.Errorf("lq2: %d bytes, called %q, %v", len(src), called, err)
	}
}

// stopsSoon is a context that somebody cancels after it was asked once.
type stopsSoon struct {
	context.Context
	asked int
}

func (s *stopsSoon) Err() error {
	if s.asked++; s.asked > 1 {
		return context.Canceled
	}
	return nil
}

func (s *stopsSoon) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// A result has pages unless a stop comes while they are made; the pages of a run that was stopped before are made.
func TestPagesOfAStoppedRun(t *testing.T) {
	text, _ := problem.Case("lq2")
	s, err := problem.Parse(kind.Standard(), "lq2", text, problem.Assign("iterations=5"), problem.Assign("trials=1"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("lq2", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		pages bool
	}{{"whole", t.Context(), true}, {"stopped before", gone, true}, {"stopped now", &stopsSoon{Context: t.Context()}, false}} {
		dir := filepath.Join(t.TempDir(), "out")
		place, err := folder.KindRun.Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		d, err := (&runFlags{specFlags: specFlags{kinds: kind.Standard()}}).save(c.ctx, place, r)
		place.Release()
		_, absent := os.Stat(filepath.Join(dir, "report.html"))
		_, lost := os.Stat(filepath.Join(dir, "summary.json"))
		if err != nil || (d != nil) != c.pages || (absent == nil) != c.pages || lost != nil {
			t.Errorf("%s: %v, a document %t, a page %v, a summary %v", c.name, err, d != nil, absent, lost)
		}
	}
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// cramped has no room for what comes first, and for the rest it has.
type cramped struct{ met bool }

func (c *cramped) Write(p []byte) (int, error) {
	if !c.met {
		c.met = true
		return 0, errors.New("full")
	}
	return len(p), nil
}

// What a saved run says at its end, and its exit code: whole, of a part of its trials, without a report, and where nobody can read it.
func TestOutcomeOfARun(t *testing.T) {
	whole, part := &folder.Result{}, &folder.Result{Partial: true}
	for _, c := range []struct {
		name  string
		r     *folder.Result
		d     *page.Document
		flags resultFlags
		out   string
		err   string
		code  int
	}{
		{"whole", whole, &page.Document{}, resultFlags{}, "report: " + filepath.Join("o", "report.html"), "", 0},
		{"whole and quiet", whole, &page.Document{}, resultFlags{quiet: true}, "", "", 0},
		{"part", part, &page.Document{}, resultFlags{}, "report: " + filepath.Join("o", "report.html"), "stopped; o holds the finished trials", exitInterrupted},
		{"no report", whole, nil, resultFlags{}, "", "stopped before there was a report; o holds all results, and kedge report o makes it", exitInterrupted},
		{"no report of a part", part, nil, resultFlags{json: true}, "", "stopped before there was a report; o holds all results, and kedge report o makes it", exitInterrupted},
	} {
		var b bytes.Buffer
		f := &runFlags{resultFlags: c.flags}
		err, code, said := f.outcome(&b, c.r, c.d, "o", 1, time.Second, time.Second), 0, ""
		if err != nil {
			code, said = exitCode(err), err.Error()
		}
		if code != c.code || said != c.err || (b.Len() > 0) != (c.out != "") || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), c.out) {
			t.Errorf("%s: exit code %d, %q, printed %q", c.name, code, said, b.String())
		}
	}
	for _, r := range []*folder.Result{whole, part} {
		if err := new(runFlags).outcome(full{}, r, &page.Document{}, "o", 1, 0, 0); err == nil || err.Error() != "full" || exitCode(err) != exitFailed {
			t.Errorf("to a full disk: %v", err)
		}
	}
}

// Who is quiet has nobody told how far a study is; others do. What fails, and who stops it, leave no folder.
func TestProduce(t *testing.T) {
	gone, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		name          string
		ctx           context.Context
		flags         resultFlags
		compute, save error
		told          bool
		out, err      string
		code          int
	}{
		{"loud", t.Context(), resultFlags{}, nil, nil, true, "took 0.", "", 0},
		{"quiet", t.Context(), resultFlags{quiet: true}, nil, nil, false, "", "", 0},
		{"as JSON", t.Context(), resultFlags{json: true}, nil, nil, true, `{ "made": 7 }`, "", 0},
		{"failing", t.Context(), resultFlags{}, exit.Failure(errors.New("lost")), nil, true, "", "lost", exitFailed},
		{"unfit", t.Context(), resultFlags{}, errors.New("unfit"), nil, true, "", "unfit", exitUsage},
		{"unsaved", t.Context(), resultFlags{}, nil, errors.New("full"), true, "", "full", exitFailed},
		{"stopped", gone, resultFlags{}, errors.New("whatever"), nil, true, "", "stopped; nothing was written", exitInterrupted},
	} {
		var b bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetContext(c.ctx)
		cmd.SetOut(&b)
		var progress func(done, total int64)
		saved := false
		err := produce(cmd, &c.flags, folder.KindStudy, filepath.Join(t.TempDir(), "out"), &progress, func() (int, error) {
			if (progress != nil) != c.told {
				t.Errorf("%s: somebody is told how far it is: %t", c.name, progress != nil)
			}
			return 7, c.compute
		}, func(_ *folder.Taken, r int) (*page.Document, error) {
			saved = true
			return &page.Document{}, c.save
		}, func(r int) map[string]any { return map[string]any{"made": r} })
		code, said := 0, ""
		if err != nil {
			code, said = exitCode(err), err.Error()
		}
		printed := strings.Join(strings.Fields(b.String()), " ")
		if code != c.code || said != c.err || saved != (c.compute == nil) || (printed == "") != (c.out == "") || !strings.Contains(printed, c.out) {
			t.Errorf("%s: exit code %d, %q, saved %t, printed %q", c.name, code, said, saved, printed)
		}
	}
}

// Who asks for a GPU is told that there is none, whatever else is asked for, and nothing else is measured instead; a name that is none is refused.
func TestBenchWithoutADevice(t *testing.T) {
	if list, err := device.List(nil); err == nil && len(list) > 0 {
		t.Skip("there is a device")
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	for args, want := range map[string]string{
		"--device gpu": "--device gpu: ", "--device gpu:0 --memory": "--device gpu:0: ", "--device gpu:1 --scaling --json": "--device gpu:1: ", "--device gpu --service": "--device gpu: ",
		"--device tpu": "--device tpu: want auto",
	} {
		root := newRoot(kind.Standard())
		var b bytes.Buffer
		root.SetOut(&b)
		root.SetErr(&b)
		root.SetArgs(append([]string{"bench"}, strings.Fields(args)...))
		if err := root.ExecuteContext(gone); err == nil || !strings.HasPrefix(err.Error(), want) || exitCode(err) != exitUsage || b.Len() > 0 {
			t.Errorf("bench %s: %v, printed %q", args, err, b.String())
		}
	}
}

// So is who asks for one for a run, before anything is written, also where a file says how many people there are, which is known only once that is read.
func TestRunsWithoutADevice(t *testing.T) {
	if list, err := device.List(nil); err == nil && len(list) > 0 {
		t.Skip("there is a device")
	}
	t.Chdir(t.TempDir())
	write(t, "people.csv", "a,b\n1,2\n3,4\n")
	for name, want := range map[string]string{"gpu:63": "--device gpu:63: ", "tpu": "--device tpu: want auto"} {
		for _, people := range []string{"seed=1", "population={file: people.csv, traits: [a, b]}"} {
			out, code := command(t, append(strings.Fields("run lq2 --quiet --no-check --iterations 5 --trials 1 --out d --device "+name), "--set", people)...)
			if _, err := os.Stat("d"); code != exitUsage || !strings.Contains(out, want) || err == nil {
				t.Errorf("on %s, %s: exit code %d, %s, a folder: %t", name, people, code, out, err == nil)
			}
		}
	}
}

// What a service cannot be reached by is said before anything is run or written.
func TestSimulateWithoutAService(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"nothing --faults loss=1 --data svc":                      "--faults loss=1: ",
		"nothing --faults loss=1 --data svc --population nothing": "--faults loss=1: ",
		"nothing --server nowhere --data svc":                     "[server data]",
	} {
		out, code := command(t, append([]string{"simulate"}, strings.Fields(args)...)...)
		if code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("simulate %s: exit code %d: %s", args, code, out)
		}
		if _, err := os.Stat("runs"); err == nil {
			t.Errorf("simulate %s has written something", args)
		}
	}
}

// printing are commands that print something.
const printing = `version
version --json
cite
study
spec show lq2
spec explain
spec explain hold --json
spec schema
run lq2 --print-spec
run lq2 --dry-run
run lq2 --dry-run --json
run lq2 --iterations 5 --trials 1 --out b
run lq2 --iterations 5 --trials 1 --out b --json
check lq2
check lq2 --json
certify lq2
certify lq2 --json
sweep grid.yaml --dry-run
sweep grid.yaml --dry-run --json
sweep grid.yaml --out s
sweep grid.yaml --out s --json
runs .
runs . --json
verify a
verify a --json
report a --out ra`

// Whatever cannot be printed is an error, of every command that prints something.
func TestNobodyCanRead(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "grid.yaml", "base: lq2\nset: {iterations: 5, trials: 1}\nover:\n  hold: [1, 2]\n")
	succeeds(t, strings.Fields("run lq2 --quiet --no-check --iterations 5 --trials 1 --out a")...)
	for args := range strings.Lines(printing) {
		for _, out := range []io.Writer{full{}, new(cramped)} {
			if _, isFull := out.(full); !isFull && strings.Contains(args, "--out") {
				continue // which computes again
			}
			root := newRoot(kind.Standard())
			root.SetOut(out)
			root.SetErr(full{})
			root.SetArgs(strings.Fields(args))
			if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "full") {
				t.Errorf("kedge %s, to %T: %v", strings.TrimSpace(args), out, err)
			}
		}
	}
}

// Three trials of 100 turns, 2 steps each, of 5000 people are 3 million steps; in 2 s of computing that is 1.5 million a second.
func TestRateOfTrials(t *testing.T) {
	trials := func(n int, seconds float64) folder.Run {
		return folder.Run{Trials: make([]folder.Trial, n), Seconds: seconds}
	}
	for _, c := range []struct {
		runs []folder.Run
		hold int
		want string
	}{
		{[]folder.Run{trials(3, 2)}, 2, "rate: 1.5 million individual steps a second in each trial"},
		{[]folder.Run{trials(1, 0.5), trials(2, 1.5)}, 2, "rate: 1.5 million individual steps a second in each trial"},
		{[]folder.Run{trials(3, 2)}, 400, "rate: 300 million individual steps a second in each trial"},
		{[]folder.Run{trials(0, 2)}, 2, ""}, {[]folder.Run{trials(3, 0)}, 2, ""}, {nil, 2, ""},
	} {
		if got := strings.Join(rate(&folder.Result{Iterations: 100, Individuals: 5000, Runs: c.runs}, c.hold), "|"); got != c.want {
			t.Errorf("%d runs, hold %d: %q, want %q", len(c.runs), c.hold, got, c.want)
		}
	}
}

// A run with a checkpoint that is stopped says how far it is, rounded down; so does one that has not begun.
func TestHowFarAStoppedRunIs(t *testing.T) {
	for want, p := range map[string]*lab.Progress{"0 %": turnsOf(0, 0), "33 %": turnsOf(1, 3), "66 %": turnsOf(2, 3), "99 %": turnsOf(999, 1000), "100 %": turnsOf(1, 1)} {
		if err := stopped(p); err.Error() != "stopped at "+want+"; the same command goes on from there" || exitCode(err) != exitInterrupted {
			t.Errorf("want %s: %v", want, err)
		}
	}
}

// Parts of a sweep are counted from 1.
func TestParts(t *testing.T) {
	for text, want := range map[string]lab.Shard{"": {}, "1/1": {Index: 1, Of: 1}, "1/8": {Index: 1, Of: 8}, "8/8": {Index: 8, Of: 8}} {
		if got, err := parseShard(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0/8", "9/8", "-1/8", "1", "/", "1/", "/8", "x/8", "1/x", "1/8/9", "0/0", "1/99999999999999999999"} {
		if got, err := parseShard(text); err == nil || got != (lab.Shard{}) || !strings.Contains(err.Error(), "as in 2/8") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
