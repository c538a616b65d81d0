package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/plain"
)

// ErrMissing says that cells of a sweep are in none of its parts.
var ErrMissing = errors.New("in no part; run the sweep or its shards to their end, then merge again")

// Merge joins the folders of shards, or of any parts, of one sweep in a folder that was taken for it. Every cell is checked before it is
// copied, and all must be of one origin. The folder is the one that the whole sweep would have made; cells that no part has are an
// error, after which the folder holds the others and Merge, or the sweep itself, can go on. A context that is done ends it, too.
func Merge(ctx context.Context, c *Taken, parts []string, plan *SweepPlan, report SweepReport) (*SweepResult, error) {
	f, err := OpenSweepFolder(ctx, c, plan, false)
	if err != nil {
		return nil, err
	}
	if err := f.Spares(); err != nil {
		return nil, err
	}
	failed, found := map[string]string{}, map[string]*SweepFolder{}
	for _, dir := range parts {
		part, err := f.openPart(dir, failed)
		if err != nil {
			return nil, err
		}
		defer part.dir.Close()
		for id := range part.whole {
			found[id] = cmp.Or(found[id], part)
		}
	}
	if f.ident == nil {
		f.ident = new(CurrentIdentity(nil))
	}
	if err := f.Begin(); err != nil {
		return nil, err
	}
	missing, err := f.fetch(found, failed)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of %d cells are %w", missing, len(plan.Cells), ErrMissing)
	}
	return f.Finish(failed, false, report)
}

// CommonSweep reads the sweep that all parts are of, at most so many bytes.
func CommonSweep(parts []string, most int64) ([]byte, error) {
	var first []byte
	for i, part := range parts {
		text, err := sweepIn(part, most)
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
	return first, nil
}

// sweepIn reads the sweep that a folder is of, finished or not.
func sweepIn(part string, most int64) ([]byte, error) {
	dir, err := disk.Disk{}.Open(part)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := errors.Join(dir.Locked(lockFile), recovered(dir)); err != nil {
		return nil, err
	}
	text, err := readAll(dir, SweepFile, most)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s holds no sweep that has come to its end: it has no %s", part, SweepFile)
	}
	return text, err
}

// openPart looks what a part has to give. Cells with other bytes than were written are refused, not left out: somebody should know. What
// its other cells died of is added.
func (f *SweepFolder) openPart(path string, failed map[string]string) (*SweepFolder, error) {
	s, err := openKind(f.ctx, path, KindSweep, Verified)
	if err != nil {
		return nil, err
	}
	part := &SweepFolder{Taken: &Taken{kind: KindSweep, dir: s.dir}, ctx: f.ctx, plan: f.plan, whole: map[string]bool{}}
	err = s.dir.Locked(lockFile)
	if err == nil {
		err = part.survey(false)
	}
	if err == nil && len(part.hurt) > 0 {
		err = fmt.Errorf("%s is %w: run its sweep again, which repeats no other cell", s.dir.Path(cellsFolder+"/"+part.hurt[0]), ErrChanged)
	}
	if err == nil && part.ident != nil {
		err = part.isOurs(s)
	}
	if err == nil && part.ident != nil {
		err = f.agrees(*part.ident, path)
	}
	its, more := s.readFailures()
	if err = errors.Join(err, more); err != nil {
		s.Close()
		return nil, err
	}
	maps.Copy(failed, its)
	return part, nil
}

// isOurs wants finished cells of this version of kedge, which the manifest of their sweep vouches for.
func (f *SweepFolder) isOurs(s *Sealed) error {
	if its := f.ident.Build.Version; its != Version || s.IsBare() {
		return fmt.Errorf("%s was made by kedge %s in format %d, this is kedge %s: merge with the version that made it", f.Dir(), its, s.Format, Version)
	}
	for id := range f.whole {
		if _, err := s.cell(id); err != nil {
			return err
		}
	}
	return nil
}

// fetch copies the cells that are not there, and counts those that are nowhere and have not failed. Cells that are there did not fail.
func (f *SweepFolder) fetch(found map[string]*SweepFolder, failed map[string]string) (missing int, err error) {
	for _, c := range f.plan.Cells {
		if from := found[c.ID]; from != nil && !f.whole[c.ID] {
			if err := f.copyCell(c.ID, from); err != nil {
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

// copyCell copies the folder of a cell, which must be what was written as it is copied.
func (f *SweepFolder) copyCell(id string, from *SweepFolder) error {
	s, err := from.cell(id)
	if err != nil {
		return err
	}
	data := Contents{}
	for name := range s.Files {
		data[name] = func(w io.Writer) error {
			return s.Read(name, func(f plain.Anywhere) error {
				_, err := io.Copy(w, f)
				return err
			})
		}
	}
	return f.put(id, s.Manifest, data)
}
