package phrase

import (
	"math"
	"testing"
)

func TestNumbersInWords(t *testing.T) {
	for _, one := range []struct{ got, want string }{
		{Percent(0.0325), "3.25\u202f%"}, {Percent(0), "0"}, {Percent(-0.5), "−50.0\u202f%"}, {Percent(2e-7), "2.00\u202f×\u202f10⁻⁷"}, {Percent(math.NaN()), "–"},
		{Plain(1234.5), "1234"}, {Plain(math.Inf(-1)), "−∞"}, {Exact(-0.1), "−0.1"}, {Exact(math.Inf(1)), "+∞"},
		{Shortest(1.0 / 3), "0.333333"}, {Brief(-1.0 / 3), "−0.333"}, {Digits(0.0123456, 2), "0.012"}, {Fixed(-1, 1), "−1.0"},
		{Count(1, "trial"), "1 trial"}, {Count(20_000, "trial"), "20000 trials"},
		{Grouped(9999), "9999"}, {Grouped(10_000), "10 000"}, {Grouped(1_234_567), "1 234 567"},
		{Enumerate(nil), ""}, {Enumerate([]string{"a"}), "a"}, {Enumerate([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if one.got != one.want {
			t.Errorf("%q, want %q", one.got, one.want)
		}
	}
}
