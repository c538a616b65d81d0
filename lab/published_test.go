package lab_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/transport"
)

// recorded opens what the authors of the case studies recorded. It lies beside the repository, not in it.
func recorded(t *testing.T, name string) map[string]npy.Array {
	t.Helper()
	if testing.Short() {
		t.Skip("whole published runs")
	}
	path := filepath.Join("..", "..", "shared", "data", name)
	file, err := os.Open(path)
	if err != nil {
		t.Skipf("the recorded results are not here: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	members, err := npy.ReadZip(file, info.Size(), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]npy.Array{}
	for _, m := range members {
		byName[m.Name] = m.Array
	}
	return byName
}

// published builds a case as its authors ran it, but for what is set.
func published(t testing.TB, name string, sets ...string) *problem.Problem {
	t.Helper()
	src, _ := problem.Case(name)
	variant, _ := problem.Case(name + ".published")
	over := []problem.Overlay{problem.Merge("published", variant)}
	for _, s := range sets {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(kind.Standard(), name, src, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// history keeps what the meter says of every turn.
type history [][]float64

func (h *history) Record(s *kedge.Step) error {
	*h = append(*h, slices.Clone(s.Row))
	return nil
}

// play runs one trial, measured against a given optimum unless that is nil, and returns the trial.
func play(t *testing.T, p *problem.Problem, algorithm, trial int, carried float64, target []float64) (*problem.Trial, history) {
	t.Helper()
	one, err := p.Trial(algorithm, trial, carried)
	if err != nil {
		t.Fatal(err)
	}
	l := loop.Loop{Population: one.Population, Algorithm: one.Algorithm, Objective: one.Objective, Turns: p.Spec.Iterations, Batch: one.Batch}
	var h history
	if target != nil {
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		l.Instruments = []kedge.Instrument{&loop.Meter{Steady: f, Maximize: p.Maximize, Optimum: loop.Target{Decision: target, Loss: 1}, W1: transport.W1Both}}
		l.Recorder = &h
	}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return one, h
}

// agree checks a column times a scale at every recorded turn.
func (h history) agree(t *testing.T, row *evidence.Witness, what string, want []float64, bar float64, column string, scale float64) {
	t.Helper()
	at := slices.IndexFunc(loop.Standard(), func(c kedge.Column) bool { return c.Name == column })
	worst := 0.0
	for k, w := range want {
		worst = max(worst, math.Abs(h[k][at]*scale-w))
	}
	t.Logf("%s: %.1e off over %d turns", what, worst, len(want))
	row.AtMost("", worst, bar)
}

// Published figures: values, distances and Wasserstein distances of the recorded run, at every one of its 6000 turns. The
// record's distances are absolute and to its own optimum, which is 2e-6 from the exact one.
func TestPublishedChoiceValues(t *testing.T) {
	values := evidence.For(t, evidence.Promise{Name: "published-values", Text: "the published choice run, 6000 turns: values off the record", Needs: "the records of the authors in ../shared/data"})
	distances := evidence.For(t, evidence.Promise{Name: "published-distances", Text: "its distances and Wasserstein distances", Needs: "the records of the authors in ../shared/data"})
	rec := recorded(t, "choice-dfo-step-0.1-delta-2.npz")
	p := published(t, "choice")
	if e := rows.Distance(p.Start, rec["q0"].Data); e > 1e-14 {
		t.Errorf("the first decision is %.1e off", e)
	}
	_, traits := p.First(p.Some(1))
	if e := rows.Distance(traits, rec["p0"].Data); e > 0 {
		t.Errorf("the first state is %.1e off", e)
	}
	best := rec["opt_pt"].Data
	scale := rows.Norm(best)
	for row, name := range []string{"vanilla", "composite"} {
		_, h := play(t, p, row, 0, math.NaN(), best)
		of := func(array string) []float64 { return rec[array].Data[row*6000 : (row+1)*6000] }
		h.agree(t, values, name+" value", of("utility_data"), 1e-12, "value", 1)
		h.agree(t, distances, name+" distance", of("dist_opt_pt_data"), 1e-9, "distance", scale)
		h.agree(t, distances, name+" W1 to its own", of("dist_wasserstein_ss_own"), 1e-9, "w1_own", 1)
		h.agree(t, distances, name+" W1 to the optimal", of("dist_wasserstein_ss_opt"), 1e-9, "w1_optimal", 1)
	}
}

// Published figures: minimum, mean and maximum over the 20 derivative-free trials, at every turn.
func TestPublishedChoiceDerivativeFree(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "published-derivative-free", Text: "its derivative-free trials", Needs: "the records of the authors in ../shared/data"})
	rec := recorded(t, "choice-dfo-step-0.1-delta-2.npz")
	p := published(t, "choice")
	low, mean, high := filled(6000, math.Inf(1)), filled(6000, 0), filled(6000, math.Inf(-1))
	carried := math.NaN()
	for trial := range 20 {
		one, h := play(t, p, 2, trial, carried, rec["opt_pt"].Data)
		carried = one.Carried()
		for k := range 6000 {
			v := h[k][0]
			low[k], high[k], mean[k] = min(low[k], v), max(high[k], v), mean[k]+v/20
		}
	}
	for row, got := range [][]float64{low, mean, high} {
		worst := 0.0
		for k, w := range rec["utility_data_gf"].Data[row*6000 : (row+1)*6000] {
			worst = max(worst, math.Abs(got[k]-w))
		}
		off.AtMost([]string{"minimum", "mean", "maximum"}[row], worst, 1e-10)
	}
}

func filled(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// Published figures: the initial population bit for bit, the final states of the last trial of either algorithm, and the
// angles they make with the final decision.
func TestPublishedPolarizedStates(t *testing.T) {
	bits := evidence.For(t, evidence.Promise{Name: "published-population", Text: "entries of the published polarized population with other bits", Needs: "the records of the authors in ../shared/data"})
	off := evidence.For(t, evidence.Promise{Name: "published-states", Text: "its final states, and their angles in degrees, off the record", Needs: "the records of the authors in ../shared/data"})
	rec := recorded(t, "polarized-lambda-0.4-sigma-0.5.npz")
	p := published(t, "polarized")
	first, _ := p.First(p.Some(1000))
	for i, v := range rec["initial_states"].Data {
		bits.Case(first[i] == v, "entry %d of the initial population is %v, recorded %v", i, first[i], v)
	}
	for a, name := range []string{"vanilla", "composite"} {
		one, _ := play(t, p, a, 19, math.NaN(), nil)
		states := one.States(p.Some(1000))
		worst := 0.0
		for i, v := range rec["final_states"].Data[a*20000 : (a+1)*20000] {
			worst = max(worst, math.Abs(states[i]-v))
		}
		off.AtMost("states", worst, 1e-9)
		u := make([]float64, 20)
		one.Algorithm.Center(u)
		off.AtMost("angles", anglesOff(states, u, rec["angles_"+name].Data[19*1000:]), 1e-9)
	}
}

// anglesOff is how far the angles of states with a decision are off, in degrees.
func anglesOff(states, u, want []float64) (worst float64) {
	for i, w := range want {
		p := kedge.Row(states, i, 20)
		got := math.Acos(rows.Dot(p, u)/rows.Norm(p)/rows.Norm(u)) * 180 / math.Pi
		worst = max(worst, math.Abs(got-w))
	}
	return worst
}

// The optima are known to 1e-13 from an independent spectral projected gradient program on the exact steady objective.
func TestOptimaOfTheCaseStudies(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "optima", Text: "values at the optima and stable points of both case studies, off those of an independent program"})
	if testing.Short() {
		t.Skip("two full searches")
	}
	run := func(p *problem.Problem) *folder.Result {
		p.Spec.Iterations, p.Spec.Trials = 1, 1
		for i := range p.Spec.Algorithms {
			p.Spec.Algorithms[i].Trials = 1
		}
		r, err := lab.Execute(context.Background(), p, lab.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, upper := range []string{".inf", "5"} {
		src, _ := problem.Case("choice")
		variant, _ := problem.Case("choice.published")
		s, err := problem.Parse(kind.Standard(), "choice", src, problem.Merge("published", variant), problem.Assign("set.upper="+upper))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("choice", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := run(p)
		off.AtMost("choice", math.Abs(r.Optimum.Value-2.080928244161301), 1e-11)
		off.AtMost("choice", math.Abs(r.Stable.Value-2.039482981401191), 1e-11)
	}
	r := run(published(t, "polarized"))
	off.AtMost("polarized", math.Abs(r.Optimum.Value-0.4899866231912969), 1e-11)
	off.AtMost("polarized", math.Abs(r.Stable.Value-0.48653355371685303), 1e-11)
	off.AtMost("polarized", math.Abs(r.Reference.Optimum.Value-0.47175472031308563), 1e-11)
	within(t, "distance of the two optima", r.Reference.True.Distance, 0.02398315584901274, 1e-8)
	if r.Optimum.Starts != 20 || r.Optimum.Residual > 1e-9 || r.Optimum.Spread > 1e-13 {
		t.Errorf("evidence: %d starts, residual %.1e, spread %.1e", r.Optimum.Starts, r.Optimum.Residual, r.Optimum.Spread)
	}
}

func within(t *testing.T, what string, got, want, bar float64) {
	t.Helper()
	t.Logf("%s: %.15g, %.1e off", what, got, math.Abs(got-want))
	if !(math.Abs(got-want) <= bar) {
		t.Errorf("%s is %.15g, want %.15g within %.0e", what, got, want, bar)
	}
}
