package loop

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/transport"
)

// Bounds are the constants by which a Theory bounds what it measures; NaN stands for one that is not known.
type Bounds struct {
	L    float64 // ‖e‖ ≤ L·W₁ [he2025, gradient bias]
	Lp   float64 // ‖e‖ ≤ L_p·V, individual by individual
	Rho1 float64 // Vₖ² ≤ ρ₁Vₖ₋₁² + ρ₂‖uₖ − uₖ₋₁‖² [he2025, distribution shift]
	Rho2 float64
}

// Unbounded says nothing about anything.
func Unbounded() Bounds { return Bounds{math.NaN(), math.NaN(), math.NaN(), math.NaN()} }

// Theory measures what the theory speaks of beside the bounds that it gives. As there, γₖ is the population that has answered
// the decision of turn k. Decisions are those that are deployed, so an Explorer's with their perturbation.
type Theory struct {
	Lag       *steady.Lag
	Bounds    Bounds
	Transport int // exact W₁ every so many turns and at the last; 0 means never

	deployed, bias            []float64
	answered, settled, traits []float64 // of everybody, for W₁
	before                    turn
}

// turn is what the recursion needs of a turn.
type turn struct {
	k int // −1 for none
	v float64
	u []float64
}

var _ wire.State = (*Theory)(nil)

// NewTheory checks that there is something to measure with.
func NewTheory(lag *steady.Lag, b Bounds, transport int) (*Theory, error) {
	if lag == nil || transport < 0 {
		return nil, errors.New("loop: a theory needs a lag, and a number of turns that is not negative")
	}
	room := make([]float64, 2*lag.Dims().Decision)
	half := len(room) / 2
	return &Theory{Lag: lag, Bounds: b, Transport: transport, deployed: room[:half:half], bias: room[half:], before: turn{k: -1}}, nil
}

// Columns are what happened once the population has answered the deployed decision, beside what the theory says of it.
func (*Theory) Columns() []kedge.Column {
	return []kedge.Column{
		// Mean ‖pᵢ − h(u, dᵢ)‖_P
		{Name: "v", Label: "mean distance from the settled state", Chart: "unsettled", Title: "Distance from settled", Symbols: "V, mean distance from the settled state",
			Scale: kedge.Logarithmic, Bound: "v_bound",
			Meaning: "How far individuals are, on average, from where the decision in force would settle them; dashed, the bound by the turn before."},
		// √(ρ₁V² + ρ₂‖u − u′‖²) with V and u′ of the turn before: never below V
		{Name: "v_bound", Label: "bound on the distance from the settled state", Scale: kedge.Logarithmic},
		// W₁ of all (p, d) to the settled ones, by ‖p − p′‖_P + ‖d − d′‖: never above V
		{Name: "w1_joint", Label: "Wasserstein distance of states and traits to the settled ones", Scale: kedge.Logarithmic},
		// ‖e‖, the error of the composite gradient because the population has not settled
		{Name: "bias", Label: "error of the gradient", Chart: "gradient-error", Title: "Error of the gradient", Symbols: "‖e‖, because the population has not settled",
			Scale: kedge.Logarithmic, Bound: "bias_by_v",
			Meaning: "How far the gradient of the whole population is from that of the settled one; dashed, the bound L_p·V."},
		// L·W₁ and L_p·V: never below the error
		{Name: "bias_by_w1", Label: "bound on the error of the gradient, by W₁", Scale: kedge.Logarithmic},
		{Name: "bias_by_v", Label: "bound on the error of the gradient, by V", Scale: kedge.Logarithmic},
	}
}

// Measure says what can be said of a recorded turn.
func (t *Theory) Measure(ctx context.Context, row []float64, turn *kedge.Turn) error {
	exact := t.Transport > 0 && (turn.K%t.Transport == 0 || turn.Last)
	if err := t.compare(ctx, row, turn, exact); err != nil {
		return fmt.Errorf("compare with the theory: %w", err)
	}
	return nil
}

