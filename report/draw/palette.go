package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"github.com/kedge-opt/kedge/internal/portable"
)

// Style is how one curve looks: in grey, its marks still tell it apart.
type Style struct {
	Ink  color.NRGBA
	Mark Shape
	Dash []int // lengths of dashes and gaps in points, none of a solid line
}

// Shape draws a mark.
type Shape = draw.GlyphDrawer

// Disc is a round mark.
type Disc = draw.CircleGlyph

// Hex is a colour by its six digits.
func Hex(rgb uint32) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Tint mixes a colour with white.
func Tint(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - float64(share*float64(255-v))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// Greys of everything that is not data.
var (
	ink   = Hex(0x1f2328)
	pale  = Hex(0x59636e)
	dim   = Hex(0x8c959f)
	grey  = Hex(0xe4e7ea)
	paper = Hex(0xffffff)
)

// Pale is the grey of words beside the data.
func Pale() color.NRGBA { return pale }

// Dim is the grey of what only gives bearings.
func Dim() color.NRGBA { return dim }

// Grey is the ground of what has no value.
func Grey() color.NRGBA { return grey }

// Paper is white.
func Paper() color.NRGBA { return paper }

// Ink is one of eight colours that stay apart by 0.12 in Oklab for all eyes, colour-blind ones too, and by lightness from white paper. The
// first three are for those who are met most; palette_test.go tells how far others are.
func Ink(i int) color.NRGBA {
	inks := [...]uint32{0x0072b2, 0xd55e00, 0x00b894, 0xb389ff, 0x8d3b13, 0x5602a8, 0xf4a00a, 0x151d22}
	return Hex(inks[i%len(inks)])
}

// Dashes is one of four patterns that tell lines of a colour apart, the first of them solid.
func Dashes(i int) []int { return [][]int{nil, {8, 3}, {2, 3}, {8, 3, 2, 3}}[i%4] }

// Styles gives every name a look: the usual ones their own, the others colours in an order in which neighbours are far apart, then the
// same colours dashed, so that eighteen names can be told apart, by colour or by dashes and mark.
func Styles(usual, names []string) map[string]Style {
	looks := map[string]Style{}
	for i, name := range usual {
		looks[name] = [...]Style{{Ink: Ink(1), Mark: polygon{4, 0.5}}, {Ink: Ink(0), Mark: Disc{}}, {Ink: Ink(2), Mark: polygon{3, 0}}}[i]
	}
	const spare = 5 // colours after the first three
	marks := []Shape{polygon{4, 0}, polygon{3, 0.5}, polygon{5, 0}, polygon{6, 0}, Disc{}}
	next := 0
	for _, name := range names {
		if _, known := looks[name]; known {
			continue
		}
		looks[name] = Style{Ink: Ink(3 + next%spare), Mark: marks[(next+next/spare)%len(marks)], Dash: Dashes(next / spare)}
		next++
	}
	return looks
}

// OnDark is a colour as a dark page shows it: no darker than can be seen there.
func OnDark(c color.NRGBA) color.NRGBA {
	lab := toOklab(Tint(c, 0.85))
	lab[0] = max(lab[0], 0.6)
	return fromOklab(lab)
}

// Shapes are the marks that tell curves apart, the first the plainest.
func Shapes() []Shape {
	return []Shape{Disc{}, polygon{4, 0}, polygon{3, 0.5}, polygon{5, 0}, polygon{6, 0}, polygon{3, 0}, polygon{4, 0.5}}
}

// Viridis is the colour map of that name [smith2015], from dark blue at 0 to yellow at 1: its lightness grows evenly, for
// colour-blind eyes too. Between ten of its colours it is interpolated in Oklab.
func Viridis(share float64) color.NRGBA {
	anchors := [...]uint32{0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725}
	at := float64(min(max(share, 0), 1) * float64(len(anchors)-1))
	i := min(int(at), len(anchors)-2)
	a, b := toOklab(Hex(anchors[i])), toOklab(Hex(anchors[i+1]))
	for j := range a {
		a[j] += float64((at - float64(i)) * (b[j] - a[j]))
	}
	return fromOklab(a)
}

// Lightness is what an eye sees of a colour in grey, from 0 to 1.
func Lightness(c color.NRGBA) float64 { return toOklab(c)[0] }

// linear removes the gamma of sRGB.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return portable.Pow((x+0.055)/1.055, 2.4)
}

func gamma(x float64) uint8 {
	x = min(max(x, 0), 1)
	if x <= 0.0031308 {
		return uint8(math.Round(255 * 12.92 * x))
	}
	return uint8(math.Round(255 * (float64(1.055*portable.Pow(x, 1/2.4)) - 0.055)))
}

func transform(m [9]float64, v [3]float64) [3]float64 {
	var out [3]float64
	for i := range out {
		out[i] = float64(m[3*i]*v[0]) + float64(m[3*i+1]*v[1]) + float64(m[3*i+2]*v[2])
	}
	return out
}

// toOklab are the coordinates of a colour in Oklab [ottosson2020], where equal distances look equal.
func toOklab(c color.NRGBA) [3]float64 {
	lms := transform([9]float64{
		0.4122214708, 0.5363325363, 0.0514459929,
		0.2119034982, 0.6806995451, 0.1073969566,
		0.0883024619, 0.2817188376, 0.6299787005,
	}, [3]float64{linear(c.R), linear(c.G), linear(c.B)})
	for i := range lms {
		lms[i] = portable.Cbrt(lms[i])
	}
	return transform([9]float64{
		0.2104542553, 0.7936177850, -0.0040720468,
		1.9779984951, -2.4285922050, 0.4505937099,
		0.0259040371, 0.7827717662, -0.8086757660,
	}, lms)
}

func fromOklab(lab [3]float64) color.NRGBA {
	lms := transform([9]float64{
		1, 0.3963377774, 0.2158037573,
		1, -0.1055613458, -0.0638541728,
		1, -0.0894841775, -1.2914855480,
	}, lab)
	for i, v := range lms {
		lms[i] = v * v * v
	}
	rgb := transform([9]float64{
		4.0767416621, -3.3077115913, 0.2309699292,
		-1.2684380046, 2.6097574011, -0.3413193965,
		-0.0041960863, -0.7034186147, 1.7076147010,
	}, lms)
	return color.NRGBA{gamma(rgb[0]), gamma(rgb[1]), gamma(rgb[2]), 255}
}
