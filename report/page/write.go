package page

import (
	"fmt"
	"os"
	"path/filepath"
)

// Write puts report.html, report.md and every figure as NAME.svg, NAME.png and NAME.pdf into a folder, which is made if it is not
// there, and returns the names of the files.
func (d *Document) Write(dir string) ([]string, error) {
	html, err := d.HTML()
	if err != nil {
		return nil, err
	}
	var names []string
	err = os.MkdirAll(dir, 0o777)
	put := func(name string, data []byte) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
			names = append(names, name)
		}
	}
	for _, f := range d.Figures {
		put(f.Name+".svg", f.SVG)
		put(f.Name+".png", f.PNG)
		put(f.Name+".pdf", f.PDF)
	}
	put("report.md", d.Markdown())
	put("report.html", html)
	if err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	return names, nil
}
