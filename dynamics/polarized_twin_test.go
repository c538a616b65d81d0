package dynamics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
)

// settledPlainly is the steady state as its formula has it, entry by entry: the twin of settle, for people who are not indifferent.
func settledPlainly(f Polarized, u, d []float64) (h []float64, off float64, steps int) {
	norm := rows.Norm(u)
	by, s, k := norm, float64(f.Sigma*norm*norm), 1-f.Lambda
	c, across := 0.0, 0.0
	if s > 0 {
		c = rows.Dot(d, u) / norm
		for i := range d {
			r := d[i] - float64(c*(u[i]/norm))
			across += float64(r * r)
		}
		across = math.Sqrt(across)
	} else {
		by = 1
	}
	along, beside := c, 1.0
	if k*math.Abs(c) >= indifferent {
		e, n, _ := secular(k, s, math.Abs(c), across)
		along, beside, steps = k*c/e, k/(e+s), n
	}
	h = make([]float64, len(d))
	for i := range h {
		h[i] = float64(along*(u[i]/by)) + float64(beside*(d[i]-float64(c*(u[i]/by))))
	}
	size := rows.Norm(h)
	for i := range h {
		h[i] /= size
	}
	stay, home, pull := f.weights(h, u)
	size = f.Stretch(h, u, d)
	for i, v := range h {
		off = max(off, math.Abs(blend(stay, v, home, d[i], pull, u[i])/size-v))
	}
	return h, off, steps
}

// What is worked out once for all people changes no bit of where they settle, nor of what that misses its equation by.
func TestSettledRowsHaveTheBitsOfTheFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 400 {
		m, n := 1+r.IntN(90), 1+r.IntN(9)
		f := Polarized{Dim: m, Lambda: 0.9 * r.Float64(), Sigma: r.Float64()}
		u, d, h := make([]float64, m), make([]float64, n*m), make([]float64, n*m)
		for i := range u {
			u[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(5)-4))
		}
		if r.IntN(20) == 0 {
			clear(u)
		}
		for i := range n {
			row := d[i*m : (i+1)*m]
			for j := range row {
				row[j] = r.NormFloat64()
			}
			rows.Scale(row, 1/rows.Norm(row))
		}
		res, err := f.SettleRows(h, u, d)
		if err != nil {
			t.Fatal(err)
		}
		worst, most := 0.0, 0
		for i := range n {
			want, off, steps := settledPlainly(f, u, d[i*m:(i+1)*m])
			worst, most = max(worst, off), max(most, steps)
			for j, v := range want {
				if math.Float64bits(h[i*m+j]) != math.Float64bits(v) {
					t.Fatalf("%+v, person %d: %v, want %v", f, i, h[i*m:(i+1)*m], want)
				}
			}
		}
		if res.Norm != worst || res.Steps != most {
			t.Fatalf("%+v: residual %+v, want %v after %d", f, res, worst, most)
		}
	}
}
