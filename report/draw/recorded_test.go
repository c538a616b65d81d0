package draw

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/plot/vg"
)

// picturesOf are small figures that between them show everything that can be drawn.
func picturesOf() []Sketch {
	var all []Sketch
	add := func(name string, g Grid) {
		all = append(all, g.Sketch(name, "The title of "+name+" & <more>", "What to see.", len(all)%2 == 1))
	}
	curvePictures(add)
	panelPictures(add)
	otherPictures(add)
	for i := range all {
		all[i].Zoom = []float64{1, 0.7, 0.85}[i%3]
	}
	return all
}

// curve is a line through n seeded points from x = from on.
func curve(seed uint64, name string, n int, from float64, banded bool) Line {
	s := stream.New(seed)
	look, usual := Styles([]string{"vanilla", "composite", "derivative-free"}, nil)[name]
	if !usual {
		look = Style{Ink: Ink(int(seed)), Mark: Shapes()[int(seed)%7], Dash: Dashes(int(seed))}
	}
	line := Line{Name: name, Style: look, Banded: banded}
	for i := range n {
		mean := (1 + s.Float64()) / float64(1+i*i)
		line.Points = append(line.Points, LinePoint{from + float64(i), mean, mean * (1 - 0.3*s.Float64()), mean * (1 + 0.5*s.Float64())})
	}
	return line
}

// over is a panel of layers with axes that cover them.
func over(logX, logY bool, layers ...Layer) Panel {
	p := Panel{Layers: layers}
	x, y := Extents(p)
	p.X, p.Y = Axis{Ruler: NewRuler(x, logX), Label: "turn k"}, Axis{Ruler: NewRuler(y, logY), Label: "relative gap"}
	return p
}

func curvePictures(add func(string, Grid)) {
	two := Lines{curve(1, "composite", 9, 1, true), curve(2, "vanilla", 9, 1, false)}
	p := over(false, true, two, Marks(two))
	p.Beside = Ends(two)
	add("two curves with names beside them", Grid{Columns: 1, Panels: []Panel{p}, Legend: []Entry{{Words: "mean and range"}}})

	long := Lines{curve(3, "derivative-free", 40, 1, true), curve(4, "one more method", 300, 2, false)}
	Prepare(true, long)
	q := over(true, true, long, Marks(long), Rule{Value: 0.004, Meaning: []string{"the level", "of noise"}})
	q.Beside = []Aside{Rule{Value: 0.004, Meaning: []string{"the level", "of noise"}}.Aside(), {At: 0.0041, Words: []string{"another"}, Sample: &long[0]}}
	add("long curves over a logarithmic axis", Grid{Heading: "A heading that is rather long, so long indeed that it does not fit into the width of the figure", Columns: 1, Panels: []Panel{q}, Legend: Entries(append(long, long[0])), Width: 360})

	short := Lines{curve(5, "a", 1, 3, true), curve(6, "b", 3, 2, false)}
	r := over(false, false, short, Whiskers(short), Marks(short))
	r.Title, r.Note = "few points", "note"
	add("few points", Grid{Columns: 1, Panels: []Panel{r}, Legend: Entries(short), Width: 240, Height: 200})

	var many Lines
	for i := range 7 {
		many = append(many, curve(uint64(10+i), fmt.Sprint("method of a long name that is cut somewhere, number ", i), 4, 0, i%2 == 0))
	}
	entries := Entries(many)
	entries[3].Fresh, entries[4].Dot, entries[0].Words = true, true, "first"
	add("a legend of several lines", Grid{Columns: 1, Panels: []Panel{over(false, true, many, Marks(many))}, Legend: append(entries, Entry{Words: "words alone"})})
}

