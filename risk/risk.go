// Package risk holds constraints on a population: a risk measure of the losses of its individuals must not exceed a bound. The
// mean, the mean of the worst (CVaR), the share beyond a limit (a chance constraint) and the mean of a group are such measures.
//
// A Gauge judges samples, for rules that learn online; SettledConstraint judges the settled population, exactly, for searches and
// reports.
package risk

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Measure makes one number ρ of the losses of many individuals.
type Measure interface {
	// Weigh returns ρ(losses) and writes ∂ρ/∂ℓᵢ to w.
	Weigh(w, losses []float64) float64
	// Check says whether the parameters mean something.
	Check() error
}

var (
	_ Measure = Mean{}
	_ Measure = Chance{}
	_ Measure = CVaR{}
)

// Mean is ρ = mean ℓ: an expectation constraint.
type Mean struct{}

// Check returns nil.
func (Mean) Check() error { return nil }

// Weigh returns the mean.
func (Mean) Weigh(w, losses []float64) float64 {
	share := 1 / float64(len(losses))
	for i := range w {
		w[i] = share
	}
	return rows.Sum(losses) * share
}

// Chance is the share of losses beyond a limit, with the step smoothed to a logistic curve:
//
//	ρ = mean s((ℓ − Limit)/Width),   s(x) = 1/(1 + e⁻ˣ).
//
// That is P(ℓ + Width·X > Limit) of a logistic X, so in the tail of a law ρ is a little more than the share itself: the
// smoothing errs on the safe side, by O(Width²).
type Chance struct{ Limit, Width float64 }

// Check says whether the limit is finite and the width positive.
func (c Chance) Check() error {
	return errors.Join(finite("Limit", c.Limit), positive("Width", c.Width))
}

// Weigh returns the smoothed share.
func (c Chance) Weigh(w, losses []float64) float64 {
	share, sum := 1/float64(len(losses)), 0.0
	for i, l := range losses {
		s := 1 / (1 + portable.Exp(-(l-c.Limit)/c.Width))
		sum += s
		w[i] = share * s * (1 - s) / c.Width
	}
	return sum * share
}

// CVaR is the mean of the worst share 1 − Level of the losses, the conditional value at risk
//
//	ρ = min over t of t + mean (ℓ − t)₊/(1 − Level),   least at the quantile t of that level [rockafellar2000].
type CVaR struct{ Level float64 }

// Check says whether the level is a share below 1.
func (c CVaR) Check() error {
	return kedge.CheckRange("Level", c.Level, c.Level >= 0 && c.Level < 1, "0 ≤ level < 1")
}

// Weigh returns the mean of the worst losses, one of them counted in part where their number is no whole one. It allocates room
// to sort them.
func (c CVaR) Weigh(w, losses []float64) float64 {
	clear(w)
	left, risk := c.tail(len(losses)), 0.0
	most := 1 / left
	for _, i := range worstFirst(losses) {
		w[i] = most * min(1, left)
		risk += float64(w[i] * losses[i])
		if left--; left <= 0 {
			break
		}
	}
	return risk
}

// worstFirst returns the numbers of losses from the largest on.
func worstFirst(losses []float64) []int {
	order := kedge.Some(len(losses), len(losses))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(losses[j], losses[i]) })
	return order
}

// tail returns how many of n losses are the worst.
func (c CVaR) tail(n int) float64 {
	return max((1-c.Level)*float64(n), math.SmallestNonzeroFloat64)
}

// above returns t + mean (ℓ − t)₊/(1 − Level) for a given t, and its weights: an unbiased estimate at any t, and right to second
// order at a t near the quantile. Beyond is the sum of the weights, 1 at the quantile.
func (c CVaR) above(w, losses []float64, t float64) (risk, beyond float64) {
	share, sum, count := 1/((1-c.Level)*float64(len(losses))), 0.0, 0.0
	for i, l := range losses {
		w[i] = 0
		if l > t || c.Level == 0 { // of all, which is the mean
			w[i] = share
			sum += l - t
			count++
		}
	}
	return t + float64(sum*share), float64(count * share)
}

// quantile returns the point between the losses that are the worst and the others. It sorts them.
func (c CVaR) quantile(losses []float64) float64 {
	slices.Sort(losses)
	n := len(losses)
	worst := min(max(int(math.Round(c.tail(n))), 1), n)
	if worst == n {
		return losses[0]
	}
	return float64(losses[n-worst-1]/2) + float64(losses[n-worst]/2)
}

func finite(arg string, x float64) error {
	return kedge.CheckRange(arg, x, !math.IsNaN(x) && !math.IsInf(x, 0), "a finite number")
}

func positive(arg string, x float64) error {
	return kedge.CheckRange(arg, x, x > 0 && !math.IsInf(x, 0), "a positive number")
}
