package loop

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
	"github.com/kedge-opt/kedge/steady"
)

// Target is a decision to measure against.
type Target struct {
	Decision []float64
	Loss     float64
}

// Gap returns (loss − loss★)/|loss★|, absolute when loss★ is 0.
func (t *Target) Gap(loss float64) float64 { return relative(loss-t.Loss, t.Loss) }

// Distance returns ‖u − u★‖/‖u★‖, absolute when u★ is 0.
func (t *Target) Distance(u []float64) float64 {
	return relative(rows.Distance(u, t.Decision), rows.Norm(t.Decision))
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

	// W1 is the distance between two populations, each as all states in one block; nil leaves W1Own and W1Optimal out.
	W1 func(a, b []float64) (float64, error)

	g, own, optimal []float64
}

// Measure fills m for the decision u and the population in the given states (nil when they cannot be seen).
func (t *Meter) Measure(m *kedge.Metrics, u, states []float64) error {
	loss, err := t.value(m, u)
	if err != nil {
		return err
	}
	m.Value = loss
	if t.Maximize {
		m.Value = -loss
	}
	m.Gap, m.Distance = t.Optimum.Gap(loss), t.Optimum.Distance(u)
	if err := t.reference(m, u); err != nil {
		return err
	}
	return t.transport(m, u, states)
}

// value returns Φ̃(u) and notes ‖∇Φ̃(u)‖² if that is wanted.
func (t *Meter) value(m *kedge.Metrics, u []float64) (float64, error) {
	m.Gradient = math.NaN()
	if !t.Gradient {
		return t.Steady.Value(u)
	}
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

func (t *Meter) transport(m *kedge.Metrics, u, states []float64) error {
	m.W1Own, m.W1Optimal = math.NaN(), math.NaN()
	if t.W1 == nil || states == nil {
		return nil
	}
	if t.own == nil {
		t.own, t.optimal = make([]float64, len(states)), make([]float64, len(states))
		if err := t.Steady.Settle(t.optimal, t.Optimum.Decision); err != nil {
			return err
		}
	}
	err := t.Steady.Settle(t.own, u)
	if err != nil {
		return err
	}
	if m.W1Own, err = t.W1(states, t.own); err != nil {
		return err
	}
	m.W1Optimal, err = t.W1(states, t.optimal)
	return err
}
