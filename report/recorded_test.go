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

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
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
	recordedComparisons(t)
	recordedExaminations(t)
	recordedStudies(t)
	for name, r := range map[string]*folder.SweepResult{"sweep-of-a-grid": gridSweep(4, 3), "sweep-of-a-line": gridSweep(3, 1)} {
		recorded(t, name, sweepDocument(kind.Standard(), r, nil), nil)
	}
}

// recordedComparisons are methods on one problem, and on two that are called a suite.
func recordedComparisons(t *testing.T) {
	var list []compare.Subject
	for _, name := range []string{"lq2", "scalar-pricing"} {
		text, _ := problem.Case(name)
		list = append(list, compare.Subject{Name: name, Target: name, Text: text, Over: []problem.Overlay{problem.Assign("iterations=60"), problem.Assign("record.every=10")}})
	}
	methods, err := compare.ParseMethods(kind.Standard(), "vanilla,composite,derivative-free")
	if err != nil {
		t.Fatal(err)
	}
	for name, subjects := range map[string][]compare.Subject{"methods": list[:1], "methods-on-two": list} {
		terms := compare.Terms{Trials: 2, Points: 3, Workers: 2}
		if len(subjects) > 1 {
			terms.Suite = "two"
		}
		r, err := compare.Run(t.Context(), subjects, methods, terms)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range r.Seconds {
			for method := range of {
				of[method] = 1
			}
		}
		d, err := comparisonDocument(r, folder.Build{})
		if err != nil {
			t.Fatal(err)
		}
		recorded(t, name, d, d.Figures)
	}
}

// recordedExaminations are checks and certificates of models that are sound and of one that is not.
func recordedExaminations(t *testing.T) {
	for name, sets := range map[string][]string{"lq2": nil, "polarized": {"population.size=30"}, "choice": {"population.size=20"}, "steep": {"dynamics.a=[[0.99, 0], [0, 0.5]]", "algorithms.composite.step=30"}} {
		base := strings.Replace(name, "steep", "lq2", 1)
		text, _ := problem.Case(base)
		var over []problem.Overlay
		for _, one := range sets {
			over = append(over, problem.Assign(one))
		}
		s, err := problem.Parse(kind.Standard(), name, text, over...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build(name, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := doctor.Examine(t.Context(), p.Alone(), doctor.Of(p, 8))
		if err != nil {
			t.Fatal(err)
		}
		recorded(t, "check-of-"+name, Check(found), nil)
		for i := range s.Algorithms[:2] {
			rule := &s.Algorithms[i]
			plan := certify.Premises{Step: p.FirstStep(i), Batch: rule.Batch, AtState: !rule.Facts().Settled, Horizon: s.Iterations, Tau: 0.05, Seed: s.Seed, Optimum: p.Start, Sampled: true}
			constants, err := plan.Derive(p.Alone())
			if err != nil {
				t.Fatal(err)
			}
			c, err := constants.Certify(t.Context(), p.Alone(), plan)
			if err != nil {
				t.Fatal(err)
			}
			recorded(t, fmt.Sprintf("certificate-of-%s-%d", name, i), Certificate(name, rule, c), nil)
			d := runDocument(kind.Standard(), &folder.Result{Case: name, Spec: string(s.YAML()), Sections: []folder.Section{CertificateSection(c, nil, 3), CheckSection(found)}, Diagnoses: Diagnoses(found)}, nil)
			recorded(t, fmt.Sprintf("sections-of-%s-%d", name, i), d, nil)
		}
	}
}

// recordedStudies are small ones, with too few trials to say much.
func recordedStudies(t *testing.T) {
	for _, name := range []string{"shift", "batch", "anticipation"} {
		s, err := study.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(t.Context(), study.Options{Quick: true, Trials: 4, Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		d, err := studyDocument(r, folder.Build{})
		if err != nil {
			t.Fatal(err)
		}
		recorded(t, "study-of-"+name, d, d.Figures)
		dir := filepath.Join(t.TempDir(), name)
		c, err := folder.KindStudy.Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		saved, err := SaveStudy(c, r)
		c.Release()
		if err != nil || saved.Facts != d.Facts {
			t.Fatalf("%s is saved as %+v, %v", name, saved, err)
		}
		if read, err := Read(t.Context(), kind.Standard(), folder.Verified, dir); err != nil || read.Title != d.Title || len(read.Figures) != len(d.Figures) {
			t.Errorf("%s is read as %+v, %v", name, read, err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder.StudyFile), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), kind.Standard(), folder.Unverified, dir); err == nil {
			t.Errorf("%s is read from half a file", name)
		}
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
		lines = append(append(lines, ""), strings.Split(d.Terminal(page.Terminal{Width: 80, Height: 24}), "\n")...)
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
