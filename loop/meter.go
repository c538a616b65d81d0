package loop

import (
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
	Optimum   Target // the exact optimum
	Gradient  bool   // also measure ‖∇Φ̃‖²
	Reference *Reference

	// W1 returns how far a population is from two others, each given as all states in one block; nil leaves W1Own and
	// W1Optimal out. transport.W1Both is one.
	W1 func(states, own, optimal []float64) (toOwn, toOptimal float64, err error)

	g, own, optimal []float64
}

// Measure fills m for the decision u and the population in the given states (nil when they cannot be seen).
func (t *Meter) Measure(m *kedge.Metrics, u, states []float64) error {
	m.Gradient, m.W1Own, m.W1Optimal = math.NaN(), math.NaN(), math.NaN()
	loss, err := t.value(m, u, states)
	if err != nil {
		return err
	}
	m.Value = loss
	if t.Maximize {
		m.Value = -loss
	}
	m.Gap, m.Distance = t.Optimum.Gap(loss), t.Optimum.Distance(u)
	return t.reference(m, u)
}

// aim makes another optimum the one to measure against.
func (t *Meter) aim(best Target) { t.Optimum, t.own = best, nil }

// loss returns Φ̃(u) of what was measured.
func (t *Meter) loss(m *kedge.Metrics) float64 {
	if t.Maximize {
		return -m.Value
	}
	return m.Value
}

// value returns Φ̃(u) and measures what is wanted of the settled population on the way.
func (t *Meter) value(m *kedge.Metrics, u, states []float64) (loss float64, err error) {
	if t.Gradient {
		if loss, err = t.gradient(m, u); err != nil {
			return 0, err
		}
	}
	switch {
	case t.W1 != nil && states != nil:
		return t.transport(m, u, states)
	case t.Gradient:
		return loss, nil
	}
	return t.Steady.Value(u)
}

// gradient returns Φ̃(u) and notes ‖∇Φ̃(u)‖².
func (t *Meter) gradient(m *kedge.Metrics, u []float64) (float64, error) {
	if t.g == nil {
		t.g = make([]float64, len(u))
	}
	loss, err := t.Steady.Gradient(t.g, u)
	m.Gradient = rows.Dot(t.g, t.g)
	return loss, err
}

func (t *Meter) reference(m *kedge.Metrics, u []float64) error {
	m.GapRef, m.DistanceRef = math.NaN(), math.NaN()
	if t.Reference == nil {
		return nil
	}
	loss, err := t.Reference.Rollout.Value(u)
	if err != nil {
		return err
	}
	m.GapRef, m.DistanceRef = t.Reference.Optimum.Gap(loss), t.Reference.Optimum.Distance(u)
	return nil
}

// transport returns Φ̃(u) and notes how far the population is from where it would settle under u, and under u★.
func (t *Meter) transport(m *kedge.Metrics, u, states []float64) (float64, error) {
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
	m.W1Own, m.W1Optimal, err = t.W1(states, t.own, t.optimal)
	return loss, err
}
