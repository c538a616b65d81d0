package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// drawing is what an SVG of this package holds, in coordinates with the origin at the top left.
type drawing struct {
	width, height float64
	texts         []box
	points        [][2]float64
	strokes       [][][2]float64 // lines as they are drawn
}

type box struct {
	text                     string
	left, right, top, bottom float64
}

// parse reads an SVG strictly and measures its texts.
func parse(t *testing.T, svg []byte) drawing {
	t.Helper()
	d := drawing{}
	letters := font.NewCache(liberation.Collection())
	var open *box
	var size float64
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			get := attributes(e)
			switch e.Name.Local {
			case "svg":
				view := strings.Fields(get["viewBox"])
				d.width, d.height = number64(t, view[2]), number64(t, view[3])
			case "path":
				d.points = append(d.points, coordinates(t, get["d"])...)
				if strings.Contains(get["style"], "stroke:") {
					line := coordinates(t, get["d"])
					for i := range line {
						line[i][1] = d.height - line[i][1]
					}
					d.strokes = append(d.strokes, line)
				}
			case "text":
				size = number64(t, fontSize.FindStringSubmatch(get["style"])[1])
				y := number64(t, get["y"]) + d.height
				open = &box{left: number64(t, get["x"]), top: y - 0.74*size, bottom: y + 0.22*size}
			}
		case xml.CharData:
			if open != nil {
				open.text += string(e)
			}
		case xml.EndElement:
			if e.Name.Local == "text" {
				face := letters.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
				open.right = open.left + face.Width(open.text).Points()
				d.texts, open = append(d.texts, *open), nil
			}
		}
	}
}

var (
	fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)
	numeral  = regexp.MustCompile(`-?[0-9.]+(e[-+][0-9]+)?`)
)

func attributes(e xml.StartElement) map[string]string {
	m := map[string]string{}
	for _, a := range e.Attr {
		m[a.Name.Local] = a.Value
	}
	return m
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// coordinates reads the corners of a path; arcs, which only markers have, are left out.
func coordinates(t *testing.T, path string) [][2]float64 {
	if strings.Contains(path, "A") {
		return nil
	}
	var points [][2]float64
	n := numeral.FindAllString(path, -1)
	for i := 0; i+1 < len(n); i += 2 {
		points = append(points, [2]float64{number64(t, n[i]), number64(t, n[i+1])})
	}
	return points
}

func TestDrawingsAreWellFormedSmallAndWithinTheirPage(t *testing.T) {
	for name, r := range cases() {
		for _, s := range sketches(r) {
			t.Run(name+" "+s.Name, func(t *testing.T) {
				svg, err := s.SVG()
				if err != nil {
					t.Fatal(err)
				}
				if len(svg) > 200_000 {
					t.Errorf("%d bytes", len(svg))
				}
				d := parse(t, svg)
				if len(d.texts) < 5 || len(d.points) < 5 {
					t.Fatalf("only %d texts and %d points were drawn", len(d.texts), len(d.points))
				}
				d.checkTexts(t)
				d.checkPoints(t)
				d.checkStrokes(t)
			})
		}
	}
}

// checkPoints wants every line on the page, up to the digits that an SVG has.
func (d drawing) checkPoints(t *testing.T) {
	t.Helper()
	const rounding = 0.01
	for _, p := range d.points {
		if !(p[0] >= 0 && p[0] <= d.width+rounding && p[1] >= 0 && p[1] <= d.height+rounding) {
			t.Fatalf("a line leaves the page at %v", p)
		}
	}
}

// checkTexts wants every text on the page and off every other.
func (d drawing) checkTexts(t *testing.T) {
	t.Helper()
	for i, a := range d.texts {
		if a.left < 0 || a.right > d.width || a.top < 0 || a.bottom > d.height {
			t.Errorf("%q is clipped: %+v on a page of %g × %g", a.text, a, d.width, d.height)
		}
		if strings.ContainsAny(a.text, "\x00\n\u202e") {
			t.Errorf("%q holds what cannot be printed", a.text)
		}
		for _, b := range d.texts[:i] {
			wide, high := min(a.right, b.right)-max(a.left, b.left), min(a.bottom, b.bottom)-max(a.top, b.top)
			if wide > 0.5 && high > 0.5 && !exponent(a, b) {
				t.Errorf("%q covers %q", a.text, b.text)
			}
		}
	}
}

// checkStrokes wants no line through a text.
func (d drawing) checkStrokes(t *testing.T) {
	t.Helper()
	for _, text := range d.texts {
		for _, line := range d.strokes {
			for i := 1; i < len(line); i++ {
				if text.crossedBy(line[i-1], line[i]) {
					t.Errorf("a line strikes %q from %v to %v", text.text, line[i-1], line[i])
					break
				}
			}
		}
	}
}

// crossedBy tells whether a piece of a line enters the text, but for a margin.
func (b box) crossedBy(from, to [2]float64) bool {
	const margin = 1
	low, high := [2]float64{b.left + margin, b.top + 2*margin}, [2]float64{b.right - margin, b.bottom - 2*margin}
	begin, end := 0.0, 1.0
	for i := range 2 {
		step := to[i] - from[i]
		first, last := (low[i]-from[i])/step, (high[i]-from[i])/step
		if step == 0 {
			if from[i] <= low[i] || from[i] >= high[i] {
				return false
			}
			continue
		}
		begin, end = max(begin, min(first, last)), min(end, max(first, last))
	}
	return begin < end
}

// exponent tells whether b is the ten that a stands on.
func exponent(a, b box) bool { return strings.HasSuffix(b.text, "10") && math.Abs(a.left-b.right) < 1 }

func TestFiguresNameFontsOfEqualWidth(t *testing.T) {
	svg, err := sketches(choiceEvery(100))[0].SVG()
	if err != nil {
		t.Fatal(err)
	}
	if n, all := bytes.Count(svg, []byte("'Liberation Sans',Arial,Helvetica,sans-serif")), bytes.Count(svg, []byte("<text")); n != all || n == 0 {
		t.Errorf("%d of %d texts name a fallback", n, all)
	}
}

func TestFiguresAreThoseThatWereMeasured(t *testing.T) {
	all := cases()
	for name, want := range map[string]string{
		"polarized": "gap distance angles paths reference", "choice": "gap distance w1 paths lag bias", "no angles": "gap distance paths reference",
		"no trial": "angles", "empty": "", "not measured": "angles paths",
	} {
		var got []string
		for _, s := range sketches(all[name]) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: figures %q, want %q", name, got, want)
		}
	}
}

