package steady_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// many is a size for which eight goroutines are worth their while in 20 dimensions, and no multiple of any chunk.
const many = 8*crew.Grain/20 + 77

// large is a polarized crowd whose traits are a block or, with the same bits, drawn anew.
func large(t testing.TB, redrawn bool) (*steady.Objective, *steady.Rollout) {
	t.Helper()
	const dim = 20
	f := dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	m := kedge.Model{Settler: f, Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}}
	if redrawn {
		rows, err := population.Redraw(population.Cap{Angle: 90}, many, dim, stream.New(1, "people"))
		if err != nil {
			t.Fatal(err)
		}
		m.Traits = rows
	} else {
		m.Traits = kedge.Block{Data: draw(t, population.Cap{Angle: 90}, many, dim), Width: dim}
	}
	s, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return s, &steady.Rollout{Model: m, Steps: 3}
}

// answers are all numbers that can be asked for at one decision.
func answers(t *testing.T, s *steady.Objective, r *steady.Rollout) []float64 {
	t.Helper()
	u := make([]float64, 20)
	for i := range u {
		u[i] = 0.2 * math.Sin(float64(i))
	}
	var all []float64
	for _, ask := range []func(g, u []float64) (float64, error){s.Gradient, s.Partial, r.Gradient} {
		g := make([]float64, len(u))
		value, err := ask(g, u)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, value), g...)
	}
	value, err := s.Value(u)
	if err != nil {
		t.Fatal(err)
	}
	return append(all, value, s.Residual().Norm, float64(s.Residual().Steps))
}

// Neither the number of workers nor how traits are kept changes a bit.
func TestWorkersAndRowsChangeNothing(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "workers-steady", Text: "the same for settled values and gradients, with stored and with redrawn traits"})
	s, r := large(t, false)
	want := answers(t, s, r)
	for _, c := range []struct {
		workers int
		redrawn bool
	}{{2, false}, {8, false}, {1, true}, {8, true}} {
		s, r = large(t, c.redrawn)
		s.Workers, r.Workers = c.workers, c.workers
		same.Case(slices.Equal(answers(t, s.Clone(), r.Clone()), want), "%d workers, redrawn %v: other bits", c.workers, c.redrawn)
	}
}

// Independent method: the mean over the crowd by a plain loop over individuals.
func TestLargeCrowdsAreMeans(t *testing.T) {
	s, _ := large(t, true)
	s.Workers = 2
	u := make([]float64, 20)
	u[3] = 0.9
	got, err := s.Value(u)
	if err != nil {
		t.Fatal(err)
	}
	settled := make([]float64, many*20)
	if err := s.Settle(settled, u); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range many {
		sum -= 0.9 * settled[i*20+3]
	}
	if math.Abs(got-sum/many) > 1e-14 {
		t.Errorf("value %v, mean loss of the settled %v", got, sum/many)
	}
}

// dawdling takes its time with individuals who dislike everything, and cannot settle those of a trait that is no unit vector.
type dawdling struct{ dynamics.Polarized }

func dawdle(d []float64) {
	if d[0] == -1 {
		for range 10_000 {
			runtime.Gosched()
		}
	}
}

func (f dawdling) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	dawdle(d)
	return f.Polarized.SettleRows(dst, u, d)
}

func (f dawdling) AlignRows(dst, u, d []float64) (kedge.Residual, error) {
	dawdle(d)
	return f.Polarized.AlignRows(dst, u, d)
}

// The first individual that cannot settle is named, whoever finds another first.
func TestErrorsDoNotDependOnWorkers(t *testing.T) {
	const n = 4 * crew.Grain
	people := make([]float64, n*2)
	for i := range n {
		people[2*i] = 1
	}
	for _, i := range []int{5000, 5001, 9000, 100_000} {
		people[2*i] = 7
	}
	people[2*(5000-5000%128)] = -1
	for _, workers := range []int{1, 2, 8} {
		s, err := steady.New(kedge.Model{
			Settler: dawdling{dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Workers = workers
		var row *kedge.RowError
		if _, err := s.Value([]float64{0.3, 0.4}); !errors.As(err, &row) || row.Row != 5000 {
			t.Errorf("%d workers: %v, want an error that names individual 5000", workers, err)
		}
		if _, err := s.Partial(make([]float64, 2), []float64{0.3, 0.4}); !errors.As(err, &row) || row.Row != 5000 {
			t.Errorf("%d workers: %v, want an error that names individual 5000", workers, err)
		}
		if err := s.Settle(make([]float64, 2*n), []float64{0.3, 0.4}); !errors.As(err, &row) || row.Row != 5000 {
			t.Errorf("settle: %v, want an error that names individual 5000", err)
		}
	}
}

// A crowd too small to share starts no goroutines, whatever it is offered: a goroutine would allocate.
func TestSmallCrowdsStayOnOneCore(t *testing.T) {
	s, r := polarized(t, 6000, 20)
	s.Workers, r.Workers = 8, 8
	u := make([]float64, 20)
	u[0] = 0.5
	for name, f := range map[string]function{"settled": s, "rolled out": r} {
		if n := testing.AllocsPerRun(3, func() { f.Value(u) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// nobody is an individual whose first entry is NaN, kept elsewhere than in memory.
type nobody struct{}

func (nobody) Size() (rows, width int)              { return 1, 4 }
func (nobody) View(_ []float64, _, _ int) []float64 { return []float64{math.NaN(), 0, 0, 0} }

func TestRefusesBadRows(t *testing.T) {
	f := dynamics.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}
	for _, rows := range []kedge.Rows{kedge.Block{Width: 4}, kedge.Block{Data: make([]float64, 6), Width: 3}} {
		var dim *kedge.DimError
		if _, err := steady.New(kedge.Model{Settler: f, Objective: objective.Affinity{}, Traits: rows}); !errors.As(err, &dim) {
			t.Errorf("traits %v: %v", rows, err)
		}
		r := &steady.Rollout{Model: kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: make([]float64, 4), Width: 4}, States: rows}, Steps: 1}
		if _, err := r.Value(make([]float64, 4)); !errors.As(err, &dim) || dim.Arg != "states" {
			t.Errorf("states %v: %v", rows, err)
		}
	}
	s, err := steady.New(kedge.Model{Settler: f, Objective: objective.Affinity{}, Traits: nobody{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Value(make([]float64, 4)); err == nil {
		t.Error("a NaN among the rows has a value")
	}
}

func BenchmarkGradient(b *testing.B) {
	s, _ := large(b, false)
	g, u := make([]float64, 20), make([]float64, 20)
	u[0] = 0.5
	for _, workers := range []int{1, 2} {
		s.Workers = workers
		b.Run(map[int]string{1: "one worker", 2: "two workers"}[workers], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Gradient(g, u); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*many), "ns/individual")
		})
	}
}
