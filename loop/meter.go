package loop

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/steady"
)

// Target is a decision to measure against, which must not change from then on.
type Target struct {
	Decision []float64
	Loss     float64

	size float64 // ‖Decision‖ once it has been asked for
}

// Gap returns (loss − loss★)/|loss★|, absolute when loss★ is 0.
func (t *Target) Gap(loss float64) float64 { return relative(loss-t.Loss, t.Loss) }

// Distance returns ‖u − u★‖/‖u★‖, absolute when u★ is 0.
func (t *Target) Distance(u []float64) float64 {
	if t.size == 0 {
		t.size = rows.Norm(t.Decision)
	}
	return relative(rows.Distance(u, t.Decision), t.size)
}

func relative(x, scale float64) float64 {
	if scale == 0 {
		return x
	}
	return x / math.Abs(scale)
}

// Reference is a second notion of value with an optimum of its own.
type Reference struct {
	Rollout *steady.Rollout
	Optimum Target
}

// Meter measures decisions by the settled population. It owns its workspace: one goroutine at a time.
type Meter struct {
	Steady    *steady.Objective
	Maximize  bool   // report −Φ̃ as the value
	Optimum   Target // the exact optimum; with a Course that of the turn measured last
	Course    Course // the optimum where it moves; nil where it stays
	Gradient  bool   // also measure ‖∇Φ̃‖²
	Reference *Reference

	// W1 returns how far a population is from two others, each given as all states in one block; nil leaves W1Own and
	// W1Optimal out. transport.W1Both is one.
	W1 func(states, own, optimal []float64) (toOwn, toOptimal float64, err error)

	loss            float64 // Φ̃ of the decision measured last
	g, own, optimal []float64
}

// The places of a meter's numbers in its row.
const (
	atValue = iota
	atGap
	atDistance
	atW1Own
	atW1Optimal
	atGradient
	atGapRollout
	atDistanceRollout
)

// Columns are eight: what is not measured stays NaN.
func (t *Meter) Columns() []kedge.Column {
	better := kedge.Smaller
	if t.Maximize {
		better = kedge.Larger
	}
	return []kedge.Column{
		{Name: "value", Label: "value of the settled population", Chart: "value", Title: "Value", Symbols: "value of the settled population", Better: better,
			Meaning: "The value of the decision in force, once the population has settled under it."},
		{Name: "gap", Label: "relative gap to the optimum", Chart: "gap", Title: "Gap to the optimum", Symbols: "relative gap",
			Better: kedge.Smaller, Scale: kedge.Logarithmic, Relative: true,
			Meaning: "What the decision in force loses, once the population has settled under it, relative to the best possible."},
		{Name: "distance", Label: "relative distance to the optimum", Chart: "distance", Title: "Distance to the optimum", Symbols: "relative distance ‖u − u★‖ / ‖u★‖",
			Better: kedge.Smaller, Scale: kedge.Logarithmic, Relative: true,
			Meaning: "How far the decision in force lies from the optimal one."},
		{Name: "w1_own", Label: "Wasserstein distance to the population settled under u", Chart: "lag", Title: "Lag of the population", Symbols: "W₁ to its own settled population",
			Scale: kedge.Logarithmic, Meaning: "How far the population is from the one that would settle under the decision in force."},
		{Name: "w1_optimal", Label: "Wasserstein distance to the optimal settled population", Chart: "w1", Title: "Distance of the population", Symbols: "W₁ to the optimal settled population",
			Better: kedge.Smaller, Scale: kedge.Logarithmic, Meaning: "How far the population is from the one that settles under the optimum."},
		{Name: "gradient", Label: "squared gradient of the settled value", Chart: "gradient", Title: "Squared gradient", Symbols: "‖∇Φ̃(u)‖²",
			Better: kedge.Smaller, Scale: kedge.Logarithmic, Meaning: "The squared gradient of the settled value at the decision in force."},
		{Name: "gap_rollout", Label: "relative gap to the roll-out's optimum", Scale: kedge.Logarithmic, Relative: true},
		{Name: "distance_rollout", Label: "relative distance to the roll-out's optimum", Scale: kedge.Logarithmic, Relative: true},
	}
}

