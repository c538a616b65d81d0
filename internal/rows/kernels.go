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
	const many = 64
	if whole := len(x) &^ (many - 1); whole > 0 {
		failed = secular(&x[0], whole, k, s)
		x = x[whole:]
	}
	if len(x) > 0 {
		var rest [many]float64 // zeros, which settle at once
		copy(rest[:], x)
		failed += secular(&rest[0], many, k, s)
		copy(x, rest[:])
	}
	return failed
}

// secular settles n cosines, a multiple of 64.
func secular(x *float64, n int, k, s float64) (failed int) {
	if hasAVX512() {
		return secularAVX512(x, n, k, s, float32(s), rootSteps)
	}
	return secularAVX2(x, n, k, s, float32(s), rootSteps)
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

// settleCosine finds the root for a = k|c| and b = k√(1−c²): a guess in single precision and one or two steps of Halley's
// method or, where the guess was not good enough for that, Newton's method in double.
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

// leap is a step of Halley's method, which triples the digits of e. It tells whether those were enough.
func leap(e, a, b, s float64) (root float64, ok bool) {
	move := halley(e, s, b, a*a, b*b)
	e += move
	return e, math.Abs(move) <= 0x1p-19*e
}

// guess starts at a bound from below and takes three steps of Halley's method in single precision, whatever comes out.
func guess(a, b, s float32) float64 {
	r := greater(b-s, 0)
	e := greater(root32(float32(a*a)+float32(r*r)), a)
	for range 3 {
		e += halley(e, s, b, a*a, b*b)
	}
	return float64(e)
}

// halley is the step of Halley's method on ψ−1, with t = e+s multiplied by as many et as leave a single division: ψ−1 is v/(et)²,
// −ψ′/2 is m/(et)³ and ψ″/6 is k/(et)⁴. It takes v from b−s, because ψ−1 would drown in the rounding of ψ where e is far smaller
// than s.
func halley[F float32 | float64](e, s, b, aa, bb F) F {
	t := e + s
	ee, tt := e*e, t*t
	p, q := F(bb*ee), F(aa*tt)
	k := F(p*ee) + F(q*tt)
	v := F(ee*((b-s-e)*(b+t))) + q
	m := F(p*e) + F(q*t)
	twice := m + m
	return twice * v * (e * t) / (F(twice*twice) - F(k*(v+(v+v))))
}

// newton is Newton's method on 1/√ψ − 1, which rises to the root from the left without fail. The root solves
// e² = a² + (b·e/(e+s))² and is at least b−s, which put in twice gives a bound to start from.
func newton(a, b, s float64) (e float64, ok bool) {
	e = max(a, hypotenuse(a, b-s))
	e = max(e, hypotenuse(a, b*(e/(e+s))))
	for step := 0; step < rootSteps && !ok; step++ {
		over, slope := overshoot(e, a, b, s)
		move := (1 + over) * over / (slope * (math.Sqrt(1+over) + 1))
		e += move
		ok = !(move > 1e-8*e) // what is left is its square
	}
	return e, ok
}

// overshoot returns ψ−1 and −ψ′/2 with i1 = 1/(e+s) and i2 = 1/e, which neither over- nor underflow.
func overshoot(e, a, b, s float64) (over, slope float64) {
	inverse := 1 / (e * (e + s))
	i1, i2 := e*inverse, (e+s)*inverse
	p, q := float64(b*i1), a*i2
	q = float64(q * q)
	over = float64((b-s-e)*i1*(p+1)) + q
	return over, float64(float64(p*p)*i1) + float64(q*i2)
}

// hypotenuse returns √(a² + max(r, 0)²).
func hypotenuse(a, r float64) float64 {
	r = max(0, r)
	return math.Sqrt(float64(a*a) + float64(r*r))
}

// root32 rounds twice, which for a square root comes to the same as once [figueroa1995].
func root32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
