package problem

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Dynamics is how individuals answer a decision.
type Dynamics struct {
	Of       kind.Dynamics // of one alone
	Coupling float64       // κ in p⁺ = (1−κ)f(p, u, d) + κp̄: the weight of the crowd's mean
	Noise    form.Vector   // standard deviation of what is added to states every step
}

func (s *Spec) describeDynamics(f *form.Form) {
	d := &s.Dynamics
	s.kinds().DescribeDynamics(f, &d.Of)
	form.Field(f, "coupling", &d.Coupling, form.Number("a number from 0 to below 1", form.Below(0, 1)).Optional(), form.Says("How strongly everybody is drawn to the mean of the crowd. Without it nobody sees the others.", "κ in p⁺ = (1−κ)f(p, u, d) + κp̄", "0.2"))
	form.Field(f, "noise", &d.Noise, form.VectorOf(form.NotNegative()).Optional(), form.Says("The standard deviation of normal numbers added to every state after every step, one for all entries or one each; states stay where they live, on the sphere or the simplex. Decisions are judged by where people would settle without it.", "p⁺ = f(p, u, d) + noise·w", "0.05"))
}

// plain tells whether individuals are alike, alone and undisturbed: nothing but the kind of their dynamics.
func (d *Dynamics) plain() bool {
	return len(kind.ParametersOf(d.Of)) == 0 && d.Coupling == 0 && !d.noisy()
}

func (d *Dynamics) noisy() bool { return d.Noise.All != 0 || d.Noise.Each != nil }
