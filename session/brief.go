package session

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session/plan"
)

// Brief is what a spec makes of a loop.
type Brief = plan.Brief

// Planner makes a plan of a spec, in YAML.
type Planner func(spec string) (*Brief, error)

// Standard plans specs of the standard kinds.
func Standard(spec string) (*Brief, error) { return PlanOf(kind.Standard(), spec) }

// PlanOf plans a spec that names kinds of a catalogue. It can name no file.
func PlanOf(kinds *kind.Catalogue, spec string) (*Brief, error) {
	b, err := plan.Of(kinds, spec)
	if err != nil {
		return nil, badSpec(err)
	}
	return b, nil
}

// EditSpec changes keys of a spec, as key=value. Nothing to change leaves the text as it is.
func EditSpec(kinds *kind.Catalogue, spec string, set []string) (string, error) {
	text, err := plan.Edit(kinds, spec, set)
	if err != nil {
		return "", badSpec(err)
	}
	return text, nil
}

func badSpec(err error) error {
	r := &Refusal{Type: BadSpec, Detail: err.Error()}
	all := []error{err}
	if several, are := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); are {
		all = several.Unwrap()
	}
	for _, one := range all {
		r.Errors = append(r.Errors, Fault{"/spec", one.Error()})
	}
	return r
}

// goesLive refuses a plan that must not leave the shadow.
func goesLive(p *Brief) error {
	if p.Live.Safe == nil {
		return refuse(NoSafeDecision, "to go live a spec must name live.safe, the decision after a kill")
	}
	if p.Live.Norm == nil {
		return refuse(NoSafeDecision, "to go live a spec must name live.cap.norm, how far a decision may be from what is live; .inf will do")
	}
	return nil
}

// admit refuses a plan that no loop may have, or no live one.
func admit(p *Brief, live bool) error {
	if live {
		if err := goesLive(p); err != nil {
			return err
		}
	}
	if p.Live.Safe != nil && !p.Feasible(p.Live.Safe) {
		return refuse(Infeasible, "live.safe is not feasible")
	}
	return nil
}

// checkDecision refuses what cannot be deployed.
func checkDecision(p *Brief, u []float64) error {
	if len(u) != p.Dims.Decision {
		return refuse(DimensionMismatch, "u has %d numbers, want %d", len(u), p.Dims.Decision)
	}
	if err := kedge.CheckFinite("u", u); err != nil {
		return refuse(NotFinite, "%v", err)
	}
	if !p.Feasible(u) {
		return refuse(Infeasible, "%v is not feasible", u)
	}
	return nil
}

// guardsOf is which guards a spec gets: those there are, or none if it is one of old, which is decided again as it was.
func guardsOf(old bool) int {
	if old {
		return 0
	}
	return 1
}
