// Package plan is what a spec makes of a loop: its rule, its set, how samples are judged, and what guards watch.
package plan

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/set"
)

// Rule decides. A saved one goes on with the same bits.
type Rule interface {
	kedge.Explorer
	// Rebase moves the iterate to within lead of u, which is deployed; what the rule remembers stays.
	Rebase(u []float64, lead float64) error
	// Terms are what the last step was taken on: what the decision does by itself, and by the answer of the settled population; nil: unknown.
	Terms() (direct, answer []float64)
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Brief is what a spec makes of a loop.
type Brief struct {
	Rule      Rule
	Objective kedge.RowObjective
	Set       kedge.Set
	Dims      kedge.Dims
	Start     []float64 // the first decision
	Maximize  bool
	Live      *live.Arrangement
	Names     kedge.Names
	Model     kedge.Model
	Duty      guard.Duty
	Fallback  *online.Fallback // of a rule that has one; nil: none
}

// Of plans a spec, in YAML, that names kinds of a catalogue. It can name no file.
func Of(kinds *kind.Catalogue, spec string) (*Brief, error) {
	s, err := problem.Parse(kinds, "spec", []byte(spec))
	if err != nil {
		return nil, err
	}
	return From(s)
}

// Edit changes keys of a spec, as key=value. Nothing to change leaves the text as it is.
func Edit(kinds *kind.Catalogue, spec string, set []string) (string, error) {
	if len(set) == 0 {
		return spec, nil
	}
	s, err := problem.Parse(kinds, "spec", []byte(spec), lists.Of(set, problem.Assign)...)
	if err != nil {
		return "", err
	}
	return string(s.YAML()), nil
}

// From plans a spec that was read, and leaves it as it is: any number of loops may be of one.
func From(s *problem.Spec) (*Brief, error) {
	terms := s.Live
	if terms == nil {
		terms = live.New()
	}
	at := max(0, slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == terms.Algorithm }))
	if why := unfit(s, &s.Algorithms[at], terms); why != "" {
		return nil, errors.New(why)
	}
	if err := s.Doubt.Certain("a loop decides by its rule, on the numbers of the spec"); err != nil {
		return nil, err
	}
	made, err := problem.BuildLive(s, at, terms.Trial, noFiles{})
	if err != nil {
		return nil, err
	}
	if n := made.Dims.Decision; n > MostEntries {
		return nil, fmt.Errorf("a decision of %d entries; a loop has at most %d", n, MostEntries)
	}
	b := &Brief{
		Rule: made.Algorithm, Objective: made.Objective, Set: made.Set, Dims: made.Dims, Start: make([]float64, made.Dims.Decision), Maximize: made.Maximize,
		Live: terms, Names: s.Called(), Model: made.Model, Fallback: made.Fallback,
	}
	made.Algorithm.Center(b.Start)
	b.Duty, err = dutyOf(s, terms, made)
	return b, err
}

// dutyOf is what guards watch.
func dutyOf(s *problem.Spec, terms *live.Arrangement, made *problem.Live) (d guard.Duty, err error) {
	learns := !math.IsNaN(made.Algorithm.Trust())
	d = guard.Duty{Live: terms, Dims: made.Dims, Model: made.Model, Informed: made.Informed && !learns, Constraints: map[string][]risk.Constraint{}}
	for i := range terms.Guardrails {
		rail := &terms.Guardrails[i]
		var metric kedge.RowObjective
		if rail.Kind == live.Metric {
			stat, err := rail.Statistic()
			if err == nil {
				metric, err = s.Formula(fmt.Sprintf("live.guardrails.%d.of", i), stat.Body, noFiles{})
			}
			if err != nil {
				return d, err
			}
		}
		d.Metrics = append(d.Metrics, metric)
		for _, c := range made.Constraints {
			if rail.Kind == live.Constraint && (c.Name == rail.Of || strings.HasPrefix(c.Name, rail.Of+", group ")) {
				d.Constraints[rail.Of] = append(d.Constraints[rail.Of], c)
			}
		}
	}
	return d, mixesOf(&d, s, terms)
}

// mixesOf notes which traits' mix is watched, and beside what.
func mixesOf(d *guard.Duty, s *problem.Spec, terms *live.Arrangement) error {
	if terms.MixOf.None() && len(terms.Declared) == 0 {
		return nil
	}
	names := lists.Of(s.Called().Trait, func(c kedge.Called) string { return c.Name })
	d.Mix, d.Declared = make([]bool, d.Dims.Trait), make([]*live.Mix, d.Dims.Trait)
	note := func(key string, of form.Chosen, declared *live.Mix) error {
		which, fault := of.Of(d.Dims.Trait, names)
		if fault != "" || d.Dims.Trait == 0 {
			return fmt.Errorf("%s names no trait of the model, which has %s", key, phrase.CountGrouped(d.Dims.Trait, "trait"))
		}
		for j := range d.Mix {
			if which == nil || which[j] {
				d.Mix[j] = true
				d.Declared[j] = cmp.Or(declared, d.Declared[j])
			}
		}
		return nil
	}
	if !terms.MixOf.None() {
		if err := note("live.mix.of", terms.MixOf, nil); err != nil {
			return err
		}
	}
	for i := range terms.Declared {
		if err := note(fmt.Sprintf("live.mix.declared.%d.of", i), terms.Declared[i].Of, &terms.Declared[i]); err != nil {
			return err
		}
	}
	return nil
}

// MostEntries is how many numbers a decision of a loop may have.
const MostEntries = 10_000

// unfit says why a rule cannot decide for people who are elsewhere, though it can for simulated ones.
func unfit(s *problem.Spec, a *kind.Algorithm, terms *live.Arrangement) string {
	composite, _ := a.Method.(*kind.CompositeMethod)
	_, storm := a.Method.(*kind.StormMethod)
	switch {
	case a.Schedule == "horizon":
		return fmt.Sprintf("algorithms.%s: the schedule horizon makes steps by the number of turns, and a loop has no end; take inverse-sqrt", a.Name)
	case len(s.Changes) > 0:
		return "changes: a loop has no turns to change its set at; revise the spec when the set changes"
	case len(s.Players) > 0:
		return "players: a loop has one decision-maker; make a loop for each"
	case storm:
		return fmt.Sprintf("algorithms.%s: storm judges the same people at two decisions, and people elsewhere have met one; take vanilla or composite", a.Name)
	case composite != nil && composite.Sensitivity == "learned" && composite.Learn.Form == sensitivity.Panel && terms.IDs != live.Required:
		return fmt.Sprintf("algorithms.%s: a panel follows people from turn to turn, and must know who they are: write live.samples.ids: required", a.Name)
	}
	return ""
}

// noFiles has none, and says why.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("a loop reads no files: write the numbers into the spec")}
}

// Feasible tells whether a decision is in the set, to rounding, by the set's definition and not by its projection, which proposed it.
func (p *Brief) Feasible(u []float64) bool { return p.Excess(u) <= 1e-9*(1+rows.Norm(u)) }

// Excess is by how much a decision breaks the set, by its definition.
func (p *Brief) Excess(u []float64) float64 { return set.Excess(p.Set, u) }
