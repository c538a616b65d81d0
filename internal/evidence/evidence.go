// Package evidence is how tests state the figures of docs/RELIABILITY.md: each row of that page is a file of docs/reliability that a test
// has written; package board knows rows and page. Only tests import it.
package evidence

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/board"
	"github.com/kedge-opt/kedge/internal/evidence/origin"
)

// Promise is what a row of the page claims.
type Promise struct {
	Name  string // of the row's file, and in the page
	Text  string
	Needs string // what another machine may lack; the test skips there
	Short string // what the test has without KEDGE_TORTURE=1, "" if that is all of it
}

// Witness gathers the figure of one promise while its test runs.
type Witness struct {
	t       *testing.T
	root    string // of the module
	mu      sync.Mutex
	claimed board.Testimony
	begun   time.Time
}

// Whole tells whether somebody asks for the whole of every test that has a short version.
func Whole() bool { return os.Getenv("KEDGE_TORTURE") != "" }

// For begins the row of a promise. When the test ends its figure is compared with the file's, or replaces it where KEDGE_UPDATE=1 asks for
// that; a test that ends well without a figure fails, one that skips makes the row say so.
func For(t *testing.T, p Promise) *Witness {
	t.Helper()
	dir, err := os.Getwd()
	root, err2 := moduleOf(dir)
	inside, err3 := filepath.Rel(root, dir)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	r := &Witness{t: t, root: root, begun: time.Now(), claimed: board.Testimony{Promise: p.Text, Package: "./" + filepath.ToSlash(inside), Test: test, Needs: p.Needs, Short: p.Short, Whole: p.Short == "" || Whole()}}
	t.Cleanup(func() { r.settle(p.Name) })
	return r
}

// Case counts one more case. One that is not as promised fails the test, and the words say how.
func (r *Witness) Case(holds bool, format string, args ...any) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claimed.Cases++
	if !holds {
		r.claimed.Wrong++
		r.t.Errorf(format, args...)
	}
}

// Cases counts several cases, some of which are not as promised; their test has said which.
func (r *Witness) Cases(wrong, of int) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claimed.Cases, r.claimed.Wrong = r.claimed.Cases+of, r.claimed.Wrong+wrong
	if wrong > 0 {
		r.t.Errorf("%d of %d cases are not as promised", wrong, of)
	}
}

// Ended counts how a case ended.
func (r *Witness) Ended(how string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claimed.Ended == nil {
		r.claimed.Ended = map[string]int{}
	}
	r.claimed.Ended[how]++
}

// AtMost states a number and the most that it may be. The largest of one name counts; a row of one number needs no name.
func (r *Witness) AtMost(name string, value, bar float64) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !(value <= bar) {
		r.t.Errorf("%s %.3g, the bar is %g", name, value, bar)
	}
	for i, m := range r.claimed.Measured {
		if m.Name == name {
			r.claimed.Measured[i].Worst = max(m.Worst, value)
			return
		}
	}
	r.claimed.Measured = append(r.claimed.Measured, board.Worst{Name: name, Worst: value, Bar: bar})
}

// settle compares what was claimed with the file, or writes it.
func (r *Witness) settle(name string) {
	t, update := r.t, os.Getenv("KEDGE_UPDATE") != "" && !testing.Short()
	t.Helper()
	if dir := os.Getenv("KEDGE_FIGURES"); dir != "" && (!t.Skipped() || r.claimed.Needs != "") {
		r.tell(dir, name)
	}
	if t.Failed() || t.Skipped() && !update {
		return
	}
	switch {
	case t.Skipped() && r.claimed.Needs == "":
		return // what is left out of a short run
	case t.Skipped():
		r.claimed.Whole, r.claimed.Skipped, r.claimed.Cases, r.claimed.Ended, r.claimed.Measured = false, true, 0, nil, nil
	case r.claimed.Cases == 0 && len(r.claimed.Measured) == 0:
		t.Errorf("%s: the test passed without a figure", name)
		return
	}
	slices.SortFunc(r.claimed.Measured, func(a, b board.Worst) int { return strings.Compare(a.Name, b.Name) })
	old, err := board.Read(os.DirFS(r.root), name)
	switch {
	case err == nil && update && old.Whole && !r.claimed.Whole && !t.Skipped():
		t.Logf("%s: the file has the figure of the whole test, which this is not: KEDGE_TORTURE=1 gives it", name)
	case update:
		r.claimed.Keeps, r.claimed.Tests, r.claimed.Run = old.Keeps, old.Tests, &board.Occasion{Date: time.Now().UTC().Format(time.DateOnly), Seconds: math.Round(10*time.Since(r.begun).Seconds()) / 10}
		r.claimed.Run.Commit, r.claimed.Run.Changed = origin.Of(r.root)
		err = write(filepath.Join(r.root, filepath.FromSlash(board.Dir)), name, r.claimed)
	case err == nil && !old.IsOf(r.claimed):
		t.Errorf("%s has other words or bars than its test: KEDGE_UPDATE=1 %s renews it", filepath.Join(board.Dir, name+".json"), r.claimed.Command())
	}
	if err != nil {
		t.Errorf("%v: KEDGE_UPDATE=1 %s writes it", err, r.claimed.Command())
	}
	t.Logf("%s: %s, the bar is %s", r.claimed.Promise, r.claimed.Figure(), r.claimed.Bar())
}

// tell leaves what was claimed, whether or not it holds, for who runs many tests and counts.
func (r *Witness) tell(dir, name string) {
	said := r.claimed
	said.Skipped = r.t.Skipped()
	if err := write(dir, name, said); err != nil {
		r.t.Errorf("KEDGE_FIGURES: %v", err)
	}
}

func write(dir, name string, told board.Testimony) error {
	text, err := told.Text()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".json"), text, 0o644)
}

// moduleOf is the folder of the module that a folder belongs to.
func moduleOf(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is in no module", dir)
		}
	}
}
