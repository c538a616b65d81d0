package lab_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// construct makes a problem of a text.
func construct(t *testing.T, name string, src []byte, over ...problem.Overlay) *problem.Problem {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), name, src, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, os.DirFS("../examples"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func example(t *testing.T, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// decisions keeps the decision of every turn.
type decisions [][]float64

func (d *decisions) Record(s *kedge.Step) error {
	*d = append(*d, append([]float64(nil), s.U...))
	return nil
}

// follow plays the first trial of an algorithm and returns its decisions and the states at the end.
func follow(t *testing.T, p *problem.Problem, algorithm, turns int) decisions {
	t.Helper()
	one, err := p.Trial(algorithm, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	var all decisions
	l := loop.Loop{Population: one.Population, Algorithm: one.Algorithm, Objective: one.Objective, Turns: turns, Batch: one.Batch, Recorder: &all}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return append(all, one.States(p.Some(p.Individuals())))
}

// The built-in cases written as formulas go the way of the built-in ones: the first trial of every algorithm of the published
// runs, turn by turn. The hand-written sensitivity of polarized is exact at settled states alone and remembers a norm besides;
// that of a formula is exact everywhere, as is the implicit one.
// KEDGE_TORTURE=1 follows the whole runs.
func TestFormulasFollowBuiltins(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine follows eight long runs")
	}
	for name, over := range map[string]struct{ builtin, formulas []string }{
		"polarized": {[]string{"algorithms.composite.sensitivity=implicit"}, nil},
		"choice":    {nil, []string{"set=null", "model.subject to=[q >= 0, sum(q) == 250]"}},
	} {
		t.Run(name, func(t *testing.T) {
			src, _ := problem.Case(name)
			published, _ := problem.Case(name + ".published")
			builtin := construct(t, name, src, overlays(published, over.builtin)...)
			formulas := construct(t, name+" as formulas", example(t, "../examples/"+name+".yaml"), overlays(published, over.formulas)...)
			turns := builtin.Spec.Iterations
			if os.Getenv("KEDGE_TORTURE") == "" {
				turns = 200
			}
			for a := range builtin.Spec.Algorithms {
				sameWay(t, builtin.Spec.Algorithms[a].Name, follow(t, formulas, a, turns), follow(t, builtin, a, turns))
			}
		})
	}
}

// overlays puts the published run over a case, 20 trials and without the remembered norm, and then some assignments.
func overlays(published []byte, assignments []string) []problem.Overlay {
	all := []problem.Overlay{problem.Merge("published", published), problem.Assign("trials=20")}
	if strings.Contains(string(published), "norm: previous") {
		all = append(all, problem.Assign("algorithms.composite.norm=null"))
	}
	for _, a := range assignments {
		all = append(all, problem.Assign(a))
	}
	return all
}

func sameWay(t *testing.T, what string, got, want decisions) {
	t.Helper()
	worst := 0.0
	for k := range want {
		for i, v := range want[k] {
			worst = max(worst, math.Abs(got[k][i]-v))
		}
	}
	t.Logf("%s: %.1e off over %d turns", what, worst, len(want)-2)
	if !(worst <= 1e-10) {
		t.Errorf("%s is up to %.1e off, want 1e-10", what, worst)
	}
}

// Every example runs, and its stable point is not the optimum: it is worse, or breaks constraints. Whole numbers have none.
func TestExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: all examples")
	}
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	short := []string{"iterations=150", "trials=1", "record.every=150", "optimum.starts=1"}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			p := construct(t, file, example(t, file), overlays(nil, short)[1:]...)
			r, err := lab.Execute(context.Background(), p, lab.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if p.ExactEntries() != nil {
				if r.Optimum.Evidence.Standing != folder.Proven || math.Trunc(r.Optimum.Decision[0]) != r.Optimum.Decision[0] || !math.IsNaN(r.Stable.Gap) {
					t.Errorf("the optimum is %+v, want whole numbers, all looked at, and no stable point", r.Optimum)
				}
				return
			}
			if !(math.Abs(r.Stable.Gap) > 1e-3) {
				t.Errorf("the stable point is %+v, want a gap to the optimum", r.Stable)
			}
		})
	}
}
