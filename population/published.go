package population

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// PublishedHemisphere fills the rows of dst, dim entries each, with the initial states of the published run of polarized
// dynamics [he2025, polarized dynamics], from the numbers that g gives next: exactly these individuals, and their entries to
// the last bit that the two libraries' logarithms share. Use Cap for everything else.
//
// Of a reference vector r and 4N candidates v, all with coordinates N(0, 2²), it keeps the first N candidates with
// rᵀv/‖v‖ ≤ cos 90°, scaled to length 1: the hemisphere opposite the reference. Too few candidates inside are an error, on
// which dst is unchanged.
func PublishedHemisphere(dst []float64, dim int, g *stream.NumPy) error {
	n := kedge.Count(dst, dim)
	reference := make([]float64, dim)
	fillNormal(reference, g)
	candidates := make([]float64, dim*4*n) // one a column
	fillNormal(candidates, g)
	norm := columnNorms(candidates, dim, 4*n)
	const cos90 = 6.123233995736766e-17 // of the float64 nearest to π/2
	var kept []int
	for c := 0; c < 4*n && len(kept) < n; c++ {
		s := 0.0
		for j, r := range reference {
			s += float64(r * (candidates[j*4*n+c] / norm[c]))
		}
		if s <= cos90 {
			kept = append(kept, c)
		}
	}
	if len(kept) < n {
		return &kedge.RangeError{Arg: "candidates in the hemisphere", Got: float64(len(kept)), Want: "one for every individual"}
	}
	for i, c := range kept {
		for j := range dim {
			dst[i*dim+j] = candidates[j*4*n+c] / norm[c]
		}
	}
	return nil
}

// fillNormal is numpy.random.normal(0, 2).
func fillNormal(x []float64, g *stream.NumPy) {
	for i := range x {
		x[i] = 2 * g.Normal()
	}
}

// columnNorms adds the squares row by row, as NumPy's norm along the first axis does.
func columnNorms(a []float64, m, n int) []float64 {
	norm := make([]float64, n)
	for j := range m {
		for c, v := range a[j*n : (j+1)*n] {
			norm[c] += float64(v * v)
		}
	}
	for c, v := range norm {
		norm[c] = math.Sqrt(v)
	}
	return norm
}

// PublishedProportions fills dst with the initial state of the published run of softmax dynamics [he2025, softmax dynamics],
// bit for bit: x/Σx for the x = numpy.random.rand that g gives next. Use Proportions for everything else.
func PublishedProportions(dst []float64, g *stream.NumPy) {
	divide(dst, fillUniform(dst, g))
}

// PublishedBudget fills dst with the initial decision of the same run: x·(budget/Σx) for the x = numpy.random.rand that g
// gives next.
func PublishedBudget(dst []float64, budget float64, g *stream.NumPy) {
	rows.Scale(dst, budget/fillUniform(dst, g))
}

// fillUniform is numpy.random.rand; it returns the sum.
func fillUniform(x []float64, g *stream.NumPy) float64 {
	for i := range x {
		x[i] = g.Float64()
	}
	return numpySum(x)
}

// numpySum adds up x in the order of numpy.sum: in eight interleaved lanes up to 128 entries, by halves beyond.
func numpySum(x []float64) float64 {
	if len(x) > 128 {
		h := len(x) / 2
		h -= h % 8
		return numpySum(x[:h]) + numpySum(x[h:])
	}
	var lane [8]float64
	for ; len(x) >= 8; x = x[8:] {
		for i := range lane {
			lane[i] += x[i]
		}
	}
	s := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
	for _, v := range x {
		s += v
	}
	return s
}
