package main

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
)

// fatigue is people who answer weak decisions in proportion and grow tired of strong ones.
type fatigue struct{ Inertia, Strength float64 }

const fatigueLaw = "p⁺ = λp + (1−λ)(d + s·tanh u)"

// Word implements [form.Kind].
func (*fatigue) Word() form.Option {
	return form.Choice("fatigue", "Answers that level off, entry by entry.", fatigueLaw)
}

// Describe implements [kind.Dynamics].
func (x *fatigue) Describe(f *form.Form) {
	form.Field(f, "inertia", &x.Inertia, form.Number("a number from 0 to below 1", form.Below(0, 1)), form.Says("How much of the state stays.", "λ in "+fatigueLaw, "0.5"))
	form.Field(f, "strength", &x.Strength, form.Positive().Or(1), form.Says("How far people go along with a strong decision.", "s in "+fatigueLaw, "0.8"))
}

// Dims implements [kind.Dynamics].
func (*fatigue) Dims(dim int) kedge.Dims { return kedge.Dims{Decision: dim, State: dim, Trait: dim} }

// Check implements [kind.Dynamics]; nothing must hold between the keys.
func (*fatigue) Check(*kind.Scene) {}

// Build implements [kind.Dynamics]. Where people settle is found by iteration, and how that answers decisions by the implicit function
// theorem.
func (x *fatigue) Build(dim kedge.Dims) (kedge.Model, error) {
	f := dynamics.Func{
		Size: dim,
		F: func(dst, p, u, d []float64) {
			for i := range dst {
				dst[i] = float64(x.Inertia*p[i]) + float64((1-x.Inertia)*(d[i]+float64(x.Strength*math.Tanh(u[i]))))
			}
		},
		Pull: func(gp, gu, _, u, _, v []float64) {
			for i := range gp {
				gp[i] += float64(x.Inertia * v[i])
			}
			for i := range gu {
				t := math.Tanh(u[i])
				gu[i] += float64((1 - x.Inertia) * x.Strength * (1 - float64(t*t)) * v[i])
			}
		},
	}
	return kedge.Model{Dynamics: f, Sensitivity: &sensitivity.Implicit{Dynamics: f}}, f.Check()
}

// Words implements [kind.Dynamics].
func (x *fatigue) Words() string {
	return fmt.Sprintf("%s with λ = %v and s = %v", fatigueLaw, x.Inertia, x.Strength)
}
