package report

import (
	"io"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/page"
)

// save makes a folder of data and the pages about it; the manifest comes last.
func save(dir string, m folder.Manifest, d *page.Document, files map[string]func(io.Writer) error) error {
	if err := m.Kind.Begin(dir); err != nil {
		return err
	}
	for name, write := range files {
		if err := folder.WriteFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	if _, err := d.Write(dir); err != nil {
		return err
	}
	return m.Seal(dir)
}
