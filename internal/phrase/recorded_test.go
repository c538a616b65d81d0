package phrase

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// Numbers, counts, spans and lists are put into words as when this was recorded.
func TestWordsAsRecorded(t *testing.T) {
	var got []string
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-5, 9.99e-6, 9.999e-6, 1e-3, 9.99e-4, 0.001234, 12.3456, -12.3456, 99.96, 999.5, 1234.5, 9999, 1e4, 99999, 999999, 1e6, -1e6, 1.5e7, 1e-10, -1e-10, 1e100, 1e-300, math.Inf(1), math.Inf(-1), math.NaN(), 59.4, 59.5, 60, 61, 119.6, 3599, 3600, 3661, 86399, 86400, 90000, 1e7, 1e12, 2e12} {
		mantissa, exponent := Parts(v, 3)
		got = append(got, fmt.Sprintf("%g: %s %s %s %s %s %s %s %s %s %d %v; %s", v, Percent(v), Plain(v), Exact(v), Shortest(v), Brief(v), FourDigits(v), Digits(v, 4), Fixed(v, 2), mantissa, exponent, Finite(v), Duration(v)))
	}
	for _, n := range []int{0, 1, 2, 999, 1000, 9999, 10000, 99999, 100000, 1234567, 1234567890} {
		got = append(got, fmt.Sprint(Count(n, "trial"), CountGrouped(n, "trial"), Grouped(n), TenTo(n%100), TenTo(-n%100)))
	}
	for n := range 4 {
		names := []string{"a", "b", "c"}[:n]
		got = append(got, fmt.Sprintf("%q %q", Enumerate(names), EnumerateBy(names, "or")))
	}
	known := []string{"lambda", "sigma", "step", "ab", "ba", "abc", "a", "longer-name", "0123456789012345678901234567890123456789"}
	for _, key := range []string{"", "a", "b", "ab", "abd", "acb", "bca", "stpe", "tsep", "stp", "steppp", "lmbda", "labdma", "longername", "longr-nmae", "lonre-nmae", "x", "sgm", "0123456789012345678901234567890123456788", "01234567890123456789012345678901234567890", "zzzzzz"} {
		line := fmt.Sprintf("%s → %q", key, Nearest(key, known))
		for _, k := range known {
			line += fmt.Sprint(" ", editDistance(key, k), editDistance(k, key))
		}
		got = append(got, line)
	}
	for _, r := range []rune{0x10ff, 0x1100, 0x115f, 0x1160, 0x2319, 0x231a, 0x231b, 0x231c, 0x23f0, 0x23f1, 0x23f3, 0x2614, 0x274c, 0x274d, 0x274e, 0x2b50, 0x2b51, 0x2b55, 0x2e7f, 0x2e80, 0x303e, 0x303f, 0x3041, 0x4dbf, 0x4dc0, 0x4e00, 0xa4cf, 0xa4d0, 0xac00, 0xd7a3, 0xd7a4, 0xf900, 0xfaff, 0xff01, 0xff60, 0xff61, 0xffe0, 0xffe6, 0xffe7, 0x1f300, 0x1f320, 0x1f321, 0x1f440, 0x1f441, 0x1f64f, 0x1f650, 0x1f9ff, 0x20000, 0x3fffd, 0x3fffe, 0x301, 0x200d, 'a'} {
		text := "x" + string(r) + "y"
		got = append(got, fmt.Sprintf("%U %d %q %q %q", r, Cells(text), Cut(text, 1), Cut(text, 2), Cut(text, 3)))
	}
	for _, s := range []string{"−1", "-12", "+3", "n−1", "T", "x²", "ijkpu", "0123456789", "é"} {
		got = append(got, fmt.Sprintf("%s %s %s", s, Raised(s), Lowered(s)))
		for _, r := range s + Raised(s) + Lowered(s) {
			letter, rise := Script(r)
			got = append(got, fmt.Sprintf("%c is %c at %d", r, letter, rise))
		}
	}
	for r := range rune(0x300) {
		if text := string(r); Safe(text) != text || !IsSafe(text) {
			got = append(got, fmt.Sprintf("%U %s %v", r, Safe(text), IsSafe(text)))
		}
	}
	evidence.AsRecorded(t, "testdata/words.txt", got)
}

// What takes two places is what did when it was compared with version 15 of EastAsianWidth.txt: all that is assigned there agreed.
func TestWideLettersAsRecorded(t *testing.T) {
	var got []string
	for r, from := rune(0), rune(-1); r < 0x40000; r++ {
		switch is := isWide(r); {
		case is && from < 0:
			from = r
		case !is && from >= 0:
			got, from = append(got, fmt.Sprintf("%U %U", from, r-1)), -1
		}
	}
	evidence.AsRecorded(t, "testdata/wide.txt", got)
}
