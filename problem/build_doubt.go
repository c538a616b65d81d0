package problem

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/doubt"
	"github.com/kedge-opt/kedge/problem/form"
)

// doubt refuses what cannot be decided over draws.
func (c *check) doubt() {
	d := &c.s.Doubt
	d.Check(&c.Check, c.s.Data != nil && len(c.s.Unknowns()) > 0)
	if d.Uncertain == 0 {
		return
	}
	for _, one := range []struct {
		key   string
		given bool
		why   string
	}{
		{"players", len(c.s.Players) > 0, "over draws one decides"},
		{"constraints", len(c.s.Constraints) > 0, "what is kept under one draw is not under another"},
		{"changes", len(c.s.Changes) > 0, "over draws the set stays"},
	} {
		c.FailIf(one.given, form.Paths("uncertain", one.key), "uncertain is %d, but %s are given, and %s; one must go", d.Uncertain, one.key, one.why)
	}
	c.FailIf(c.s.moves(), form.Paths("uncertain", "population.churn", "population.drift"), "uncertain is %d, but the people change, and over draws they stay; one must go", d.Uncertain)
}

// readDraws reads the draws that are used, and finds what they are of.
func (p *Problem) readDraws() (err error) {
	s := p.Spec
	if s.Doubt.Uncertain == 0 {
		return nil
	}
	if p.draws, err = s.Doubt.Read(p.within, p.files); err == nil {
		var lets []formula.Binding
		if s.Model != nil {
			source, wrong := s.source(p.files)
			if wrong != nil {
				return wrong
			}
			lets = source.Let
			p.source = source
		}
		if p.targets, err = p.draws.Targets(s.Doubt.Draws, lets); err == nil {
			err = p.keepsSet(lets)
		}
	}
	for _, t := range p.targets {
		if err == nil && t.Key != "" && !slices.ContainsFunc(s.Settings(), func(one form.Setting) bool { return one.Key == t.Key }) {
			err = &doubt.DrawsError{File: s.Doubt.Draws, What: fmt.Sprintf("column %s is no key of the spec; columns are named after numbers of model.let or keys such as dynamics.lambda", t.Key)}
		}
	}
	if err != nil {
		return s.errorf("draws", "draws: %v", err)
	}
	return nil
}

// keepsSet refuses draws of numbers that say which decisions are feasible.
func (p *Problem) keepsSet(lets []formula.Binding) error {
	if p.Spec.Model == nil {
		return nil
	}
	drawn := map[string]bool{}
	for _, t := range p.targets {
		if t.Key == "" {
			drawn[lets[t.Let].Name] = true
		}
	}
	mentions := func(body string) bool {
		refs, _ := formula.References("", body)
		for _, r := range refs {
			if drawn[r.Name] {
				return true
			}
		}
		return false
	}
	for _, l := range lets {
		if mentions(l.Expr) {
			drawn[l.Name] = true
		}
	}
	for _, body := range p.Spec.Model.SubjectTo {
		if mentions(body) {
			return &doubt.DrawsError{File: p.Spec.Doubt.Draws, What: fmt.Sprintf("draws are of numbers that stand in model.subject to (%s); a decision must be feasible whatever is true, so give bounds numbers of their own", body)}
		}
	}
	return nil
}
