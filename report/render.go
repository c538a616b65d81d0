package report

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const dpi = 200

// sketch is a figure still to be drawn.
type sketch struct {
	name, title, caption string
	grid
	zoom float64 // of print: points a unit of the drawing; 0 means 1
}

func (s sketch) render() (Figure, error) {
	f := Figure{Name: s.name, Title: s.title, Caption: s.caption}
	var err error
	if f.SVG, err = s.svg(); err != nil {
		return Figure{}, err
	}
	if f.PNG, err = s.png(); err != nil {
		return Figure{}, err
	}
	f.PDF, err = s.pdf()
	return f, err
}

func (s sketch) scaled() float64 {
	if s.zoom > 0 {
		return s.zoom
	}
	return 1
}

func (s sketch) svg() ([]byte, error) {
	width, height := s.size(newTypeface())
	c := vgsvg.New(width, height)
	s.drawOn(c)
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	return portable(out.Bytes(), s.title, width, height, s.scaled()), nil
}

func (s sketch) png() ([]byte, error) {
	width, height := s.size(newTypeface())
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	s.drawOn(c)
	var out bytes.Buffer
	_, err := c.WriteTo(&out)
	return out.Bytes(), err
}

func (s sketch) pdf() ([]byte, error) {
	letters := newTypeface()
	width, height := s.size(letters)
	c, err := newPDF(width, height, s.scaled(), letters)
	if err != nil {
		return nil, err
	}
	s.drawOn(c)
	return c.bytes(s.title)
}

func (s sketch) drawOn(c vg.CanvasSizer) {
	p := pen{draw.New(c), newTypeface()}
	p.SetColor(paper)
	p.Fill(p.Rectangle.Path())
	s.draw(p)
}

// portable gives an SVG a head that names the picture and fonts of the same widths for machines without Liberation.
func portable(svg []byte, title string, width, height vg.Length, zoom float64) []byte {
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
