package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/steady"
)

// meeting is a problem with its answers and everybody who takes part.
type meeting struct {
	Meeting                  // what is told of it
	problem *problem.Problem // its algorithms are the candidates of all entries
	scales  kind.Scales      // what usual settings and grids are scaled by; all methods have the same
	steady  *steady.Objective
	loss    float64              // Φ̃ at the optimum
	points  map[string][]float64 // stable, optimal and what else was found
	entries []*entry
	marks   []int // turns after which decisions are looked at
}

// shared is the name that all candidates have when they run: trials draw by the name, so all methods meet the same samples.
const shared = "compared"

// enter builds a problem, finds its answers and reads the methods that meet on it.
func enter(ctx context.Context, p Subject, methods []Entrant, o Terms) (*meeting, error) {
	s, methods, err := p.read(methods, o)
	if err != nil {
		return nil, err
	}
	base, err := problem.BuildWithin(ctx, p.Name, s, p.Files)
	if err != nil {
		return nil, err
	}
	if err := steadfast(base); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	a := &meeting{points: map[string][]float64{}, marks: marks(s.Iterations), Meeting: Meeting{
		Name: p.Name, Target: p.Target, About: p.Known.About, Spec: string(s.YAML()), Seed: s.Seed, Turns: s.Iterations, Maximize: base.Maximize, kinds: o.Kinds,
	}}
	if err := a.answers(ctx, base); err != nil {
		return nil, &UnsolvedError{p.Name, err}
	}
	if err := a.gather(p, s, methods, o); err != nil {
		return nil, err
	}
	if !maps.Equal(base.Inputs(), a.problem.Inputs()) {
		return nil, fmt.Errorf("%s: a file that it names was changed while it was read; run the command again", p.Name)
	}
	for _, one := range a.entries {
		if err := a.aim(ctx, one); err != nil {
			return nil, &UnsolvedError{p.Name, err}
		}
	}
	return a, nil
}

// UnsolvedError says that a problem is in order but its answers were not found.
type UnsolvedError struct {
	Problem string
	Err     error
}

func (e *UnsolvedError) Error() string { return e.Problem + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsolvedError) Unwrap() error { return e.Err }

// oneOptimum is why draws are refused.
const oneOptimum = "methods are compared by how far they end from one optimum, that of the numbers of the spec"

// steadfast tells whether the answers of a problem stay where they are, and whether draws are the trial's own.
func steadfast(p *problem.Problem) error {
	switch {
	case p.Moves():
		return errors.New("people change by themselves, so the optimum moves; compare methods on a crowd that stays, or see kedge run")
	case len(p.Spec.Constraints) > 0:
		return errors.New("constraints hold the crowd away from the optimum and from the stable point; compare without them, or see kedge run")
	case p.Spec.Players != nil:
		return errors.New("players have an equilibrium instead of an optimum; compare on a problem with one decision-maker, or see kedge run")
	case p.Spec.Changes != nil:
		return errors.New("the set changes, and the optimum with it; compare without changes, or see kedge run")
	case p.Spec.Generator != "kedge":
		return errors.New("generator numpy draws what the published runs drew; compare under generator: kedge")
	}
	return nil
}

// read reads the spec, which must have one optimum and fit into memory, and says who meets on it: the given methods, or the spec's own.
func (p Subject) read(methods []Entrant, o Terms) (*problem.Spec, []Entrant, error) {
	s, err := problem.Parse(o.Kinds, p.Name, p.Text, p.Over...)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Doubt.Certain(oneOptimum); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if len(methods) == 0 {
		methods = methodsOf(s)
	}
	return s, methods, s.Fits(need(s, max(len(methods), len(s.Algorithms)), o))
}

// methodsOf are the spec's own algorithms.
func methodsOf(s *problem.Spec) []Entrant {
	return lists.Of(s.Algorithms, func(a kind.Algorithm) Entrant { return Entrant{Label: a.Name, Method: a.Method, from: a.Name} })
}

