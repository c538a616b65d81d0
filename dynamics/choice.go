package dynamics

import (
	"cmp"
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Choice is a user who chooses among Dim items with probabilities p, drawn to items of a low price u and back to the habit d
// [he2025, softmax dynamics]:
//
//	p⁺ = λ₁p + λ₂z + (1−λ₁−λ₂)d,  z = softmax(−εu), zᵢ = e^(−εuᵢ)/Σⱼ e^(−εuⱼ).
//
// When p and d are probabilities, so is p⁺; the formulas hold for any p and d.
type Choice struct {
	Dim                       int
	Lambda1, Lambda2, Epsilon float64
}

// Dims returns Dim for the decision, the state and the trait.
func (f Choice) Dims() kedge.Dims {
	return kedge.Dims{Decision: f.Dim, State: f.Dim, Trait: f.Dim}
}

// Check returns a *kedge.RangeError for every parameter outside Dim ≥ 1, 0 ≤ λ₁ < 1, 0 ≤ λ₂, λ₁+λ₂ ≤ 1, 0 < ε < ∞, joined.
func (f Choice) Check() error {
	return errors.Join(
		kedge.CheckRange("Dim", float64(f.Dim), f.Dim >= 1, "Dim ≥ 1"),
		kedge.CheckRange("Lambda1", f.Lambda1, f.Lambda1 >= 0 && f.Lambda1 < 1, "0 ≤ λ₁ < 1"),
		kedge.CheckRange("Lambda2", f.Lambda2, f.Lambda2 >= 0 && f.Lambda2 <= 1, "0 ≤ λ₂ ≤ 1"),
		kedge.CheckRange("Lambda1+Lambda2", f.Lambda1+f.Lambda2, !(f.Lambda1+f.Lambda2 > 1), "λ₁+λ₂ ≤ 1"),
		kedge.CheckRange("Epsilon", f.Epsilon, f.Epsilon > 0 && f.Epsilon <= math.MaxFloat64, "0 < ε < ∞"),
	)
}

// habit is the weight 1−λ₁−λ₂ of d, written so that it is never below 0.
func (f Choice) habit() float64 { return 1 - (f.Lambda1 + f.Lambda2) }

// Next writes f(p, u, d) to dst.
func (f Choice) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	f.row(dst, p, u, d)
}

// row is Next without its checks.
func (f Choice) row(dst, p, u, d []float64) {
	f.Probabilities(dst, u)
	f.step(dst, p, dst, d)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst, the same bits as Next. The first row of dst holds softmax(−εu) until
// its own turn, which is the last.
func (f Choice) NextRows(dst, p, u, d []float64) {
	n := f.Dim
	count := mustFitRows(f.Dims(), dst, p, u, d)
	if count == 0 {
		return
	}
	z := dst[:n]
	f.Probabilities(z, u)
	for i := count - 1; i >= 0; i-- {
		f.step(kedge.Row(dst, i, n), kedge.Row(p, i, n), z, kedge.Row(d, i, n))
	}
}

// step writes λ₁p + λ₂z + (1−λ₁−λ₂)d to dst, which may be z.
func (f Choice) step(dst, p, z, d []float64) { rows.Mix(dst, f.Lambda1, p, f.Lambda2, z, f.habit(), d) }

// Probabilities writes softmax(−εu) to dst, the choice of a user without memory and habit.
func (f Choice) Probabilities(dst, u []float64) { rows.Softmax(dst, u, f.Epsilon) }

// odds returns e^(−ε(u−low)). The difference is halved while it is taken, since that of two large numbers may overflow.
func (f Choice) odds(u, low float64) float64 {
	return exp(-2 * (f.Epsilon * (float64(u/2) - float64(low/2))))
}

// Pullback adds (∂f/∂p)ᵀv = λ₁v to gp and (∂f/∂u)ᵀv = −ελ₂(z∘v − (zᵀv)z) to gu.
func (f Choice) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	rows.AddScaled(gp, f.Lambda1, v[:len(gp)])
	if gu == nil {
		return
	}
	_, low, _ := rows.Extent(u)
	total, mean := 0.0, 0.0
	for i := range u {
		w := f.odds(u[i], low)
		total += w
		mean += float64(w * v[i])
	}
	mean /= total
	for i := range gu {
		gu[i] -= float64(f.Epsilon * f.Lambda2 * (f.odds(u[i], low) / total) * (v[i] - mean))
	}
}

// Settle writes the steady state h = (λ₂z + (1−λ₁−λ₂)d)/(1−λ₁) to dst [he2025, softmax steady state].
func (f Choice) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := cmp.Or(checkOne(f.Check(), f.Dims(), dst, u, d), f.checkSize(d)); err != nil {
		return kedge.Residual{}, err
	}
	f.Probabilities(dst, u)
	return f.settle(dst, dst, d), nil
}

// SettleRows settles every row. On an error dst is unchanged.
func (f Choice) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	var worst kedge.Residual
	n := f.Dim
	count, err := checkBlock(f.Check(), f.Dims(), dst, u, d)
	if err == nil {
		err = f.checkSize(d)
	}
	if err != nil || count == 0 {
		return worst, err
	}
	z := dst[:n]
	f.Probabilities(z, u)
	for i := count - 1; i >= 0; i-- {
		worst = worst.Worst(f.settle(kedge.Row(dst, i, n), z, kedge.Row(d, i, n)))
	}
	return worst, nil
}

// checkSize refuses a trait so large that h could overflow.
func (f Choice) checkSize(d []float64) error {
	size := 2 * (1 + rows.MaxAbs(d)) / (1 - f.Lambda1)
	return kedge.CheckRange("bound on the steady state", size, size <= math.MaxFloat64, "a finite number")
}

// settle writes h to dst, which may be z, and measures it on the way.
func (f Choice) settle(dst, z, d []float64) kedge.Residual {
	miss, size := rows.Rest(dst, f.Lambda2, z, f.habit(), d, f.Lambda1)
	return kedge.Residual{Norm: miss / max(1, size)}
}
