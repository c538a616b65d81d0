package draw

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// pictures have paper, edges, noise, slopes and stripes, of sizes that end anywhere in eight bytes.
func pictures() (list []*image.RGBA) {
	r := rand.New(rand.NewPCG(1, 2))
	for kind := range 6 {
		for _, size := range []image.Point{{1, 1}, {2, 5}, {3, 3}, {5, 2}, {8, 9}, {16, 40}, {17, 33}, {250, 120}} {
			m := image.NewRGBA(image.Rectangle{Max: size})
			for y := range size.Y {
				for x := range size.X {
					c := color.RGBA{255, 255, 255, 255}
					switch {
					case kind == 1:
						c = color.RGBA{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), 255}
					case kind == 2 && r.IntN(40) == 0:
						c = color.RGBA{byte(r.Uint32()), 0, 127, 255}
					case kind == 3:
						c = color.RGBA{byte(3 * x), byte(5 * y), byte(x + y), 255}
					case kind == 4 && (x/9+y/7)%2 == 0:
						c = color.RGBA{0, 0, byte(64 * r.IntN(2)), 255}
					case kind == 5:
						c = color.RGBA{byte(x * x / 9), byte(x*y/11 + r.IntN(3)), 128, 255}
					}
					m.SetRGBA(x, y, c)
				}
			}
			list = append(list, m)
		}
	}
	return list
}

// image/png is the plain twin: the same bytes for every picture, and for one that can be seen through or has no pixels.
func TestPNGHasTheBytesOfTheStandardLibrary(t *testing.T) {
	list := pictures()
	part := list[len(list)-1].SubImage(image.Rect(20, 10, 121, 70)).(*image.RGBA)
	glass := image.NewRGBA(image.Rect(0, 0, 20, 20))
	glass.SetRGBA(3, 4, color.RGBA{9, 8, 7, 100})
	used := map[byte]bool{}
	for i, m := range append(list, part, glass) {
		var got, want bytes.Buffer
		if err := png.Encode(&want, m); err != nil {
			t.Fatal(err)
		}
		if err := encodePNG(&got, m); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("picture %d, %v: other bytes, %v", i, m.Bounds(), err)
		}
		if m.Opaque() {
			var rows bytes.Buffer
			if err := writeRows(&rows, m); err != nil {
				t.Fatal(err)
			}
			for y := range m.Bounds().Dy() {
				used[rows.Bytes()[y*(1+3*m.Bounds().Dx())]] = true
			}
		}
	}
	if len(used) != 5 {
		t.Errorf("of the five filters %v were used", used)
	}
	for _, size := range []image.Point{{}, {0, 3}, {3, 0}} {
		if err := encodePNG(&bytes.Buffer{}, image.NewRGBA(image.Rectangle{Max: size})); err == nil {
			t.Errorf("a picture of %v pixels is written", size)
		}
	}
}

// full takes so many writes, then no more.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.ErrUnsupported
	}
	return len(p), nil
}

// A picture that cannot be written to its end is an error, wherever that is.
func TestPNGThatIsCutShort(t *testing.T) {
	m := pictures()[15] // of noise, which is more than a chunk
	all := &full{1 << 20}
	if err := encodePNG(all, m); err != nil {
		t.Fatal(err)
	}
	for n := range 1<<20 - all.left {
		if err := encodePNG(&full{n}, m); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("after %d writes: %v", n, err)
		}
	}
}

func BenchmarkPNG(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 1167, 800))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for x := range 1167 {
		for _, wide := range []int{0, 1, 2, 200, 300} {
			m.SetRGBA(x, 300+x/5+wide, color.RGBA{0, 90, byte(200 - wide/2), 255})
		}
	}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"kedge":     func(w *bytes.Buffer) error { return encodePNG(w, m) },
		"image/png": func(w *bytes.Buffer) error { return png.Encode(w, m) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var w bytes.Buffer
				if err := encode(&w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
