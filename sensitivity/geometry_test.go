package sensitivity

import (
	"math"
	"math/big"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Ĥu keeps all its digits as c → λ, where an explicit inverse loses them one by one. The truth is
// σ[au + (‖u‖² − 2a²)p]/D with D = c − λ − σ(‖u‖² − a²), an algebraically equal form, in 256 bits. The state (±½, ±½, ±½, ±½)
// has unit length without rounding.
func TestOwnProductKeepsItsDigits(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "own-product", Text: "Ĥu against 256 bits, conditioning divided out"})
	r := stream.New(1, "digits")
	worst := 0.0
	for _, above := range []float64{0.5, 1e-2, 1e-6, 1e-12, 0} {
		for range 200 {
			p, u := make([]float64, 4), make([]float64, 4)
			for i := range p {
				p[i], u[i] = math.Copysign(0.5, r.Normal()), r.Normal()
			}
			s := Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}
			c := s.Lambda + above
			got, want := make([]float64, 4), exact(p, u, c, s.Lambda, s.Sigma)
			g := s.geometry(p, u, rows.Dot(p, u), rows.Dot(p, p), rows.Dot(u, u), c)
			g.add(got, p, u, u)
			// D itself is ill-conditioned where ρ and σb cancel; its own error is no fault of the product.
			amplified := (math.Abs(g.rho) + s.Sigma*g.b) / math.Abs(g.margin)
			worst = max(worst, rows.Distance(got, want)/rows.Norm(want)/amplified)
		}
	}
	off.AtMost("", worst, 1e-15)
}

func exact(p, u []float64, c, lambda, sigma float64) []float64 {
	n := func(x float64) *big.Float { return new(big.Float).SetPrec(256).SetFloat64(x) }
	mul := func(x, y *big.Float) *big.Float { return n(0).Mul(x, y) }
	add := func(x, y *big.Float) *big.Float { return n(0).Add(x, y) }
	sub := func(x, y *big.Float) *big.Float { return n(0).Sub(x, y) }
	a, uu := n(0), n(0)
	for i := range p {
		a = add(a, mul(n(p[i]), n(u[i])))
		uu = add(uu, mul(n(u[i]), n(u[i])))
	}
	aa := mul(a, a)
	margin := sub(sub(n(c), n(lambda)), mul(n(sigma), sub(uu, aa)))
	out := make([]float64, len(p))
	for i := range p {
		x := add(mul(a, n(u[i])), mul(sub(uu, add(aa, aa)), n(p[i])))
		out[i], _ = n(0).Quo(mul(n(sigma), x), margin).Float64()
	}
	return out
}

// The form for multiples of u and the form for any v are one function: at v = u they agree where ρ is not small.
func TestBothFormsAgree(t *testing.T) {
	s := Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	p, u := []float64{0.6, 0, 0.8}, []float64{0.3, -0.5, 0.2}
	g := s.geometry(p, u, rows.Dot(p, u), rows.Dot(p, p), rows.Dot(u, u), 1.1)
	own, mixed, part := make([]float64, 3), make([]float64, 3), []float64{1, 2, 3}
	g.addOwn(own, p, u, 1)
	rest := make([]float64, 3)
	rows.AddScaled(rest, 1, u)
	rows.AddScaled(rest, -1, part)
	g.add(mixed, p, u, part)
	g.add(mixed, p, u, rest)
	if off := rows.Distance(own, mixed) / rows.Norm(own); !(off <= 1e-14) {
		t.Errorf("Ĥu and Ĥx + Ĥ(u−x) differ by %.2g", off)
	}
}

// A multiple of u is one in every bit. Signs and powers of two are always recognized, a changed bit is not.
func TestMultiple(t *testing.T) {
	u := []float64{0, 0.1, -3, 1e-300, 7}
	scaled := func(k float64) []float64 {
		v := make([]float64, len(u))
		rows.AddScaled(v, k, u)
		return v
	}
	for _, k := range []float64{-1, 1, 0, 0.25, -1024} {
		if got, ok := multiple(scaled(k), u); !ok || got != k {
			t.Errorf("%v·u is taken for %v, %v", k, got, ok)
		}
	}
	for i := range u {
		v := scaled(-1)
		v[i] = math.Nextafter(v[i], 100)
		if k, ok := multiple(v, u); ok {
			t.Errorf("entry %d differs, but v is taken for %v·u", i, k)
		}
	}
	for _, u := range [][]float64{{0, 0}, {}} {
		if _, ok := multiple(u, u); ok {
			t.Error("a multiple of nothing")
		}
	}
	if _, ok := multiple([]float64{math.NaN()}, []float64{1}); ok {
		t.Error("NaN is taken for a multiple")
	}
}
