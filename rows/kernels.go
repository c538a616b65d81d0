package rows

import "math"

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg rows

// Blend writes x/‖x‖ for x = stay·p + home·d + pull·(pᵀu)·u to the rows of dst and ‖x‖² to norm2, one row an entry of norm2.
// Nothing guards against a ‖x‖² that over- or underflows: look at norm2.
func Blend(dst, norm2, p, d, u []float64, stay, home, pull float64) {
	n, m := len(norm2), len(u)
	dst, p, d = dst[:n*m], p[:n*m], d[:n*m]
	if whole := n &^ 3; hasAVX2() && whole > 0 && m > 0 {
		blendAVX2(&dst[0], &norm2[0], &p[0], &d[0], &u[0], whole, m, stay, home, pull)
		dst, norm2, p, d = dst[whole*m:], norm2[whole:], p[whole*m:], d[whole*m:]
	}
	blendPlain(dst, norm2, p, d, u, stay, home, pull)
}

func blendPlain(dst, norm2, p, d, u []float64, stay, home, pull float64) {
	m := len(u)
	for i := range norm2 {
		x, p, d := dst[i*m:(i+1)*m], p[i*m:(i+1)*m], d[i*m:(i+1)*m]
		along := pull * dotPlain(p, u)
		for j := range x {
			x[j] = float64(stay*p[j]) + float64(home*d[j]) + float64(along*u[j])
		}
		norm2[i] = dotPlain(x, x)
		Scale(x, 1/math.Sqrt(norm2[i]))
	}
}

// Products writes dᵀu to along and dᵀd to own for the rows of d.
func Products(along, own, d, u []float64) {
	n, m := len(along), len(u)
	own, d = own[:n], d[:n*m]
	if whole := n &^ 3; hasAVX2() && whole > 0 && m > 0 {
		productsAVX2(&along[0], &own[0], &d[0], &u[0], whole, m)
		along, own, d = along[whole:], own[whole:], d[whole*m:]
	}
	productsPlain(along, own, d, u)
}

func productsPlain(along, own, d, u []float64) {
	m := len(u)
	for i := range along {
		row := d[i*m : (i+1)*m]
		along[i], own[i] = dotPlain(row, u), dotPlain(row, row)
	}
}

// rootSteps is how many Newton steps a root may take; a handful is the rule.
const rootSteps = 100

// SettleCosines replaces every c in x, |c| ≤ 1, by kc/e, the first entry of the unit vector (kc/e, k√(1−c²)/(e+s)) where
// e > 0 is the root of the secular equation k²[(1−c²)/(e+s)² + c²/e²] = 1 for k > 0 and s ≥ 0. Rounding may leave it a few
// units in the last place beyond 1.
// It returns how many roots were not found.
func SettleCosines(x []float64, k, s float64) (failed int) {
	if !hasAVX2() {
		return settleCosinesPlain(x, k, s)
	}
	if whole := len(x) &^ 15; whole > 0 {
		failed = secularAVX2(&x[0], whole, k, s, rootSteps)
		x = x[whole:]
	}
	if len(x) > 0 {
		var rest [16]float64 // zeros, which settle at once
		copy(rest[:], x)
		failed += secularAVX2(&rest[0], len(rest), k, s, rootSteps)
		copy(x, rest[:])
	}
	return failed
}

func settleCosinesPlain(x []float64, k, s float64) (failed int) {
	for i, c := range x {
		var ok bool
		if x[i], ok = settleCosine(c, k, s); !ok {
			failed++
		}
	}
	return failed
}

// settleCosine finds the root by Newton's method on 1/√ψ − 1, which rises to it from the left without fail. With a = k|c| and
// b = k√(1−c²) the root solves e² = a² + (b·e/(e+s))² and is at least b−s, which put in twice gives a bound to start from.
// ψ − 1 is taken from δ = b−s, because it would drown in the rounding of ψ where e is far smaller than s.
func settleCosine(c, k, s float64) (x float64, ok bool) {
	size := math.Abs(c)
	a, b := k*size, k*math.Sqrt(max(0, (1-size)*(1+size)))
	delta := b - s
	e := max(a, hypotenuse(a, delta))
	e = max(e, hypotenuse(a, b*(e/(e+s))))
	ok = a == 0
	if ok { // indifferent: it stays across
		e = 1
	}
	for step := 0; step < rootSteps && !ok; step++ {
		inverse := 1 / (e * (e + s))
		i1, i2 := e*inverse, (e+s)*inverse
		p, q := b*i1, a*i2
		q *= q
		over := float64((delta-e)*i1*(p+1)) + q
		slope := float64(p*p*i1) + float64(q*i2)
		move := (1 + over) * over / (slope * (math.Sqrt(1+over) + 1))
		e += move
		ok = !(move > 1e-8*e) // what is left is its square
	}
	return math.Copysign(a/e, c), ok
}

// hypotenuse returns √(a² + max(r, 0)²).
func hypotenuse(a, r float64) float64 {
	r = max(0, r)
	return math.Sqrt(float64(a*a) + float64(r*r))
}
