package sensitivity

import (
	"cmp"
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Wrong spoils a sensitivity on purpose, to study what a wrong one does:
//
//	∇ᵤh v becomes Scale·R∇ᵤh v, with ∇ᵤh at the decision that was deployed Stale turns ago.
//
// R turns every pair of successive entries by Degrees, so every vector of even length by just that angle. Where the rule settles is
// then off by at most ‖e‖/μ, with e the error of the gradient there and μ the strong monotonicity of ∇Φ̃: both points
// solve variational inequalities on the set, whose sum is μ‖û − u★‖² ≤ −eᵀ(û − u★).
type Wrong struct {
	Of      kedge.Sensitivity
	Scale   float64 // 0 means 1
	Degrees float64
	Stale   int // turns; needs Observe

	u     []float64 // the last Stale decisions, the oldest at turn
	turns int
}

var _ kedge.Learner = (*Wrong)(nil)

// Check says whether the parameters are in their ranges.
func (w *Wrong) Check() error {
	inf := math.Inf(1)
	return errors.Join(
		checkRange("Scale", w.Scale, -inf, inf, "a finite number"),
		checkRange("Degrees", w.Degrees, -inf, inf, "a finite number"),
		checkRange("Stale", float64(w.Stale), 0, 1<<20, "0 ≤ Stale ≤ 2²⁰"))
}

// Observe takes the decision of a turn. What it spoils learns too, if it can.
func (w *Wrong) Observe(o kedge.Observation) error {
	if l, ok := w.Of.(kedge.Learner); ok {
		if err := l.Observe(o); err != nil {
			return err
		}
	}
	if w.Stale == 0 {
		return nil
	}
	if err := kedge.CheckFinite("observation U", o.U); err != nil {
		return err
	}
	if len(w.u) == 0 {
		w.u = make([]float64, w.Stale*len(o.U))
	}
	if err := kedge.CheckLen("observation U", o.U, len(w.u)/w.Stale); err != nil {
		return err
	}
	copy(kedge.Row(w.u, w.turns%w.Stale, len(o.U)), o.U)
	w.turns++
	return nil
}

// Trust is that of what is spoiled, 1 if it does not learn.
func (w *Wrong) Trust() float64 {
	if l, ok := w.Of.(kedge.Learner); ok {
		return l.Trust()
	}
	return 1
}

// PullRows implements [kedge.Sensitivity].
func (w *Wrong) PullRows(gu, p, u, d, v []float64) error {
	if err := w.Check(); err != nil {
		return err
	}
	borrowed := scratch.Borrow(len(gu))
	defer borrowed.Return()
	g := borrowed.X
	if err := w.Of.PullRows(g, p, w.then(u), d, v); err != nil {
		return err
	}
	sin, cos := portable.Sincos(w.Degrees * math.Pi / 180)
	for i := 0; i+1 < len(g); i += 2 {
		x, y := g[i], g[i+1]
		g[i], g[i+1] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
	}
	rows.AddScaled(gu, cmp.Or(w.Scale, 1), g)
	return nil
}

// then returns the decision of Stale turns ago, the first one before there was any.
func (w *Wrong) then(u []float64) []float64 {
	if w.Stale == 0 || w.turns == 0 {
		return u
	}
	if w.turns < w.Stale {
		return w.u[:len(u)]
	}
	return kedge.Row(w.u, w.turns%w.Stale, len(u))
}

var _ wire.Described = (*Wrong)(nil)

// Kept is what is spoiled keeps.
func (w *Wrong) Kept() wire.State { return wire.KeptBy(w.Of) }

// Describe gives the remembered decisions, and the state of what is spoiled if it has one.
func (w *Wrong) Describe(f *wire.Fields) {
	f.Int(&w.turns, math.MaxInt)
	f.Floats(&w.u)
	if n := len(w.u); n != 0 && (w.Stale == 0 || n%w.Stale != 0) {
		f.Fail("%d entries of %d decisions", n, w.Stale)
	}
	f.Finite("a saved decision", w.u)
	if wire.Remembers(w.Of) {
		f.Part("sensitivity", w.Of)
	}
}
