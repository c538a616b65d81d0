package loop

import (
	"context"
	"errors"
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

// measure returns what can be said of turn k of a run, at whose start the population is in the given states.
func (t *Theory) measure(ctx context.Context, k int, recorded, last bool, states []float64) (*kedge.Theory, error) {
	exact := recorded && t.Transport > 0 && (k%t.Transport == 0 || last)
	if t.Lag.Answered, t.Lag.Settled = nil, nil; exact {
		if err := t.makeRoom(); err != nil {
			return nil, err
		}
	}
	v, err := t.Lag.Measure(t.bias, t.deployed, states)
	if err != nil {
		return nil, err
	}
	m := &kedge.Theory{V: v, VBound: math.NaN(), W1: math.NaN(), Bias: rows.Norm(t.bias), BiasByV: t.Bounds.Lp * v}
	if t.before.k == k-1 && k > 0 {
		step := rows.Distance(t.deployed, t.before.u)
		m.VBound = math.Sqrt(float64(t.Bounds.Rho1*t.before.v*t.before.v) + float64(t.Bounds.Rho2*step*step))
	}
	if exact {
		m.W1, err = t.distance(ctx)
	}
	m.BiasByW1 = t.Bounds.L * m.W1
	t.before.k, t.before.v, t.before.u = k, v, append(t.before.u[:0], t.deployed...)
	return m, err
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
func (t *Theory) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, theoryKind)
	w.Int(t.before.k + 1)
	w.Float(t.before.v)
	w.Floats(t.before.u)
	return w.Finish()
}

// UnmarshalBinary makes t go on after the saved turn. On an error t is unchanged.
func (t *Theory) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, theoryKind)
	saved := turn{k: r.Int(math.MaxInt) - 1, v: r.Float(), u: r.Floats()}
	if want := t.Lag.Dims().Decision; saved.k >= 0 && len(saved.u) != want {
		r.Fail("a decision has %d numbers, want %d", len(saved.u), want)
	}
	if err := r.Finish(); err != nil {
		return err
	}
	t.before = saved
	return nil
}
