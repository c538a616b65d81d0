package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
)

// view is what a run shows its instruments. What they and the population can do is asked once.
type view struct {
	loop      *Loop
	step      kedge.Step
	turn      kedge.Turn
	parts     [][]float64 // of the row, by instrument
	early     []kedge.Forerunner
	onlookers []kedge.Onlooker

	center  func(u []float64) // writes the decision that the algorithm recommends
	states  func() []float64  // nil when the population does not show them
	prepare func() error      // nil where nobody comes, goes or changes
}

func (l *Loop) view() *view {
	u := make([]float64, l.Population.Dims().Decision)
	v := &view{loop: l, turn: kedge.Turn{U: u, Algorithm: l.Algorithm}, center: Center(l.Algorithm)}
	if c, ok := l.Population.(kedge.VisibleCrowd); ok && slices.ContainsFunc(l.Instruments, sees) {
		v.states = c.States
	}
	if c, ok := l.Population.(kedge.PreparedCrowd); ok {
		v.prepare = c.Prepare
	}
	v.step = kedge.Step{U: u, Row: make([]float64, len(Columns(l.Instruments)))}
	rest := v.step.Row
	for _, one := range l.Instruments {
		n := len(one.Columns())
		v.parts, rest = append(v.parts, rest[:n:n]), rest[n:]
		if e, ok := one.(kedge.Forerunner); ok {
			v.early = append(v.early, e)
		}
		if o, ok := one.(kedge.Onlooker); ok {
			v.onlookers = append(v.onlookers, o)
		}
	}
	return v
}

// sees tells whether an instrument looks at states.
func sees(one kedge.Instrument) bool {
	s, ok := one.(kedge.Sightless)
	return !ok || !s.Sightless()
}

// measure records the start of turn k when it is due.
func (v *view) measure(ctx context.Context, k int) error {
	recorded := v.recorded(k)
	if !recorded && (len(v.early) == 0 || !v.recorded(k+1)) {
		return nil
	}
	if recorded && v.prepare != nil {
		if err := v.prepare(); err != nil {
			return fmt.Errorf("prepare turn %d: %w", k, err)
		}
	}
	v.show(k)
	if !recorded {
		return v.forerun(ctx)
	}
	for i, one := range v.loop.Instruments {
		if err := one.Measure(ctx, v.parts[i], &v.turn); err != nil {
			return fmt.Errorf("measure before turn %d: %w", k, err)
		}
	}
	if err := v.loop.Recorder.Record(&v.step); err != nil {
		return fmt.Errorf("record turn %d: %w", k, err)
	}
	return nil
}

// recorded tells whether the start of turn k is recorded: every so many turns and after the last.
func (v *view) recorded(k int) bool {
	l := v.loop
	return l.Recorder != nil && (k%max(1, l.Every) == 0 || k == l.Turns)
}

// show puts the start of turn k before the instruments.
func (v *view) show(k int) {
	v.step.K, v.turn.K, v.turn.Last = k, k, k == v.loop.Turns
	v.center(v.turn.U)
	if v.states != nil {
		v.turn.States = v.states()
	}
}

// forerun shows a turn that is not recorded to those who must see it.
func (v *view) forerun(ctx context.Context) error {
	for _, one := range v.early {
		if err := one.Forerun(ctx, &v.turn); err != nil {
			return fmt.Errorf("measure before turn %d: %w", v.turn.K, err)
		}
	}
	return nil
}

// look shows the onlookers what a turn showed the algorithm.
func (v *view) look(o kedge.Observation) error {
	for _, one := range v.onlookers {
		if err := one.Look(o); err != nil {
			return err
		}
	}
	return nil
}

// Center returns what writes the decision that an algorithm recommends: an Explorer's center, else what it asks for.
func Center(of kedge.Algorithm) func(u []float64) {
	if e, ok := of.(kedge.Explorer); ok {
		return e.Center
	}
	return of.Ask
}

// Columns lists the columns of rows that some instruments fill, in order.
func Columns(list []kedge.Instrument) []kedge.Column {
	return slices.Concat(lists.Of(list, kedge.Instrument.Columns)...)
}
