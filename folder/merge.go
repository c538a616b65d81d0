package folder

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// ErrMissing says that cells of a sweep are in none of its parts.
var ErrMissing = errors.New("in no part; run the sweep or its shards to their end, then merge again")

// Merge joins the folders of shards, or of any parts, of one sweep in dir. Every cell is checked before it is copied. The
// folder is the one that the whole sweep would have made; cells that no part has are an error, after which dir holds the
// others and Merge, or the sweep itself, can go on.
func Merge(dir string, parts []string, plan *SweepPlan, report SweepReport) (*SweepResult, error) {
	f, err := OpenSweepFolder(dir, plan)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j := &joint{into: f, failed: map[string]string{}}
	for _, part := range parts {
		if err := j.survey(part); err != nil {
			return nil, err
		}
	}
	return j.join(report)
}

// CommonSweep reads the sweep that all parts are of, at most so many bytes, and which dir must not hold another than.
func CommonSweep(dir string, parts []string, most int64) ([]byte, error) {
	var first []byte
	for i, part := range parts {
		text, err := readAll(filepath.Join(part, SweepFile), most)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s holds no sweep: it has no %s", part, SweepFile)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = text
		}
		if string(text) != string(first) {
			return nil, fmt.Errorf("%s and %s are of different sweeps: compare their %s", parts[0], part, SweepFile)
		}
	}
	if there, err := os.ReadFile(filepath.Join(dir, SweepFile)); err == nil && string(there) != string(first) {
		return nil, fmt.Errorf("%s holds another sweep; choose another folder", dir)
	}
	return first, nil
}

// joint is a merge at work.
type joint struct {
	into   *SweepFolder
	parts  []*SweepFolder
	failed map[string]string
}

// survey looks what a part has to give. Cells with other bytes than were written are refused, not left out: somebody
// should know.
func (j *joint) survey(dir string) error {
	if err := Free(dir); err != nil {
		return err
	}
	f, err := surveyFolder(dir, j.into.plan)
	if err != nil {
		return err
	}
	if len(f.hurt) > 0 {
		return fmt.Errorf("%s is not as it was written: run its sweep again, which repeats no other cell", f.path(cellsFolder, f.hurt[0]))
	}
	failed, err := readFailures(dir)
	if err != nil {
		return err
	}
	maps.Copy(j.failed, failed)
	j.parts = append(j.parts, f)
	return j.agree(f)
}

// agree wants all cells to be of one build and of this version, whose table and report they will have.
func (j *joint) agree(part *SweepFolder) error {
	mine, its := &j.into.build, part.build
	switch {
	case its == nil:
		return nil
	case its.Version != Version:
		return fmt.Errorf("%s was made by kedge %s, this is kedge %s: merge with the version that made it", part.dir, its.Version, Version)
	case *mine != nil && **mine != *its:
		return fmt.Errorf("%s was made by kedge %s, other parts by kedge %s, whose bits may differ: run all parts with one build", part.dir, *its, **mine)
	}
	*mine = its
	return nil
}

// join copies the cells and writes what came out of them.
func (j *joint) join(report SweepReport) (*SweepResult, error) {
	f := j.into
	if f.build == nil {
		f.build = new(CurrentBuild())
	}
	if err := f.Begin(false); err != nil {
		return nil, err
	}
	missing := 0
	for _, c := range f.plan.Cells {
		if err := j.fetch(c.ID); err != nil {
			return nil, err
		}
		if f.whole[c.ID] {
			delete(j.failed, c.ID)
		} else if j.failed[c.ID] == "" {
			missing++
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of %d cells are %w", missing, len(f.plan.Cells), ErrMissing)
	}
	return f.Finish(j.failed, report)
}

// fetch copies a cell from the first part that has it, unless it is there.
func (j *joint) fetch(id string) error {
	i := slices.IndexFunc(j.parts, func(p *SweepFolder) bool { return p.whole[id] })
	if j.into.whole[id] || i < 0 {
		return nil
	}
	from := j.parts[i].path(cellsFolder, id)
	j.into.whole[id] = true
	return j.into.put(id, func(dir string) error { return copySealed(dir, from) })
}

// copySealed copies a sealed folder, the manifest last.
func copySealed(to, from string) error {
	m, err := ReadManifest(from)
	if err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(m.Files)), manifestFile) {
		if err := copyFile(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	if !intact(to) {
		return fmt.Errorf("the copy of %s differs from what was written", from)
	}
	return Flush(to)
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}
