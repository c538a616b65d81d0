package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// People who settle at 2b are best met by u = 2b, and each turn shows b with errors of the standard deviation σ, whatever is set. So with b = 1 in the spec and 40 draws of 0.9
// and 1.1 everything has a closed form: not knowing costs the mean of 4(b - 1)², which is 0.04; by the quadratic form it is 4C with C = 40·0.01/39, which is also what b is worth;
// and after T turns of N people 4/(1/C + TN/σ²).
const taught = `
iterations: 5
model: {decision: u, state: p, trait: d, let: {b: 1}, next: 0.5*p + b + 0*d, minimize: (u - p)^2, subject to: -9 <= u <= 9}
population: {size: 4, dim: 1, law: values, values: [[1], [2], [3], [4]]}
start: {law: values, values: [1]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: draws.csv
uncertain: 40
`

// inDesign runs kedge design in a folder with that spec.
func inDesign(t *testing.T, spec string, args ...string) (out string, code int) {
	t.Helper()
	t.Chdir(t.TempDir())
	draws := "b\n" + strings.Repeat("0.9\n1.1\n", 20)
	for name, text := range map[string]string{"a.yaml": spec, "draws.csv": draws} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, code = command(t, append([]string{"design", "a.yaml"}, args...)...)
	if found, err := os.ReadDir("."); err != nil || len(found) != 2 {
		t.Errorf("%v: files are left: %v, %v", args, found, err)
	}
	return out, code
}

func TestDesignAnswers(t *testing.T) {
	out, code := inDesign(t, taught, "--noise", "0.3", "--turns", "2", "--most-change", "0.1", "--budget", "0.5", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	var got struct {
		Decisions                           [][]float64
		Lost, Before, After, Regret, Budget float64
		Stay                                float64 `json:"if_nothing"`
		Errors, Left, Worth, Base           []float64
		Names                               []string
		Draws                               int
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	c := 40 * 0.01 / 39
	after := 1 / (1/c + 2*4/0.09)
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"regret", got.Regret, 0.04}, {"before", got.Before, 4 * c}, {"worth of b", got.Worth[0], 4 * c}, {"after", got.After, 4 * after}, {"if nothing is changed", got.Stay, 4 * after},
		{"error", got.Errors[0], math.Sqrt(c)}, {"error afterwards", got.Left[0], math.Sqrt(after)}, {"base", got.Base[0], 2}, {"draws", float64(got.Draws), 40},
	} {
		if math.Abs(v.got-v.want) > 1e-4*math.Abs(v.want) {
			t.Errorf("%s is %v, by hand %v", v.name, v.got, v.want)
		}
	}
	last := 2.0
	for _, u := range got.Decisions {
		if math.Abs(u[0]-last) > 0.1+1e-9 {
			t.Errorf("%v follows %v by more than 0.1", u[0], last)
		}
		last = u[0]
	}
	if len(got.Decisions) != 2 || got.Lost > 0.5+1e-9 || got.Names[0] != "b" {
		t.Errorf("%+v", got)
	}
	words, code := inDesign(t, taught, "--noise", "0.3", "--turns", "2")
	for _, want := range []string{"Not knowing costs 0.04000 a turn, on the average of 40 draws.", "To be learned in 2 turns", "u              now 2.000, then", "b              worth 0.04103 a turn to know; error 0.1013, afterwards"} {
		if code != 0 || !strings.Contains(words, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, words)
		}
	}
	if more, _ := inDesign(t, taught, "--noise", "0.3", "--turns", "2", "--people", "400"); !strings.Contains(more, "b ") || more == words {
		t.Errorf("400 people teach as much as 4:\n%s", more)
	}
}

// What is wrong is one line with what to do, and exit code 64; what has no answer is 1.
func TestDesignRefuses(t *testing.T) {
	for _, c := range []struct {
		spec string
		args []string
		code int
		want string
	}{
		{taught, nil, 64, "--noise above 0"},
		{taught, []string{"--noise", "NaN"}, 64, "--noise above 0"},
		{taught, []string{"--noise", "-1"}, 64, "--noise above 0"},
		{taught, []string{"--noise", "0.3", "--turns", "0"}, 64, "--turns from 1 to 100"},
		{taught, []string{"--noise", "0.3", "--turns", "101"}, 64, "--turns from 1 to 100"},
		{taught, []string{"--noise", "0.3", "--budget", "-1"}, 64, "--budget"},
		{taught, []string{"--noise", "0.3", "--people", "-1"}, 64, "--people"},
		{taught, []string{"--noise", "0.3", "--most-change", "-1"}, 64, "want --turns from 1 to 100, --noise above 0"},
		{taught, []string{"--noise", "0.3", "--most-change", "0"}, 64, "or left out"},   // which is not as far as usual
		{taught, []string{"--noise", "0.3", "--most-change", "inf"}, 64, "or left out"}, // a search without a scale finds nothing
		{taught, []string{"--noise", "0.3", "--budget", "0"}, 64, "or left out"},
		{taught, []string{"--noise", "0.3", "--budget", "NaN"}, 64, "or left out"},
		{taught, []string{"--noise", "0.3", "--people", "0"}, 64, "or left out"},
		{taught, []string{"--noise", "Inf"}, 64, "--noise above 0"},
		{taught, []string{"--noise", "0.3", "--set", "uncertain=0"}, 64, "uncertain"},
		{strings.Replace(taught, "draws: draws.csv\nuncertain: 40\n", "", 1), []string{"--noise", "0.3"}, 64, "draws"},
		{strings.Replace(taught, "draws.csv", "absent.csv", 1), []string{"--noise", "0.3"}, 64, "absent.csv"},
		{strings.Replace(taught, "let: {b: 1}", "let: {c: 1, b: c}", 1), []string{"--noise", "0.3"}, 64, "b"},
	} {
		out, code := inDesign(t, c.spec, c.args...)
		if code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, "worth") {
			t.Errorf("%v: exit code %d, want %d with %q in\n%s", c.args, code, c.code, c.want, fmt.Sprintf("%.600s", out))
		}
	}
}
