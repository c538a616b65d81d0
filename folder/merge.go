package folder

import (
	"cmp"
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
	failed, found := map[string]string{}, map[string]string{}
	for _, dir := range parts {
		part, err := f.survey(dir)
		if err != nil {
			return nil, err
		}
		maps.Copy(failed, part.failed)
		for id := range part.whole {
			found[id] = cmp.Or(found[id], part.path(cellsFolder, id))
		}
	}
	if f.build == nil {
		f.build = new(CurrentBuild())
	}
	if err := f.Begin(false); err != nil {
		return nil, err
	}
	missing, err := f.fetch(found, failed)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of %d cells are %w", missing, len(plan.Cells), ErrMissing)
	}
	return f.Finish(failed, report)
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

// survey looks what a part has to give. Cells with other bytes than were written are refused, not left out: somebody
// should know. All cells must be of one build and of this version, whose table and report they will have.
func (f *SweepFolder) survey(dir string) (*SweepFolder, error) {
	if err := Free(dir); err != nil {
		return nil, err
	}
	part, err := surveyFolder(dir, f.plan)
	if err == nil && len(part.hurt) > 0 {
		err = fmt.Errorf("%s is not as it was written: run its sweep again, which repeats no other cell", part.path(cellsFolder, part.hurt[0]))
	}
	if err == nil {
		part.failed, err = readFailures(dir)
	}
	if err != nil || part.build == nil {
		return part, err
	}
	switch its := *part.build; {
	case its.Version != Version:
		return nil, fmt.Errorf("%s was made by kedge %s, this is kedge %s: merge with the version that made it", dir, its.Version, Version)
	case f.build != nil && *f.build != its:
		return nil, fmt.Errorf("%s was made by kedge %s, other parts by kedge %s, whose bits may differ: run all parts with one build", dir, its, *f.build)
	}
	f.build = part.build
	return part, nil
}

// fetch copies the cells that are not there, and counts those that are nowhere and have not failed. Cells that are there did not fail.
func (f *SweepFolder) fetch(found, failed map[string]string) (missing int, err error) {
	for _, c := range f.plan.Cells {
		if from := found[c.ID]; from != "" && !f.whole[c.ID] {
			if err := f.put(c.ID, func(dir string) error { return copySealed(dir, from) }); err != nil {
				return 0, err
			}
			f.whole[c.ID] = true
		}
		if f.whole[c.ID] {
			delete(failed, c.ID)
		} else if failed[c.ID] == "" {
			missing++
		}
	}
	return missing, nil
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