func panelPictures(add func(string, Grid)) {
	var panels []Panel
	for i := range 5 {
		lines := Lines{curve(uint64(20+i), "composite", 3+2*i, 0, true)}
		p := over(false, true, lines)
		p.Title, p.Note = fmt.Sprintf("step 10⁻%c, W₁", []rune("¹²³⁴⁵")[i]), []string{"", "a note", "a very long note that has no room"}[i%3]
		panels = append(panels, p)
	}
	x, y := Extents(panels...)
	add("panels each with axes", Grid{Columns: ColumnsFor(2), Panels: panels[:2], Width: 500})
	shared := Grid{Columns: ColumnsFor(5), Panels: slices.Clone(panels), Shared: true, Legend: []Entry{{Words: "mean"}}}
	shared.SetAxes(Axis{Ruler: NewRuler(x, false), Label: "turn k"}, Axis{Ruler: NewRuler(y, true), Label: "gap to the optimum"})
	add("panels that share axes", shared)
	shared.Columns, shared.Panels, shared.Height, shared.Heading = 2, slices.Clone(shared.Panels[:4]), 300, "Four"
	for i := range shared.Panels {
		shared.Panels[i].X = Axis{Ruler: Ruler{Min: 0, Max: 12, Whole: true}, Label: "whole turns"}
	}
	add("panels of a height", shared)
	shared.Columns, shared.Panels, shared.Height, shared.Legend = 1, shared.Panels[:3], 0, nil
	add("panels below each other", shared)

	s := stream.New(30)
	var numbers, others []float64
	for range 80 {
		numbers, others = append(numbers, s.Normal()), append(others, 1+0.5*s.Normal())
	}
	numbers = append(numbers, math.NaN(), math.Inf(1))
	e := Nothing()
	e.Add(numbers...)
	edges := BinEdges(e, false)
	bars := Bars{Style: Style{Ink: Ink(0)}, Edges: edges, Counts: Bin(numbers, edges), Outline: Bin(others, edges), Mean: 0.1}
	plain := bars
	plain.Outline, plain.Mean = nil, math.NaN()
	p, q := over(false, false, bars), over(false, false, plain)
	p.Y = Axis{Ruler: Ruler{Max: p.Y.Max, Whole: true}, Label: "people"}
	q.Y.Label = ""
	add("bars", Grid{Columns: 2, Panels: []Panel{p, q}})
	steps := EdgesOver(Extent{-12, 31}, DegreeBins(Extent{-12, 31}))
	angles := Bars{Style: Style{Ink: Ink(1)}, Edges: steps, Counts: Bin([]float64{-11, 4, 4.5, 30, 400}, steps), Mean: math.Inf(1)}
	r := over(false, false, angles)
	r.X = DegreeAxis(Extent{-12, 31}, "angle")
	add("angles", Grid{Columns: 1, Panels: []Panel{r}, Width: 300})
}

func otherPictures(add func(string, Grid)) {
	cells := Cells{Columns: 4, Rows: 3, Values: []float64{1, 2, math.NaN(), 4, 5, 6, 7, 8, 9, 10, 11, 12}, Shade: Ruler{Min: 1, Max: 12}, Text: func(v float64) string { return fmt.Sprint(v) }}
	p := Panel{Title: "cells", Layers: []Layer{cells}, X: CellAxis([]string{"a", "bb", "ccc", "a long name"}, "across"), Y: CellAxis([]string{"0.1", "10⁻²", "x"}, "up")}
	add("cells", Grid{Columns: 1, Panels: []Panel{p}, Bar: &ColourBar{Ruler: cells.Shade, Label: "gap"}})
	cells.Text = func(v float64) string { return fmt.Sprintf("far too wide for a cell: %v", v) }
	q := p
	q.Layers = []Layer{cells}
	add("cells without words", Grid{Columns: 2, Shared: true, Panels: []Panel{q, p}, Bar: &ColourBar{Ruler: LogRuler(0.01, 30), Label: "a longer label of the bar"}, Height: 120})

	s := stream.New(40)
	few, many := Dots{Style: Style{Ink: Ink(2), Mark: Disc{}}}, Dots{Style: Style{Ink: Ink(4), Mark: Shapes()[3]}}
	for i := range 300 {
		x, y := s.Normal(), s.Float64()
		if i < 12 {
			few.X, few.Y, few.Inks = append(few.X, x), append(few.Y, y), append(few.Inks, Viridis(y))
		}
		many.X, many.Y = append(many.X, x), append(many.Y, y)
	}
	many.X[7], many.Y[9] = math.NaN(), math.Inf(-1)
	add("dots", Grid{Columns: 2, Panels: []Panel{over(false, false, few), over(true, true, many)}})
	crowd := Dots{Style: Style{Ink: Ink(3), Mark: Disc{}}}
	for i := range 2001 {
		crowd.X, crowd.Y = append(crowd.X, float64(i%40)), append(crowd.Y, float64(i/40)*0.3)
	}
	add("a crowd of dots", Grid{Columns: 1, Panels: []Panel{over(false, false, crowd)}, Width: 130, Height: 120})

	trails := Trails{Style: Style{Ink: Ink(0), Mark: Shapes()[1]}, Decision: Trail{{0, 0}, {0.2, 0.1}, {0.6, 0.5}}, Optimum: []Spot{{0.7, 0.6}}, Circle: true}
	for i := range 60 {
		at := Spot{s.Normal() / 2, s.Normal() / 2}
		trails.People = append(trails.People, Trail{at, {at.X + 0.001, at.Y}, {at.X / 2, at.Y / 2}, {math.NaN(), float64(i)}, {at.X / 4, 0.3}})
	}
	trails.People = append(trails.People, Trail{{math.Inf(1), 0}})
	square := over(false, false, trails.Some(7))
	square.X, square.Y = Axis{Ruler: Fitted(Extent{-1.5, 1.5})}, Axis{Ruler: Widened(Ruler{Min: -0.5, Max: 0.5}, 3)}
	add("trails", Grid{Columns: 1, Panels: []Panel{square}, Square: true, Width: 220})
	bare := trails
	bare.Circle, bare.Decision, bare.Optimum = false, nil, nil
	add("many trails", Grid{Columns: 1, Panels: []Panel{over(false, false, bare)}, Width: 200})

	table := WordTable{Columns: 2, Rows: 2, Words: []string{"one", "two", "three", "名"}, Grounds: []color.NRGBA{Grey(), Paper(), Tint(Ink(0), 0.3), Tint(Dim(), 0.5)}}
	add("words", Grid{Columns: 1, Panels: []Panel{{Layers: []Layer{table}, X: CellAxis([]string{"left", "right"}, "x\ty 名"), Y: CellAxis([]string{"lower", "upper"}, "")}}, Width: 260})
}

