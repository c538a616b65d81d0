package rows_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

const (
	eps  = 0x1p-53
	prec = 2200 // bits: sums of products of any float64 are exact, from 2⁻²¹⁴⁸ to 2²⁰⁴⁸ they need no more than they overlap
)

var sizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 50, 200}

func exact(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }

// vector draws n numbers of a scale, spread over a few decades.
func vector(s *stream.Stream, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * s.Normal() * math.Ldexp(1, -s.Intn(8))
	}
	return x
}

// scales visits every size at scales from 1e-150 to 1e150.
func scales(visit func(s *stream.Stream, n int, scale float64)) {
	s := stream.New(1, "rows")
	for _, n := range sizes {
		for _, scale := range []float64{1e-150, 1e-100, 1e-10, 1, 1e10, 1e100, 1e150} {
			for range 20 {
				visit(s, n, scale)
			}
		}
	}
}

// ratio is |got − want| in units of eps times scale; 0 when both are 0.
func ratio(got float64, want, scale *big.Float) float64 {
	diff := new(big.Float).Sub(exact(got), want)
	if diff.Sign() == 0 {
		return 0
	}
	r, _ := diff.Quo(diff, scale).Float64()
	return math.Abs(r) / eps
}

// A sum in any fixed order of n terms has an error of at most (n−1)·eps·Σ|terms|, and each product of half a unit more.
func TestDotAgainstBig(t *testing.T) {
	worst := 0.0
	scales(func(s *stream.Stream, n int, scale float64) {
		x, y := vector(s, n, scale), vector(s, n, 1)
		want, size := exact(0), exact(0)
		for i := range x {
			p := new(big.Float).Mul(exact(x[i]), exact(y[i]))
			want.Add(want, p)
			size.Add(size, p.Abs(p))
		}
		worst = max(worst, ratio(rows.Dot(x, y), want, size)/math.Sqrt(float64(max(n, 1))))
	})
	if worst > 2 {
		t.Errorf("error %.2f √n eps Σ|xy|, want at most 2", worst)
	}
}

// Pairwise halving keeps the error below eps·(log₂(n/8) + 8)·Σ|x|.
func TestSumAgainstBig(t *testing.T) {
	worst := 0.0
	check := func(x []float64) {
		want, size := exact(0), exact(0)
		for _, v := range x {
			want.Add(want, exact(v))
			size.Add(size, exact(math.Abs(v)))
		}
		worst = max(worst, ratio(rows.Sum(x), want, size)/max(1, math.Log2(float64(len(x)))))
	}
	scales(func(s *stream.Stream, n int, scale float64) { check(vector(s, n, scale)) })
	tenths := make([]float64, 100_000) // 0.1 a hundred thousand times: a plain loop is off by a thousand of these units
	for i := range tenths {
		tenths[i] = 0.1
	}
	check(tenths)
	if worst > 2 {
		t.Errorf("error %.2f log₂n eps Σ|x|, want at most 2", worst)
	}
}

// bigNorm is the square root of the exact sum of squares.
func bigNorm(x []float64) *big.Float {
	s := exact(0)
	for _, v := range x {
		s.Add(s, new(big.Float).Mul(exact(v), exact(v)))
	}
	return s.Sqrt(s)
}

func TestNormAndDistanceAgainstBig(t *testing.T) {
	worst := 0.0
	for _, n := range sizes {
		s := stream.New(2, "norm")
		for _, scale := range []float64{1e-295, 1e-200, 1e-150, 1e-140, 1, 1e139, 1e141, 1e150, 1e300} {
			x, y := vector(s, n, scale), vector(s, n, scale)
			diff := make([]float64, n)
			for i := range diff {
				diff[i] = x[i] - y[i]
			}
			if n > 0 {
				worst = max(worst, ratio(rows.Norm(x), bigNorm(x), bigNorm(x)), ratio(rows.Distance(x, y), bigNorm(diff), bigNorm(diff)))
			} else if rows.Norm(x) != 0 || rows.Distance(x, y) != 0 {
				t.Error("an empty vector has a length")
			}
		}
	}
	if worst > 10 {
		t.Errorf("relative error %.2f eps, want at most 10", worst)
	}
}

// Each entry is a dot product more: the bound is that of Dot.
func TestMulAgainstBig(t *testing.T) {
	s := stream.New(3, "mul")
	worst := 0.0
	for _, m := range sizes[:10] {
		for _, n := range sizes[:10] {
			a, x, y := vector(s, m*n, 1), vector(s, n, 1), vector(s, m, 1)
			row, col := vector(s, m, 1), vector(s, n, 1)
			gotRow, gotCol := append([]float64(nil), row...), append([]float64(nil), col...)
			rows.AddMul(gotRow, a, x)
			rows.AddMulT(gotCol, a, y)
			for i := range row {
				worst = max(worst, entryRatio(gotRow[i], row[i], n, func(j int) (float64, float64) { return a[i*n+j], x[j] }))
			}
			for j := range col {
				worst = max(worst, entryRatio(gotCol[j], col[j], m, func(i int) (float64, float64) { return a[i*n+j], y[i] }))
			}
		}
	}
	if worst > 4 {
		t.Errorf("error %.2f eps Σ|terms|, want at most 4", worst)
	}
}

// entryRatio is the error of got = start + Σ pᵢqᵢ over the sum of what was added.
func entryRatio(got, start float64, n int, term func(i int) (p, q float64)) float64 {
	want, size := exact(start), exact(math.Abs(start))
	for i := range n {
		p, q := term(i)
		v := new(big.Float).Mul(exact(p), exact(q))
		want.Add(want, v)
		size.Add(size, v.Abs(v))
	}
	return ratio(got, want, size)
}
