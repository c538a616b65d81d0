package question

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// asked is the question of a spec with some keys set, a term a line.
func asked(t *testing.T, name string, text []byte, sets ...string) []string {
	t.Helper()
	var over []problem.Overlay
	for _, one := range sets {
		over = append(over, problem.Assign(one))
	}
	s, err := problem.Parse(kind.Standard(), name, text, over...)
	if err != nil {
		t.Fatal(name, sets, err)
	}
	lines := []string{fmt.Sprint(name, " ", sets)}
	for _, term := range Of(s) {
		lines = append(lines, "  "+term.Name+": "+term.Text)
	}
	return append(lines, "  "+who(s))
}

// who is who answers where that is said apart, which specs of formulas do not.
func who(s *problem.Spec) string {
	if s.Model != nil {
		return "a model"
	}
	return Answers(s)
}

// What the cases and the small runs of lab ask, and variants of them, is said as it was when it was last read.
func TestQuestionsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, name := range problem.Cases() {
		text, _ := problem.Case(name)
		lines = append(lines, asked(t, name, text)...)
	}
	files, err := filepath.Glob("../../lab/testdata/runs/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, asked(t, strings.TrimSuffix(filepath.Base(file), ".yaml"), text)...)
	}
	crowd, err := os.ReadFile("../../lab/testdata/runs/a-moving-crowd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	still := []string{"population.drift=null", "population.churn=0", "dynamics.noise=0", "dynamics.coupling=0"}
	for _, sets := range [][]string{
		nil, {"hold=3"}, {"population.size=1"}, {"population.size=2"}, {"population.churn=0.1"}, {"population.churn=1"}, {"dynamics.noise=0.1"}, {"dynamics.noise=2"}, {"dynamics.noise=[0.1, 0.2]"}, {"dynamics.coupling=0.25"}, {"population.drift={walk: 0.1}"},
	} {
		lines = append(lines, asked(t, "still", crowd, append(slices.Clone(still), sets...)...)...)
	}
	for _, body := range []string{
		"let: {a: 2, b: [1, 2], m: [[1, 2, 3], [3, 4, 5]], c: a + 1, e: {file: answers.npz, array: e}}\n  next: 0.5*p + d\n  minimize: (p - q)^2",
		"let: {a: 2}\n  next: a*p/4 + d\n  maximize: p*q\n  subject to: [q <= 1, q >= 0]\n  integer: [0]",
		"next: 0.5*p + q + d\n  minimize: p^2 +\n    q^2\n  subject to: -1 <= q <= 1",
	} {
		text := "iterations: 5\nmodel:\n  decision: q\n  state: p\n  trait: d\n  " + body + "\npopulation: {size: 5, dim: 1, law: normal, mean: 0, deviation: 1}\nalgorithms: [{name: composite, step: 0.1, batch: 1}]\n"
		lines = append(lines, asked(t, "model", []byte(text))...)
	}
	if list := Of(nil); list != nil {
		t.Errorf("of nothing: %v", list)
	}
	evidence.AsRecorded(t, "testdata/questions.txt", lines)
}
