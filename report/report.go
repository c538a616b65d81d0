// Package report makes figures and one self-contained HTML page from a result, and the same in Markdown.
//
// The page needs no network, and without scripts it shows figures in place of interactive charts; a figure comes as SVG, PNG
// and PDF. Nothing in them depends on the clock or on chance: the same result gives the same bytes.
package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge/lab"
)

// Figure is one picture of a result.
type Figure struct {
	Name    string // file name without extension
	Title   string
	Caption string // what to see in it
	SVG     []byte
	PNG     []byte
	PDF     []byte
}

// Figures draws what the result holds: gap, distance and w1 over the turns, the angles, and the two optima of a reference.
// A figure whose quantity was not measured is left out.
func Figures(r *lab.Result) ([]Figure, error) {
	var figures []Figure
	for _, s := range sketches(r) {
		f, err := s.render()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s: %w", s.name, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// Write puts every figure as NAME.svg, NAME.png and NAME.pdf and the report as report.html and report.md into dir, which is
// made if it is not there.
func Write(dir string, r *lab.Result) error {
	figures, err := Figures(r)
	if err != nil {
		return err
	}
	return write(dir, runDocument(r, figures))
}

// write puts a document and its figures into a folder.
func write(dir string, d document) error {
	page, err := renderPage(d)
	if err != nil {
		return err
	}
	err = os.MkdirAll(dir, 0o777)
	put := func(name string, data []byte) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
	}
	for _, f := range d.Figures {
		put(f.Name+".svg", f.SVG)
		put(f.Name+".png", f.PNG)
		put(f.Name+".pdf", f.PDF)
	}
	put("report.md", renderMarkdown(d))
	put("report.html", page)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
