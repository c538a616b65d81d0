package formula

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Elementary functions with the same bits on every target. They stand on rows.Exp and rows.Log, which are good to 1 unit in
// the last place (ulp): exp and sigmoid are good to 3 ulp, tanh to 3 ulp, log to 1 ulp, a power xʸ that is no whole one to
// 4 + 2|y·log x| ulp. Sines, cosines, tangents and the error function are those of package portable, which are correctly rounded.

// exponentials writes eˣ, 0 below −708 and infinity above 708.
func exponentials(dst, x []float64) {
	for i, v := range x {
		dst[i] = -math.Abs(v)
	}
	rows.Exp(dst[:len(x)])
	for i, v := range x {
		if v > 0 {
			dst[i] = 1 / dst[i]
		}
	}
}

// logarithms writes log max(x, 2⁻¹⁰²²), NaN below 0 and infinity for it.
func logarithms(dst, x []float64) {
	for i, v := range x {
		dst[i] = floored(v)
	}
	rows.Log(dst[:len(x)])
	for i, v := range x {
		if math.IsInf(v, 1) {
			dst[i] = v
		}
	}
}

// floored keeps log from −∞: numbers from 0 on count as 2⁻¹⁰²² at least.
func floored(v float64) float64 {
	if v >= 0 {
		return max(v, 0x1p-1022)
	}
	return v
}

func exponential(v float64) float64 {
	var x, y [1]float64
	x[0] = v
	exponentials(y[:], x[:])
	return y[0]
}

func logarithm(v float64) float64 {
	var x, y [1]float64
	x[0] = v
	logarithms(y[:], x[:])
	return y[0]
}

// logSlope is 1/x, and 0 where log is held at its floor.
func logSlope(x float64) float64 {
	if x >= 0 && x < 0x1p-1022 {
		return 0
	}
	if x < 0 {
		return math.NaN()
	}
	return 1 / x
}

// sigmoids writes 1/(1 + e⁻ˣ), below 0 as eˣ/(1 + eˣ).
func sigmoids(dst, x []float64) {
	for i, v := range x {
		dst[i] = -math.Abs(v)
	}
	rows.Exp(dst[:len(x)])
	one := math.Float64bits(1)
	for i, v := range x { // which of the two is chosen by bits: signs are hard to foresee
		e, below := math.Float64bits(dst[i]), uint64(int64(math.Float64bits(v))>>63)
		dst[i] = math.Float64frombits(one&^below|e&below) / (1 + dst[i])
	}
}

func sigmoidSlope(x float64) float64 {
	e := exponential(-math.Abs(x))
	return e / float64((1+e)*(1+e))
}

// tanh takes a rational function near 0 [moshier1989], where 1 − e^(−2x) would cancel.
func tanh(x float64) float64 {
	z := math.Abs(x)
	if z < 0.625 {
		return tanhNear(x)
	}
	e := exponential(-2 * z)
	return math.Copysign((1-e)/(1+e), x)
}

func tanhNear(x float64) float64 {
	const (
		p0, p1, p2 = -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3
		q0, q1, q2 = 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3
	)
	s := float64(x * x)
	top := float64((float64((float64(p0*s)+p1)*s) + p2) * s)
	bottom := float64((float64((s+q0)*s)+q1)*s) + q2
	return x + float64(x*(top/bottom))
}

func tanhSlope(x float64) float64 {
	e := exponential(-2 * math.Abs(x))
	return 4 * e / float64((1+e)*(1+e))
}

// erfSlope is 2/√π·e^(−x²).
func erfSlope(x float64) float64 { return 1.1283791670955126 * exponential(-float64(x*x)) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// over is x/y, and 0 where y is 0: the slope that sqrt and norm are given at 0.
func over(x, y float64) float64 {
	if y == 0 {
		return 0
	}
	return x / y
}

// raise returns xʸ. For x < 0 it is NaN unless y is a whole number.
func raise(x, y float64) float64 {
	switch {
	case y == 0:
		return 1
	case x > 0:
		return exponential(y * logarithm(x))
	case x < 0 && y == math.Trunc(y):
		return negativePower(x, y)
	case x == 0 && y > 0:
		return 0
	case x == 0 && y < 0:
		return math.Inf(1)
	}
	return math.NaN()
}

// negativePower is raise for a negative number and a whole one.
func negativePower(x, y float64) float64 {
	v := exponential(y * logarithm(-x))
	if math.Mod(y, 2) != 0 {
		return -v
	}
	return v
}

// raiseSlope returns ∂(xʸ)/∂x = y·xʸ⁻¹, 0 at x = 0 where it is infinite.
func raiseSlope(x, y float64) float64 {
	switch {
	case x != 0:
		return y * (raise(x, y) / x)
	case y == 1:
		return 1
	}
	return 0 * y
}

// raiseLog returns ∂(xʸ)/∂y = xʸ·log x, 0 at x = 0.
func raiseLog(x, y float64) float64 {
	if x == 0 {
		return 0 * y
	}
	return raise(x, y) * logarithm(x)
}

// wholePower returns xⁿ by squaring, for n < 0 as 1/x⁻ⁿ.
func wholePower(x float64, n int) float64 {
	if n < 0 {
		return 1 / wholePower(x, -n)
	}
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}
