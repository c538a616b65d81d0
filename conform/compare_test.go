package conform

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// All NaNs are the same, whatever their bits; no number is one, and 0 is not −0.
func TestWhatIsTheSame(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		x, y float64
		want bool
	}{{1, 1, true}, {1, math.Nextafter(1, 2), false}, {nan, nan, true}, {nan, math.Float64frombits(0xfff8 << 48), true}, {nan, 1, false}, {1, nan, false}, {0, minus, false}, {minus, minus, true}} {
		if err := guard(func() { same("it", []float64{0, c.x}, []float64{0, c.y}) }); (err == nil) != c.want {
			t.Errorf("%v and %v (%x and %x): %v", c.x, c.y, math.Float64bits(c.x), math.Float64bits(c.y), err)
		}
	}
}

// Derivatives may be off by 1e-7, as the comment says, unless somebody wants another tolerance.
func TestToleranceOfDerivatives(t *testing.T) {
	for wanted, want := range map[float64]float64{0: 1e-7, 1e-3: 1e-3} {
		c := toyCases()
		c.Tol = wanted
		if x, err := c.draw(stream.New(1, "tolerance"), toy{}.Dims()); err != nil || x.tol != want {
			t.Errorf("%v becomes %v, want %v (%v)", wanted, x.tol, want, err)
		}
	}
}
