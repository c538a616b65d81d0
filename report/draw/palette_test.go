package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"
)

// eyes sees colours as people without the long-wave (protan) or the middle-wave (deutan) cones do [vienot1999], or without the short-wave
// ones (tritan) [machado2009].
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
		"tritan":    see([9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}),
	}
}

func apart(a, b color.NRGBA) float64 {
	x, y := toOklab(a), toOklab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

// Eighteen methods, as many as there are: neighbours in a legend have colours that stay apart for everybody, by 0.1 in Oklab, five times what
// can just be noticed side by side. So do any two colours; who shares one has other dashes and another mark.
func TestMethodColoursStayApart(t *testing.T) {
	const bar, methods = 0.1, 18
	usual := []string{"vanilla", "composite", "derivative-free"}
	names := usual
	for i := range methods - len(usual) {
		names = append(names, fmt.Sprint("method ", i))
	}
	styles := Styles(usual, names)
	for who, see := range eyes() {
		nearest, neighbours, pair := math.Inf(1), math.Inf(1), ""
		for i, a := range names {
			for j, b := range names[:i] {
				d := apart(see(styles[a].Ink), see(styles[b].Ink))
				switch {
				case styles[a].Ink != styles[b].Ink && d < nearest:
					nearest, pair = d, a+" and "+b
				case styles[a].Ink == styles[b].Ink && (slices.Equal(styles[a].Dash, styles[b].Dash) || styles[a].Mark == styles[b].Mark):
					t.Errorf("%s and %s look alike", a, b)
				}
				if j == i-1 {
					neighbours = min(neighbours, d)
				}
			}
		}
		t.Logf("%s: the nearest colours are those of %s, %.3f; the nearest neighbours are %.3f apart", who, pair, nearest, neighbours)
		if min(nearest, neighbours) < bar {
			t.Errorf("%s: %s are %.3f apart, neighbours %.3f, want %g", who, pair, nearest, neighbours, bar)
		}
	}
}

// Lines are seen on white paper and on a dark page: twice and three times the luminance of what is darker (contrast, as guidelines for pages reckon it), and
// on the dark page, too, colours stay apart.
func TestInksAreSeenOnTheirPages(t *testing.T) {
	luminance := func(c color.NRGBA) float64 { return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B) }
	contrast := func(a, b color.NRGBA) float64 {
		x, y := luminance(a)+0.05, luminance(b)+0.05
		return max(x, y) / min(x, y)
	}
	night := Hex(0x14181d) // of page.css
	for i := range 8 {
		c := Ink(i)
		if day, dark := contrast(c, paper), contrast(OnDark(c), night); day < 2 || dark < 3 {
			t.Errorf("ink %d has a contrast of %.2f on white and %.2f on a dark page", i, day, dark)
		}
		for j := range i {
			if d := apart(OnDark(c), OnDark(Ink(j))); d < 0.08 {
				t.Errorf("inks %d and %d are %.3f apart on a dark page", i, j, d)
			}
		}
	}
}

// The lightness of the heat map's colours grows for everybody, and evenly: no step of 32 is half or twice the mean one. Of tritan eyes that is not
// asked, whose yellow, by the matrix, is lighter than a screen can be.
func TestHeatMapColoursGrowEvenly(t *testing.T) {
	const steps = 32
	for who, see := range eyes() {
		mean := (Lightness(see(Viridis(1))) - Lightness(see(Viridis(0)))) / steps
		for i := range steps {
			step := Lightness(see(Viridis(float64(i+1)/steps))) - Lightness(see(Viridis(float64(i)/steps)))
			if step <= 0 || who != "tritan" && (step < mean/2 || step > 2*mean) {
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
