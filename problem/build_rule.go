package problem

import (
	"fmt"
	"io/fs"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// rule makes the decision rule of an algorithm that sees individuals as m. What it draws comes from directions.
func (p *Problem) rule(from *kind.Algorithm, m kedge.Model, directions online.Normals) (online.Rule, error) {
	r, err := from.Rule(&kind.Site{
		Model: m, Feasible: p.set, Turns: p.Spec.Iterations, Directions: directions,
		Narrow: func(x kind.Set) (kedge.Set, error) { return p.Spec.buildSet("set", x, m.Dims().Decision) },
		Keep:   func(e online.Estimator, h kedge.Sensitivity) (online.Estimator, error) { return p.heed(from, e, h) },
		Fail: func(key, format string, args ...any) error {
			path := "algorithms." + from.Name
			if key != "" {
				path += "." + key
			}
			return p.Spec.errorf(path, "%s%s", path, fmt.Sprintf(format, args...))
		},
	})
	if err != nil {
		return r, err
	}
	r.Set = p.limited(from, r.Set)
	return r, nil
}

// NewRule makes the decision rule of an algorithm of a spec, at its first decision, without drawing anybody: so it can decide for
// people who are elsewhere. Files that the spec names are read from files.
func NewRule(s *Spec, algorithm int, files fs.FS) (*online.Descent, error) {
	p, err := begin("", s, files)
	if err != nil {
		return nil, err
	}
	p.Start = make([]float64, s.Dims().Decision)
	if s.Generator == "numpy" {
		p.publishedStart(p.Start, stream.NewNumPy(uint32(s.Seed)))
	} else {
		p.fillStart(p.Start, p.stream("start"))
	}
	if err := p.bind(); err != nil {
		return nil, err
	}
	from := &s.Algorithms[algorithm]
	_, directions := p.trialDraws(algorithm, 0)
	rule, err := p.rule(from, p.trialModel(from), directions)
	if err != nil {
		return nil, err
	}
	return rule.From(p.Start)
}

// checkRules makes the rule of every algorithm once, so that mistakes are told before anything runs.
func (p *Problem) checkRules() error {
	for i := range p.Spec.Algorithms {
		a := &p.Spec.Algorithms[i]
		if _, err := p.rule(a, p.trialModel(a), p.stream("unused")); err != nil {
			return err
		}
	}
	return nil
}

// FirstStep returns the step size with which algorithm a begins. No schedule has a larger one later.
func (p *Problem) FirstStep(a int) float64 {
	from := &p.Spec.Algorithms[a]
	return from.Steps(from.Step, p.Spec.Iterations).Step(0)
}