func TestFiguresAreTheSameBytesAndDecode(t *testing.T) {
	r := polarizedEvery(200)
	first, err := Figures(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sketches(r) {
		f := first[i]
		again, err := s.SVG()
		if err != nil || !bytes.Equal(f.SVG, again) {
			t.Errorf("%s.svg differs between two drawings: %v", f.Name, err)
		}
		img, err := png.Decode(bytes.NewReader(f.PNG))
		if err != nil {
			t.Fatal(err)
		}
		const width, dpi = 420.0, 200 // of a figure in points, 1/72 of an inch each
		want := [2]int{int(math.Round(width * dpi / 72)), int(math.Round(parse(t, f.SVG).height * dpi / 72))}
		if got := [2]int{img.Bounds().Dx(), img.Bounds().Dy()}; got != want {
			t.Errorf("%s is %v pixels, want %v", f.Name, got, want)
		}
		if f.Title == "" || f.Caption == "" {
			t.Errorf("%s has no words", f.Name)
		}
	}
	if again, err := sketches(r)[0].PDF(); err != nil || !bytes.Equal(first[0].PDF, again) {
		t.Errorf("%s.pdf differs between two drawings: %v", first[0].Name, err)
	}
	if again, err := sketches(r)[0].PNG(); err != nil || !bytes.Equal(first[0].PNG, again) {
		t.Errorf("%s.png differs between two drawings: %v", first[0].Name, err)
	}
}

// endsAt is a run of one trial that ends so far from either optimum, NaN where nobody measured.
func endsAt(name string, own, other float64) folder.Run {
	row := func(share float64) map[string]float64 {
		return map[string]float64{"distance": share * own, "distance_rollout": share * other}
	}
	return folder.Run{Name: name, Planned: 1, Trials: []folder.Trial{{Measured: measured([]int{0, 10}, row(2), row(1)), Finished: true}}}
}

// The best by the true optimum is told, of those who are measured against both; that its floor is truncation only if it ends further from the second, and the two are apart by more than half of that.
func TestWhatIsSaidOfTwoOptima(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		apart float64
		runs  []folder.Run
		want  string
	}{
		{0.3, []folder.Run{endsAt("a", 0.1, 0.4)}, " a ends 10.0 % from the first but 40.0 % from the second, and the two are 30.0 % apart: the floor against the second is mostly its own truncation, not noise."},
		{0.1, []folder.Run{endsAt("a", 0.1, 0.4)}, " a ends 10.0 % from the first but 40.0 % from the second, and the two are 10.0 % apart."},
		{0.25, []folder.Run{endsAt("a", 0.1, 0.5)}, " a ends 10.0 % from the first but 50.0 % from the second, and the two are 25.0 % apart."},
		{0.3, []folder.Run{endsAt("a", 0.4, 0.1)}, " a ends 40.0 % from the first but 10.0 % from the second, and the two are 30.0 % apart."},
		{0.3, []folder.Run{endsAt("a", 0.25, 0.25)}, " a ends 25.0 % from the first but 25.0 % from the second, and the two are 30.0 % apart."},
		{0.3, []folder.Run{endsAt("a", 0.2, 0.4), endsAt("b", 0.1, nan), endsAt("c", 0.15, 0.1), endsAt("d", 0.3, 0.01), endsAt("e", nan, 0.02)}, " c ends 15.0 % from the first but 10.0 % from the second, and the two are 30.0 % apart."},
		{0.3, []folder.Run{endsAt("b", 0.1, nan)}, ""},
		{0.3, nil, ""},
	} {
		r := &folder.Result{Runs: c.runs, Reference: &folder.Reference{Steps: 7, True: folder.Point{Distance: c.apart}}}
		_, said, _ := strings.Cut(plain(referenceCaption(r)), "judged by the true one.")
		if said != c.want {
			t.Errorf("got  %q\nwant %q", said, c.want)
		}
	}
}

// Lines against the two optima: solid by the first, dashed by the second, the first only of who has the second.
func TestLinesAgainstTwoOptima(t *testing.T) {
	nan := math.NaN()
	r := &folder.Result{Runs: []folder.Run{endsAt("both", 0.1, 0.2), endsAt("first", 0.1, nan), endsAt("second", nan, 0.2), endsAt("none", nan, nan)}, Reference: &folder.Reference{Steps: 7}}
	var got []string
	for _, line := range (measure{name: "distance"}).against(r, "distance_rollout") {
		got = append(got, fmt.Sprintf("%s dashed %t to %.1f", line.Name, line.Style.Dash != nil, line.Points[len(line.Points)-1].Mean))
	}
	if want := []string{"both dashed false to 0.1", "both dashed true to 0.2", "second dashed true to 0.2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
