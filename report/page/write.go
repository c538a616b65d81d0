package page

// Files are report.html, report.md and every figure as NAME.svg and, where it has them, NAME.png and NAME.pdf, by name.
func (d *Document) Files() (map[string][]byte, error) {
	html, err := d.HTML()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"report.md": d.Markdown(), "report.html": html}
	for _, f := range d.Figures {
		of := map[string][]byte{"svg": f.SVG, "png": f.PNG, "pdf": f.PDF}
		for _, format := range (picture{Figure: f}).Formats() {
			files[f.Name+"."+format] = of[format]
		}
	}
	return files, nil
}
