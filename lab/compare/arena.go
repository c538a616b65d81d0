package compare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
)

// arena is a problem with its answers and everybody who takes part.
type arena struct {
	Arena                    // what is told of it
	problem *problem.Problem // its algorithms are the candidates of all entries
	known   Classic
	steady  *steady.Objective
	loss    float64              // Φ̃ at the optimum
	points  map[string][]float64 // stable, optimal and what else was found
	entries []*entry
	marks   []int   // turns after which decisions are looked at
	radius  float64 // from the first decision to the optimum
}

// shared is the name that all candidates have when they run: trials draw by the name, so all methods meet the same samples.
const shared = "compared"

// enter builds a problem, finds its answers and reads the methods that meet on it.
func enter(ctx context.Context, p Subject, methods []Entrant, o Terms) (*arena, error) {
	s, err := problem.Parse(o.Kinds, p.Name, p.Text, p.Over...)
	if err != nil {
		return nil, err
	}
	base, err := problem.Build(p.Name, s, p.Files)
	if err != nil {
		return nil, err
	}
	a := &arena{known: p.Known, points: map[string][]float64{}, marks: marks(s.Iterations)}
	if err := steadfast(base); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if err := a.answers(ctx, base); err != nil {
		return nil, &UnsolvedError{p.Name, err}
	}
	g, err := a.measure(ctx, base)
	if err != nil {
		return nil, &UnsolvedError{p.Name, err}
	}
	a.Arena = Arena{
		Name: p.Name, Target: p.Target, About: p.Known.About, Spec: string(s.YAML()), Seed: s.Seed, Turns: s.Iterations, Settling: g.Hold, Settled: g.settled,
		Maximize: base.Maximize, Optimal: a.points["optimal"], Stable: a.points["stable"], kinds: o.Kinds,
	}
	a.radius = g.Radius
	if len(methods) == 0 {
		methods = methodsOf(s)
	}
	if err := a.gather(p, s, methods, g, o); err != nil {
		return nil, err
	}
	for _, one := range a.entries {
		if err := a.aim(ctx, one, g); err != nil {
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

// methodsOf are the spec's own algorithms.
func methodsOf(s *problem.Spec) (list []Entrant) {
	for _, a := range s.Algorithms {
		list = append(list, Entrant{Label: a.Name, Method: a.Method, from: a.Name})
	}
	return list
}

// answers finds the optimum and the stable point; not every problem has the latter.
func (a *arena) answers(ctx context.Context, p *problem.Problem) error {
	f, err := p.Steady()
	if err != nil {
		return err
	}
	best, err := optimum.Find(ctx, f, p.Set, p.Starts(), p.Search)
	if err != nil {
		return fmt.Errorf("find the optimum: %w", err)
	}
	a.steady, a.loss, a.points["optimal"] = f, best.Loss, best.Decision
	stable, err := optimum.Stable(ctx, f.Partial, p.Set, p.Start, p.Search)
	if err == nil {
		a.points["stable"] = stable.Decision
	}
	return ctx.Err()
}

// gather makes the problem whose algorithms are all candidates.
func (a *arena) gather(p Subject, s *problem.Spec, methods []Entrant, g geometry, o Terms) error {
	all := *s
	all.Algorithms = nil
	var mistakes []error
	for _, m := range methods {
		one, said, own, err := m.read(p, s, g)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		r := &entry{method: m, settings: said, own: own, algorithm: *one, first: len(all.Algorithms)}
		for _, step := range r.steps(g, o) {
			one.Step = step
			r.candidates = append(r.candidates, candidate{step: step})
			all.Algorithms = append(all.Algorithms, *one)
		}
		r.exact = s.Exact(one)
		a.entries = append(a.entries, r)
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
func (a *arena) aim(ctx context.Context, r *entry, g geometry) error {
	known, hold := r.method.Method.Facts(), max(1, r.algorithm.Hold)
	r.limit = known.Limit.String()
	if g.settled && hold >= g.Hold {
		r.limit = known.Held.String()
	}
	name := r.limit
	if name == "myopic" {
		name = fmt.Sprintf("myopic %d %t", hold, known.Alternates)
		if err := a.myopic(ctx, name, hold, known.Alternates); err != nil {
			return err
		}
	}
	r.target = a.points[name]
	return nil
}

// myopic finds the point where the answer within the turns of a deployment is taken for all of it, unless it is known. Not
// every problem has one.
func (a *arena) myopic(ctx context.Context, name string, hold int, alternating bool) error {
	if _, found := a.points[name]; found {
		return nil
	}
	f, err := a.problem.SteadyBy(partly(hold*a.problem.Spec.Hold, alternating))
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

// distance is how far a decision is from a point, NaN if there is no such point.
func distance(u, point []float64) float64 {
	if point == nil {
		return math.NaN()
	}
	return rows.Distance(u, point)
}

// tolerance is how near to its target a method must end: a twentieth of the way to the other point or, where stable and optimal are the
// same, of the way that it had to go.
func (a *arena) tolerance() float64 {
	if a.separates() {
		return distance(a.points["stable"], a.points["optimal"]) / 20
	}
	return a.radius / 20
}

// separates tells whether the problem has a stable point away from the optimum.
func (a *arena) separates() bool {
	d := distance(a.points["stable"], a.points["optimal"])
	return d > 1e-6*max(1, rows.Norm(a.points["optimal"]))
}
