// Package phrase puts numbers into words for people: with the digits that say something, a proper minus sign and a dash where
// there is nothing to say. Tables, sentences, figures and terminals all write numbers by it.
package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	Absent    = "–"      // stands for a number that was not measured
	ThinSpace = "\u202f" // narrow, and never broken
)

// Finite tells whether a number can be written in digits.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Percent shows a relative error with three digits, as a percentage while that reads well.
func Percent(v float64) string {
	switch a := math.Abs(v); {
	case !Finite(v):
		return Plain(v)
	case v == 0:
		return "0"
	case a >= 1e-5 && a < 1e4:
		return Digits(100*v, 3) + ThinSpace + "%"
	}
	return scientific(v)
}

// Plain shows a number with three digits.
func Plain(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return Absent
	case math.IsInf(v, 1):
		return "+∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == 0:
		return "0"
	case a >= 1e-3 && a < 1e6:
		return Digits(v, 3)
	}
	return scientific(v)
}

// Exact shows all digits of a number, as specs write it; infinities are signs.
func Exact(v float64) string {
	if math.IsInf(v, 0) {
		return Plain(v)
	}
	return general(v, -1)
}

// Shortest shows a number with up to six digits.
func Shortest(v float64) string { return general(v, 6) }

// Brief shows a number with up to three digits.
func Brief(v float64) string { return general(v, 3) }

// FourDigits shows a number with up to four digits, and infinities of either sign alike: bounds have no other.
func FourDigits(v float64) string {
	switch {
	case math.IsNaN(v):
		return Absent
	case math.IsInf(v, 0):
		return "∞"
	}
	return general(v, 4)
}

// general shows a number with so many digits. A zero has no sign.
func general(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	return Minus(strconv.FormatFloat(v, 'g', digits, 64))
}

// Digits shows v with n significant digits and no exponent.
func Digits(v float64, n int) string {
	if v == 0 || !Finite(v) {
		return Plain(v)
	}
	_, exponent := Parts(v, n)
	return Fixed(v, max(n-1-exponent, 0))
}

// Fixed shows a number with so many decimals.
func Fixed(v float64, decimals int) string { return Minus(strconv.FormatFloat(v, 'f', decimals, 64)) }

// scientific shows v as 1.23 × 10⁻⁴.
func scientific(v float64) string {
	mantissa, exponent := Parts(v, 3)
	return Minus(mantissa) + ThinSpace + "×" + ThinSpace + TenTo(exponent)
}

// Parts splits v, rounded to n digits, into mantissa and exponent of ten.
func Parts(v float64, n int) (mantissa string, exponent int) {
	mantissa, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', n-1, 64), "e")
	exponent, _ = strconv.Atoi(e) // FormatFloat wrote it
	return mantissa, exponent
}

// Minus sets proper minus signs.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Typed undoes Minus: numbers copied from a page, as programs read them.
func Typed(s string) string { return strings.ReplaceAll(s, "−", "-") }

// Count says how many, as in "1 trial" and "20 trials", or "2 batches" where that is another word.
func Count(n int, one string, many ...string) string {
	others := one + "s"
	if len(many) > 0 {
		others = many[0]
	}
	return counted(n, strconv.Itoa(n), one, others)
}

// CountGrouped is Count with the digits of a long number in groups.
func CountGrouped(n int, what string) string { return counted(n, Grouped(n), what, what+"s") }

// People says how many, with its digits in groups.
func People(n int) string { return counted(n, Grouped(n), "person", "people") }

func counted(n int, digits, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits + " " + many
}

// Grouped writes a number with its digits in groups of three where there are more than four.
func Grouped(n int) string {
	text, negative := strings.CutPrefix(strconv.Itoa(n), "-")
	if len(text) > 4 {
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + " " + text[i:]
		}
	}
	if negative {
		return "−" + text
	}
	return text
}

// Enumerate joins names as a sentence does: "a, b and c".
func Enumerate(names []string) string { return EnumerateBy(names, "and") }

// EnumerateBy joins names by a word of choice: "a, b or c".
func EnumerateBy(names []string, word string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// Duration writes seconds as people say them: 8 s, 3 min 20 s, 2 h 5 min, 3 d 4 h.
func Duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return Absent
	}
	s := int64(min(max(0, seconds), 1e12) + 0.5)
	for _, u := range []struct {
		size, part int64
		name, unit string
	}{{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}} {
		if s >= u.size {
			return fmt.Sprintf("%d %s %d %s", s/u.size, u.name, s%u.size/u.part, u.unit)
		}
	}
	return fmt.Sprintf("%d s", s)
}