var svgWords = regexp.MustCompile(`<text [^>]*x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)</text>`)

// Figures of all sorts say where they said it what they said when they were last looked at, and are drawn as they were, in every format.
func TestFiguresAreAsRecorded(t *testing.T) {
	var lines []string
	for i, s := range picturesOf() {
		f := Figure{Caption: s.Caption, Data: s.data()}
		var err error
		if i%3 == 0 { // a PNG takes its time
			f, err = s.Render()
		} else {
			f.SVG, f.Lacking, err = s.svg()
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(f.SVG), ">")
		lines = append(lines, "", s.Name, f.Caption, head, fmt.Sprintf("lacking %q, needs %.6g", f.Lacking, s.Lacks()))
		for _, m := range svgWords.FindAllStringSubmatch(string(f.SVG), -1) {
			lines = append(lines, fmt.Sprintf("  %s %s %s", m[1], m[2], m[3]))
		}
		lines = append(lines, fmt.Sprintf("svg %x", sha256.Sum256(f.SVG)), "pdf "+printed(t, s), fmt.Sprintf("data %x", sha256.Sum256(data)))
		if f.PNG != nil {
			lines = append(lines, "png "+pixels(t, f.PNG))
		}
	}
	evidence.AsRecorded(t, "testdata/figures.txt", lines[1:])
}

// pixels is the size and the sum of the pixels of a PNG.
func pixels(t *testing.T, file []byte) string {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	plain := image.NewRGBA(img.Bounds())
	draw.Draw(plain, plain.Rect, img, image.Point{}, draw.Src)
	return fmt.Sprintf("%v %x", plain.Rect.Max, sha256.Sum256(plain.Pix))
}

// printed is the sum of what a PDF of the sketch draws, before it is compressed.
func printed(t *testing.T, s Sketch) string {
	t.Helper()
	letters := newTypeface()
	width, height := s.size(letters)
	c, err := newPDF(width, height, s.Zoom, letters)
	if err != nil {
		t.Fatal(err)
	}
	c.doc.SetCompression(false)
	s.drawOn(c, true)
	file, err := c.bytes(s.Title)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := bytes.Cut(file, []byte("\nstream"))
	page, rest, _ := bytes.Cut(rest, []byte("\nendstream"))
	return fmt.Sprintf("%d %x", len(file), sha256.Sum256(bytes.Join([][]byte{before, page, rest[:0]}, nil)))
}

