// Package report makes figures and one self-contained HTML page from a result, and the same in Markdown.
//
// The page needs no network, and without scripts it shows figures in place of interactive charts; a figure comes as SVG, PNG
// and PDF. Nothing in them depends on the clock or on chance: the same result gives the same bytes.
package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// Write puts the report of a result into dir: every figure as NAME.svg, NAME.png and NAME.pdf, and report.html and report.md.
// The folder is made if it is not there. What is asked is told where the spec names nothing but the given kinds.
func Write(kinds *kind.Catalogue, dir string, r *folder.Result) error {
	d, err := drawn(kinds, r)
	if err != nil {
		return err
	}
	_, err = d.Write(dir)
	return err
}

// drawn is the report of a run with its figures.
func drawn(kinds *kind.Catalogue, r *folder.Result) (*page.Document, error) {
	figures, err := Figures(r)
	return runDocument(kinds, r, figures), err
}

// Save makes the folder of a run with its data and pages; the manifest comes last. It returns what the pages say.
func Save(kinds *kind.Catalogue, dir string, r *folder.Result) (*page.Document, error) {
	if err := r.Save(dir); err != nil {
		return nil, err
	}
	d, err := drawn(kinds, r)
	if err == nil {
		_, err = d.Write(dir)
	}
	if err != nil {
		return nil, err
	}
	return d, r.Seal(dir)
}

// Read makes the report of a finished folder, a run, a sweep or a study, or one that compares several runs. Data that is not what a
// folder's manifest says is refused.
func Read(kinds *kind.Catalogue, dirs ...string) (*page.Document, error) {
	if len(dirs) == 0 {
		return nil, errors.New("a report is made of one folder or more")
	}
	for _, dir := range dirs {
		if err := intact(dir); err != nil {
			return nil, err
		}
	}
	if len(dirs) > 1 {
		return compared(kinds, dirs)
	}
	return documentOf(kinds, dirs[0])
}

// documentOf reads a run, a sweep or a study.
func documentOf(kinds *kind.Catalogue, dir string) (*page.Document, error) {
	m, err := folder.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	switch m.Kind {
	case folder.KindSweep:
		r, err := folder.OpenSweep(dir)
		if err != nil {
			return nil, err
		}
		figures, err := plot.SweepFigures(r)
		return sweepDocument(kinds, r, figures), err
	case folder.KindStudy:
		r, err := read(dir, folder.StudyFile, study.Decode)
		if err != nil {
			return nil, err
		}
		return studyDocument(r, m.Build)
	case folder.KindCompare:
		r, err := read(dir, folder.CompareFile, func(f io.Reader) (*compare.Comparison, error) { return compare.Decode(kinds, f) })
		if os.IsNotExist(err) {
			return nil, fmt.Errorf("%s holds a report alone; give the folders that it was made of", dir)
		}
		if err != nil {
			return nil, err
		}
		return comparisonDocument(r, m.Build)
	}
	r, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	return drawn(kinds, r)
}

// read decodes a file of a folder.
func read[T any](dir, name string, decode func(io.Reader) (T, error)) (r T, err error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return r, err
	}
	defer f.Close()
	if r, err = decode(f); err != nil {
		return r, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// intact wants the data of a folder as it was written; what a report is made of may be missing or changed.
func intact(dir string) error {
	files, err := folder.Verify(dir)
	for _, f := range files {
		if f.Problem != "" && !isMade(f.File) {
			err = errors.Join(err, fmt.Errorf("%s: %s; run its command again", filepath.Join(dir, filepath.FromSlash(f.File)), f.Problem))
		}
	}
	return err
}

// isMade tells whether a report makes files of this name.
func isMade(name string) bool {
	return slices.Contains([]string{".svg", ".png", ".pdf", ".html", ".md"}, path.Ext(name))
}
