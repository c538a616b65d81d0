package main

import (
	"math"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// unit descends by steps whose length is what the schedule says, however long the gradient is.
type unit struct{ kind.Answer }

// Word implements [form.Kind].
func (*unit) Word() form.Option {
	return form.Choice("unit", "Follows the direction of the composite gradient.", "u⁺ = Π(u − η g/‖g‖), g = ∇ᵤΦ + ∇ᵤh ∇ₚΦ")
}

// Facts implements [kind.Method].
func (m *unit) Facts() kind.Facts {
	return kind.Facts{
		Title: "Composite steps of a given length", Needs: online.Needs{Samples: true, Sensitivity: true}, Limit: online.Optimal, Held: online.Optimal,
		Step: kind.Length, Habits: m.Habits(),
	}
}

// Describe implements [kind.Method]; its keys are those of the answer.
func (m *unit) Describe(f *form.Form, h *kind.Host) { m.Answer.Describe(f, h) }

// Usual implements [kind.ComparedMethod]: steps of one length would go round the optimum for ever.
func (*unit) Usual(kind.Scales) []form.Setting {
	return []form.Setting{{Key: "schedule", Value: "diminishing"}, {Key: "delay", Value: "10"}}
}

// Build implements [kind.Method].
func (m *unit) Build(r *online.Rule, _ *kind.Algorithm, s *kind.Site) (err error) {
	h := m.Sensed(s.Model)
	r.Transforms = append(r.Transforms, direction{})
	r.Gradient, err = s.Keep(&online.Composite{Objective: s.RowObjective(), Sensitivity: h, Dims: s.Dims()}, h)
	return err
}

// direction brings gradients to length 1; those that vanish stay.
type direction struct{}

// Apply implements [online.Transform].
func (direction) Apply(g []float64) {
	norm := 0.0
	for _, x := range g {
		norm = math.Hypot(norm, x)
	}
	if norm == 0 {
		return
	}
	for i := range g {
		g[i] /= norm
	}
}
