package dynamics

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
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
