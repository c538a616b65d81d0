package lab

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/design"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Tuition says what a design may cost and whom it sees.
type Tuition struct {
	Turns   int
	Change  float64 // the most that an entry may change from turn to turn; 0: a twentieth of the largest entry
	Budget  float64 // the most that may be lost over all turns; 0: a tenth of what not knowing costs in as many
	Noise   float64 // the standard deviation of what happens to people beside the model, every step
	People  int     // who are seen every turn; 0: all
	Workers int
}

// Curriculum is a design and what it is made of. Values are losses, or what is not earned.
type Curriculum struct {
	design.Timetable
	Base    []float64 `json:"base"`
	Names   []string  `json:"names"`  // of the numbers that are not known
	Worth   []float64 `json:"worth"`  // to know each of them, a turn
	Regret  float64   `json:"regret"` // what not knowing costs a turn: the mean over draws of what the decision loses against the best of each
	Change  float64   `json:"most_change"`
	Budget  float64   `json:"budget"`
	Missing int       `json:"missing"` // draws without a best decision
	Draws   int       `json:"draws"`
}

// Teach finds which changes of coming decisions teach the most.
func Teach(ctx context.Context, p *problem.Problem, o Tuition) (*Curriculum, error) {
	l, err := p.Syllabus()
	if err != nil {
		return nil, err
	}
	if _, gaps := p.Set.(set.Discrete); gaps {
		return nil, errors.New("decisions are whole numbers or points of a list, which have no small changes")
	}
	f, err := p.Steady()
	if err != nil {
		return nil, err
	}
	f.Workers = o.Workers
	best, _, err := p.Best(ctx, f, [][]float64{p.Start})
	if err != nil {
		return nil, err
	}
	over, err := DecideOver(ctx, p, best.Decision, nil, o.Workers, nil)
	if err != nil {
		return nil, err
	}
	var draws, decisions [][]float64
	for i, d := range over.Draws {
		if d.Err == nil {
			draws, decisions = append(draws, l.Draws[i]), append(decisions, d.Decision)
		}
	}
	e := &design.Experiment{Model: l.Model, At: l.At, Drawn: l.Drawn, Base: best.Decision, Set: p.Set, Turns: o.Turns, Seed: p.Spec.Seed, Workers: o.Workers, Change: o.Change, Budget: o.Budget, Noise: o.Noise}
	if e.Slope, e.Curve, err = bentAt(f, best.Decision); err != nil {
		return nil, err
	}
	if e.Weight, e.Cov, err = design.Weigh(draws, decisions, e.Curve); err != nil {
		return nil, err
	}
	e.Change = cmp.Or(e.Change, max(rows.MaxAbs(best.Decision), 1e-3)/20)
	e.Budget = cmp.Or(e.Budget, max(0.1*over.Plug.Regret*float64(o.Turns), 1e-9*math.Abs(best.Loss)))
	some := p.Some(mostTaught)
	seen := cmp.Or(max(0, o.People), p.Individuals())
	e.Noise *= math.Sqrt(float64(len(some)) / float64(seen))
	e.Traits = kedge.Pick(p.Traits, some).Data
	e.States = kedge.Pick(p.States, some).Data
	plan, err := e.Plan(ctx)
	if err != nil {
		return nil, err
	}
	return &Curriculum{
		Timetable: *plan, Base: best.Decision, Names: l.Names, Worth: design.Worth(e.Weight, e.Cov), Regret: over.Plug.Regret,
		Change: e.Change, Budget: e.Budget, Missing: over.Missing, Draws: len(over.Draws),
	}, nil
}

// mostTaught is how many people stand for all of them.
const mostTaught = 100

// bentAt is the slope and the curvature of a settled loss, by differences of slopes.
func bentAt(f *steady.Objective, u []float64) (slope, curve []float64, err error) {
	n := len(u)
	slope, curve = make([]float64, n), make([]float64, n*n)
	if _, err := f.Gradient(slope, u); err != nil {
		return nil, nil, err
	}
	size := float64(1e-4 * max(rows.MaxAbs(u), 1e-3))
	there := make([]float64, n)
	for j := range n {
		for _, h := range []float64{size, -size} {
			v := append([]float64(nil), u...)
			v[j] += h
			if _, err = f.Gradient(there, v); err != nil {
				continue
			}
			for i := range n {
				by := float64((there[i] - slope[i]) / (v[j] - u[j]) / 2)
				curve[j*n+i] += by
				curve[i*n+j] += by
			}
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return slope, curve, nil
}
