package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// The certificate of the linear-quadratic case is a proof; its constants are those of an independent NumPy study.
func TestCertifyProves(t *testing.T) {
	out, code := command(t, "certify", "lq2")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, want := range []string{
		"lq2 by composite: T = 20000, η = 0.1, batches of 4, τ = 0.05",
		"L_f^p       0.6325     proof", "L_h^u       1.64       proof", "ρ₂          4.186      proof", "L           2.425      proof",
		"✓ 5", "This is a proof", "Theorem 3: Σ W₁² ≤ 1.111 + 13.95", "Theorem 5, mean E‖∇Φ̃‖²", "Corollary 6, mean", "Theorem 7, mean E W₁", "Theorem 8, mean ‖∇Φ̃‖²",
		"Theorem 9, mean W₁",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if utf8.RuneCountInString(line) > 84 { // some letters are two runes
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

// A polarized certificate in JSON says what is vacuous and by how much the step is too long.
func TestCertifyJSON(t *testing.T) {
	out, code := command(t, "certify", "polarized", "--set", "population.size=40", "--set", "population.dim=4", "--T", "100", "--json")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	var c struct {
		T         int
		Constants []struct{ Key, Known string }
		Steps     []struct {
			Form   string
			Excess float64
		}
		Bounds []struct{ Vacuous bool }
	}
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatal(err)
	}
	if c.T != 100 || len(c.Constants) < 20 || len(c.Steps) != 5 || c.Steps[0].Form != "paper" || c.Steps[0].Excess < 100 || !c.Bounds[0].Vacuous {
		t.Errorf("certificate %+v", c)
	}
}

// What cannot be certified gets the reason and whose it is, exit code 1 and no numbers; mistakes of the command get exit code 64.
func TestCertifyRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slow.yaml")
	text := `model: {decision: "u[1]", state: "p[1]", trait: "d[1]", next: d*p + u, minimize: sum((p - 1)^2) + sum(u^2)}
population: {size: 20, dim: 1, law: values, values: [` + strings.Repeat("[0.5], ", 17) + `[1.03], [0.5], [0.5]]}
start: {law: zero}
iterations: 10
algorithms: [{name: composite, step: 0.1}]
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"polarized --set dynamics.sigma=0.7", exitFailed, "not certified: λ + σR² 1.1, want less than 1"},
		{"polarized --set set.kind=whole --set set.radius=null", exitFailed, "not certified: the set has no end, so that nothing bounds λ + σR²"},
		{file, exitFailed, "not certified: spectral radius 1.03 at trait 17, want less than 1"},
		{"../examples/duopoly.yaml", exitFailed, "not certified: there are several decision-makers"},
		{"../examples/constraints.yaml", exitFailed, "not certified: the theory is of one loss"},
		{"polarized --set dynamics.coupling=0.1", exitFailed, "not certified: individuals follow the crowd's mean"},
		{"lq2 --Q 1,x", exitUsage, "is not a number"},
		{"lq2 --Q 1,2;3", exitUsage, "as many rows as columns"},
		{"lq2 --Q 1,-4", exitFailed, "want a positive definite matrix"},
		{"polarized --Q 1,4", exitFailed, "Q belongs to"},
		{"lq2 --tau 2", exitUsage, "--tau 2"},
		{"lq2 --tau 1", exitUsage, "--tau 1"},
		{"lq2 --tau 0", exitUsage, "--tau 0"},
		{"lq2 --T -1", exitUsage, "--T -1"},
		{"lq2 --algorithm other", exitUsage, `no algorithm "other"`},
	} {
		out, code := command(t, append([]string{"certify"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, "L_f^p  ") {
			t.Errorf("certify %s: exit code %d, want %d and %q in\n%s", c.args, code, c.code, c.want, out)
		}
	}
}

// What the theorems do not cover has a bound of its own, or a reason why not.
func TestCertifyGoesOnWhereTheTheoremsEnd(t *testing.T) {
	for args, want := range map[string]string{
		"lq2 --set algorithms.composite.schedule=inverse-sqrt --set algorithms.composite.step=0.02":                                          "For steps that diminish: Σηₖ",
		"lq2 --set algorithms.composite.schedule=inverse-sqrt":                                                                               "no bound applies: the step 0.1 is 3.4 times the largest",
		"lq2 --set set.kind=ball --set set.radius=0.2 --set algorithms.composite.step=0.02":                                                  "For projected steps: mean E‖G‖² ≤",
		"lq2 --set set.kind=ball --set set.radius=0.2 --set algorithms.composite.step=0.02 --set algorithms.composite.schedule=inverse-sqrt": "no bound is known of steps that diminish and are projected",
		"lq2 --Q 1,4": "L_f^p       0.5654     proof",
	} {
		out, code := command(t, append([]string{"certify"}, strings.Fields(args)...)...)
		if flat := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("certify %s: exit code %d, want %q in\n%s", args, code, want, out)
		}
	}
}

// A run shows the certificate on its page if asked to, and is otherwise as before.
func TestRunShowsCertificate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	if out, code := command(t, "run", "lq2", "--iterations", "200", "--trials", "1", "--certify", "--out", dir); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"What does the theory guarantee?", "ρ₂", "gradient bound in probability"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q on the page", want)
		}
	}
}

// By hand: a diagonal or the rows of a square matrix, row after row; a minus may be a typographic one.
func TestReadQ(t *testing.T) {
	for text, want := range map[string][]float64{
		"": nil, "3": {3}, "1,4": {1, 0, 0, 4}, "2,1;1,3": {2, 1, 1, 3}, " 1 , −4": {1, 0, 0, -4}, "1,2,3;4,5,6;7,8,9": {1, 2, 3, 4, 5, 6, 7, 8, 9}, "1,2,3": {1, 0, 0, 0, 2, 0, 0, 0, 3},
	} {
		if got, err := readQ(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"x": `"x" is not a number`, "1,": `"" is not a number`, "1,2;3,4;": `"" is not a number`, "1;2": "as many rows as columns", "1,2;3": "as many rows as columns", "1,2;3,4,5": "as many rows as columns", "1,2;3,4;5,6": "as many rows as columns",
	} {
		if got, err := readQ(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v, want %s", text, got, err, want)
		}
	}
}

// What the theorems do not cover is told, each thing in words of its own.
func TestBeyondTheory(t *testing.T) {
	text, _ := problem.Case("lq2")
	for set, want := range map[string]string{
		"":                                "",
		"composite hold=1":                "",
		"vanilla":                         "the rule is vanilla; the theorems are about composite",
		"derivative-free":                 "the rule is derivative-free; the theorems are about composite",
		"composite schedule=horizon":      "",
		"composite schedule=inverse-sqrt": "the step changes from turn to turn; its first and largest is taken",
		"composite momentum=0.5":          "gradients are averaged by momentum",
		"composite clip=10":               "gradients are clipped",
		"composite rate-limit=0.1":        "steps are cut to the rate limit",
		"composite hold=2":                "decisions are held for several steps of the crowd, which contracts more than one",
		"hold=2":                          "decisions are held for several steps of the crowd, which contracts more than one",
	} {
		name, change, _ := strings.Cut(set, " ")
		over := []problem.Overlay{problem.Assign("algorithms." + name + "." + change)}
		switch {
		case strings.Contains(name, "="):
			name, over = "composite", []problem.Overlay{problem.Assign(name)}
		case change == "":
			over = nil
		}
		s, err := problem.Parse(kind.Standard(), "lq2", text, over...)
		if err != nil {
			t.Fatal(set, err)
		}
		a, err := (&certifyFlags{algorithm: name}).choose(s)
		if err != nil {
			t.Fatal(set, err)
		}
		if got := beyondTheory(s, &s.Algorithms[a]); !slices.Contains(got, want) && want != "" || want == "" && got != nil {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}
