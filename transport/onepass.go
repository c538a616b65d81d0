package transport

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

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
		return 0, 0, false, false
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
