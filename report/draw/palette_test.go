package draw

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"testing"
)

// eyes sees colours as people without the long-wave (protan) or the middle-wave (deutan) cones do [vienot1999].
func eyes() map[string]func(color.NRGBA) color.NRGBA {
	see := func(m [9]float64) func(color.NRGBA) color.NRGBA {
		return func(c color.NRGBA) color.NRGBA {
			rgb := transform(m, [3]float64{linear(c.R), linear(c.G), linear(c.B)})
			return color.NRGBA{gamma(rgb[0]), gamma(rgb[1]), gamma(rgb[2]), 255}
		}
	}
	return map[string]func(color.NRGBA) color.NRGBA{
		"all cones": func(c color.NRGBA) color.NRGBA { return c },
		"protan":    see([9]float64{0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1}),
		"deutan":    see([9]float64{0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1}),
	}
}

func apart(a, b color.NRGBA) float64 {
	x, y := toOklab(a), toOklab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

// The colours of the three algorithms, and of those with the four spare ones, stay apart for dichromats; 0.02 in Oklab is
// about what can just be noticed side by side. The other algorithms also have marks of their own.
func TestMethodColoursStayApart(t *testing.T) {
	others := []string{"a", "b", "c", "d"}
	styles := Styles([]string{"vanilla", "composite", "derivative-free"}, others)
	names := slices.Sorted(maps.Keys(styles))
	for who, see := range eyes() {
		least, pair := math.Inf(1), ""
		for i, a := range names {
			for _, b := range names[:i] {
				d := apart(see(styles[a].Ink), see(styles[b].Ink))
				if d < least {
					least, pair = d, a+" and "+b
				}
				if !slices.Contains(others, a) && !slices.Contains(others, b) && d < 0.1 {
					t.Errorf("%s: %s and %s are %.3f apart", who, a, b, d)
				}
			}
		}
		t.Logf("%s: the nearest colours are %s, %.3f", who, pair, least)
		if least < 0.07 {
			t.Errorf("%s: %s are %.3f apart", who, pair, least)
		}
	}
}

// The lightness of the heat map's colours grows, and evenly, for everybody: no step of 32 is half or twice the mean one.
func TestHeatMapColoursGrowEvenly(t *testing.T) {
	const steps = 32
	for who, see := range eyes() {
		mean := (Lightness(see(Viridis(1))) - Lightness(see(Viridis(0)))) / steps
		for i := range steps {
			step := Lightness(see(Viridis(float64(i+1)/steps))) - Lightness(see(Viridis(float64(i)/steps)))
			if step < mean/2 || step > 2*mean {
				t.Errorf("%s: from %d to %d of %d lightness grows by %.4f, %.4f on average", who, i, i+1, steps, step, mean)
			}
		}
	}
}

// [smith2015] lists the 256 colours of the map; these are a few between ours. One unit of 255 is rounding, three is not seen.
func TestHeatMapIsViridis(t *testing.T) {
	for i, want := range map[int]uint32{0: 0x440154, 64: 0x3b528b, 128: 0x21918c, 192: 0x5ec962, 255: 0xfde725} {
		if got := Viridis(float64(i) / 255); apart(got, Hex(want)) > 0.012 {
			t.Errorf("colour %d is %s, want %06x: %.4f apart", i, fmt.Sprintf("%02x%02x%02x", got.R, got.G, got.B), want, apart(got, Hex(want)))
		}
	}
}

// Oklab of pure colours, from the author's table, and back.
func TestOklab(t *testing.T) {
	for rgb, want := range map[uint32][3]float64{0xffffff: {1, 0, 0}, 0x000000: {0, 0, 0}, 0xff0000: {0.628, 0.225, 0.126}, 0x0000ff: {0.452, -0.032, -0.312}} {
		got := toOklab(Hex(rgb))
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-3 {
				t.Errorf("Oklab of %06x is %.3f, want %.3f", rgb, got, want)
			}
		}
		if back := fromOklab(got); back != Hex(rgb) {
			t.Errorf("%06x comes back as %v", rgb, back)
		}
	}
}
