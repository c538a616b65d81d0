package report

import (
	"math"
	"strconv"
	"strings"
)

// number is a figure for people with all its digits behind it.
type number struct{ Text, Exact string }

const (
	absent    = "–"
	thinSpace = "\u202f" // narrow, and never broken
)

func newNumber(v float64, text func(float64) string) number {
	if math.IsNaN(v) {
		return number{absent, "not measured"}
	}
	return number{text(v), strconv.FormatFloat(v, 'g', -1, 64)}
}

// percent shows a relative error with three digits, as a percentage while that reads well.
func percent(v float64) string {
	switch a := math.Abs(v); {
	case !finite(v):
		return plain(v)
	case v == 0:
		return "0"
	case a >= 1e-5 && a < 1e4:
		return digits(100*v, 3) + thinSpace + "%"
	}
	return scientific(v)
}

// plain shows a number with three digits.
func plain(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return absent
	case math.IsInf(v, 0):
		return minus(strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞", 1))
	case v == 0:
		return "0"
	case a >= 1e-3 && a < 1e6:
		return digits(v, 3)
	}
	return scientific(v)
}

// digits shows v with n significant digits and no exponent.
func digits(v float64, n int) string {
	if v == 0 || !finite(v) {
		return plain(v)
	}
	_, exponent := parts(v, n)
	return fixed(v, max(n-1-exponent, 0))
}

func fixed(v float64, decimals int) string { return minus(strconv.FormatFloat(v, 'f', decimals, 64)) }

// scientific shows v as 1.23 × 10⁻⁴.
func scientific(v float64) string {
	mantissa, exponent := parts(v, 3)
	return minus(mantissa) + thinSpace + "×" + thinSpace + "10" + raised(strconv.Itoa(exponent))
}

// parts splits v, rounded to n digits, into mantissa and exponent of ten.
func parts(v float64, n int) (mantissa string, exponent int) {
	mantissa, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', n-1, 64), "e")
	exponent, _ = strconv.Atoi(e) // FormatFloat wrote it
	return mantissa, exponent
}

// minus sets a proper minus sign.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

func raised(s string) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(s)
}

// count says how many, as in "1 trial" and "20 trials".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
