package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"image"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const dpi = 200

// Sketch is a figure still to be drawn.
type Sketch struct {
	Name, Title, Caption string
	Grid
	Zoom float64 // of print: points a unit of the drawing
}

// Sketch gives a grid the words of a figure; see says what to see in it, and floored that some of it was lifted onto the axis.
func (g Grid) Sketch(name, title, see string, floored bool) Sketch {
	if floored {
		see += " What is zero or below, up to rounding, is drawn at the smallest positive number."
	}
	return Sketch{Name: name, Title: title, Caption: see, Grid: g, Zoom: 1}
}

// Figure is a picture in all formats.
type Figure struct {
	Name    string `json:"name"` // of its files, without the ending
	Title   string `json:"title"`
	Caption string `json:"caption"` // what to see in it
	Data    []Data `json:"data,omitempty"`
	Lacking string `json:"-"` // letters that PNG and PDF show as a box, because their typeface lacks them
	SVG     []byte `json:"-"`
	PNG     []byte `json:"-"`
	PDF     []byte `json:"-"`
}

// Render draws the figure in all formats.
func (s Sketch) Render() (Figure, error) {
	f := Figure{Name: s.Name, Title: s.Title, Caption: s.Caption, Data: s.data()}
	var err error
	if f.SVG, f.Lacking, err = s.svg(); err != nil {
		return Figure{}, err
	}
	if f.PNG, err = s.PNG(); err != nil {
		return Figure{}, err
	}
	f.PDF, err = s.PDF()
	return f, err
}

// Render draws figures in all formats.
func Render(sketches ...Sketch) (list []Figure, err error) {
	for _, s := range sketches {
		f, err := s.Render()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s: %w", s.Name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// Printed turns a size on paper, in points, into a zoom and a size in the units of drawings: on narrow figures letters shrink,
// but not below seven tenths.
func Printed(width, height float64) (zoom, w, h float64) {
	if width == 0 {
		return 1, 0, 0
	}
	zoom = min(max(width/usualWidth, 0.7), 1)
	return zoom, width / zoom, height / zoom
}

// Lacks is the height on paper, in points, that a figure needs whose own height is too small for its panels, otherwise 0.
func (s Sketch) Lacks() float64 {
	_, need := s.size(newTypeface())
	if s.Height > 0 && need.Points() > s.Height+1 {
		return s.Zoom * need.Points()
	}
	return 0
}

// SVG draws the figure as SVG.
func (s Sketch) SVG() ([]byte, error) {
	svg, _, err := s.svg()
	return svg, err
}

// svg also returns the letters that the typeface lacks.
func (s Sketch) svg() (svg []byte, lacking string, err error) {
	letters := newTypeface()
	width, height := s.size(letters)
	c := vgsvg.New(width, height)
	s.drawOn(c, false)
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, "", err
	}
	body, lacking := spaced(out.Bytes(), letters)
	return headed(body, s.Title, width, height, s.Zoom), lacking, nil
}

// PNG draws the figure as PNG.
func (s Sketch) PNG() ([]byte, error) {
	width, height := s.size(newTypeface())
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(paper))
	s.draw(pen{draw.New(c), newTypeface(), true})
	var out bytes.Buffer
	err := encodePNG(&out, c.Image().(*image.RGBA))
	return out.Bytes(), err
}

// PDF draws the figure as PDF.
func (s Sketch) PDF() ([]byte, error) {
	letters := newTypeface()
	width, height := s.size(letters)
	c, err := newPDF(width, height, s.Zoom, letters)
	if err != nil {
		return nil, err
	}
	s.drawOn(c, true)
	return c.bytes(s.Title)
}

func (s Sketch) drawOn(c vg.CanvasSizer, only bool) {
	p := pen{draw.New(c), newTypeface(), only}
	p.SetColor(paper)
	p.Fill(p.Rectangle.Path())
	s.draw(p)
}

var svgText = regexp.MustCompile(`(?s)<text [^>]*font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// spaced gives every text of an SVG the width that was reckoned with, so that no other font makes it run over. It returns the letters
// that the typeface lacks; a text that has one is as wide as it likes.
func spaced(svg []byte, letters typeface) (_ []byte, lacking string) {
	svg = svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		parts := svgText.FindSubmatch(element)
		text := html.UnescapeString(string(parts[2]))
		size, err := strconv.ParseFloat(string(parts[1]), 64)
		if boxed := letters.boxed(text); boxed != text || err != nil || text == "" {
			lacking += strings.Map(func(r rune) rune {
				if letters.has(r) || strings.ContainsRune(lacking, r) {
					return -1
				}
				return r
			}, text)
			return element
		}
		face := letters.face(vg.Length(size))
		wide := fmt.Sprintf(`<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, face.Width(text).Points())
		return bytes.Replace(element, []byte("<text "), []byte(wide), 1)
	})
	return svg, lacking
}

// headed gives an SVG a head that names the picture and fonts of the same widths for machines without Liberation.
func headed(svg []byte, title string, width, height vg.Length, zoom float64) []byte {
	_, rest, _ := bytes.Cut(svg, []byte("<svg"))
	_, body, _ := bytes.Cut(rest, []byte(">"))
	body = bytes.ReplaceAll(body,
		[]byte("font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	var name, out bytes.Buffer
	xml.EscapeText(&name, []byte(title)) // a bytes.Buffer never fails
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.5gpt" height="%.5gpt" viewBox="0 0 %.6g %.6g" role="img" aria-label="%s">`,
		zoom*width.Points(), zoom*height.Points(), width.Points(), height.Points(), name.String())
	out.Write(body)
	return out.Bytes()
}
