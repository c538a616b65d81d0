package kind

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Answer is the settings of methods that are told how the settled crowd answers the decision.
type Answer struct {
	Sensitivity string // "closed" formulas, "implicit" differentiation, "differences" or what a method adds
	At          string // of closed and implicit: at the "sample" as it is, or at the "settled" state of who was sampled
	Norm        string // of closed, where states are brought back to a length: that of the "current" step or, as published, of the "previous"
}

// Describe describes the keys.
func (a *Answer) Describe(f *form.Form, h *Host) { a.describe(f, h) }

// describe describes the keys, with more ways to know the sensitivity, of which the caller describes the keys.
func (a *Answer) describe(f *form.Form, h *Host, more ...form.Option) {
	ways := append([]form.Option{
		form.Choice("closed", "By the formulas of the dynamics.", ""),
		form.Choice("implicit", "By implicit differentiation of the steady state.", ""),
		form.Choice("differences", "By differences of steady states.", ""),
	}, more...)
	f.Refine("sensitivity", &a.Sensitivity, form.OneOf(ways...).Or("closed"), form.Says("How it is known how the settled crowd answers the decision.", "∇ᵤh", "implicit"))
	added := slices.ContainsFunc(more, func(o form.Option) bool { return o.Value == a.Sensitivity })
	if !added && a.Sensitivity != "differences" {
		form.Field(f, "at", &a.At, form.OneOf(
			form.Choice("sample", "Those that were sampled, as they are.", ""),
			form.Choice("settled", "Those where the sampled individuals will settle.", ""),
		).Or("sample"), form.Says("The states at which the sensitivity is taken.", "", "settled"))
	}
	if a.Sensitivity == "closed" && f.May(h.Lengths) {
		form.Field(f, "norm", &a.Norm, form.OneOf(
			form.Choice("current", "That at the state itself.", ""),
			form.Choice("previous", "That of the step that led to the state, as in the published run.", ""),
		).Or("current"), form.Says("The length by which polarized states are brought back to the sphere; only under polarized dynamics.", "‖p̃‖", "previous"))
	}
}

// Habits returns what others must know of a method that is told the answer.
func (a *Answer) Habits() Habits {
	return Habits{Settled: a.At == "settled" || a.Sensitivity == "differences", Remembers: a.Norm == "previous"}
}

// Sensed returns how the settled crowd of a model answers the decision, as far as one of its individuals can tell.
func (a *Answer) Sensed(m kedge.Model) kedge.Sensitivity {
	h := a.given(m)
	if m.Social {
		return &sensitivity.Coupled{Of: h, States: m.Dims().State}
	}
	return h
}

// given is Sensed at a given mean of the crowd.
func (a *Answer) given(m kedge.Model) kedge.Sensitivity {
	h := m.Sensitivity
	switch a.Sensitivity {
	case "implicit":
		h = &sensitivity.Implicit{Dynamics: m.Smooth()}
	case "differences":
		return &sensitivity.Differences{Settler: m.RowSettler()}
	}
	if a.At == "settled" {
		h = &sensitivity.Settled{Of: h, Settler: m.RowSettler()}
	}
	return h
}

// gradient returns the estimator that counts the answer.
func (a *Answer) gradient(s *Site) *online.Composite {
	return &online.Composite{Objective: s.RowObjective(), Sensitivity: a.Sensed(s.Model), Dims: s.Dims()}
}

// follow gives a rule the gradient that counts the answer.
func (a *Answer) follow(r *online.Rule, s *Site) (err error) {
	e := a.gradient(s)
	r.Gradient, err = s.Keep(e, e.Sensitivity)
	return err
}
