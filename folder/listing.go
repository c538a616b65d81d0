package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Wholeness is how much is known of the files of a listed folder.
type Wholeness string

// What is known of the files of a listed folder.
const (
	NotAllRead   Wholeness = "unverified" // they are there with their sizes; not all were read
	AllAsWritten Wholeness = "verified"   // all are what was written
	SomeChanged  Wholeness = "changed"    // some are not
)

// Listed is a result folder as an index has it.
type Listed struct {
	Dir      string    `json:"folder"`
	Kind     Kind      `json:"kind"`
	Case     string    `json:"case"`
	Seed     uint64    `json:"seed"`
	Finished time.Time `json:"finished"`        // by times.json or, where that does not say, by when the manifest was written
	Turns    int       `json:"turns,omitempty"` // of a trial; 0 where there is no one number
	Partial  bool      `json:"partial,omitempty"`
	Best     *Leader   `json:"best,omitempty"` // nil where methods were not compared
	Tags     []string  `json:"tags"`
	State    Wholeness `json:"state"`
	Problems []string  `json:"problems,omitempty"` // why it is changed
	Bytes    int64     `json:"bytes"`              // of all listed files, also of cells
}

// Leader is the method with the smallest mean gap among those that keep the constraints.
type Leader struct {
	Method string  `json:"method"`
	Gap    float64 `json:"gap"`
}

// Listing is an index of result folders, the newest first.
type Listing struct {
	Folders []Listed `json:"folders"`
	Cut     bool     `json:"cut"`     // more names were there than are looked at
	Skipped []string `json:"skipped"` // what could not be looked into, with the reason
}

const (
	mostNames = 1 << 20 // that a listing looks at
	deepest   = 32      // folders in folders
)

// List finds the result folders in and below some folders. Links are not followed, hidden folders and cells of sweeps are not looked into.
// To verify, every file is read.
func List(ctx context.Context, verify bool, dirs ...string) (*Listing, error) {
	return list(ctx, verify, mostNames, dirs)
}

func list(ctx context.Context, verify bool, most int, dirs []string) (*Listing, error) {
	l := &lister{verify: verify, left: most, seen: map[string]bool{}, Listing: Listing{Folders: []Listed{}, Skipped: []string{}}}
	for _, dir := range dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		err = l.walk(ctx, root, dir, ".", 0)
		root.Close()
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(l.Folders, func(a, b Listed) int {
		return cmp.Or(b.Finished.Compare(a.Finished), strings.Compare(a.Dir, b.Dir))
	})
	return &l.Listing, nil
}

// lister makes a listing.
type lister struct {
	Listing
	verify bool
	left   int             // names that may still be looked at
	seen   map[string]bool // folders, by absolute path
}

// spend tells whether another name may be looked at.
func (l *lister) spend() bool {
	l.left--
	l.Cut = l.left < 0
	return !l.Cut
}

