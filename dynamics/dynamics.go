// Package dynamics says how individuals move, p⁺ = f(p, u, d), and where they settle, h = f(h, u, d).
//
// Polarized, Choice and Affine are closed: they know their steady state, their derivatives and a block form, allocate
// nothing on the way and may be used by many goroutines at once. Func wraps a formula of one's own, and Settled gives any
// dynamics a steady state.
//
// Next, NextRows and Pullback are kernels: they panic on wrong lengths and carry a NaN through. Settle, Check and the
// constructors are doors: whatever a caller can get wrong comes back as a typed error. A steady state that repels is never
// returned; see kedge.UnstableError.
package dynamics

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Every closed dynamics has every ability.
type closed interface {
	kedge.RowDynamics
	kedge.Smooth
	kedge.RowSettler
	Check() error
}

var (
	_ closed            = Polarized{}
	_ closed            = PolarizedNorm{}
	_ closed            = Choice{}
	_ closed            = PolarizedEach{}
	_ closed            = ChoiceEach{}
	_ closed            = (*Affine)(nil)
	_ kedge.Smooth      = Func{}
	_ kedge.RowSettler  = (*Iterated)(nil)
	_ kedge.RowDynamics = (*Iterated)(nil)
)

// unit is the rounding unit of float64.
const unit = 0x1p-53

// mustFit panics unless the vectors of a kernel have the lengths of the dynamics.
func mustFit(n kedge.Dims, dst, p, u, d []float64) {
	if len(dst) != n.State || len(p) != n.State || len(u) != n.Decision || len(d) != n.Trait {
		panic("dynamics: a vector does not have the length the dynamics asks for")
	}
}

// mustFitRows is mustFit for blocks; it returns the number of rows.
func mustFitRows(n kedge.Dims, dst, p, u, d []float64) int {
	count := kedge.Count(p, n.State)
	if len(dst) != len(p) || len(u) != n.Decision || len(d) != count*n.Trait {
		panic("dynamics: a block does not have the size the dynamics asks for")
	}
	return count
}

// mustFitPull panics unless the vectors of a Pullback have the lengths of the dynamics; destinations may be nil.
func mustFitPull(n kedge.Dims, gp, gu, p, u, d, v []float64) {
	if gp != nil && len(gp) != n.State || gu != nil && len(gu) != n.Decision {
		panic("dynamics: a gradient does not have the length the dynamics asks for")
	}
	mustFit(n, v, p, u, d)
}

// checkDims returns a *kedge.RangeError for every dimension out of range, joined.
func checkDims(n kedge.Dims) error {
	return errors.Join(
		kedge.CheckRange("State", float64(n.State), n.State >= 1, "State ≥ 1"),
		kedge.CheckRange("Decision", float64(n.Decision), n.Decision >= 0, "Decision ≥ 0"),
		kedge.CheckRange("Trait", float64(n.Trait), n.Trait >= 0, "Trait ≥ 0"),
	)
}

// checkBlock is the door of SettleRows: sound dynamics, whole rows and finite numbers. It returns the number of rows.
func checkBlock(sound error, n kedge.Dims, dst, u, d []float64) (int, error) {
	if sound != nil {
		return 0, sound
	}
	count := len(dst) / n.State
	if len(dst) == count*n.State && len(d) == count*n.Trait && len(u) == n.Decision && rows.Finite(u) && rows.Finite(d) {
		return count, nil
	}
	err := errors.Join(kedge.CheckLen("dst", dst, count*n.State), kedge.CheckLen("d", d, count*n.Trait), kedge.CheckVector("u", u, n.Decision))
	for i := 0; i < count && err == nil; i++ {
		err = inRow(i, kedge.CheckFinite("d", kedge.Row(d, i, n.Trait)))
	}
	return count, err
}

// checkOne is the door of Settle.
func checkOne(sound error, n kedge.Dims, dst, u, d []float64) error {
	if sound != nil {
		return sound
	}
	return errors.Join(kedge.CheckLen("dst", dst, n.State), kedge.CheckVector("u", u, n.Decision), kedge.CheckVector("d", d, n.Trait))
}

// settleRows is SettleRows by what settles one individual. An error names the row; the rows before it are already written.
func settleRows(sound error, n kedge.Dims, dst, u, d []float64, one func(dst, d []float64) (kedge.Residual, error)) (worst kedge.Residual, err error) {
	count, err := checkBlock(sound, n, dst, u, d)
	for i := 0; i < count && err == nil; i++ {
		var r kedge.Residual
		r, err = one(kedge.Row(dst, i, n.State), kedge.Row(d, i, n.Trait))
		worst, err = worst.Worst(r), inRow(i, err)
	}
	return worst, err
}

// inRow says which individual an error belongs to.
func inRow(i int, err error) error {
	if err == nil {
		return nil
	}
	return &kedge.RowError{Row: i, Err: err}
}

// ElsewhereError says that the equation h = f(h, u, d) has an attracting solution that is not the one this individual
// reaches from its own start.
type ElsewhereError struct {
	Distance float64 // ‖p − h‖ between the individual and the solution after many steps
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the steady state found is not the one reached from the start: the individual stays %.3g away from it", e.Distance)
}

// MissingError says that a field which has no useful zero was left out.
type MissingError struct {
	Arg  string
	Want string // what belongs there
}

func (e *MissingError) Error() string { return e.Arg + " is missing, want " + e.Want }

// exp returns eˣ for x ≤ 0 with the same bits on every target; math.Exp picks its code by processor.
func exp(x float64) float64 {
	v := [1]float64{x}
	rows.Exp(v[:])
	return v[0]
}
