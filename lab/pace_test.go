package lab

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// counted counts what a search asks for.
type counted struct {
	optimum.Function
	asked *atomic.Int64
}

func (c counted) Gradient(g, u []float64) (float64, error) {
	c.asked.Add(1)
	return c.Function.Gradient(g, u)
}

// Searches take about as many gradients as estimates of time suppose: within a factor of three, which is what is promised of those. Both are
// counted, so that the test knows no clock.
func TestSearchesAreAsLongAsSupposed(t *testing.T) {
	evidence.OneGoroutine(t)
	for _, name := range []string{"choice", "lq2", "polarized", "softmax", "square-root", "examples/charging.yaml", "examples/opinions.yaml"} {
		p := paced(t, name)
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int64
		if _, err := optimum.Rests(t.Context(), func(g, u []float64) (float64, error) { asked.Add(1); return f.Partial(g, u) }, p.Set, p.Start, p.Search); err != nil {
			t.Fatal(err)
		}
		if _, err := optimum.Find(t.Context(), counted{f, &asked}, p.Set, [][]float64{p.Start}, p.Effort()); err != nil {
			t.Fatal(err)
		}
		if ratio := searchLength(p) / float64(asked.Load()); ratio < 1./3 || ratio > 3 {
			t.Errorf("%s: the search asks for %d gradients, supposed are %v", name, asked.Load(), searchLength(p))
		}
	}
}

// paced is a case, or an example of the repository.
func paced(t *testing.T, name string) *problem.Problem {
	t.Helper()
	text, ok := problem.Case(name)
	if !ok {
		var err error
		if text, err = os.ReadFile(filepath.Join("..", name)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := problem.Parse(kind.Standard(), name, text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Trials share the workers, turns and measurements add up, and the search is on top: 3 s and 2·(20·0.1 s + 4·0.5 s) + 1·(20·0.2 s + 4·0.5 s)
// by two workers are 3 + 14/2 = 10 s, and with three times the trials 3 + 42/2 = 24 s.
func TestSecondsAddUp(t *testing.T) {
	s := *paced(t, "lq2").Spec
	s.Iterations, s.Record.Every = 20, 10 // measured at 0, 10, 20, and a place more
	s.Algorithms = append(s.Algorithms[:0:0], s.Algorithms[0], s.Algorithms[1])
	s.Algorithms[0].Trials, s.Algorithms[1].Trials = 2, 1
	p := &Pace{workers: 2, turns: []float64{0.1, 0.2}, measure: 0.5, search: 3}
	for times, want := range map[float64]float64{1: 10, 3: 24} {
		if got := p.Seconds(&s, times); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v times the trials take %v s, want %v", times, got, want)
		}
	}
}

// Turns are those of the first trial, which has no loss of one before it to begin with: they come to the decision that a loop of its own comes to.
func TestPacesAreOfTheFirstTrial(t *testing.T) {
	p := of(t, "lq2", "iterations=5", "population.sampling=with-replacement", "algorithms=[{name: a, kind: derivative-free, step: 0.05, delta: 0.1, batch: 2, carry: true, trials: 2}]")
	_, got, err := turnOf(t.Context(), p, 0, 1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	l := loop.Loop{Population: first.Population, Algorithm: first.Algorithm, Objective: first.Objective, Turns: 5, Batch: 2, Hold: p.Spec.Hold}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 2)
	if first.Algorithm.Ask(want); !slices.Equal(got, want) {
		t.Errorf("they come to %v, want %v", got, want)
	}
}

// What is measured ends soon, also where nobody has time.
func TestPacesEndSoon(t *testing.T) {
	p, begun := paced(t, "polarized"), time.Now()
	if pace, err := NewPace(t.Context(), p, 1, time.Nanosecond); err != nil || !(pace.Seconds(p.Spec, 1) > 0) || pace.workers != 1 {
		t.Errorf("%v, %v", pace, err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("a moment took %v", took)
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	if _, err := NewPace(done, p, 1, time.Hour); err == nil {
		t.Error("it goes on after a stop")
	}
}
