package draw

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
	"github.com/kedge-opt/kedge/internal/lists"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws on one page of a PDF. Unlike vgpdf it knows all of Unicode, embeds only the letters that are used, as a
// TrueType font that publishers accept, and leaves no date.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	zoom          float64 // points of the page a unit of the drawing
	stroke        vg.Length
	stack         []vg.Length // widths of strokes that Pop brings back
}

var (
	_ vg.CanvasSizer = (*pdfCanvas)(nil)
	_ reader         = (*pdfCanvas)(nil)
)

const pdfFont = "LiberationSans"

func newPDF(width, height vg.Length, zoom float64, letters typeface) (*pdfCanvas, error) {
	size := fpdf.SizeType{Wd: zoom * width.Points(), Ht: zoom * height.Points()}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size})
	var truetype bytes.Buffer
	if _, err := letters.face(textSize).Face.WriteSourceTo(nil, &truetype); err != nil {
		return nil, err
	}
	doc.AddUTF8FontFromBytes(pdfFont, "", truetype.Bytes())
	doc.SetCatalogSort(true)
	doc.SetProducer("kedge", true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	doc.SetLineJoinStyle("round")
	c := &pdfCanvas{doc: doc, width: width, height: height, zoom: zoom}
	vg.Initialize(c)
	return c, doc.Error()
}

// bytes ends the document.
func (c *pdfCanvas) bytes(title string) ([]byte, error) {
	c.doc.SetTitle(title, true)
	var out bytes.Buffer
	if err := c.doc.Output(&out); err != nil {
		return nil, err
	}
	return undated(out.Bytes()), nil
}

var pdfDate = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]*\)`)

// undated blanks the dates without moving a byte, because a PDF refers to its parts by their place.
func undated(pdf []byte) []byte {
	return pdfDate.ReplaceAllFunc(pdf, func(date []byte) []byte { return bytes.Repeat([]byte(" "), len(date)) })
}

func (c *pdfCanvas) unit(l vg.Length) float64 { return c.zoom * l.Points() }

// point turns the y axis, which a PDF document of this library has downwards.
func (c *pdfCanvas) point(p vg.Point) (x, y float64) { return c.unit(p.X), c.unit(c.height - p.Y) }

func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.stroke = w
	c.doc.SetLineWidth(c.unit(w))
}

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.doc.SetDashPattern(lists.Of(pattern, c.unit), c.unit(offset))
}

func (c *pdfCanvas) SetColor(ink color.Color) {
	n := color.NRGBAModel.Convert(ink).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (c *pdfCanvas) Push() {
	c.stack = append(c.stack, c.stroke)
	c.doc.TransformBegin()
}

func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	c.stroke = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *pdfCanvas) Rotate(rad float64) { c.doc.TransformRotate(rad*180/math.Pi, 0, c.unit(c.height)) }

func (c *pdfCanvas) Translate(by vg.Point) { c.doc.TransformTranslate(c.unit(by.X), -c.unit(by.Y)) }

func (c *pdfCanvas) Scale(x, y float64) { c.doc.TransformScale(100*x, 100*y, 0, c.unit(c.height)) }

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.stroke > 0 {
		c.draw(p, "D")
	}
}

func (c *pdfCanvas) Fill(p vg.Path) { c.draw(p, "F") }

func (c *pdfCanvas) draw(path vg.Path, how string) {
	for _, step := range path {
		switch x, y := c.point(step.Pos); step.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			const degrees = 180 / math.Pi
			r, from := c.unit(step.Radius), float64(step.Start*degrees)
			c.doc.ArcTo(x, y, r, r, 0, from, from+float64(step.Angle*degrees))
		case vg.CloseComp:
			c.doc.ClosePath()
		default:
			c.doc.SetError(errors.New("a PDF figure is made of lines and arcs alone"))
		}
	}
	c.doc.DrawPath(how)
}

func (c *pdfCanvas) FillString(f font.Face, at vg.Point, s string) {
	x, y := c.point(at)
	c.doc.SetFont(pdfFont, "", c.unit(f.Font.Size))
	c.doc.Text(x, y, s)
}

// mean tells readers of the page which text it is that is set in parts.
func (c *pdfCanvas) mean(text string, set func()) {
	var hex strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&hex, "%04X", unit)
	}
	c.doc.RawWriteStr("/Span <</ActualText <FEFF" + hex.String() + ">>> BDC")
	set()
	c.doc.RawWriteStr("EMC")
}

// DrawImage is part of vg.Canvas; figures here are made of lines and letters alone.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.doc.SetError(errors.New("a PDF figure holds no images"))
}
