package dynamics

import "github.com/kedge-opt/kedge/internal/rows"

// exp returns eˣ for x ≤ 0 with the same bits on every target; math.Exp picks its code by processor.
func exp(x float64) float64 {
	v := [1]float64{x}
	rows.Exp(v[:])
	return v[0]
}
