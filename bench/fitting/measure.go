package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/internal/bench/rival"
	"github.com/kedge-opt/kedge/stream"
)

//go:embed fitting.py
var script string

// task is a log of a nonlinear model with ten unknowns.
type task struct {
	f        *formula.Regressor
	l        fit.Log
	unknowns []fit.Unknown
}

func newTask(n int) (t task, err error) {
	source := formula.Source{Decision: "q[3]", State: "p", Trait: "d[3]", Next: "keep*p + (1-keep)*(base + top*sigmoid(dot(pull, d) - dot(cost, q) + cross*q[0]*d[0]))"}
	if t.f, err = source.Regress([]string{"keep", "base", "top", "pull[3]", "cost[3]", "cross"}); err != nil {
		return t, err
	}
	s := stream.New(1, "bench", "fitting")
	t.l = fit.Log{States: make([]float64, n), Beside: make([]float64, 6*n), After: make([]float64, n), Person: make([]int, n)}
	s.Normals(t.l.States)
	s.Normals(t.l.Beside)
	theta, row := []float64{0.7, 0.2, 2, 0.5, -0.3, 0.8, 0.6, 0.4, -0.2, 0.3}, make([]float64, t.f.Width())
	for i := range n {
		t.l.Person[i] = i / 10
		t.f.Rows(row, t.l.States[i:i+1], theta, t.l.Beside[6*i:6*i+6])
		t.l.After[i] = row[0] + float64(0.1*s.Normal())
	}
	for j, start := range []float64{0.5, 0, 1, 0, 0, 0, 0, 0, 0, 0} {
		t.unknowns = append(t.unknowns, fit.Free(fmt.Sprintf("number %d", j), start))
	}
	return t, nil
}

// bytes is what the log takes.
func (t task) bytes() int {
	return 8 * (len(t.l.States) + len(t.l.Beside) + len(t.l.After) + len(t.l.Person))
}

// seconds are those of a clock and of processors.
type seconds struct{ Wall, CPU float64 }

// answer is what a side found.
type answer struct {
	Name   string
	Value  []float64
	Evals  int
	Wall   float64
	CPU    float64
	Method string
}

// own fits by kedge.
func (t task) own(ctx context.Context, workers int) (got *fit.Fitted, took seconds, peak uint64, err error) {
	runtime.GC()
	runtime.GC() // what the other side was sent is swept
	done, most := make(chan struct{}), make(chan uint64)
	go func() { most <- watch(done) }()
	before, start := spent(), time.Now()
	got, err = fit.Find(ctx, t.f, t.l, t.unknowns, fit.Options{Workers: workers})
	took = seconds{time.Since(start).Seconds(), spent() - before}
	close(done)
	return got, took, <-most, err
}

// watch looks at the heap again and again.
func watch(done <-chan struct{}) (most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64())
		select {
		case <-done:
			return most
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// rival fits by SciPy.
func (t task) rival(ctx context.Context, o options) (a answer, err error) {
	l := rival.Library{Python: o.python, Script: script, Lacks: "SciPy (Debian's python3-scipy, or pip install scipy)", Threads: o.workers}
	err = l.Ask(ctx, &a, int64(len(t.l.After)), t.l.States, t.l.Beside, t.l.After)
	return a, err
}

// run fits by both sides in turn, checks that they agree, and prints what they took.
func run(ctx context.Context, o options, out io.Writer) error {
	t, err := newTask(o.rows)
	if err != nil {
		return err
	}
	var wall, cpu, rivalWall, rivalCPU []float64
	var name string
	var peak uint64
	for range o.rounds {
		got, took, most, err := t.own(ctx, o.workers)
		if err != nil {
			return err
		}
		a, err := t.rival(ctx, o)
		if err != nil {
			return err
		}
		for j, v := range a.Value {
			if math.Abs(v-got.Value[j]) > 0.01*got.Error[j] {
				return fmt.Errorf("number %d is %v by SciPy, %v by kedge, ± %v", j, v, got.Value[j], got.Error[j])
			}
		}
		name, peak = fmt.Sprintf("%s, the faster of its methods: %s, %d evaluations", a.Name, a.Method, a.Evals), max(peak, most)
		wall, cpu, rivalWall, rivalCPU = append(wall, took.Wall), append(cpu, took.CPU), append(rivalWall, a.Wall), append(rivalCPU, a.CPU)
	}
	fmt.Fprintf(out, "%d rows, 10 unknowns, %d workers, each side %d times in turn; %s\n\n", o.rows, o.workers, o.rounds, name)
	fmt.Fprintf(out, "%-18s %10s %10s %10s\n", "seconds", "kedge", "SciPy", "ratio")
	for _, c := range []struct {
		what        string
		own, rivals []float64
	}{{"clock", wall, rivalWall}, {"processors", cpu, rivalCPU}} {
		for _, of := range []struct {
			what string
			take func([]float64) float64
		}{{"best", slices.Min[[]float64]}, {"median", bench.Median}} {
			own, rival := of.take(c.own), of.take(c.rivals)
			fmt.Fprintf(out, "%-18s %10.3f %10.3f %10.2f\n", c.what+", "+of.what, own, rival, rival/own)
		}
	}
	fmt.Fprintf(out, "\nkedge's heap at its largest, the log included: %.2f times the log; its time includes standard errors, SciPy's does not\n", float64(peak)/float64(t.bytes()))
	return nil
}
