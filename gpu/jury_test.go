package gpu

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// paperJury is a jury whose kernels are evaluated on this CPU: every list for every individual, sums in the order that kernels have.
type paperJury struct {
	*Jury
	asked, flagged int
}

// SumGradients does what the kernels print.
func (j *paperJury) SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (worst kedge.Residual, ok bool) {
	j.asked++
	what := byPartial
	if answered {
		what = byGradient
	}
	c, m := j.list(what), len(u)
	run, shared := ptx.NewEvaluator(c), make([]float64, j.of.Shares())
	j.of.Share(shared, u)
	parts, room, off := make([]float64, (j.size+ptx.Tile-1)/ptx.Tile*c.Parts()), make([]float64, m), 0.0
	for first := 0; first+ptx.Tile <= j.size; first += ptx.Tile {
		part := parts[first/ptx.Tile*c.Parts():][:c.Parts()]
		var pu, lean, weigh [ptx.Tile]float64
		for i := range ptx.Tile {
			var flag bool
			if pu[i], flag = run.Eval(nil, nil, j.rows.View(room, first+i, first+i+1), shared); flag {
				j.flagged++
				return worst, false
			}
			lean[i], weigh[i], off = run.Along, run.Across, max(off, run.Off)
		}
		part[0] = -rows.Sum(pu[:])
		var lanes [4]float64
		for i, v := range lean {
			lanes[i%4] += v
		}
		for column := range m {
			g := 0.0
			for i := range ptx.Tile {
				g += float64(weigh[i] * j.rows.View(room, first+i, first+i+1)[column])
			}
			part[1+column] = g + float64(((lanes[0]+lanes[2])+(lanes[1]+lanes[3]))*shared[column])
		}
	}
	if whole := j.size &^ (ptx.Tile - 1); whole < j.size && !rest(parts[len(parts)-c.Parts():], whole) {
		return worst, false
	}
	rows.AddTree(parts, c.Parts())
	copy(total, parts)
	return kedge.Residual{Norm: rootResidual + off}, true
}

func polarizedModel(f dynamics.Polarized, traits kedge.Rows) kedge.Model {
	m := affinity(f, traits)
	m.Sensitivity = &sensitivity.Polarized{Dim: f.Dim, Lambda: f.Lambda, Sigma: f.Sigma}
	return m
}

// sameGradient compares both gradients of an engine with those of the CPU at a decision, and tells how many numbers there were.
func sameGradient(t *testing.T, m kedge.Model, e steady.Engine, u []float64) (numbers int) {
	t.Helper()
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	f.Workers = 16
	for name, gradient := range map[string]func(g, u []float64) (float64, error){"gradient": f.Gradient, "partial": f.Partial} {
		want, got := make([]float64, len(u)), make([]float64, len(u))
		f.Engine = nil
		value, err := gradient(want, u)
		residual := f.Residual()
		f.Engine = e
		again, fail := gradient(got, u)
		if fmt.Sprint(err) != fmt.Sprint(fail) || residual != f.Residual() {
			t.Fatalf("%s: %v with the residual %v, want %v with %v", name, fail, f.Residual(), err, residual)
		}
		for i, v := range append(want, value) {
			if w := append(got, again)[i]; math.Float64bits(v) != math.Float64bits(w) {
				t.Fatalf("%s: number %d is %v, want %v", name, i, w, v)
			}
			numbers++
		}
	}
	return numbers
}

// What the kernels of a jury say, evaluated here, has the bits of the CPU's gradients, whole tiles and a rest; a crowd with somebody who is off the sphere is left to the CPU.
func TestListsOfAJuryHaveTheBitsOfTheCPU(t *testing.T) {
	for _, f := range []dynamics.Polarized{{Dim: 20, Lambda: 0.4, Sigma: 0.5}, {Dim: 3, Lambda: 0.4, Sigma: 1.5}, {Dim: 7, Lambda: 0, Sigma: 0.9}} {
		for _, n := range []int{37, 128, 3*128 + 5} {
			drawn := draw(t, n, f.Dim)
			for _, r := range []kedge.Rows{drawn, shorten(t, drawn)} {
				m := polarizedModel(f, r)
				j := &paperJury{Jury: &Jury{of: f, answer: m.Sensitivity.(answering), rows: r, size: n, width: 1 + f.Dim, traits: new(traits)}}
				for k := range 4 {
					sameGradient(t, m, j, decision(f.Dim, k))
				}
				if j.asked != 8 || j.flagged > 0 {
					t.Errorf("%+v, %d people: asked %d times, want 8; flagged %d", f, n, j.asked, j.flagged)
				}
			}
		}
	}
	f, off := dynamics.Polarized{Dim: 5, Lambda: 0.4, Sigma: 0.5}, draw(t, 300, 5)
	rows.Scale(kedge.Row(off.Data, 17, 5), 1+1e-10)
	m := polarizedModel(f, off)
	j := &paperJury{Jury: &Jury{of: f, answer: m.Sensitivity.(answering), rows: off, size: 300, width: 6, traits: new(traits)}}
	if sameGradient(t, m, j, decision(5, 1)); j.flagged != 2 {
		t.Errorf("somebody off the sphere is flagged %d times, want 2", j.flagged)
	}
}

