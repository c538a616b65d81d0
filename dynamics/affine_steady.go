package dynamics

import (
	"cmp"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Settle writes (I−A)⁻¹(Bu + Ed) to dst. The errors are those of Check, of a u or d that is not
// finite, and a *kedge.RangeError when the numbers on the way could overflow.
func (f *Affine) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := cmp.Or(checkOne(f.unsettled, f.dims, dst, u, d), f.checkSize(u, d)); err != nil {
		return kedge.Residual{}, err
	}
	clear(dst)
	rows.AddMul(dst, f.gain, u)
	rows.AddMul(dst, f.carry, d)
	return f.residual(dst, u, d), nil
}

// SettleRows settles every row. On an error dst is unchanged.
func (f *Affine) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	var worst kedge.Residual
	count, err := checkBlock(f.unsettled, f.dims, dst, u, d)
	if err = cmp.Or(err, f.checkSize(u, d)); err != nil || count == 0 {
		return worst, err
	}
	first := dst[:f.dims.State]
	clear(first)
	rows.AddMul(first, f.gain, u)
	for i := count - 1; i >= 0; i-- {
		row, trait := kedge.Row(dst, i, f.dims.State), kedge.Row(d, i, f.dims.Trait)
		copy(row, first)
		rows.AddMul(row, f.carry, trait)
		worst = worst.Worst(f.residual(row, u, trait))
	}
	return worst, nil
}

// checkSize refuses a u or d so large that an intermediate result could overflow.
func (f *Affine) checkSize(u, d []float64) error {
	size := float64(f.sizeU*rows.MaxAbs(u)) + float64(f.sizeD*rows.MaxAbs(d))
	return kedge.CheckRange("bound on the steady state", size, size <= math.MaxFloat64, "a finite number")
}

// residual returns ‖Ap + Bu + Ed − p‖∞ relative to max(1, ‖p‖∞).
func (f *Affine) residual(p, u, d []float64) kedge.Residual {
	off := 0.0
	for i, v := range p {
		next := rows.Dot(p, kedge.Row(f.a, i, len(p))) + rows.Dot(u, kedge.Row(f.b, i, len(u))) + rows.Dot(d, kedge.Row(f.e, i, len(d)))
		off = max(off, math.Abs(next-v))
	}
	return kedge.Residual{Norm: off / max(1, rows.MaxAbs(p))}
}
