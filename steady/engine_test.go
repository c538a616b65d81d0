package steady_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// other is an engine that judges all whole chunks of a crowd by an Objective of its own, and the rest as it is told.
type other struct {
	all, whole   *steady.Objective
	people, some int
	worst        kedge.Residual
	refuses      bool
	wrong        float64 // added to a sum
	asked        int
}

func (e *other) Sum(u []float64) (float64, kedge.Residual, bool) {
	e.asked++
	v, _ := e.all.Value(u)
	return v * float64(e.people), e.worst, !e.refuses
}

func (e *other) SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (kedge.Residual, bool) {
	e.asked++
	of, part := e.whole.Partial, slices.Repeat([]float64{1e9}, len(total)) // what was there before does not count
	if answered {
		of = e.whole.Gradient
	}
	v, err := of(total[1:], u)
	total[0] = v
	rows.Scale(total, float64(e.some))
	if err != nil || !rest(part, e.some) {
		return e.worst, false
	}
	rows.AddScaled(total, 1, part)
	total[0] += e.wrong
	return e.worst, !e.refuses
}

// What an engine sums elsewhere is what would have been summed here, as a mean, with its residual; what it cannot tell, or tells that is no number, is worked out here. It is
// not asked for states, nor once the context has ended.
func TestEnginesAreAsked(t *testing.T) {
	const n, m, some = 1324, 3, 1280 // ten chunks, and a part of one
	people := draw(t, population.Cap{Angle: 90}, n, m)
	of := func(n int) *steady.Objective {
		s, err := steady.New(kedge.Model{
			Settler: dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people[:n*m], Width: m}, Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5},
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	e := &other{all: of(n), whole: of(some), people: n, some: some, worst: kedge.Residual{Norm: 0.125}}
	here, there := of(n), of(n)
	there.Engine = e
	u := []float64{0.3, 0.1, -0.2}
	for name, x := range map[string]func(s *steady.Objective, g []float64) (float64, error){
		"value":    func(s *steady.Objective, _ []float64) (float64, error) { return s.Value(u) },
		"gradient": func(s *steady.Objective, g []float64) (float64, error) { return s.Gradient(g, u) },
		"partial":  func(s *steady.Objective, g []float64) (float64, error) { return s.Partial(g, u) },
	} {
		want, a := make([]float64, m), make([]float64, m)
		plain, err := x(here, want)
		if err != nil {
			t.Fatal(err)
		}
		for way, set := range map[string]func(){"asked": func() {}, "refused": func() { e.refuses = true }, "until": func() { there.Until = t.Context() }, "no number": func() { e.wrong = math.NaN() }} {
			*e = other{all: e.all, whole: e.whole, people: n, some: some, worst: e.worst}
			there.Until = nil
			set()
			v, err := x(there, a)
			if err != nil || e.asked != 1 || !(math.Abs(v-plain) <= 1e-14 || way == "no number" && name == "value") || rows.Distance(a, want) > 1e-14 {
				t.Errorf("%s, %s: %v and %v (%v) after %d questions, want %v and %v", name, way, v, a, err, e.asked, plain, want)
			}
			if told := there.Residual().Norm == 0.125; told != (way == "asked" || way == "until" || way == "no number" && name == "value") {
				t.Errorf("%s, %s: the residual is %v", name, way, there.Residual())
			}
		}
		*e = other{all: e.all, whole: e.whole, people: n, some: some, worst: e.worst}
		ended, end := context.WithCancel(t.Context())
		end()
		there.Until = ended
		if _, err := x(there, a); !errors.Is(err, context.Canceled) || e.asked != 0 {
			t.Errorf("%s: %v after the end, %d questions", name, err, e.asked)
		}
		there.Until = nil
	}
	states := make([]float64, n*m)
	if err := there.Settle(states, u); err != nil || e.asked != 0 {
		t.Errorf("asked %d times for states (%v)", e.asked, err)
	}
	few := lean(t, 1, 2, 6) // whose states Settled works out with the value
	plain, err := steady.New(few)
	check(t, err)
	asked, err := steady.New(few)
	check(t, err)
	e = &other{all: plain, people: 3}
	foreseen := &seer{known: 3}
	asked.Engine, asked.Crowd, states = e, foreseen, states[:3]
	if _, err := asked.Settled(states, []float64{4}); err != nil || e.asked != 0 || rows.Distance(states, []float64{9, 10, 14}) > 1e-13 {
		t.Errorf("asked %d times for a value with its states: %v (%v)", e.asked, states, err)
	}
	if asked.Engine = nil; foreseen.begun == 0 {
		_, err = asked.Value([]float64{4})
	}
	if err != nil || foreseen.begun != 0 {
		t.Errorf("a crowd is asked %d times for products that the objective does not judge by (%v)", foreseen.begun, err)
	}
}
