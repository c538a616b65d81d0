package logs

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// spoiledLog is the log of the shop in which every thirtieth amount of apples has a digit too many.
func spoiledLog() string {
	lines := strings.Split(strings.TrimSpace(shopLog(30, 12, false)), "\n")
	for i := 15; i < len(lines); i += 30 {
		fields := strings.Split(lines[i], ",")
		fields[4] = "1" + fields[4]
		lines[i] = strings.Join(fields, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// With heavy tails a slip of the pen in one row of thirty moves the numbers by a few errors; by least squares it makes errors ten times as large. What is
// written runs, and says under which law it was found.
func TestErrorsWithHeavyTails(t *testing.T) {
	evidence.OneGoroutine(t)
	heavy := strings.Replace(shop, "traits: [da, db]}", "traits: [da, db], errors: [student 2, normal]}", 1)
	e, err := fitted(t, heavy, spoiledLog(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := fitted(t, shop, spoiledLog(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Method != Likelihood || plain.Method != LeastSquares {
		t.Errorf("found by %s, without laws by %s", e.Method, plain.Method)
	}
	for j, want := range []float64{0.8, 1.2, -0.2, -0.1, 0.9} {
		f := e.Found[j]
		if off := math.Abs(float64(f.Value) - want); !(off < 3.5*float64(f.Error)) || !(f.Error < 0.1) {
			t.Errorf("%s is %v ± %v, made with %v", f.Name, f.Value, f.Error, want)
		}
	}
	if a, b := float64(e.Found[1].Error), float64(plain.Found[1].Error); !(10*a < b) {
		t.Errorf("B[0,0] has the error %v, by least squares %v", a, b)
	}
	if text := strings.Join(e.Notes, "\n"); !strings.Contains(text, "Errors of pa are taken as Student's with 2 degrees of freedom, with a scale of 0.0") || !strings.Contains(text, "Errors of pb are taken as normal, with a scale of 0.") {
		t.Errorf("notes:\n%s", text)
	}
	if _, err := e.Problem(); err != nil || len(e.Draws) != drawn || e.Quality == nil || len(e.Quality.Steps) == 0 {
		t.Errorf("%v, %d draws, quality %+v", err, len(e.Draws), e.Quality)
	}
	if e, err = fitted(t, strings.Replace(heavy, "[student 2, normal]", "student 5", 1), shopLog(30, 12, false), Options{}); err != nil || !strings.Contains(strings.Join(e.Notes, "\n"), "no heavier than normal ones") {
		t.Errorf("%v, of normal errors: %+v", err, e)
	}
}

// By hand: of n errors of which one is one spread and the others are 0, squares and fourth powers both add up to 1. That is heavy where n > 3(1 + 4/√n): 8 is, which 7.24 are asked of, 7 is not, 7.54 are.
func TestTailsAreWeighed(t *testing.T) {
	f, err := formula.Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + q + d"}.Regress([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{7: false, 8: true} {
		w := &work{f: f, rows: fit.Log{States: make([]float64, n), Beside: make([]float64, 2*n), After: make([]float64, n)}, turn: make([]int, n)}
		w.rows.After[3] = -0.5
		if got := w.heavy(&fit.Fitted{Value: []float64{0.5}, Spread: []float64{0.5}}, 0); got != want {
			t.Errorf("%d errors are heavy: %t", n, got)
		}
	}
}

// What does not go with laws of errors is refused with the key, or with the row of the file.
func TestErrorsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ old, new, method, want string }{
		{"db]}", "db], errors: [normal, normal, student 3]}", "", "data.errors: normal, normal, student 3: 3 laws for a state of 2; want one, or one for each"},
		{"traits: [da, db]}", "effects: person, errors: student 3}", "", "data.errors: student 3: a likelihood is of traits that are known; want data.effects none"},
		{"db]}", "db], errors: student 3}", Pooled, "data.errors: student 3: numbers under laws of errors are found by likelihood; leave --method out"},
		{"person: who, ", "kind: sections, errors: student 3, ", "", "data.errors: student 3 wants the same people again"},
		{"db]}", "db], errors: bernoulli}", "", "log.csv, row 2: a state after is "},
	} {
		if _, err := fitted(t, strings.Replace(shop, c.old, c.new, 1), shopLog(6, 5, false), Options{Method: c.method}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}
