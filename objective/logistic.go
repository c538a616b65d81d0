package objective

import (
	"errors"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Logistic is the loss of a linear classifier whose subjects move their features [perdomo2020, strategic classification],
//
//	Φ(p, u, d) = log(1 + exp(−y(wᵀx + b))) + ½γ‖w‖².
//
// The features x are the leading entries of the state p. The decision u holds the weights w and, when it has one entry more
// than there are features, the intercept b as its last, which γ leaves alone. The label is the last entry of the trait d:
// y = 1 where that is positive and y = −1 elsewhere, so that data labelled 0/1 and ±1 both work; a NaN stays one.
//
// Neither the loss nor its slope overflows or cancels at large margins.
type Logistic struct {
	Features int     // entries of x; 0 means as many as the decision has, without intercept
	Ridge    float64 // γ
	State    int     // entries of a state row; 0 means Features
	Trait    int     // entries of a trait row; 0 means Features + 1: the first features and the label
}

var _ kedge.RowObjective = Logistic{}

// Check says whether γ is a finite number ≥ 0 and whether individuals of the given dimensions can be judged by l.
func (l Logistic) Check(dim kedge.Dims) error {
	n := l.features(dim.Decision)
	extra := dim.Decision - n
	size := kedge.CheckRange("Features", l.Features, extra == 0 || extra == 1, "the length of the decision, or one less")
	return errors.Join(checkNumber("Ridge", l.Ridge, 0), size, checkWidth(l.State, n, dim), kedge.CheckDim("the trait", dim.Trait, l.trait(n)))
}

func (l Logistic) features(decision int) int {
	if l.Features == 0 {
		return decision
	}
	return l.Features
}

func (l Logistic) trait(features int) int {
	if l.Trait == 0 {
		return features + 1
	}
	return l.Trait
}

// Eval implements [kedge.Objective].
func (l Logistic) Eval(gp, gu, p, u, d []float64) float64 {
	n := l.features(len(u))
	mustBe("p", p, width(l.State, n))
	mustBe("d", d, l.trait(n))
	mustFit(gp, gu, p, u)
	w, x, y := u[:n], p[:n], label(d[len(d)-1])
	margin := y * (rows.Dot(w, x) + intercept(u, n))
	loss, slope := logistic(margin)
	slope = float64(slope * y)
	if gp != nil {
		rows.AddScaled(gp, slope, w)
	}
	if gu != nil {
		rows.AddScaled(gu, slope, x)
		rows.AddScaled(gu, l.Ridge, w)
		for i := n; i < len(gu); i++ {
			gu[i] += slope
		}
	}
	return loss + float64(l.Ridge/2*rows.Dot(w, w))
}

// EvalRows implements [kedge.RowObjective].
func (l Logistic) EvalRows(gp, gu, p, u, d []float64) float64 {
	n := l.features(len(u))
	return sumRows(l, width(l.State, n), l.trait(n), gp, gu, p, u, d)
}

// intercept returns the last entry of a decision that is one longer than its n weights.
func intercept(u []float64, n int) float64 {
	switch len(u) {
	case n:
		return 0
	case n + 1:
		return u[n]
	}
	panic("objective: a decision of " + strconv.Itoa(len(u)) + " entries for " + strconv.Itoa(n) + " features")
}

// label reads 0/1 and ±1 labels as ±1 and hands a NaN on.
func label(y float64) float64 {
	if y > 0 {
		return 1
	}
	if y <= 0 {
		return -1
	}
	return y
}

// logistic returns log(1 + exp(−m)) and its derivative −1/(1 + exp(m)), both by way of exp(−|m|) ≤ 1.
func logistic(m float64) (loss, slope float64) {
	e := portable.Exp(-math.Abs(m))
	loss = max(-m, 0) + portable.Log1p(e)
	if m > 0 {
		return loss, -e / (1 + e)
	}
	return loss, -1 / (1 + e)
}
