package loop

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Stage is the optimum of one turn.
type Stage struct {
	Turn   int
	Target Target
}

// Course is an optimum that moves: its stages at all recorded turns, in order.
type Course []Stage

// at returns the target of turn k.
func (c Course) at(k int) (Target, error) {
	i, found := slices.BinarySearchFunc(c, k, func(s Stage, k int) int { return s.Turn - k })
	if !found {
		return Target{}, fmt.Errorf("the optimum of turn %d is not known", k)
	}
	return c[i].Target, nil
}

// Track tells how a decision follows an optimum u★ that moves. It measures after the meter whose Course it is, and counts the
// regret of one run.
type Track struct {
	Meter *Meter

	last   int // the turn counted last
	regret float64
}

var _ wire.State = (*Track)(nil)

// Columns are the tracking error and the regret.
func (*Track) Columns() []kedge.Column {
	return []kedge.Column{
		// ‖u − u★‖
		{Name: "tracking", Label: "tracking error, ‖u − u*‖", Chart: "tracking", Title: "Distance to the moving optimum", Symbols: "tracking error ‖u − u★‖",
			Better: kedge.Smaller, Scale: kedge.Logarithmic, Meaning: "How far the decision in force lies from the optimal one for the people who are there."},
		// Σ (Φ̃(u) − Φ̃★) over all turns so far; a measured turn stands for those since the one before.
		{Name: "regret", Label: "dynamic regret", Chart: "regret", Title: "Dynamic regret", Symbols: "regret", Better: kedge.Smaller,
			Meaning: "What has been lost so far against a decision-maker who knows the optimum of every turn."},
	}
}

// Measure compares with the optimum that the meter has just measured against.
func (t *Track) Measure(_ context.Context, row []float64, turn *kedge.Turn) error {
	weight := float64(turn.K - t.last)
	if turn.K == 0 {
		weight = 1
	}
	best := &t.Meter.Optimum
	t.regret += float64(weight * (t.Meter.loss - best.Loss))
	t.last = turn.K
	row[0], row[1] = rows.Distance(turn.U, best.Decision), t.regret
	return nil
}

const trackKind = "loop.Track/1"

// AppendBinary appends how far the regret has been counted.
func (t *Track) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, trackKind, t.fields) }

// UnmarshalBinary makes t go on from there. On an error t is unchanged.
func (t *Track) UnmarshalBinary(data []byte) error { return wire.Restore(data, trackKind, t.fields) }

func (t *Track) fields(f *wire.Fields) {
	f.Int(&t.last, math.MaxInt)
	f.Float(&t.regret)
}