// A PDF is turned, moved and stretched as other canvases are, and refuses what it cannot hold.
func TestPDFCanvasIsAsRecorded(t *testing.T) {
	canvas := func() *pdfCanvas {
		c, err := newPDF(100, 80, 1.5, newTypeface())
		if err != nil {
			t.Fatal(err)
		}
		c.doc.SetCompression(false)
		return c
	}
	c := canvas()
	var path vg.Path
	path.Move(vg.Point{X: 1, Y: 2})
	path.Line(vg.Point{X: 30, Y: 4})
	path.Arc(vg.Point{X: 20, Y: 20}, 5, 0.5, 1)
	path.Close()
	c.SetLineWidth(2)
	c.Push()
	c.Rotate(math.Pi / 6)
	c.Translate(vg.Point{X: 3, Y: 7})
	c.Scale(2, 0.5)
	c.SetColor(color.NRGBA{10, 20, 30, 102})
	c.SetLineDash([]vg.Length{3, 1}, 0.5)
	c.SetLineWidth(0)
	c.Stroke(path) // a line without width
	c.Pop()
	c.Stroke(path)
	c.Fill(path)
	width, height := c.Size()
	file, err := c.bytes("A title")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(file), "\nstream")
	page, rest, _ := strings.Cut(rest, "\nendstream")
	lines := append([]string{fmt.Sprint(width, height)}, strings.Split(page, "\n")...)
	for _, line := range strings.Split(rest, "\n") {
		if strings.Contains(line, "/ca") || strings.Contains(line, "/Producer") || strings.Contains(line, "/Title") || strings.Contains(line, "/MediaBox") {
			lines = append(lines, fmt.Sprintf("%q", line))
		}
	}
	var curved vg.Path
	curved.Move(vg.Point{})
	curved.CubeTo(vg.Point{X: 1}, vg.Point{Y: 1}, vg.Point{X: 2})
	for _, wrong := range []func(c *pdfCanvas){
		func(c *pdfCanvas) { c.Fill(curved) }, func(c *pdfCanvas) { c.DrawImage(vg.Rectangle{}, image.NewGray(image.Rectangle{})) },
	} {
		c := canvas()
		wrong(c)
		_, err := c.bytes("")
		lines = append(lines, fmt.Sprint("refused: ", err))
	}
	evidence.AsRecorded(t, "testdata/pdf.txt", evidence.Rounded(strings.Join(lines, "\n")))
}

// Scales over all sorts of extents, their marks, their bins and their colours are those that were last looked at.
func TestScalesAreAsRecorded(t *testing.T) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, e := range []Extent{
		Nothing(), {0, 0}, {2, 2}, {0, 1}, {-1, 0}, {-3, 5}, {0.29, 1}, {0.31, 1}, {-1, -0.29}, {-1, -0.31}, {1000, 1000.5}, {1, 1e7}, {123456, 7654321}, {1e-5, 3e-5}, {1e-12, 4e-3},
		{-2e-7, 1e-7}, {0.5, 700}, {1.2, 9}, {3e-4, 4e-4}, {1e-20, 1e-18}, {2e6, 3e6}, {1e-16, 1e-300}, {5e299, 1e308}, {-1e301, 2}, {7, 40}, {1e-9, 1e12},
	} {
		for _, r := range []Ruler{NewRuler(e, false), NewRuler(e, true), Fitted(e), Widened(Fitted(e), 3), {Min: e.Low, Max: e.High, Whole: true}} {
			add("%g … %g: %.9g … %.9g, logarithmic %v, whole %v; the middle at %.9g", e.Low, e.High, r.Min, r.Max, r.Log, r.Whole, r.At(e.Low/2+e.High/2))
			if e.Empty() || r.Whole && !(r.Max > r.Min && r.Max < r.Min+1e7) {
				continue
			}
			for _, n := range []int{2, 4, MostLabels} {
				add("  %d: %s", n, marks(r.ticks(n)))
			}
			add("  on axes: %s; %s", marks(Axis{Ruler: r}.ticks(90, oftenX)), marks(Axis{Ruler: r}.ticks(400, oftenY)))
		}
		if e.Empty() || e.High > 1e300 {
			continue
		}
		for _, log := range []bool{false, true} {
			edges := BinEdges(e, log)
			add("  %d bins: %.9g %.9g … %.9g", len(edges)-1, edges[0], edges[1], edges[len(edges)-1])
		}
		if e.High-e.Low <= 1000 {
			add("  degrees: %g, %s", DegreeBins(e), marks(DegreeAxis(e, "").Marks))
		}
	}
	for _, span := range []float64{1, 6, 6.5, 12, 13, 30, 31, 60, 61, 120, 121, 180, 181} {
		add("degrees %g: %g, bins %g", span, degreeStep(span), DegreeBins(Extent{0, span}))
	}
	for n := 1; n < 9; n++ {
		add("%d panels: %d columns", n, ColumnsFor(n))
	}
	for _, size := range [][2]float64{{0, 0}, {0, 100}, {100, 50}, {294, 10}, {350, 10}, {420, 0}, {900, 300}} {
		zoom, w, h := Printed(size[0], size[1])
		add("printed %g × %g: %.9g, %.9g × %.9g", size[0], size[1], zoom, w, h)
	}
	evidence.AsRecorded(t, "testdata/scales.txt", lines)
}

