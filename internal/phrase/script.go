package phrase

import (
	"slices"
	"strconv"
	"strings"
)

// Letters and their forms above and below the line, in the same order.
var (
	base, above = []rune("−-+0123456789nT"), []rune("⁻⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵀ")
	foot, below = []rune("−+0123456789ijkpu"), []rune("₋₊₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₚᵤ")
)

// Raised is a number as an exponent.
func Raised(s string) string {
	return strings.Map(func(r rune) rune {
		if i := slices.Index(base, r); i >= 0 {
			return above[i]
		}
		return r
	}, s)
}

// TenTo is a power of ten.
func TenTo(exponent int) string { return "10" + Raised(strconv.Itoa(exponent)) }

// Script is the letter that r is a form of: 1 above the line, −1 below it, 0 of what is itself.
func Script(r rune) (letter rune, rise int) {
	if i := slices.Index(above, r); i >= 0 {
		return base[i], 1
	}
	if i := slices.Index(below, r); i >= 0 {
		return foot[i], -1
	}
	return r, 0
}