// Forerun measures the turn before a recorded one, for the recursion.
func (t *Theory) Forerun(ctx context.Context, turn *kedge.Turn) error {
	var row [6]float64
	if err := t.compare(ctx, row[:], turn, false); err != nil {
		return fmt.Errorf("compare with the theory: %w", err)
	}
	return nil
}

// Employ lets the theory use so many workers.
func (t *Theory) Employ(workers int) { t.Lag.Workers = workers }

// compare fills the row of a turn, with the exact distance of the populations where that is asked for.
func (t *Theory) compare(ctx context.Context, row []float64, turn *kedge.Turn, exact bool) error {
	turn.Algorithm.Ask(t.deployed)
	if t.Lag.Answered, t.Lag.Settled = nil, nil; exact {
		if err := t.makeRoom(); err != nil {
			return err
		}
	}
	v, err := t.Lag.Measure(t.bias, t.deployed, turn.States)
	if err != nil {
		return err
	}
	bound, w1 := math.NaN(), math.NaN()
	if t.before.k == turn.K-1 && turn.K > 0 {
		step := rows.Distance(t.deployed, t.before.u)
		bound = math.Sqrt(float64(t.Bounds.Rho1*t.before.v*t.before.v) + float64(t.Bounds.Rho2*step*step))
	}
	if exact {
		if w1, err = t.distance(ctx); err != nil {
			return err
		}
	}
	row[0], row[1], row[2], row[3], row[4], row[5] = v, bound, w1, rows.Norm(t.bias), t.Bounds.L*w1, t.Bounds.Lp*v
	t.before.k, t.before.v, t.before.u = turn.K, v, append(t.before.u[:0], t.deployed...)
	return nil
}

// makeRoom prepares to keep the states of everybody, and reads their traits once.
func (t *Theory) makeRoom() (err error) {
	if t.traits == nil {
		if t.traits, err = t.Lag.Everybody(); err != nil {
			return err
		}
		dim := t.Lag.Dims()
		states := kedge.Count(t.traits, dim.Trait) * dim.State
		t.answered, t.settled = make([]float64, states), make([]float64, states)
	}
	t.Lag.Answered, t.Lag.Settled = t.answered, t.settled
	return nil
}

// distance returns W₁(γ, γ_ss(u)) under the metric ‖p − p′‖_P + ‖d − d′‖ of the states that were left by the last measurement.
func (t *Theory) distance(ctx context.Context) (float64, error) {
	dim := t.Lag.Dims()
	states, err := transport.Euclidean(t.answered, t.settled, dim.State)
	if t.Lag.Weight != nil {
		states, err = transport.Weighted(t.Lag.Weight, t.answered, t.settled, dim.State)
	}
	if err != nil {
		return 0, err
	}
	traits, err := transport.Euclidean(t.traits, t.traits, dim.Trait)
	if err != nil {
		return 0, err
	}
	joint, err := transport.Mixed(states, traits)
	if err != nil {
		return 0, err
	}
	plan, err := transport.Assignment(ctx, joint)
	return plan.Value, err
}

const theoryKind = "loop.Theory/1"

// AppendBinary appends what the next turn needs to know of the last.
func (t *Theory) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, theoryKind, t.fields) }

// UnmarshalBinary makes t go on after the saved turn. On an error t is unchanged.
func (t *Theory) UnmarshalBinary(data []byte) error { return wire.Restore(data, theoryKind, t.fields) }

func (t *Theory) fields(f *wire.Fields) {
	turns := t.before.k + 1
	f.Int(&turns, math.MaxInt)
	f.Float(&t.before.v)
	f.Floats(&t.before.u)
	if n, want := len(t.before.u), t.Lag.Dims().Decision; turns > 0 && n != want {
		f.Fail("a decision has %d numbers, want %d", n, want)
	}
	f.Then(func() { t.before.k = turns - 1 })
}