func marks(ticks []Tick) string {
	var list []string
	for _, k := range ticks {
		list = append(list, fmt.Sprintf("%.9g[%s]", k.Value, k.Label))
	}
	if n := len(list); n > 24 {
		list = append(list[:12], append([]string{fmt.Sprintf("%d more", n-16)}, list[n-4:]...)...)
	}
	return strings.Join(list, " ")
}

// Colours, looks, thinned lines and cut words are those that were last looked at.
func TestLooksAreAsRecorded(t *testing.T) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprint("m", i))
		add("ink %d %v on dark %v, tinted %v, lightness %.9g, legible %v", i, Ink(i), OnDark(Ink(i)), Tint(Ink(i), float64(i)/19), Lightness(Ink(i)), legible(Ink(i)))
		add("heat %d %v legible %v", i, Viridis(float64(i-1)/17), legible(Viridis(float64(i-1)/17)))
	}
	add("greys %v %v %v %v %v", ink, Pale(), Dim(), Grey(), Paper())
	looks := Styles([]string{"m3", "u", "v"}, names)
	for _, name := range append(names, "u", "v") {
		add("%s %+v", name, looks[name])
	}
	for i, mark := range Shapes() {
		add("shape %d %+v", i, mark)
	}
	for _, n := range []int{0, 1, 9, 10, 11, 30, 200, 1500} {
		line := curve(uint64(n+50), "m", n, 0, true)
		for _, limit := range []int{5, 6, 10, 30} {
			add("%d thinned to %d: %s; late %s", n, limit, places(Thin(line.Points, limit)), places(ThinLate(line.Points, limit)))
		}
		several := []Lines{{line}, {line, line}}
		several[1][1].Points = append([]LinePoint{{0, 0, -1, 2}}, line.Points...)
		floored := Prepare(n%2 == 1, several...)
		add("%d prepared: %d and %d, floored %v", n, len(several[0][0].Points), len(several[1][1].Points), floored)
		if means := Means(line.Points); n > 0 {
			add("%d: means %.9g", n, means[n/2])
		}
	}
	letters := newTypeface()
	for _, text := range []string{"", "abc", "10⁻⁴ W₁", "a long text of several words", "名前 and more", "tab\tand\nline", "\u202fx\u00a0y"} {
		for _, room := range []vg.Length{0, 8, 12, 40, 60, 500} {
			add("%q in %g: %q", text, float64(room), letters.fit(text, 10, room))
		}
		add("%q is %.9g wide, boxed %q", text, float64(letters.width(text, 11)), letters.boxed(text))
	}
	add("fits beside %v %v %v", FitBeside(Lines{curve(1, "short", 1, 0, false)}), FitBeside(make(Lines, 6)), FitBeside(Lines{{Name: "a name that is much too long"}}))
	for _, v := range []float64{-1, 0, 1e-17, 1e-16, 3, math.Inf(1), math.NaN()} {
		add("a level of %g is shown: %v, on a logarithmic axis %v", v, Rule{Value: v}.Shown(false), Rule{Value: v}.Shown(true))
	}
	evidence.AsRecorded(t, "testdata/looks.txt", lines)
}

func places(rows []LinePoint) string {
	var list []string
	for _, r := range rows {
		list = append(list, fmt.Sprint(r.X))
	}
	if len(list) > 40 {
		list = append(list[:20], fmt.Sprint(len(list)-20, " more"))
	}
	return strings.Join(list, " ")
}
