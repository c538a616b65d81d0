package phrase

import (
	"fmt"
	"math"
	"testing"
)

func TestNumbersInWords(t *testing.T) {
	for _, one := range []struct{ got, want string }{
		{Percent(0.0325), "3.25\u202f%"}, {Percent(0), "0"}, {Percent(-0.5), "−50.0\u202f%"}, {Percent(2e-7), "2.00\u202f×\u202f10⁻⁷"}, {Percent(math.NaN()), "–"},
		{Plain(1234.5), "1234"}, {Plain(math.Inf(-1)), "−∞"}, {Exact(-0.1), "−0.1"}, {Exact(math.Inf(1)), "+∞"},
		{Shortest(1.0 / 3), "0.333333"}, {Shortest(math.Copysign(0, -1)), "0"}, {Brief(-1.0 / 3), "−0.333"}, {Digits(0.0123456, 2), "0.012"}, {Fixed(-1, 1), "−1.0"},
		{Count(1, "trial"), "1 trial"}, {Count(20_000, "trial"), "20000 trials"},
		{Grouped(9999), "9999"}, {Grouped(10_000), "10 000"}, {Grouped(1_234_567), "1 234 567"},
		{Grouped(-9999), "−9999"}, {Grouped(-123_456), "−123 456"}, {Grouped(math.MinInt32), "−2 147 483 648"}, {Shortest(-1e-10), "−1e−10"}, {Typed("−1e−10, −∞"), "-1e-10, -∞"},
		{Enumerate(nil), ""}, {Enumerate([]string{"a"}), "a"}, {Enumerate([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if one.got != one.want {
			t.Errorf("%q, want %q", one.got, one.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for seconds, want := range map[float64]string{
		-1: "0 s", 0.4: "0 s", 59.4: "59 s", 59.6: "1 min 0 s", 200: "3 min 20 s", 7500: "2 h 5 min", 273_600: "3 d 4 h", math.Inf(1): "11574074 d 1 h",
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("%v seconds are %s, want %s", seconds, got, want)
		}
	}
	if got := fmt.Sprint(CountGrouped(1, "trial"), ", ", CountGrouped(20_000, "trial")); got != "1 trial, 20 000 trials" {
		t.Error(got)
	}
}
