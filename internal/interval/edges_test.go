package interval

import (
	"math"
	"testing"
)

// Whether a span meets a crest is not sure within a millionth of a turn of it: up to there it is said to, and beyond it the ends say how far it goes, here by more than rounding. By hand: 1 − cos(2π·1.5·10⁻⁶) is 4.4·10⁻¹¹.
func TestCrestsThatAreNearlyMet(t *testing.T) {
	const turn = 2 * math.Pi
	for _, c := range []struct {
		apart float64 // of a turn
		meets bool
	}{{0, true}, {0.9e-6, true}, {1.1e-6, false}, {1.5e-6, false}, {1.9e-6, false}} {
		off := turn * c.apart
		for what, crest := range map[string]struct {
			end  float64
			most func(x Span) float64
		}{
			"sine": {math.Pi / 2, func(x Span) float64 { return x.Sin().Hi }}, "sine of troughs": {-math.Pi / 2, func(x Span) float64 { return -x.Sin().Lo }},
			"cosine": {0, func(x Span) float64 { return x.Cos().Hi }}, "cosine of troughs": {math.Pi, func(x Span) float64 { return -x.Cos().Lo }}, "a turn on": {math.Pi/2 + 5*turn, func(x Span) float64 { return x.Sin().Hi }},
		} {
			for _, x := range []Span{{crest.end - 1, crest.end - off}, {crest.end + off, crest.end + 1}} {
				got := crest.most(x)
				if want := math.Cos(off); c.meets != (got == 1) || !c.meets && !(math.Abs(got-want) < 1e-13) {
					t.Errorf("the %s over %v, %v of a turn away: %v", what, x, c.apart, got)
				}
			}
		}
		half := math.Pi * c.apart // tangents have a pole every half turn
		if x := (Span{0, math.Pi/2 - half}); (x.Tan() == Whole()) != c.meets {
			t.Errorf("the tangent over %v is %v", x, x.Tan())
		}
	}
}

// By hand: the logarithm has slopes from the least number on at which formulas do not hold it, and there 1/x is known.
func TestSlopesOfLogarithmsOfTheLeastNumbers(t *testing.T) {
	j := Jets{Variables: 1, Order: 1}
	for lo, known := range map[float64]bool{0x1p-1022: true, 0x1p-1021: true, 0x1p-1023: false, 0: false} {
		x, got := make(Jet, 2), make(Jet, 2)
		j.Variable(x, Span{lo, 1}, 0)
		if j.Log(got, x); (got[1] != Whole()) != known || known && !(got[1].Lo > 0.999 && got[1].Hi < 1.001/lo) {
			t.Errorf("from %v: the slope is %v", lo, got[1])
		}
	}
}

// By definition: whole powers of −1 are 1 and −1 by turns, as long as they are counted; of others below 0 nothing is known.
func TestPowersThatAreCounted(t *testing.T) {
	j := Jets{Variables: 1, Order: 0}
	for y, want := range map[float64]Span{2: {1, 1}, 3: {-1, -1}, 0: {1, 1}, -3: {-1, -1}, math.MaxInt32 - 1: {1, 1}, math.MaxInt32: {-1, -1}, -math.MaxInt32: {-1, -1}, math.MaxInt32 + 1: Whole(), -math.MaxInt32 - 1: Whole(), 2.5: Whole()} {
		got := Jet{{}}
		if j.Pow(got, Jet{{-1, -1}}, Jet{{y, y}}); !(want == Whole() && got[0] == want) && !(want != Whole() && got[0].Has(want.Lo) && got[0].Radius() < 1e-6) {
			t.Errorf("−1 to the power of %v is %v, want %v", y, got[0], want)
		}
	}
}

// Jets of any size are multiplied, divided and compared, also the largest for which there is room beside: 15 spans, of four variables.
func TestJetsOfAllSizes(t *testing.T) {
	for n := 1; n < 7; n++ {
		j := Jets{Variables: n, Order: 2}
		x, y, got := make(Jet, j.Size()), make(Jet, j.Size()), make(Jet, j.Size())
		j.Variable(x, Span{6, 6}, 0)
		j.Variable(y, Span{2, 2}, n-1)
		if j.Div(got, x, y); n > 1 && (!got[0].Has(3) || !got[1].Has(0.5) || !got[n].Has(-1.5) || !got[j.Hessian(n-1, 0)].Has(-0.25) || !got[j.Hessian(n-1, n-1)].Has(1.5)) {
			t.Errorf("%d variables: 6/2 is %v", n, got)
		}
		if j.Min(got, x, y); got[0] != (Span{2, 2}) || !got[n].Has(1) {
			t.Errorf("%d variables: the smaller of 6 and 2 is %v", n, got)
		}
	}
}
