package loop_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/stream"
)

// exploring returns a loop of 23 turns with everything random in it, and the states it consists of.
func exploring(t *testing.T, log *turnLog) (*loop.Loop, []wire.State) {
	q := newLQ2(t)
	g, err := online.NewDerivativeFree(2, 0.2, stream.New(4, "directions"))
	if err != nil {
		t.Fatal(err)
	}
	l, rule := q.loop(t, g, 0.02, 23, 3)
	l.Recorder, l.Every = log, 5
	return l, []wire.State{q.crowd, rule}
}

// A loop that is saved after any turn and goes on in new parts records the same bits as one that was left alone.
func TestGoesOnWhereItWasSaved(t *testing.T) {
	whole := &turnLog{}
	l, _ := exploring(t, whole)
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= l.Turns; k++ {
		parts := &turnLog{}
		saved := stopAfter(t, k, parts)
		l, states := exploring(t, parts)
		l.From = k
		if err := errors.Join(wire.RestoreAll(states, saved), l.Run(context.Background())); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(parts.k, whole.k) || !slices.EqualFunc(parts.u, whole.u, slices.Equal) {
			t.Errorf("saved after %d turns: recorded %v at %v, want %v at %v", k, parts.u, parts.k, whole.u, whole.k)
		}
	}
}

// stopAfter runs k turns and returns the states after them.
func stopAfter(t *testing.T, k int, log *turnLog) (saved [][]byte) {
	stop := errors.New("stop")
	l, states := exploring(t, log)
	l.After = func(turns int) error {
		if turns < k {
			return nil
		}
		for _, s := range states {
			b, err := s.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			saved = append(saved, b)
		}
		return stop
	}
	if err := l.Run(context.Background()); err != stop {
		t.Fatalf("ended with %v, want the error of After", err)
	}
	return saved
}