// Models that a jury does not know are the CPU's.
func TestNoJury(t *testing.T) {
	f, traits := dynamics.Polarized{Dim: 5, Lambda: 0.4, Sigma: 0.5}, draw(t, 300, 5)
	weighted := polarizedModel(f, traits)
	weighted.Weights = make([]float64, 300)
	other := polarizedModel(f, traits)
	other.Objective = new(objective.Quadratic)
	for name, m := range map[string]kedge.Model{"weights": weighted, "another objective": other, "no traits": {Dynamics: f, Objective: objective.Affinity{}}} {
		var unfit *UnfitError
		if _, err := new(Board).Jury(m, 1); !errors.As(err, &unfit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A jury on the device has the bits of the CPU, and is faster.
func TestGradientsHaveTheBitsOfTheCPU(t *testing.T) {
	p := open(t)
	f, numbers := dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}, 0
	for _, n := range []int{1000, 100_000, 1_000_000} {
		if n > 1000 && people(p, n) < n {
			break
		}
		traits := draw(t, people(p, n), f.Dim)
		for name, r := range map[string]kedge.Rows{"float64": traits, "float32": shorten(t, traits)} {
			m := polarizedModel(f, r)
			j, err := p.Jury(m, 8)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 8 {
				numbers += sameGradient(t, m, j, decision(f.Dim, k))
			}
			if j.gone {
				t.Error("the jury has given up")
			}
			if people(p, n) == n {
				t.Logf("%d people of %s: %s", n, name, paces(t, m, j))
			}
			j.Leave()
			p.Forget(r)
		}
	}
	t.Logf("%d numbers, 0 bits differ", numbers)
	for _, f := range []dynamics.Polarized{{Dim: 20, Lambda: 0.4, Sigma: 0.6}, {Dim: 3, Lambda: 0.4, Sigma: 1.5}, {Dim: 64, Lambda: 0, Sigma: 0.9}} {
		traits := draw(t, people(p, 10_037), f.Dim)
		m := polarizedModel(f, traits)
		j, err := p.Jury(m, 8)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 4 {
			sameGradient(t, m, j, decision(f.Dim, k))
		}
	}
}

// paces says what a gradient takes there and here.
func paces(t *testing.T, m kedge.Model, e steady.Engine) string {
	t.Helper()
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	f.Workers = 16
	u := decision(m.Dims().Decision, 1)
	g, best := make([]float64, len(u)), [2]time.Duration{time.Hour, time.Hour}
	for range 5 {
		for k, one := range []steady.Engine{nil, e} {
			f.Engine = one
			begun := time.Now()
			if _, err := f.Gradient(g, u); err != nil {
				t.Fatal(err)
			}
			best[k] = min(best[k], time.Since(begun))
		}
	}
	return fmt.Sprintf("a gradient takes %v on 16 workers, %v on the device", best[0], best[1])
}

// What a crowd takes: 10⁸ people of 20 numbers 48 GB in double precision and 24 GB in single, and sums of less than a hundredth of that.
func TestBytesOfACrowd(t *testing.T) {
	dim := kedge.Dims{Decision: 20, State: 20, Trait: 20}
	for f, want := range map[ptx.Precision]float64{ptx.Float64: 48e9, ptx.Float32: 24e9} {
		if got := float64(crowdBytes(1e8, dim, f, f)); got < want || got > 1.01*want {
			t.Errorf("%v bytes, want %v", got, want)
		}
	}
}
