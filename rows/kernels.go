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

// Cosines writes dᵀu·inverse to dst for the rows of d. It returns how far a dᵀd is from 1 at most, NaN if one is NaN, and the
// smallest |dᵀu·inverse|.
func Cosines(dst, d, u []float64, inverse float64) (off, least float64) {
	n, m := len(dst), len(u)
	d = d[:n*m]
	off, least = 0, math.Inf(1)
	if whole := n &^ 3; hasAVX2() && whole > 0 && m > 0 {
		off, least = cosinesAVX2(&dst[0], &d[0], &u[0], whole, m, inverse)
		dst, d = dst[whole:], d[whole*m:]
	}
	plainOff, plainLeast := cosinesPlain(dst, d, u, inverse)
	return math.Float64frombits(max(math.Float64bits(off), math.Float64bits(plainOff))), lesser(plainLeast, least)
}

func cosinesPlain(dst, d, u []float64, inverse float64) (off, least float64) {
	m, largest := len(u), uint64(0)
	least = math.Inf(1)
	for i := range dst {
		row := d[i*m : (i+1)*m]
		dst[i] = dotPlain(row, u) * inverse
		least = lesser(math.Abs(dst[i]), least)
		largest = max(largest, math.Float64bits(math.Abs(dotPlain(row, row)-1)))
	}
	return math.Float64frombits(largest), least
}

// rootSteps is how many Newton steps a root may take; a handful is the rule.
const rootSteps = 100

// SettleCosines replaces every c in x, |c| ≤ 1 up to rounding, by kc/e, the first entry of the unit vector (kc/e, k√(1−c²)/(e+s)) where
// e > 0 is the root of the secular equation k²[(1−c²)/(e+s)² + c²/e²] = 1 for k > 0 and s ≥ 0. Rounding may leave it a few
// units in the last place beyond 1.
// It returns how many roots were not found.
func SettleCosines(x []float64, k, s float64) (failed int) {
	if !hasAVX2() {
		return settleCosinesPlain(x, k, s)
	}
	if whole := len(x) &^ 15; whole > 0 {
		failed = secularAVX2(&x[0], whole, k, s, float32(s), rootSteps)
		x = x[whole:]
	}
	if len(x) > 0 {
		var rest [16]float64 // zeros, which settle at once
		copy(rest[:], x)
		failed += secularAVX2(&rest[0], len(rest), k, s, float32(s), rootSteps)
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

// settleCosine finds the root for a = k|c| and b = k√(1−c²): a guess in single precision and one or two steps of the third
// order or, where the guess was not good enough for that, Newton's method in double.
func settleCosine(c, k, s float64) (x float64, ok bool) {
	size := math.Abs(c)
	a, b := k*size, k*math.Sqrt(max(0, (1-size)*(1+size)))
	if a == 0 { // indifferent: it stays across
		return math.Copysign(0, c), true
	}
	e, ok := leap(guess(float32(a), float32(b), float32(s)), a, b, s)
	if !ok {
		e, ok = leap(e, a, b, s)
	}
	if !ok {
		e, ok = newton(a, b, s)
	}
	return math.Copysign(a/e, c), ok
}

// leap is a step of Halley's method on ψ−1, which triples the digits of e. It tells whether those were enough.
func leap(e, a, b, s float64) (root float64, ok bool) {
	w := stepTerms(e, a, b, s)
	more := float64(w.i1*w.p) + float64(w.i2*w.q) // ψ″/6
	twice := w.over + w.over
	move := float64(w.slope*twice) / (float64((w.slope+w.slope)*(w.slope+w.slope)) - float64(more*(w.over+twice)))
	e += move
	return e, math.Abs(move) <= 0x1p-19*e
}

// newton is Newton's method on 1/√ψ − 1, which rises to the root from the left without fail. The root solves
// e² = a² + (b·e/(e+s))² and is at least b−s, which put in twice gives a bound to start from.
func newton(a, b, s float64) (e float64, ok bool) {
	e = max(a, hypotenuse(a, b-s))
	e = max(e, hypotenuse(a, b*(e/(e+s))))
	for step := 0; step < rootSteps && !ok; step++ {
		w := stepTerms(e, a, b, s)
		move := (1 + w.over) * w.over / (w.slope * (math.Sqrt(1+w.over) + 1))
		e += move
		ok = !(move > 1e-8*e) // what is left is its square
	}
	return e, ok
}

// terms are what a step is made of: with i1 = 1/(e+s) and i2 = 1/e these are ψ − 1, p = (b·i1)²·i1, q = (a·i2)²·i2 and
// slope = p + q = −ψ′/2.
type terms struct{ i1, i2, over, p, q, slope float64 }

// stepTerms takes ψ − 1 from δ = b−s, because it would drown in the rounding of ψ where e is far smaller than s.
func stepTerms(e, a, b, s float64) terms {
	delta, inverse := b-s, 1/(e*(e+s))
	i1, i2 := e*inverse, (e+s)*inverse
	p, q := b*i1, a*i2
	q *= q
	over := float64((delta-e)*i1*(p+1)) + q
	p, q = float64(p*p)*i1, q*i2
	return terms{i1, i2, over, p, q, p + q}
}

// hypotenuse returns √(a² + max(r, 0)²).
func hypotenuse(a, r float64) float64 {
	r = max(0, r)
	return math.Sqrt(float64(a*a) + float64(r*r))
}

// guess is newton in single precision with three steps, whatever comes out.
func guess(a, b, s float32) float64 {
	e := greater32(hypotenuse32(a, b-s), a)
	e = greater32(hypotenuse32(a, b*(e/(e+s))), e)
	for range 3 {
		inverse := 1 / (e * (e + s))
		i1, i2 := e*inverse, (e+s)*inverse
		p, q := b*i1, a*i2
		q *= q
		over := float32((b-s-e)*i1*(p+1)) + q
		slope := float32(p*p*i1) + float32(q*i2)
		e += (1 + over) * over / (slope * (root32(1+over) + 1))
	}
	return float64(e)
}

func hypotenuse32(a, r float32) float32 {
	r = greater32(r, 0)
	return root32(float32(a*a) + float32(r*r))
}

// greater32 returns y where the two cannot be told apart, as vector instructions do.
func greater32(x, y float32) float32 {
	if x > y {
		return x
	}
	return y
}

// root32 rounds twice, which for a square root comes to the same as once [figueroa1995].
func root32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
