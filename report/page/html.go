package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"slices"
	"unicode"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/web"
)

//go:embed web
var own embed.FS

var pageTemplate = template.Must(template.New("page.html").ParseFS(own, "web/page.html"))

// filled is a document with what it needs to stand alone.
type filled struct {
	Document
	Style  template.CSS
	Script template.JS
	Sum    string      // of the script, the only one that the page may run
	Data   template.JS // the graphs
	Code   template.HTML
	Pages  []picture
}

// picture is a figure as the page shows it.
type picture struct {
	draw.Figure
	Picture template.HTML
	Twin    bool // an interactive chart shows the same
}

// Formats lists the files of a figure, each beside the page.
func (p picture) Formats() []string {
	list := []string{"svg"}
	if p.PNG != nil {
		list = append(list, "png")
	}
	if p.PDF != nil {
		list = append(list, "pdf")
	}
	return list
}

// HTML writes the document as one page that stands alone.
func (d *Document) HTML() ([]byte, error) {
	script, style, err := assets()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(append([]Graph{}, d.Graphs...)) // no null without graphs; angle brackets are escaped
	if err != nil {
		return nil, fmt.Errorf("embed the graphs: %w", err)
	}
	sum := sha256.Sum256(script)
	p := filled{
		Document: *d.paged(), Style: template.CSS(style), Script: template.JS(script), Sum: base64.StdEncoding.EncodeToString(sum[:]),
		Data: template.JS(data), Code: coloured(d.Spec), Pages: d.pictures(),
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("fill the page: %w", err)
	}
	return bytes.Map(harmless, out.Bytes()), nil
}

// assets are the script and the style of every page, the chart library with its licence first.
func assets() (script, style []byte, err error) {
	read := func(files fs.FS, name string) []byte {
		data, e := fs.ReadFile(files, name)
		if err == nil {
			err = e
		}
		return append(data, '\n')
	}
	charts := web.Charts()
	licence := append(append([]byte("/*\nuPlot 1.6.32. "), read(charts, "library/uplot/LICENSE")...), "*/\n"...)
	script = bytes.Join([][]byte{licence, read(charts, "library/uplot/uPlot.iife.min.js"), read(charts, "chart/charts.js"), read(own, "web/page.js")}, nil)
	style = append(read(charts, "library/uplot/uPlot.min.css"), read(own, "web/page.css")...)
	return script, style, err
}

func (d *Document) pictures() []picture {
	return lists.Of(d.Figures, func(f draw.Figure) picture {
		twin := slices.ContainsFunc(d.Graphs, func(g Graph) bool { return g.ID == f.Name && (g.Along == "turn" || g.Twin) })
		return picture{Figure: f, Picture: template.HTML(f.SVG), Twin: twin}
	})
}

// harmless replaces what a page cannot hold, and marks that would turn the text after them around.
func harmless(r rune) rune {
	if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
		return r
	}
	return unicode.ReplacementChar
}
