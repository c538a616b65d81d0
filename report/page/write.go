package page

// Files are report.html, report.md and every figure as NAME.svg, NAME.png and NAME.pdf, by name.
func (d *Document) Files() (map[string][]byte, error) {
	html, err := d.HTML()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"report.md": d.Markdown(), "report.html": html}
	for _, f := range d.Figures {
		files[f.Name+".svg"], files[f.Name+".png"], files[f.Name+".pdf"] = f.SVG, f.PNG, f.PDF
	}
	return files, nil
}
