package steady_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// lean is p⁺ = p/2 + u + d/2, which settles at 2u + d, judged by ½(u − p)².
func lean(t *testing.T, traits ...float64) kedge.Model {
	t.Helper()
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 1}
	f, err := dynamics.NewAffine(dim, []float64{0.5}, []float64{1}, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	gain, err := f.Gain()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := sensitivity.NewAffine(dim, gain)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := objective.NewQuadratic(dim, []float64{1}, []float64{-1}, []float64{1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return kedge.Model{Dynamics: f, Settler: f, Objective: loss, Sensitivity: answer, Traits: kedge.Block{Data: traits, Width: 1}}
}

// By hand: people with the traits 1, 2 and 6 settle at 2u + d; the mean is 2u + 3, and with weights ½, ½ and 2 it is 2u + 4.5.
func TestMeansOfSettledCrowds(t *testing.T) {
	m := lean(t, 1, 2, 6)
	for want, weights := range map[float64][]float64{8 + 3: nil, 8 + 4.5: {0.5, 0.5, 2}} {
		m.Weights = weights
		s, err := steady.New(m)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 1)
		if err := s.Mean(got, []float64{4}); err != nil || !(math.Abs(got[0]-want) <= 1e-13) {
			t.Errorf("weights %v: the mean is %v (%v), want %v", weights, got, err, want)
		}
		for _, bad := range [][2][]float64{{make([]float64, 2), {4}}, {got, {4, 5}}, {got, {math.NaN()}}} {
			if err := s.Mean(bad[0], bad[1]); err == nil {
				t.Errorf("%v is the mean under %v", bad[0], bad[1])
			}
		}
	}
}

// Everybody is a copy of the traits.
func TestEverybodyOfALag(t *testing.T) {
	m := lean(t, 1, 2, 6)
	l := &steady.Lag{Model: m}
	all, err := l.Everybody()
	if err != nil || !slices.Equal(all, []float64{1, 2, 6}) {
		t.Fatalf("%v, %v", all, err)
	}
	if all[0] = 9; m.Traits.(kedge.Block).Data[0] != 1 {
		t.Error("it is no copy")
	}
	if _, err := (&steady.Lag{}).Everybody(); err == nil {
		t.Error("nobody is everybody")
	}
}

// What a model lacks is told, and by what it lacks.
func TestModelsThatLackSomething(t *testing.T) {
	for words, change := range map[string]func(m *kedge.Model){
		"settler and an objective": func(m *kedge.Model) { m.Objective = nil }, "a settler and": func(m *kedge.Model) { m.Settler, m.Dynamics = nil, nil }, "States": func(m *kedge.Model) { m.States = kedge.Block{Data: []float64{1, 2}, Width: 1} },
		"States, the first": func(m *kedge.Model) { m.States = kedge.Block{Data: make([]float64, 6), Width: 2} }, "eight": func(m *kedge.Model) { m.Weights = []float64{1} }, "cannot have weights": func(m *kedge.Model) { m.Social, m.Weights = true, []float64{1, 1, 1} },
	} {
		m := lean(t, 1, 2, 6)
		change(&m)
		if _, err := steady.New(m); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	m := lean(t, 1, 2, 6)
	m.Sensitivity = nil
	s, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Gradient(make([]float64, 1), []float64{1}); err == nil || !strings.Contains(err.Error(), "sensitivity") {
		t.Errorf("a gradient without a sensitivity: %v", err)
	}
}

// seer is a crowd that knows where its people settle, up to some of them.
type seer struct {
	f            dynamics.Polarized
	people, u    []float64
	known        int // people before whom it can tell
	blind        bool
	begun, asked int
}

func (c *seer) Foresee(u []float64) bool {
	c.begun++
	c.u = slices.Clone(u)
	return !c.blind
}

func (c *seer) AlignPeople(pu []float64, first int) (kedge.Residual, bool) {
	c.asked++
	if first >= c.known {
		return kedge.Residual{Norm: 7}, false
	}
	_, err := c.f.AlignRows(pu, c.u, c.people[first*c.f.Dim:(first+len(pu))*c.f.Dim])
	return kedge.Residual{Norm: 0.125}, err == nil
}

// A crowd is asked where its people settle for values alone, before a gradient or states are worked out it is not; what it does not know is worked out. Values have the same bits.
func TestCrowdsAreAskedForValues(t *testing.T) {
	const n, m = 300, 3 // two chunks of 128 people, and a part of one
	people := draw(t, population.Cap{Angle: 90}, n, m)
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	s, err := steady.New(kedge.Model{Settler: f, Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, Traits: kedge.Block{Data: people, Width: m}})
	check(t, err)
	u, g, states := []float64{0.3, 0.1, -0.2}, make([]float64, m), make([]float64, n*m)
	want, err := s.Value(u)
	check(t, err)
	plain := s.Residual()
	for name, x := range map[string]struct {
		crowd        seer
		ask          func() (float64, error)
		begun, asked int
		worst        float64
	}{
		"value":               {seer{known: n}, func() (float64, error) { return s.Value(u) }, 1, 3, 0.125},
		"value, some unknown": {seer{known: 200}, func() (float64, error) { return s.Value(u) }, 1, 3, 0.125},
		"value, none known":   {seer{}, func() (float64, error) { return s.Value(u) }, 1, 3, plain.Norm},
		"value, refused":      {seer{known: n, blind: true}, func() (float64, error) { return s.Value(u) }, 1, 0, plain.Norm},
		"value and states":    {seer{known: n}, func() (float64, error) { return s.Settled(states, u) }, 1, 3, 0.125},
		"gradient":            {seer{known: n}, func() (float64, error) { return s.Gradient(g, u) }, 0, 0, -1},
		"partial":             {seer{known: n}, func() (float64, error) { return s.Partial(g, u) }, 0, 0, -1},
		"states":              {seer{known: n}, func() (float64, error) { return want, s.Settle(states, u) }, 0, 0, -1},
	} {
		x.crowd.f, x.crowd.people = f, people
		s.Crowd = &x.crowd
		got, err := x.ask()
		if err != nil || math.Abs(got-want) > 1e-15 || x.begun > 0 && got != want || x.crowd.begun != x.begun || x.crowd.asked != x.asked {
			t.Errorf("%s: %v (%v), want %v; asked %d times for a decision and %d for people, want %d and %d", name, got, err, want, x.crowd.begun, x.crowd.asked, x.begun, x.asked)
		}
		if worst := s.Residual().Norm; x.worst >= 0 && worst != x.worst {
			t.Errorf("%s: the residual is %v, want %v", name, worst, x.worst)
		}
	}
}
