package phrase

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Letters and their forms above and below the line, in the same order.
const (
	base, above = "−-+0123456789nT", "⁻⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵀ"
	foot, below = "−-+0123456789ijkpu", "₋₋₊₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₚᵤ"
)

// Raised is a number as an exponent.
func Raised(s string) string { return formed(s, base, above) }

// Lowered is a number as an index.
func Lowered(s string) string { return formed(s, foot, below) }

func formed(s, letters, forms string) string {
	return strings.Map(func(r rune) rune {
		if form, ok := across(r, letters, forms); ok {
			return form
		}
		return r
	}, s)
}

// across is what stands in the second list where r stands in the first.
func across(r rune, list, other string) (rune, bool) {
	i := strings.IndexRune(list, r)
	if i < 0 {
		return r, false
	}
	return []rune(other)[utf8.RuneCountInString(list[:i])], true
}

// TenTo is a power of ten.
func TenTo(exponent int) string { return "10" + Raised(strconv.Itoa(exponent)) }

// Script is the letter that r is a form of: 1 above the line, −1 below it, 0 of what is itself.
func Script(r rune) (letter rune, rise int) {
	if letter, ok := across(r, above, base); ok {
		return letter, 1
	}
	if letter, ok := across(r, below, foot); ok {
		return letter, -1
	}
	return r, 0
}
