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
	height               vg.Length
	draw                 func(p pen)
}

func (s sketch) render() (Figure, error) {
	svg, err := s.svg()
	if err != nil {
		return Figure{}, err
	}
	png, err := s.png()
	if err != nil {
		return Figure{}, err
	}
	pdf, err := s.pdf()
	if err != nil {
		return Figure{}, err
	}
	return Figure{s.name, s.title, s.caption, svg, png, pdf}, nil
}

func (s sketch) svg() ([]byte, error) {
	c := vgsvg.New(width, s.height)
	s.drawOn(c)
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	return portable(out.Bytes(), s.title, s.height), nil
}

func (s sketch) png() ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, s.height), vgimg.UseDPI(dpi))}
	s.drawOn(c)
	var out bytes.Buffer
	_, err := c.WriteTo(&out)
	return out.Bytes(), err
}

func (s sketch) pdf() ([]byte, error) {
	c, err := newPDF(width, s.height, 1, newTypeface())
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
func portable(svg []byte, title string, height vg.Length) []byte {
	_, rest, _ := bytes.Cut(svg, []byte("<svg"))
	_, body, _ := bytes.Cut(rest, []byte(">"))
	body = bytes.ReplaceAll(body,
		[]byte("font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	var name, out bytes.Buffer
	xml.EscapeText(&name, []byte(title)) // a bytes.Buffer never fails
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%gpt" height="%gpt" viewBox="0 0 %[1]g %[2]g" role="img" aria-label="%[3]s">`,
		float64(width), height.Points(), name.String())
	out.Write(body)
	return out.Bytes()
}
