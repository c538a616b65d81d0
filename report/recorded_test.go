package report

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// smallRun is one of the small runs of lab that between them say everything a run can say, as if it had taken no time and nobody knew by what program.
func smallRun(t *testing.T, path string) *folder.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".yaml")
	s, err := problem.Parse(kind.Standard(), name, text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, os.DirFS(filepath.Dir(path)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r.Started, r.Finished, r.Identity = time.Unix(1e9, 0).UTC(), time.Unix(1e9+60, 0).UTC(), folder.Identity{}
	for i := range r.Runs {
		r.Runs[i].Seconds = float64(i)
		for j := range r.Runs[i].Trials {
			r.Runs[i].Trials[j].Seconds = float64(j)
		}
	}
	return r
}

// Reports of runs of all kinds, of two compared and of sweeps say what they said when they were last looked at, and draw what they drew.
func TestReportsAreAsRecorded(t *testing.T) {
	specs, err := filepath.Glob("../lab/testdata/runs/*.yaml")
	if err != nil || len(specs) < 20 {
		t.Fatalf("%d specs, %v", len(specs), err)
	}
	kept := map[string]*folder.Result{}
	for _, path := range specs {
		r := smallRun(t, path)
		kept[r.Case] = r
		figures := figuresOf(t, r)
		recorded(t, r.Case, runDocument(kind.Standard(), r, figures), figures)
	}
	for name, pair := range map[string][2]string{"two-alike": {"draws", "draws-and-a-tail"}, "two-others": {"players", "linear-quadratic"}, "two-bounded": {"players-under-a-bound", "a-tail-that-is-bounded"}} {
		var runs []labelled
		for _, one := range pair {
			runs = append(runs, newLabelled(kind.Standard(), one, kept[one]))
		}
		figures := figuresOf(t, together(runs))
		recorded(t, name, severalRuns(runs, figures), figures)
	}
	for name, r := range map[string]*folder.SweepResult{"sweep-of-a-grid": gridSweep(4, 3), "sweep-of-a-line": gridSweep(3, 1)} {
		recorded(t, name, sweepDocument(kind.Standard(), r, nil), nil)
	}
}

// recorded compares a document with what was kept of it: its text, and the sums of its page and its figures.
func recorded(t *testing.T, name string, d *page.Document, figures []draw.Figure) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		lines := strings.Split(strings.TrimSpace(string(d.Markdown())), "\n")
		if at := slices.Index(lines, "## Spec"); at >= 0 { // which is in the record of the run
			lines = lines[:at]
		}
		html, err := d.HTML()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, "", fmt.Sprintf("page %x", sha256.Sum256(html)))
		for _, f := range figures {
			lines = append(lines, fmt.Sprintf("figure %s %x", f.Name, sha256.Sum256(f.SVG)))
		}
		evidence.AsRecorded(t, filepath.Join("testdata/pages", name+".md"), lines)
	})
}
