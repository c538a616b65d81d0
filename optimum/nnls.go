package optimum

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge/internal/rows"
)

// smallestMean returns the shortest vector Σ λᵢ gᵢ + Σ μₖ nₖ with λ ≥ 0 that adds up to 1 and μ ≥ 0: the mean of vectors that is nearest to
// zero when it may be pushed along rays. It is the residual of the least-squares problem with the entry 1 below every vector, 0 below
// every ray, and the right-hand side (0, 1) [lawson1974]. It returns λ too.
func smallestMean(vectors, rays [][]float64) (mean, shares []float64) {
	n, m := len(vectors[0]), len(vectors)+len(rays)
	unit := 0.0
	for _, v := range vectors {
		unit = max(unit, rows.Norm(v))
	}
	if unit == 0 {
		return make([]float64, n), make([]float64, len(vectors))
	}
	a := mat.NewDense(n+1, m, nil)
	for j, v := range vectors {
		for i, x := range v {
			a.Set(i, j, x/unit)
		}
		a.Set(n, j, 1)
	}
	for k, r := range rays {
		long := rows.Norm(r)
		for i, x := range r {
			a.Set(i, len(vectors)+k, x/long)
		}
	}
	x := nonnegative(a, n)
	sum := 0.0
	for j := range vectors {
		sum += x[j]
	}
	out := make([]float64, n)
	for i := range out {
		for j := range m {
			out[i] += float64(a.At(i, j) * x[j])
		}
		out[i] *= unit / max(sum, 1e-300)
	}
	shares = x[:len(vectors)]
	rows.Scale(shares, 1/max(sum, 1e-300))
	return out, shares
}

// nonnegative solves min ‖Ax − e‖ over x ≥ 0 where e is 1 in the last row and 0 above, by active sets.
func nonnegative(a *mat.Dense, last int) []float64 {
	_, m := a.Dims()
	x, free := make([]float64, m), make([]bool, m)
	right := mat.NewVecDense(last+1, nil)
	right.SetVec(last, 1)
	residual := mat.VecDenseCopyOf(right)
	for range 3 * m {
		enter, most := -1, 1e-14
		for j := range m {
			if w := mat.Dot(a.ColView(j), residual); !free[j] && w > most {
				enter, most = j, w
			}
		}
		if enter < 0 {
			break
		}
		free[enter] = true
		for {
			z, ok := fit(a, free, right)
			if !ok {
				free[enter] = false
				return x
			}
			t, out := 1.0, -1
			for j := range m {
				if free[j] && z[j] <= 0 {
					if s := x[j] / (x[j] - z[j]); s < t || out < 0 {
						t, out = min(t, s), j
					}
				}
			}
			for j := range m {
				x[j] += float64(t * (z[j] - x[j]))
			}
			if out < 0 {
				break
			}
			free[out], x[out] = false, 0
		}
		for i := range last + 1 {
			v := right.AtVec(i)
			for j := range m {
				v -= float64(a.At(i, j) * x[j])
			}
			residual.SetVec(i, v)
		}
	}
	return x
}

// fit solves the least-squares problem in the free columns.
func fit(a *mat.Dense, free []bool, right *mat.VecDense) ([]float64, bool) {
	var at []int
	for j, f := range free {
		if f {
			at = append(at, j)
		}
	}
	if len(at) > right.Len() {
		return nil, false
	}
	part := mat.NewDense(right.Len(), len(at), nil)
	for k, j := range at {
		part.SetCol(k, mat.Col(nil, j, a))
	}
	var qr mat.QR
	qr.Factorize(part)
	var z mat.VecDense
	if err := qr.SolveVecTo(&z, false, right); err != nil && math.IsInf(qr.Cond(), 1) {
		return nil, false
	}
	out := make([]float64, len(free))
	for k, j := range at {
		out[j] = z.AtVec(k)
	}
	return out, rows.Finite(out)
}
