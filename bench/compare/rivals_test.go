package main

import (
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// rivalTools returns the tools, which take Python from KEDGE_PYTHON as the command does.
func rivalTools(t *testing.T) *tools {
	t.Helper()
	o, err := parse(nil, t.Output())
	must(t, err)
	tl, err := newTools(t.Context(), o, t.TempDir())
	must(t, err)
	return tl
}

// checkWith runs a script on given inputs and returns the folder of what comes out.
func checkWith(t *testing.T, tl *tools, script, kind, in string) string {
	t.Helper()
	out := t.TempDir()
	_, err := output(t.Context(), tl.root, tl.python, filepath.Join("bench", script), "--check", kind, in, out)
	must(t, err)
	return out
}

func needNumPy(t *testing.T) *tools {
	t.Helper()
	tl := rivalTools(t)
	if err := tl.findNumPy(t.Context()); err != nil {
		t.Skip(err)
	}
	return tl
}

// The three ways to compute a run have little in common: dense inverses and a long roll-out, vectorised closed forms and
// Newton's method, kedge's kernels.
func TestPolarizedLoopsAgree(t *testing.T) {
	tl, in := needNumPy(t), newPolarizedInput()
	dir := in.write(t)
	paper, fast := checkWith(t, tl, "numpy_paper.py", "polarized", dir), checkWith(t, tl, "numpy_fast.py", "polarized", dir)
	for name, composite := range map[string]bool{"polarized-vanilla": false, "polarized-composite": true} {
		want := runPolarized(t, in, composite)
		sameRun(t, paper, name, want)
		sameRun(t, fast, name, want)
		sameRun(t, paper, name+"-rollout", trajectory{decisions: want.decisions, metrics: want.rollout})
	}
}

func sameRun(t *testing.T, dir, name string, want trajectory) {
	t.Helper()
	agree(t, name+" decisions", read(t, dir, name+".decisions.f64"), want.decisions, 1e-9)
	agree(t, name+" metrics", read(t, dir, name+".metrics.f64"), want.metrics, 1e-9)
}

func TestChoiceLoopsAgree(t *testing.T) {
	tl, in := needNumPy(t), newChoiceInput()
	dir := in.write(t)
	runs := map[string]trajectory{
		"choice-vanilla":         runChoice(t, in, false),
		"choice-composite":       runChoice(t, in, true),
		"choice-derivative-free": runTrials(t, in),
	}
	for _, script := range []string{"numpy_paper.py", "numpy_fast.py"} {
		out := checkWith(t, tl, script, "choice", dir)
		for name, want := range runs {
			sameRun(t, out, name, want)
		}
	}
}

// Both bounds of the simplex projection must have been met, or the runs above prove little about it.
func TestChoiceInputMeetsTheBound(t *testing.T) {
	run := runTrials(t, newChoiceInput())
	zeros := 0
	for _, v := range run.decisions {
		if v == 0 {
			zeros++
		}
	}
	if zeros == 0 || zeros == len(run.decisions) {
		t.Errorf("%d of %d fees are 0", zeros, len(run.decisions))
	}
}

// 60 people are three blocks of 16 and one of 12; rows of 7 and 23 have entries left over by vectors of four.
func TestKernelAgrees(t *testing.T) {
	tl := rivalTools(t)
	if err := tl.buildKernel(t.Context()); err != nil {
		t.Skip(err)
	}
	for _, m := range []int{1, 7, dim, 23} {
		r, out := stream.New(1, "kernel"), t.TempDir()
		in := polarizedInput{people: unitRows(r, people, m), q0: unitRows(r, 1, m)}
		rows.Scale(in.q0, 0.9)
		_, err := output(t.Context(), tl.root, filepath.Join(tl.dir, "kernel"), "--check", in.write(t), out)
		must(t, err)
		next, affinities := stepAndSettle(t, dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, in)
		agree(t, "step", read(t, out, "step.f64"), next, 1e-14)
		agree(t, "affinities", read(t, out, "affinities.f64"), affinities, 1e-14)
	}
}

func stepAndSettle(t *testing.T, f dynamics.Polarized, in polarizedInput) (next, affinities []float64) {
	next, affinities = make([]float64, len(in.people)), make([]float64, people)
	f.NextRows(next, in.people, in.q0, in.people)
	h := make([]float64, len(in.people))
	_, err := f.SettleRows(h, in.q0, in.people)
	must(t, err)
	for i := range affinities {
		affinities[i] = rows.Dot(kedge.Row(h, i, f.Dim), in.q0)
	}
	return next, affinities
}
