package command

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/interview"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// answer runs kedge new in a folder with the given lines as answers.
func answer(t *testing.T, lines string, args ...string) (out string, code int) {
	t.Helper()
	root := newRoot(kind.Standard())
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetErr(&b)
	root.SetIn(strings.NewReader(lines))
	root.SetArgs(append([]string{"new"}, args...))
	if err := root.ExecuteContext(context.Background()); err != nil {
		return b.String() + err.Error(), exitCode(err)
	}
	return b.String(), 0
}

// Whatever can be answered gives a spec that runs.
func TestNewSpecsRun(t *testing.T) {
	run := evidence.For(t, evidence.Promise{Name: "new-specs", Text: "specs that `kedge new` can write and that do not run"})
	dir := t.TempDir()
	kinds := kind.Standard()
	for _, dynamics := range (&interview.Wishes{Kinds: kinds}).SimpleDynamics() {
		if dynamics == interview.ByFormulas {
			continue
		}
		for _, objective := range (&interview.Wishes{Kinds: kinds, Dynamics: dynamics}).Usual().Objectives {
			for _, set := range (&interview.Wishes{Kinds: kinds, Dynamics: dynamics, Objective: objective}).Sets() {
				name := filepath.Join(dir, dynamics+"-"+objective+"-"+set+".yaml")
				out, code := answer(t, "", name, "--yes", "--dynamics", dynamics, "--objective", objective, "--set-kind", set,
					"--dim", "3", "--people", "12", "--trials", "1", "--iterations", "30")
				err := runs(name)
				run.Case(code == 0 && err == nil, "%s: exit code %d: %s%v", name, code, out, err)
			}
		}
	}
}

// runs tells what keeps the spec of a file from running.
func runs(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	s, err := problem.Parse(kind.Standard(), name, src, problem.Assign("optimum.starts=2"))
	if err != nil {
		return err
	}
	p, err := problem.Build(name, s, nil)
	if err != nil {
		return err
	}
	_, err = lab.Execute(context.Background(), p, lab.Options{})
	return err
}

// Answers are lines; an empty one takes the default, a wrong one is asked for again.
// A model as formulas says itself what is judged and what is feasible, and runs.
func TestNewFormulasRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model.yaml")
	out, code := answer(t, "formula\n3\n12\n30\n1\n", name)
	if code != 0 || !strings.Contains(out, "Formulas of your own") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if err := runs(name); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(name)
	for _, want := range []string{`decision: "q[3]"`, "crowd(p)", "shock[3]", "size: 12", "iterations: 30", "subject to"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, no %q in\n%s", err, want, text)
		}
	}
	if out, code := answer(t, "", "-", "--yes", "--dynamics", "formula", "--set-kind", "box"); code != exitUsage || !strings.Contains(out, "--set-kind: formulas say that") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestNewAsks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.yaml")
	out, code := answer(t, "polarised\nchoice\nmany\n6\n\nbox\n50\n\n3\n", name)
	for _, want := range []string{`"polarised" is none of`, `"many" is no whole number`, "[capped-simplex]", "kedge run"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, out)
		}
	}
	text, err := os.ReadFile(name)
	for _, want := range []string{"kind: choice", "dim: 6", "kind: revenue", "kind: box", "size: 50", "iterations: 4000", "trials: 3", "# The step size"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, no %q in\n%s", err, want, text)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(name, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	free := filepath.Join(t.TempDir(), "free.yaml")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{name, "--yes"}, "is there already"},
		{[]string{"mine.txt", "--yes"}, "does not end in .yaml"},
		{[]string{free, "--yes", "--dim", "0"}, "--dim: 0 is not from 2 to"},
		{[]string{free, "--yes", "--dynamics", "affine", "--dim", "51"}, "--dim: 51 is not from 1 to 50"},
		{[]string{free, "--yes", "--dynamics", "magnetic"}, `--dynamics: "magnetic" is none of`},
		{[]string{free, "--yes", "--set-kind", "whole"}, `--set-kind: "whole" is none of ball`},
		{[]string{free}, "no answer"},
	} {
		if out, code := answer(t, "", c.args...); code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("kedge new %v: exit code %d, %q; want 64 and %q", c.args, code, out, c.want)
		}
	}
	if _, err := os.Stat(free); err == nil {
		t.Error("a refused spec left a file behind")
	}
	if text, _ := os.ReadFile(name); string(text) != "mine\n" {
		t.Error("the file that was there has changed")
	}
	if out, code := answer(t, "", name, "--yes", "--force"); code != 0 {
		t.Errorf("--force: exit code %d: %s", code, out)
	}
}

// A file that came there after its name was asked for stays as it is.
func TestNewReplacesNothingUnasked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(name, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := new(newFlags).write(name, []byte("other\n"))
	if text, _ := os.ReadFile(name); !errors.Is(err, fs.ErrExist) || string(text) != "mine\n" {
		t.Errorf("it holds %q, %v", text, err)
	}
}

// A dash prints the spec and nothing else.
func TestNewPrints(t *testing.T) {
	out, code := answer(t, "", "-", "--yes", "--dynamics", "affine")
	if code != 0 || !strings.HasPrefix(out, "seed: 1 ") || strings.Contains(out, "wrote") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