// walk looks at a folder, a name inside root, and at those below it unless it is a result.
func (l *lister) walk(ctx context.Context, root *os.Root, top, name string, depth int) error {
	place := filepath.Join(top, filepath.FromSlash(name))
	if err := ctx.Err(); err != nil || depth > deepest || l.known(place) {
		return err
	}
	below, isResult, err := l.names(root, name)
	if err != nil {
		l.Skipped = append(l.Skipped, err.Error())
		return nil
	}
	if isResult {
		l.Folders = append(l.Folders, l.look(ctx, place))
		return nil
	}
	for _, inner := range below {
		if err := l.walk(ctx, root, top, path.Join(name, inner), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// known tells whether a folder has been looked at, under whatever name it was given.
func (l *lister) known(place string) bool {
	if full, err := filepath.Abs(place); err == nil {
		place = full
	}
	was := l.seen[place]
	l.seen[place] = true
	return was
}

// names reads the folders in a folder, sorted, and whether it is a result: a manifest beside something else that kedge writes. Others have
// files called manifest.json too.
func (l *lister) names(root *os.Root, name string) (below []string, isResult bool, err error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	hasManifest, hasData := false, false
	for {
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			if !l.spend() {
				return nil, hasManifest && hasData, nil
			}
			switch file := e.Name(); {
			case e.IsDir() && !strings.HasPrefix(file, "."):
				below = append(below, file)
			case file == manifestFile:
				hasManifest = true
			case slices.Contains([]string{summaryFile, indexFile, CompareFile, StudyFile, pageFile}, file):
				hasData = true
			}
		}
		if errors.Is(err, io.EOF) {
			slices.Sort(below)
			return below, hasManifest && hasData, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// look reads what an index says of a folder. What is wrong with the folder is a part of that.
func (l *lister) look(ctx context.Context, dir string) Listed {
	found := Listed{Dir: dir, Tags: []string{}, State: NotAllRead}
	s, err := OpenSealed(ctx, dir, Verified)
	if err != nil {
		found.State, found.Problems = SomeChanged, []string{err.Error()}
		return found
	}
	defer s.Close()
	found.Kind, found.Case, found.Seed = s.Kind, s.Case, s.Seed
	note := func(err error) {
		if err != nil {
			found.Problems = append(found.Problems, err.Error())
		}
	}
	for _, step := range []func(*Listed) error{s.date, s.outcome} {
		if err := step(&found); !errors.Is(err, fs.ErrNotExist) { // what is missing is told with the sizes
			note(err)
		}
	}
	tags, err := s.Tags()
	note(err)
	found.Tags = append(found.Tags, tags...)
	var wrong []string
	found.Bytes, wrong = l.measure(s)
	if l.verify {
		wrong = s.wrong()
	}
	found.Problems = append(found.Problems, wrong...)
	switch {
	case len(found.Problems) > 0:
		found.State = SomeChanged
	case l.verify:
		found.State = AllAsWritten
	}
	return found
}

// wrong reads all files and says what is wrong with them.
func (s *Sealed) wrong() (list []string) {
	for _, c := range s.check() {
		if c.Problem != "" {
			list = append(list, c.File+": "+c.Problem)
		}
	}
	return list
}

// measure adds up the sizes of the files of a folder and of its cells, and compares each with what was written, as far as names may be
// looked at.
func (l *lister) measure(s *Sealed) (bytes int64, wrong []string) {
	for name, want := range s.Files {
		if !l.spend() {
			break
		}
		full := path.Join(s.at, name)
		info, err := s.dir.Lstat(full)
		switch {
		case err != nil:
			wrong = append(wrong, full+": missing")
			continue
		case !info.Mode().IsRegular():
			wrong = append(wrong, full+": is no plain file")
			continue
		case want.SHA256 != "" && info.Size() != want.Bytes:
			wrong = append(wrong, fmt.Sprintf("%s: %d bytes, written were %d", full, info.Size(), want.Bytes))
		}
		bytes += info.Size()
		if inner := path.Dir(name); inner != "." && s.at == "." {
			cell, err := s.cell(path.Base(inner))
			if err != nil {
				wrong = append(wrong, err.Error())
				continue
			}
			more, bad := l.measure(cell)
			bytes, wrong = bytes+more, append(wrong, bad...)
		}
	}
	slices.Sort(wrong)
	return bytes, wrong
}

// date says when a result was finished.
func (s *Sealed) date(found *Listed) (err error) {
	if s.Kind == KindRun && s.Has(timesFile) {
		var t times
		if err = s.readJSON(timesFile, largestSummary, &t); err == nil {
			found.Finished = t.Finished
			return nil
		}
	}
	info, none := s.dir.Lstat(manifestFile)
	if none == nil {
		found.Finished = info.ModTime().UTC().Truncate(time.Second)
	}
	return errors.Join(err, none)
}

// outcome says how many turns there were, and who came nearest.
func (s *Sealed) outcome(found *Listed) error {
	switch {
	case s.Kind == KindRun:
		summary, err := s.readSummary()
		if err == nil {
			found.Turns, found.Partial, found.Best = summary.Iterations, summary.Partial, summary.leader()
		}
		return err
	case s.Kind == KindCompare && s.Has(CompareFile):
		var met struct {
			Name     string    `json:"name"`
			Problems []meeting `json:"problems"`
		}
		err := s.readJSON(CompareFile, largestSummary, &met)
		if err == nil && len(met.Problems) == 1 {
			found.Turns, found.Best = met.Problems[0].Turns, met.Problems[0].leader()
		}
		found.Case = cmp.Or(found.Case, met.Name)
		return err
	}
	return nil
}

// leader is the method that a run's report puts first.
func (s *Summary) leader() (best *Leader) {
	for _, name := range s.Order {
		if a := s.Algorithms[name]; a.Gap != nil && len(a.Breaks) == 0 {
			best = nearer(best, name, float64(a.Gap.Mean))
		}
	}
	return best
}

func nearer(best *Leader, name string, gap float64) *Leader {
	if math.IsNaN(gap) || best != nil && best.Gap <= gap {
		return best
	}
	return &Leader{name, gap}
}

// meeting is what a listing reads of a problem in compare.json.
type meeting struct {
	Turns   int `json:"turns"`
	Methods []struct {
		Method string                  `json:"method"`
		Failed int                     `json:"failed"`
		Gap    *struct{ Mean float64 } `json:"gap"`
	} `json:"methods"`
}

// leader is the method with the smallest gap that has failed in no trial.
func (m *meeting) leader() (best *Leader) {
	for _, one := range m.Methods {
		if one.Gap != nil && one.Failed == 0 {
			best = nearer(best, one.Method, one.Gap.Mean)
		}
	}
	return best
}
