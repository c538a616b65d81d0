package session

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/sensitivity"
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
}

// Planner makes a plan of a spec, in YAML.
type Planner func(spec string) (*Brief, error)

// Standard plans specs of the standard kinds.
func Standard(spec string) (*Brief, error) { return PlanOf(kind.Standard(), spec) }

// PlanOf plans a spec that names kinds of a catalogue. It can name no file.
func PlanOf(kinds *kind.Catalogue, spec string) (*Brief, error) {
	s, err := problem.Parse(kinds, "spec", []byte(spec))
	if err != nil {
		return nil, badSpec(err)
	}
	terms := s.Live
	if terms == nil {
		terms = live.New()
	}
	at := max(0, slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == terms.Algorithm }))
	if why := unfit(s, &s.Algorithms[at], terms); why != "" {
		return nil, &Refusal{Type: BadSpec, Detail: why, Errors: []Fault{{"/spec", why}}}
	}
	made, err := problem.BuildLive(s, at, terms.Trial, noFiles{})
	if err != nil {
		return nil, badSpec(err)
	}
	if n := made.Dims.Decision; n > MostEntries {
		return nil, refuse(BadSpec, "a decision of %d entries; a loop has at most %d", n, MostEntries)
	}
	b := &Brief{made.Algorithm, made.Objective, made.Set, made.Dims, make([]float64, made.Dims.Decision), made.Maximize, terms, s.Called(), made.Model}
	made.Algorithm.Center(b.Start)
	return b, nil
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

func badSpec(err error) error {
	r := &Refusal{Type: BadSpec, Detail: err.Error()}
	if all, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range all.Unwrap() {
			r.Errors = append(r.Errors, Fault{"/spec", one.Error()})
		}
	}
	return r
}

// goesLive refuses a plan that must not leave the shadow.
func (p *Brief) goesLive() error {
	if p.Live.Safe == nil {
		return refuse(NoSafeDecision, "to go live a spec must name live.safe, the decision after a kill")
	}
	if p.Live.Norm == nil {
		return refuse(NoSafeDecision, "to go live a spec must name live.cap.norm, how far a decision may be from what is live; .inf will do")
	}
	return nil
}

func (p *Brief) checkSafe() error {
	if p.Live.Safe != nil && !p.feasible(p.Live.Safe) {
		return refuse(Infeasible, "live.safe is not feasible")
	}
	return nil
}

// feasible tells whether a decision is in the set, to rounding, by the set's definition and not by its projection, which proposed it.
func (p *Brief) feasible(u []float64) bool { return set.Excess(p.Set, u) <= 1e-9*(1+rows.Norm(u)) }

// check refuses what cannot be deployed.
func (p *Brief) check(u []float64) error {
	if len(u) != p.Dims.Decision {
		return refuse(DimensionMismatch, "u has %d numbers, want %d", len(u), p.Dims.Decision)
	}
	if err := kedge.CheckFinite("u", u); err != nil {
		return refuse(NotFinite, "%v", err)
	}
	if !p.feasible(u) {
		return refuse(Infeasible, "%v is not feasible", u)
	}
	return nil
}
