// Package transport measures how far one distribution is from another by what it costs to carry the mass over.
package transport

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// massTolerance is how far the weights of a probability vector may sum from 1.
const massTolerance = 1e-9

// W1 returns the Wasserstein distance of order one [he2025, Wasserstein distance] between two probability vectors on the
// ordered points 0, 1, …, n−1 with ground metric |i − j|. On a line it is the area between the distribution functions
// [vallender1974]:
//
//	W₁(a, b) = Σⱼ |Σ_{i≤j} (aᵢ/Σa − bᵢ/Σb)|
//
// Weights must be finite, not negative and sum to 1 within 1e-9; the rest of that tolerance is divided out. Sums are
// compensated [neumaier1974], so the error is a few units in the last place of W₁ + n|Σa − Σb|. W₁(a, b) and W₁(b, a)
// have the same bits and W₁(a, a) is 0. The arguments are not changed and success allocates nothing.
func W1(a, b []float64) (float64, error) {
	if err := kedge.CheckLen("b", b, len(a)); err != nil {
		return 0, err
	}
	if w, _, ok, _ := onePass(a, b, b); ok {
		return w, nil
	}
	return careful(a, b, "b")
}

// W1Both returns W1(a, b) and W1(a, c), the same bits in about the time of one.
func W1Both(a, b, c []float64) (toB, toC float64, err error) {
	if err := errors.Join(kedge.CheckLen("b", b, len(a)), kedge.CheckLen("c", c, len(a))); err != nil {
		return 0, 0, err
	}
	toB, toC, okB, okC := onePass(a, b, c)
	var errB, errC error
	if !okB {
		toB, errB = careful(a, b, "b")
	}
	if !okC {
		toC, errC = careful(a, c, "c")
	}
	if err := errors.Join(errB, errC); err != nil {
		return 0, 0, err
	}
	return toB, toC, nil
}

// careful is W1 of vectors of one length, without a condition: it tells what is wrong with them, by their names, and keeps the
// digits of any difference however small.
func careful(a, b []float64, second string) (float64, error) {
	ma, errA := mass("a", a)
	mb, errB := mass(second, b)
	if errA != nil || errB != nil {
		return 0, errors.Join(errA, errB)
	}
	var surplus rows.Total
	for i, v := range a {
		surplus = surplus.AddBoth(v, -b[i])
	}
	// With e = (Σa − Σb)/(Σa + Σb), each normalized difference is ½(1/Σa + 1/Σb) · [(aᵢ − bᵢ) − (aᵢ + bᵢ)e]: only a small
	// correction is rounded, and swapping a and b changes nothing but the sign.
	e := surplus.Value() / (ma + mb)
	var below, area rows.Total
	for i, v := range a {
		below = below.AddBoth(v, -b[i])
		below.Low -= float64((v + b[i]) * e)
		area = area.Add(math.Abs(below.Value()))
	}
	return area.Value() * ((1/ma + 1/mb) / 2), nil
}

// mass adds up the weights of a probability vector, or says why x is none.
func mass(arg string, x []float64) (float64, error) {
	if err := kedge.CheckFinite(arg, x); err != nil {
		return 0, err
	}
	var s rows.Total
	for i, w := range x {
		if w < 0 || w > 1+massTolerance {
			return 0, &kedge.RangeError{Arg: fmt.Sprintf("%s[%d]", arg, i), Got: w, Want: "a weight between 0 and 1"}
		}
		s = s.Add(w)
	}
	if math.Abs(s.Value()-1) > massTolerance {
		return 0, &kedge.RangeError{Arg: "the sum of " + arg, Got: s.Value(), Want: "1 within 1e-9"}
	}
	return s.Value(), nil
}

// unit is the unit roundoff.
const unit = 0x1p-53

// onePass returns what careful does for a with b and a with c, to within their errors, and tells for each whether it could.
// What is no pair of probability vectors, or nearly one and the same vector, it leaves to careful.
//
// Let A and B be the sums of a and b up to j, D = A − B and C = A + B, and D*, C* the same up to the end. Then
//
//	|A/A* − B/B*| = |D − CD*/C*| · 2/C*
//
// but for a part (D*/C*)² ≤ 10⁻¹⁸ of it, and the same holds for the sums from the end down to j. A correction that is smaller
// than every D turns no sign, so that the sum over j is Σ|D| − (D*/C*) Σ±C with the signs of D. The sums run from both ends
// and meet in the middle. Swapping a and b changes the signs of D alone.
func onePass(a, b, c []float64) (toB, toC float64, okB, okC bool) {
	n := len(a)
	if n == 0 {
		return
	}
	g, middle := rows.NewGaps(), (n-1)/2
	g.Walk(a, b, c, middle)
	if n%2 == 0 { // one more from below
		g.Step(0, a[middle], b[middle])
		g.Step(1, a[middle], c[middle])
		middle++
	}
	toB, okB = meet(&g, 0, n, a[middle], b[middle])
	toC, okC = meet(&g, 1, n, a[middle], c[middle])
	return toB, toC, okB, okC
}

// meet joins the lanes that went up and down to W₁, with the entries x and y between them, which belong to the masses alone.
func meet(g *rows.Gaps, up, n int, x, y float64) (w float64, ok bool) {
	down := up + 2
	massA := (g.A[up] - 1) + g.LostA[up] + (g.A[down] - 1) + g.LostA[down] + x
	massB := (g.B[up] - 1) + g.LostB[up] + (g.B[down] - 1) + g.LostB[down] + y
	surplus := rows.Total{}.AddBoth(x, -y).AddBoth(g.A[up], -g.B[up]).AddBoth(g.A[down], -g.B[down]).
		AddBoth(g.LostA[up], -g.LostB[up]).AddBoth(g.LostA[down], -g.LostB[down]).Value()
	area := rows.Total{}.AddBoth(g.Area[up]-2, g.Area[down]-2).AddBoth(g.LostArea[up], g.LostArea[down]).Value()
	cube := float64(n) * float64(n) * float64(n)
	ok = !signed(g.Signs[up], g.Signs[down], x, y) && isOne(massA) && isOne(massB) && // probability vectors,
		min(g.Least[up], g.Least[down]) >= 2*math.Abs(surplus) && // no sign turned,
		area >= cube*unit // and n differences with errors of n² unit² add up to a rounding of the area
	return 2 * (area - float64(surplus/(massA+massB)*(g.Tilt[up]+g.Tilt[down]))) / (massA + massB), ok
}

// signed tells whether one of the numbers has a sign.
func signed(w, x, y, z float64) bool {
	return (math.Float64bits(w)|math.Float64bits(x)|math.Float64bits(y)|math.Float64bits(z))>>63 == 1
}

// isOne tells whether mass would not say otherwise, whatever the order it adds in.
func isOne(mass float64) bool { return math.Abs(mass-1) < 0.99*massTolerance }
