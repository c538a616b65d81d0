package risk

import (
	"math"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// ShareMeasure is a Measure of individuals who do not count alike.
type ShareMeasure interface {
	Measure
	// WeighShares is Weigh where individual i is the given share of all; shares are not negative and add up to 1.
	WeighShares(w, losses, shares []float64) float64
}

var (
	_ ShareMeasure = Mean{}
	_ ShareMeasure = Chance{}
	_ ShareMeasure = CVaR{}
)

// WeighShares returns Σ sᵢℓᵢ.
func (Mean) WeighShares(w, losses, shares []float64) float64 {
	copy(w, shares)
	return rows.Dot(losses, shares)
}

// WeighShares returns the smoothed share.
func (c Chance) WeighShares(w, losses, shares []float64) float64 {
	sum := 0.0
	for i, l := range losses {
		s := 1 / (1 + portable.Exp(-(l-c.Limit)/c.Width))
		sum += float64(shares[i] * s)
		w[i] = shares[i] * s * (1 - s) / c.Width
	}
	return sum
}

// WeighShares returns the mean of the worst losses, of which the share 1 − Level is, one individual counted in part. It allocates room to sort them.
func (c CVaR) WeighShares(w, losses, shares []float64) float64 {
	clear(w)
	left := max(1-c.Level, math.SmallestNonzeroFloat64)
	all, risk, last := left, 0.0, 0
	for _, i := range worstFirst(losses) {
		part := min(left, shares[i])
		w[i], last = part/all, i
		risk += float64(w[i] * losses[i])
		if left -= part; left <= 0 {
			return risk
		}
	}
	w[last] += left / all // what rounding left of shares that should add up to 1
	return risk + float64(left/all*losses[last])
}

// aboveShares is above of individuals who are the given shares of all.
func (c CVaR) aboveShares(w, losses, shares []float64, t float64) (risk, beyond float64) {
	sum := 0.0
	for i, l := range losses {
		w[i] = 0
		if l > t {
			w[i] = shares[i] / (1 - c.Level)
			sum += float64(w[i] * (l - t))
			beyond += w[i]
		}
	}
	return t + sum, beyond
}

// quantileShares is quantile of individuals who are the given shares of all: the loss of the one who is among the worst in part or, where nobody
// is, the point between. It allocates room to sort them.
func (c CVaR) quantileShares(losses, shares []float64) float64 {
	order, left := worstFirst(losses), 1-c.Level
	for k, i := range order {
		left -= shares[i]
		if math.Abs(left) <= rounded && k+1 < len(order) {
			return float64(losses[i]/2) + float64(losses[order[k+1]]/2)
		}
		if left < 0 {
			return losses[i]
		}
	}
	return losses[order[len(order)-1]]
}

// sharesOf returns what part of those who count each of them is, in dst where it has room.
func sharesOf(dst, weights []float64, who []int) (shares []float64) {
	shares = dst[:0]
	for _, i := range who {
		shares = append(shares, weights[i])
	}
	total := rows.Sum(shares)
	for j := range shares {
		shares[j] /= total
	}
	return shares
}
