package torture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/board"
	"github.com/kedge-opt/kedge/internal/evidence/origin"
)

// Fate is what became of an ordeal.
type Fate struct {
	ID      string  `json:"id"`
	Verdict string  `json:"verdict"`
	Tried   int     `json:"tried"`
	Lost    int     `json:"lost"`
	Seconds float64 `json:"seconds"`
	Work    float64 `json:"work"`           // seconds of processors, of what was waited for
	Said    string  `json:"said,omitempty"` // of what was printed, where it matters
}

// The verdicts. A test that fails without a wrong case has lost one; a fault that no test notices stays green.
const (
	Survived = "survived"
	Lost     = "LOST"
	Skipped  = "skipped"
	Caught   = "caught"
	Green    = "STAYED GREEN"
	CutOff   = "cut off"
)

// Bad tells whether something is wrong with the code, or with its tests.
func (f Fate) Bad() bool { return f.Verdict == Lost || f.Verdict == Green }

// Rack tries ordeals, one at a time.
type Rack struct {
	Root   string // of the module
	Update bool   // tests write their figures to the files of the rows
	dir    string
	built  map[string]error
	work   time.Duration // of processors, so far
}

// NewRack makes room for what is built meanwhile; Close takes it away.
func NewRack(root string, update bool) (*Rack, error) {
	dir, err := os.MkdirTemp("", "kedge-torture-")
	if err != nil {
		return nil, err
	}
	root, err = filepath.Abs(root)
	return &Rack{Root: root, Update: update, dir: dir, built: map[string]error{}}, err
}

// Close removes what was built.
func (r *Rack) Close() error { return os.RemoveAll(r.dir) }

// Try tries an ordeal. The error is of somebody who gave up, or of a machine on which nothing can be tried.
func (r *Rack) Try(ctx context.Context, o Ordeal) (f Fate, err error) {
	begun, worked := time.Now(), r.work
	switch {
	case o.Fault != nil:
		f, err = r.plant(ctx, *o.Fault)
	case o.Fuzz > 0:
		f, err = r.fuzz(ctx, o)
	default:
		f, err = r.test(ctx, o)
	}
	f.ID, f.Seconds, f.Work = o.ID(), time.Since(begun).Seconds(), (r.work - worked).Seconds()
	if ctx.Err() != nil {
		f.Verdict = CutOff
		return f, ctx.Err()
	}
	return f, err
}

// command is a process of a group of its own, so that Ctrl-C in a terminal leaves it to whoever waits for it.
func (r *Rack) command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = dir, append(os.Environ(), env...), 10*time.Second
	alone(c)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if c.ProcessState != nil {
		r.work += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return out.Bytes(), err
}

// test runs the test of rows and counts what they tell. The tests of a package are linked once.
func (r *Rack) test(ctx context.Context, o Ordeal) (f Fate, err error) {
	program := filepath.Join(r.dir, strings.NewReplacer("/", "-", ".", "").Replace(o.Pack)+".test")
	failed, there := r.built[o.Pack]
	if !there {
		out, err := r.command(ctx, r.Root, []string{"GOFLAGS=" + os.Getenv("GOFLAGS")}, "go", "test", "-vet=off", "-c", "-o", program, o.Pack)
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		if err != nil {
			failed = fmt.Errorf("%w: %s", err, out)
		}
		r.built[o.Pack] = failed
	}
	if failed != nil {
		return Fate{Verdict: Lost, Lost: 1, Said: tail(failed.Error())}, nil
	}
	figures, err := os.MkdirTemp(r.dir, "figures-")
	if err != nil {
		return f, err
	}
	env := []string{"KEDGE_FIGURES=" + figures, "KEDGE_TORTURE=", "KEDGE_UPDATE="}
	if o.Whole {
		env[1] += "1"
	}
	if r.Update {
		env[2] += "1"
	}
	out, err := r.command(ctx, filepath.Join(r.Root, filepath.FromSlash(o.Pack)), env, program, "-test.v", "-test.count=1", "-test.timeout=4h", "-test.run=^"+o.Test+"$")
	return r.judge(o, figures, string(out), err)
}

