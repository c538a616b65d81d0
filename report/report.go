// Package report makes figures and one self-contained HTML page from a result, and the same in Markdown.
//
// The page needs no network, and without scripts it shows figures in place of interactive charts; a figure comes as SVG, PNG
// and PDF. Nothing in them depends on the clock or on chance: the same result gives the same bytes.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Document is the report of a run with its figures.
func Document(kinds *kind.Catalogue, r *folder.Result) (*page.Document, error) {
	figures, err := Figures(r)
	return runDocument(kinds, r, figures), err
}

// Save writes the data of a run and its pages to the folder that was taken for it. It returns what the pages say. What is asked is told
// where the spec names nothing but the given kinds.
func Save(kinds *kind.Catalogue, c *folder.Taken, r *folder.Result) (*page.Document, error) {
	d, pages, err := paged(Document(kinds, r))
	if err != nil {
		return nil, err
	}
	return d, r.Save(c, pages)
}

// Write makes the folder of a run: its data and its pages.
func Write(kinds *kind.Catalogue, dir string, r *folder.Result) error {
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		return err
	}
	defer c.Release()
	_, err = Save(kinds, c, r)
	return err
}

// Read makes the report of a finished folder, a run, a sweep or a study, or one that compares several runs. Data that is not what a
// folder's manifest says is refused, unless it is to be read as it is. Folders are read until the context is done.
func Read(ctx context.Context, kinds *kind.Catalogue, trust folder.Reading, dirs ...string) (*page.Document, error) {
	if len(dirs) == 0 {
		return nil, errors.New("a report is made of one folder or more")
	}
	for _, dir := range dirs {
		if err := intact(ctx, dir); err != nil && trust == folder.Verified {
			return nil, err
		}
	}
	if len(dirs) > 1 {
		return compared(ctx, kinds, trust, dirs)
	}
	return documentOf(ctx, kinds, trust, dirs[0])
}

// documentOf reads a run, a sweep or a study.
func documentOf(ctx context.Context, kinds *kind.Catalogue, trust folder.Reading, dir string) (*page.Document, error) {
	m, err := folder.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	switch m.Kind {
	case folder.KindSweep:
		r, err := folder.OpenSweep(ctx, dir, trust)
		if err != nil {
			return nil, err
		}
		figures, err := plot.SweepFigures(r)
		return sweepDocument(kinds, r, figures), err
	case folder.KindStudy:
		r, err := folder.Decode(ctx, dir, folder.StudyFile, trust, study.Decode)
		if err != nil {
			return nil, err
		}
		return studyDocument(r, m.Build)
	case folder.KindCompare:
		r, err := folder.Decode(ctx, dir, folder.CompareFile, trust, func(f io.Reader) (*compare.Comparison, error) { return compare.Decode(kinds, f) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s holds a report alone; give the folders that it was made of", dir)
		}
		if err != nil {
			return nil, err
		}
		return comparisonDocument(r, m.Build)
	}
	r, err := folder.Open(ctx, dir, trust)
	if err != nil {
		return nil, err
	}
	return Document(kinds, r)
}

// intact wants the data of a folder as it was written; what a report is made of may be missing or changed.
func intact(ctx context.Context, dir string) error {
	found, err := folder.Verify(ctx, dir)
	if err != nil {
		return err
	}
	for _, f := range found.Files {
		if f.Problem != "" && !isMade(f.File) {
			err = errors.Join(err, fmt.Errorf("%s: %s; run its command again, or read it as it is with --unverified", filepath.Join(dir, filepath.FromSlash(f.File)), f.Problem))
		}
	}
	return err
}

// isMade tells whether a report makes files of this name.
func isMade(name string) bool {
	return slices.Contains([]string{".svg", ".png", ".pdf", ".html", ".md"}, path.Ext(name))
}
