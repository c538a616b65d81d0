package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/doctor"
)

// A sound case: exit code 0, a line a check, none wider than 80 characters.
func TestCheck(t *testing.T) {
	out, code := command(t, "check", "polarized", "--set", "population.size=50")
	if code != 0 || !strings.Contains(out, "✓ steady states attract") || !strings.Contains(out, "50 of 50 individuals under 4 decisions") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than 80 characters: %s", line)
		}
	}
}

// Something wrong: exit code 1 and ✗, also where the model cannot even be built; a spec that is wrong is exit code 64.
func TestCheckFinds(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"polarized --set dynamics.sigma=0.8", exitFailed, "✗ one steady state"},
		{"lq2 --set dynamics.a=[[1.03,0],[0,0.5]]", exitFailed, "multiplied by 1.03"},
		{"choice --set set.upper=2", exitUsage, "the set is empty"},
		{"lq2 --set set={kind:intersection,of:[{kind:ball,radius:1},{kind:box,lower:2,upper:3}]}", exitFailed, "✗"},
		{"polarized --set dynamics.lambda=2", exitUsage, "dynamics.lambda is 2"},
		{"nosuchcase", exitUsage, "there is no case"},
	} {
		out, code := command(t, append([]string{"check"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("kedge check %s: exit code %d, want %d and %q:\n%s", c.args, code, c.code, c.want, out)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	out, code := command(t, "check", "lq2", "--json", "--people", "2")
	var r doctor.Findings
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || len(r.Checks) < 15 || r.Individuals != 2 || r.Population != 4 {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
}

// The page of a run shows a quick examination, unless nobody wants it.
func TestRunShowsTheCheck(t *testing.T) {
	for _, extra := range [][]string{nil, {"--no-check"}} {
		dir := filepath.Join(t.TempDir(), "o")
		args := append(append([]string{"run", "polarized", "--quiet", "--out", dir}, tiny...), extra...)
		if out, code := command(t, args...); code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil || strings.Contains(string(page), "Is the model sound?") != (extra == nil) {
			t.Errorf("%v: the page of a run with %v", err, extra)
		}
	}
}

// What spoils a run reaches the terminal, with the key that would mend it: a check that failed, a step that is too long. 2/L of lq2 is
// 0.25 (L = 8 within a hundredth, by its Hessian). A run that dies of the step says so too.
func TestRunDiagnoses(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"polarized --set dynamics.sigma=0.8 --set population.size=50 --set population.dim=8 --set optimum.starts=2 --iterations 5 --trials 1", 0, []string{"! A check failed, one steady state: individual", "! A check failed, contraction", "optimum: searched: "}},
		{"lq2 --set algorithms.composite.step=5 --set set={kind:box,lower:-1,upper:1} --iterations 100 --trials 1", 0, []string{"! composite's step 5 is above 2/L = 0.25", "set algorithms.composite.step=0.13", "optimum: proven: "}},
		{"lq2 --set algorithms.composite.step=5 --trials 1", exitFailed, []string{"want a finite number", "composite's step 5 is above 2/L = 0.25", "set algorithms.composite.step=0.13"}},
	} {
		dir := filepath.Join(t.TempDir(), "o")
		out, code := command(t, append([]string{"run", "--out", dir}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(strings.ReplaceAll(out, "\n  ", " "), want) {
				t.Errorf("kedge run %s: exit code %d, want %d and %q:\n%s", c.args, code, c.code, want, out)
			}
		}
	}
}