// judge makes a fate of what a test told and how it ended.
func (r *Rack) judge(o Ordeal, figures, out string, ended error) (f Fate, err error) {
	var skipped string
	for _, name := range o.Rows {
		text, err := os.ReadFile(filepath.Join(figures, name+".json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var told board.Testimony
		if err := cmp.Or(err, json.Unmarshal(text, &told)); err != nil {
			return f, fmt.Errorf("the figure of %s: %w", name, err)
		}
		f.Tried, f.Lost = f.Tried+max(told.Cases, len(told.Measured)), f.Lost+told.Wrong
		if told.Skipped {
			skipped = "needs " + told.Needs
		}
	}
	f.Verdict = Survived
	switch {
	case ended != nil:
		f.Verdict, f.Lost, f.Said = Lost, max(f.Lost, 1), tail(out)
	case strings.Contains(out, "no tests to run"):
		f.Verdict, f.Lost, f.Said = Lost, 1, o.Pack+" has no test "+o.Test
	case strings.Contains(out, "--- SKIP: "+o.Test+" "):
		f = Fate{Verdict: Skipped, Said: cmp.Or(skipped, "without KEDGE_TORTURE=1")}
	case f.Tried == 0:
		f.Verdict, f.Lost, f.Said = Lost, 1, "no figure was told"
	}
	return f, nil
}

// plant has a test run with a fault in the code. The files of the repository stay as they are: the compiler is given others.
func (r *Rack) plant(ctx context.Context, p board.Planted) (f Fate, err error) {
	planted, err := p.Find(os.DirFS(r.Root))
	if err != nil {
		return Fate{Verdict: Green, Tried: 1, Lost: 1, Said: err.Error()}, nil
	}
	dir, err := os.MkdirTemp(r.dir, "fault-")
	if err != nil {
		return f, err
	}
	instead := map[string]string{}
	for file, text := range planted {
		path := filepath.Join(dir, fmt.Sprint(len(instead), ".go"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return f, err
		}
		instead[filepath.Join(r.Root, filepath.FromSlash(file))] = path
	}
	list, err := json.Marshal(map[string]any{"Replace": instead})
	if err != nil {
		return f, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return f, err
	}
	env := []string{"KEDGE_TORTURE=", "KEDGE_UPDATE=", "KEDGE_FIGURES=", "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay)} // also of what the test builds
	said, err := r.command(ctx, r.Root, env, "go", "test", "-vet=off", "-count=1", "-timeout", "3m", "-v", "-run", "^"+p.Test+"$", p.Pack)
	out := string(said)
	noticed := err != nil && strings.Contains(out, cmp.Or(p.Says, "--- FAIL: "+p.Test)) && !strings.Contains(out, "[build failed]")
	switch {
	case noticed:
		return Fate{Verdict: Caught, Tried: 1}, nil
	case err == nil && strings.Contains(out, "--- SKIP: "+p.Test+" "):
		return Fate{Verdict: Skipped, Said: "its test skips here"}, nil
	}
	return Fate{Verdict: Green, Tried: 1, Lost: 1, Said: tail(out)}, nil
}

var executions = regexp.MustCompile(`execs: ([0-9]+)`)

// fuzz gives a target inputs for a while.
func (r *Rack) fuzz(ctx context.Context, o Ordeal) (f Fate, err error) {
	begun := time.Now()
	said, err := r.command(ctx, r.Root, []string{"KEDGE_TORTURE=", "KEDGE_UPDATE="}, "go", "test", "-run", "^$", "-fuzz", "^"+o.Test+"$", "-fuzztime", o.Fuzz.String(), "-fuzzminimizetime", "10x", o.Pack)
	f.Verdict = Survived
	if all := executions.FindAllSubmatch(said, -1); len(all) > 0 {
		f.Tried, _ = strconv.Atoi(string(all[len(all)-1][1]))
	}
	switch {
	case err != nil:
		f.Verdict, f.Lost, f.Said = Lost, 1, tail(string(said))
	case f.Tried == 0:
		f.Verdict, f.Lost, f.Said = Lost, 1, "no input was tried: "+tail(string(said))
	case r.Update:
		when := board.Occasion{Date: begun.UTC().Format(time.DateOnly), Seconds: time.Since(begun).Round(time.Second).Seconds()}
		when.Commit, when.Changed = origin.Of(r.Root)
		return f, r.keep(board.Fuzzed{Pack: o.Pack, Name: o.Test}, board.Inputs{Tried: f.Tried, Run: when})
	}
	return f, nil
}

// keep writes down what a target was given.
func (r *Rack) keep(t board.Fuzzed, n board.Inputs) error {
	all, err := board.ReadFuzzed(os.DirFS(r.Root))
	if err != nil {
		return err
	}
	all[t.String()] = n
	text, err := board.FuzzedText(all)
	if err != nil {
		return err
	}
	file := filepath.Join(r.Root, filepath.FromSlash(board.FuzzedFile))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// tail is what a test said last, and where it failed.
func tail(out string) string {
	const most = 1500
	if i := strings.Index(out, "--- FAIL"); i >= 0 && len(out)-i > most {
		return strings.TrimSpace(out[i:i+most]) + " …"
	}
	return strings.TrimSpace(out[max(0, len(out)-most):])
}
