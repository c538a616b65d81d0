package loop_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// tiled moves people in tiles on every processor.
type tiled struct{ dynamics.Polarized }

func (tiled) Tiles() bool { return true }

// noted keeps value, gap and distance.
type noted struct{ values *[]float64 }

func (n noted) Record(s *kedge.Step) error {
	*n.values = append(*n.values, s.Row[:3]...)
	return nil
}

// A meter that asks the crowd records the bits of one that does not, whether the decision measured is the one deployed or not.
func TestForesightChangesNoBits(t *testing.T) {
	for _, exploring := range []bool{false, true} {
		alone, asking := foresightRun(t, exploring, false), foresightRun(t, exploring, true)
		for i, want := range alone {
			if math.Float64bits(asking[i]) != math.Float64bits(want) {
				t.Fatalf("exploring %v: number %d is %x, and with a crowd that is asked %x", exploring, i, want, asking[i])
			}
		}
	}
}

func foresightRun(t *testing.T, exploring, ask bool) (values []float64) {
	t.Helper()
	const n, m = 150, 6
	x, err := population.Draw(population.Cap{Angle: 90}, n, m, stream.New(1))
	if err != nil {
		t.Fatal(err)
	}
	f := tiled{dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}}
	model := kedge.Model{Dynamics: f, Settler: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: x, Width: m}, Set: set.Ball{Radius: 1}}
	crowd, err := population.Gather(population.Config{Dynamics: f, Traits: model.Traits, Pick: population.WithReplacement{Source: stream.New(2)}})
	if err != nil {
		t.Fatal(err)
	}
	value, err := steady.New(model)
	if err != nil {
		t.Fatal(err)
	}
	if ask {
		value.Crowd = crowd.Foresight(model)
	}
	rule := online.Rule{Gradient: online.Vanilla{Objective: objective.Affinity{}, Dims: f.Dims()}, Set: model.Set, Step: online.Constant(0.1)}
	if exploring {
		if rule.Gradient, err = online.NewDerivativeFree(m, 0.05, stream.New(3)); err != nil {
			t.Fatal(err)
		}
	}
	algorithm, err := rule.From(x[:m])
	if err != nil {
		t.Fatal(err)
	}
	meter := &loop.Meter{Steady: value, Optimum: loop.Target{Decision: x[:m], Loss: 1}}
	l := loop.Loop{
		Population: crowd, Algorithm: algorithm, Objective: objective.Affinity{}, Turns: 20, Batch: 5, Instruments: []kedge.Instrument{meter, loop.Trust{}},
		Recorder: noted{&values},
	}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return append(values, crowd.States()...)
}

// shown tells whether it was shown states.
type shown struct {
	loop.Trust
	blind bool
	saw   *int
}

func (s shown) Sightless() bool { return s.blind }

func (s shown) Measure(_ context.Context, _ []float64, t *kedge.Turn) error {
	*s.saw = len(t.States)
	return nil
}

// Instruments that measure decisions, answers of an algorithm and constraints alone do without states.
func TestWhoDoesWithoutStates(t *testing.T) {
	for _, one := range []kedge.Instrument{loop.Decisions{}, loop.NewTraits(2, nil), loop.Constraints{}, &loop.Nash{}, loop.Trust{}, &loop.Meter{}} {
		if s, ok := one.(kedge.Sightless); !ok || !s.Sightless() {
			t.Errorf("%T wants to see states", one)
		}
	}
}

// Nobody's states are brought where all instruments tell that they do not look.
func TestStatesAreBroughtForThoseWhoLook(t *testing.T) {
	q, saw := newLQ2(t), 0
	for _, c := range []struct {
		others []kedge.Instrument
		blind  bool
		want   bool
	}{{nil, true, false}, {nil, false, true}, {[]kedge.Instrument{&loop.Meter{}}, true, false}, {[]kedge.Instrument{&loop.Meter{W1: transport.W1Both}}, true, true},
		{[]kedge.Instrument{loop.Decisions(loop.DecisionColumns(2, nil))}, true, false}, {[]kedge.Instrument{loop.NewTraits(2, nil)}, true, false}} {
		l, _ := q.loop(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, 0.1, 0, 1)
		l.Recorder, l.Instruments = noted{new([]float64)}, append([]kedge.Instrument{shown{blind: c.blind, saw: &saw}, shown{blind: true, saw: &saw}, loop.Trust{}}, c.others...)
		saw = 0
		func() {
			defer func() { _ = recover() }() // of a meter that has nothing to measure by
			_ = l.Run(t.Context())
		}()
		if (saw > 0) != c.want {
			t.Errorf("%d numbers of states are brought to %+v", saw, c)
		}
	}
}
