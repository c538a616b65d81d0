package steady_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/steady"
)

// Room for a gradient of another length is refused by whoever gives one, and so are states of other people.
func TestRefusesRoomOfAnotherLength(t *testing.T) {
	s, rolled := polarized(t, 3, 4)
	circle := affineCircle(t)
	round := circle.objective(t, circle.people(t, 5, 1))
	for name, ask := range map[string]func(g []float64) error{
		"Gradient":    func(g []float64) error { _, err := s.Gradient(g, make([]float64, 4)); return err },
		"Partial":     func(g []float64) error { _, err := s.Partial(g, make([]float64, 4)); return err },
		"Rollout":     func(g []float64) error { _, err := rolled.Gradient(g, make([]float64, 4)); return err },
		"of a circle": func(g []float64) error { _, err := round.Gradient(g, make([]float64, 2)); return err },
	} {
		for _, n := range []int{1, 3, 5} {
			var dim *kedge.DimError
			if err := ask(make([]float64, n)); !errors.As(err, &dim) || dim.Arg != "g" || dim.Got != n {
				t.Errorf("%s with room for %d: %v", name, n, err)
			}
		}
	}
	for _, n := range []int{0, 11, 13} {
		if err := s.Settle(make([]float64, n), make([]float64, 4)); err == nil {
			t.Errorf("3 people settle in room for %d numbers of 12", n)
		}
	}
}

// A crowd with whole weights is one in which people are there so many times: 300 people, more than are rolled out at once.
func TestWeightedRolloutsAreThoseOfRepeatedPeople(t *testing.T) {
	const n, m = 300, 3
	people := draw(t, population.Cap{Angle: 90}, n, m)
	weights, repeated := make([]float64, n), []float64(nil)
	for i := range n {
		weights[i] = float64(i % 4)
		for range i % 4 {
			repeated = append(repeated, kedge.Row(people, i, m)...)
		}
	}
	scaled, err := kedge.ScaleWeights(weights, n)
	check(t, err)
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	weighted := &steady.Rollout{Model: kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: m}, Weights: scaled}, Steps: 4}
	plain := &steady.Rollout{Model: kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: repeated, Width: m}}, Steps: 4}
	u, g, want := []float64{0.3, -0.2, 0.5}, make([]float64, m), make([]float64, m)
	a, err := weighted.Gradient(g, u)
	check(t, err)
	b, err := plain.Gradient(want, u)
	check(t, err)
	alone, err := weighted.Value(u)
	check(t, err)
	if !(math.Abs(a-b) <= 1e-14) || !(math.Abs(alone-b) <= 1e-14) || rows.Distance(g, want) > 1e-14 {
		t.Errorf("with weights %v, %v and %v, repeated %v and %v", a, alone, g, b, want)
	}
}

// unsmooth hides the derivatives of dynamics.
type unsmooth struct{ kedge.Dynamics }

// What a roll-out needs is asked for.
func TestRolloutsAreChecked(t *testing.T) {
	f, traits := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, kedge.Block{Data: []float64{1, 0, 0, 1}, Width: 2}
	good := kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: traits}
	for name, x := range map[string]struct {
		spoil func(*kedge.Model)
		steps int
		ok    bool
	}{
		"good":           {func(*kedge.Model) {}, 1, true},
		"no steps":       {func(*kedge.Model) {}, 0, false},
		"no dynamics":    {func(m *kedge.Model) { m.Dynamics = unsmooth{f} }, 1, false},
		"no objective":   {func(m *kedge.Model) { m.Objective = nil }, 1, false},
		"social":         {func(m *kedge.Model) { m.Social = true }, 1, false},
		"wide traits":    {func(m *kedge.Model) { m.Traits = kedge.Block{Data: []float64{1, 0, 0}, Width: 3} }, 1, false},
		"wide states":    {func(m *kedge.Model) { m.States = kedge.Block{Data: []float64{1, 0, 0}, Width: 3} }, 1, false},
		"too few states": {func(m *kedge.Model) { m.States = kedge.Block{Data: []float64{1, 0}, Width: 2} }, 1, false},
		"a weight":       {func(m *kedge.Model) { m.Weights = []float64{1} }, 1, false},
	} {
		r := &steady.Rollout{Model: good, Steps: x.steps}
		x.spoil(&r.Model)
		if _, err := r.Clone().Value([]float64{0, 0}); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One individual is enough to tell what has vanished, nobody is not, and where somebody does not come to rest, nobody knows where, or people see each other nothing is told.
func TestVanishedOfFew(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{0}, []float64{0})
	check(t, err)
	one := kedge.Block{Data: []float64{3}, Width: 1}
	m := kedge.Model{Dynamics: f, Settler: f, Traits: one, States: one}
	if got := steady.Vanished(m, []int{0}, [][]float64{{1}}); len(got) != 1 {
		t.Errorf("of one individual %v has gone, want its only entry", got)
	}
	if got := steady.Vanished(m, nil, [][]float64{{1}}); got != nil {
		t.Errorf("of nobody %v has gone", got)
	}
	crowd := m
	crowd.Social = true
	if got := steady.Vanished(crowd, []int{0}, [][]float64{{1}}); got != nil {
		t.Errorf("of a crowd that sees itself %v has gone", got)
	}
	restless := dynamics.Func{Size: f.Dims(), F: func(dst, p, _, _ []float64) { dst[0] = -p[0] }}
	m.Dynamics, m.Settler = restless, dynamics.NewWalked(kedge.Batched(restless))
	if got := steady.Vanished(m, []int{0}, [][]float64{{1}}); got != nil {
		t.Errorf("of somebody who never rests %v has gone", got)
	}
	m.Settler = nil
	if got := steady.Vanished(m, []int{0}, [][]float64{{1}}); got != nil {
		t.Errorf("of somebody of whom nobody knows where he settles %v has gone", got)
	}
}