// answers finds the optimum and the stable point, which not every problem has, and how far methods have to go.
func (a *meeting) answers(ctx context.Context, p *problem.Problem) error {
	f, err := p.Steady()
	if err != nil {
		return err
	}
	best, known, err := p.Best(ctx, f, [][]float64{p.Start})
	if err != nil {
		return fmt.Errorf("find the optimum: %w", err)
	}
	a.steady, a.loss, a.points["optimal"] = f, best.Loss, best.Decision
	stable, err := optimum.Stable(ctx, f.Partial, p.Set, p.Start, p.Search)
	if err == nil {
		a.points["stable"] = stable.Decision
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.Optimal, a.Stable, a.Value = best.Decision, a.points["stable"], a.value(best.Loss)
	a.Answer = &folder.Point{Value: a.Value, Decision: best.Decision, Residual: best.Residue, Starts: len(best.Found), Spread: best.Spread, Evidence: folder.EvidenceOf(best)}
	a.Answer.Evidence.Credit(known.Why, p.Bound(known))
	if err := a.measure(ctx, p); err != nil {
		return err
	}
	// A method must end within a twentieth of the way to the other point or, where stable and optimal are the same, of the way
	// that it had to go.
	a.Separates, a.Tolerance = separates(a.Stable, a.Optimal), a.scales.Radius/20
	if a.Separates {
		a.Tolerance = distance(a.Stable, a.Optimal) / 20
	}
	return nil
}

// separates tells whether the stable point and the optimum are two, and not one that two searches found.
func separates(stable, optimal []float64) bool {
	return distance(stable, optimal) > 1e-6*max(1, rows.Norm(optimal))
}

// gather makes the problem whose algorithms are all candidates.
func (a *meeting) gather(p Subject, s *problem.Spec, methods []Entrant, o Terms) error {
	all := *s
	all.Algorithms = nil
	var mistakes []error
	for _, m := range methods {
		one, said, own, err := m.read(p, s, a.scales)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		e := &entry{method: m, algorithm: *one, exact: s.Exact(one), first: len(all.Algorithms), steps: m.steps(one, said, own, a.scales, o)}
		e.Row = Row{Method: m.Label, Kind: m.kind(), Settings: words(said), Outside: p.Known.outside(m.Method.Facts().Asks)}
		for _, one.Step = range e.steps {
			all.Algorithms = append(all.Algorithms, *one)
		}
		a.entries = append(a.entries, e)
	}
	if err := errors.Join(mistakes...); err != nil {
		return err
	}
	var err error
	if a.problem, err = problem.Build(p.Name, &all, p.Files); err != nil {
		return err
	}
	for i := range all.Algorithms {
		all.Algorithms[i].Name = shared
	}
	return nil
}

// aim finds where an entry must end, by what is known of its method.
func (a *meeting) aim(ctx context.Context, e *entry) error {
	known, hold := e.method.Method.Facts(), max(1, e.algorithm.Hold)
	e.Limit = known.Limit.String()
	if a.Settled && hold >= a.Settling {
		e.Limit = known.Held.String()
	}
	name := e.Limit
	if name == "myopic" {
		name = fmt.Sprintf("myopic %d %t", hold, known.Alternates)
		if err := a.myopic(ctx, name, hold, known.Alternates); err != nil {
			return err
		}
	}
	e.target = a.points[name]
	return nil
}

// myopic finds the point where the answer within the turns of a deployment is taken for all of it, unless it is known. Not
// every problem has one.
func (a *meeting) myopic(ctx context.Context, name string, hold int, alternating bool) error {
	if _, found := a.points[name]; found {
		return nil
	}
	f, err := a.problem.SteadyBy(func(f kedge.Smooth) kedge.Sensitivity { return partial{f, hold * a.problem.Spec.Hold, alternating} })
	if err != nil {
		return nil // then the method has no target
	}
	point, err := optimum.Stable(ctx, f.Gradient, a.problem.Set, a.problem.Start, a.problem.Search)
	if err == nil {
		a.points[name] = point.Decision
	}
	return ctx.Err()
}

// marks are turns at equal ratios, and the last.
func marks(turns int) []int {
	list := []int{0}
	for x := 1.0; x < float64(turns); x *= 1.15 {
		if k := int(math.Ceil(x)); k > list[len(list)-1] && k < turns {
			list = append(list, k)
		}
	}
	return append(list, turns)
}

// need estimates what memory the methods take on a problem: its people, drawn for the answers and for the methods, the trials under way and
// the decisions that are looked at.
func need(s *problem.Spec, methods int, o Terms) problem.Need {
	trials := float64(cmp.Or(o.Trials, s.Trials)) * float64(methods)
	const outcome = 400 // bytes of a trial besides its decisions
	bytes := trials * (outcome + float64(len(marks(s.Iterations))*(24+16*s.Dims().Decision)))
	all := slices.Concat(s.CrowdNeed(), s.CrowdNeed(), s.TrialNeed(o.Workers))
	return append(all, problem.Portion{Key: "trials", What: fmt.Sprintf("the decisions of %.0f trials", trials), Bytes: bytes})
}