// Measure fills the row for the decision of a turn and the population as it is then. Under a decision for which nobody settles there is no
// value, and what depends on it is NaN.
func (t *Meter) Measure(_ context.Context, row []float64, turn *kedge.Turn) (err error) {
	fill(row, math.NaN())
	if t.Course != nil {
		if t.Optimum, err = t.Course.at(turn.K); err != nil {
			return err
		}
		t.own = nil
	}
	if t.loss, err = t.value(row, turn.U, turn.States); err != nil {
		if !kedge.IsUnsettled(err) {
			return err
		}
		t.loss = math.NaN()
		row[atDistance] = t.Optimum.Distance(turn.U)
		return nil
	}
	row[atValue] = t.loss
	if t.Maximize {
		row[atValue] = -t.loss
	}
	row[atGap], row[atDistance] = t.Optimum.Gap(t.loss), t.Optimum.Distance(turn.U)
	return t.reference(row, turn.U)
}

// Sightless tells that no distances of the population are measured.
func (t *Meter) Sightless() bool { return t.W1 == nil }

// Employ lets the meter use so many workers.
func (t *Meter) Employ(workers int) {
	t.Steady.Workers = workers
	if t.Reference != nil {
		t.Reference.Rollout.Workers = workers
	}
}

// Clone returns a meter with a workspace of its own.
func (t *Meter) Clone() *Meter {
	m := *t
	m.Steady = m.Steady.Clone()
	if m.Reference != nil {
		m.Reference = &Reference{Rollout: m.Reference.Rollout.Clone(), Optimum: m.Reference.Optimum}
	}
	return &m
}

// value returns Φ̃(u) and measures what is wanted of the settled population on the way.
func (t *Meter) value(row []float64, u, states []float64) (loss float64, err error) {
	if t.Gradient {
		if loss, err = t.gradient(row, u); err != nil {
			return 0, err
		}
	}
	switch {
	case t.W1 != nil && states != nil:
		return t.transport(row, u, states)
	case t.Gradient:
		return loss, nil
	}
	return t.Steady.Value(u)
}

// gradient returns Φ̃(u) and notes ‖∇Φ̃(u)‖².
func (t *Meter) gradient(row []float64, u []float64) (float64, error) {
	if t.g == nil {
		t.g = make([]float64, len(u))
	}
	loss, err := t.Steady.Gradient(t.g, u)
	row[atGradient] = rows.Dot(t.g, t.g)
	return loss, err
}

func (t *Meter) reference(row []float64, u []float64) error {
	if t.Reference == nil {
		return nil
	}
	loss, err := t.Reference.Rollout.Value(u)
	if err != nil {
		return err
	}
	row[atGapRollout], row[atDistanceRollout] = t.Reference.Optimum.Gap(loss), t.Reference.Optimum.Distance(u)
	return nil
}

// transport returns Φ̃(u) and notes how far the population is from where it would settle under u, and under u★.
func (t *Meter) transport(row []float64, u, states []float64) (float64, error) {
	if t.own == nil {
		t.own, t.optimal = make([]float64, len(states)), make([]float64, len(states))
		if err := t.Steady.Settle(t.optimal, t.Optimum.Decision); err != nil {
			return 0, err
		}
	}
	loss, err := t.Steady.Settled(t.own, u)
	if err != nil {
		return 0, err
	}
	row[atW1Own], row[atW1Optimal], err = t.W1(states, t.own, t.optimal)
	return loss, err
}

// fill sets all numbers of a row.
func fill(row []float64, v float64) {
	for i := range row {
		row[i] = v
	}
}
