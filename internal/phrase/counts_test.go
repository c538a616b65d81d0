package phrase

import (
	"math"
	"testing"
)

// A word that is not another one's with an s is said where there are several, and people are grouped as other numbers are.
func TestCountsOfOtherWords(t *testing.T) {
	for _, one := range []struct{ got, want string }{
		{Count(1, "batch", "batches"), "1 batch"}, {Count(2, "batch", "batches"), "2 batches"}, {Count(0, "batch", "batches", "more"), "0 batches"},
		{People(1), "1 person"}, {People(0), "0 people"}, {People(12_345), "12 345 people"}, {CountGrouped(12_345, "turn"), "12 345 turns"},
		{FourDigits(math.Inf(-1)), "∞"}, {Safe("\u2028\ufff9\U000e0001"), `\u2028\ufff9\U000e0001`},
	} {
		if one.got != one.want {
			t.Errorf("%q, want %q", one.got, one.want)
		}
	}
}
