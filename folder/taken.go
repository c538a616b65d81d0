package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/room"
)

// Names of what kedge keeps in a folder while it works there.
const (
	ownFolder      = ".kedge" // all of it is kedge's
	lockFile       = ownFolder + "/lock"
	stageFolder    = ownFolder + "/new"    // what is being written
	commitFolder   = ownFolder + "/commit" // what is all written and on its way to its place
	draftFolder    = ownFolder + "/cell-"  // how the folders of cells that are being written begin
	waitingFolder  = ownFolder + "/cells"  // finished cells whose places those of the sealed sweep have until theirs is committed
	unfinishedFile = "unfinished.json"     // in the folder of a sweep from its first cell until it is sealed
)

// ErrNotOurs says that an output folder holds something else than a result, which would be overwritten.
var ErrNotOurs = errors.New("the folder is not empty and holds no kedge result; choose another with --out")

// unfinished is what unfinished.json says.
type unfinished struct {
	Kind Kind   `json:"kind"`
	Note string `json:"note"`
}

// Taken is a folder that this process alone may write a result to, from Take to Release. Until a result is committed, what the folder
// held is there as it was.
type Taken struct {
	kind Kind
	dir  *disk.Dir
	disk disk.Disk
	lock *disk.Lock
	made []string  // folders that were made for it
	old  *Manifest // of the result that the folder holds, nil without one
}

// Take takes a folder for a result of a kind: it does not exist, is empty or holds an earlier one, finished or not. Another process that
// writes to it is ErrInUse.
func (k Kind) Take(dir string) (*Taken, error) { return k.TakeOn(disk.Disk{}, dir) }

// TakeOn takes a folder on a disk of its own.
func (k Kind) TakeOn(d disk.Disk, path string) (*Taken, error) {
	made, err := d.MakeAll(path)
	if err != nil {
		return nil, err
	}
	c := &Taken{kind: k, disk: d, made: made}
	if c.dir, err = d.Open(path); err == nil {
		err = c.take()
	}
	if err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}

// Look tells what Take would find in a folder, without taking it: the manifest of an earlier result, nil without one, and why the folder would
// be refused, unless it is because another process has it.
func (k Kind) Look(path string) (*Manifest, error) {
	c, err := k.look(path)
	if err != nil || c == nil {
		return nil, err
	}
	return c.old, c.dir.Close()
}

// look opens a folder without taking it; nil if it does not exist.
func (k Kind) look(path string) (c *Taken, err error) {
	c = &Taken{kind: k}
	if c.dir, err = (disk.Disk{}).Open(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err = recovered(c.dir); err == nil {
		err = c.inspect()
	}
	if err != nil {
		c.dir.Close()
		return nil, err
	}
	return c, nil
}

func (c *Taken) take() (err error) {
	if c.lock, err = lockOf(c.dir); err != nil {
		return err
	}
	clearOwn(c.dir)
	if err := settle(c.dir); err != nil {
		return err
	}
	return c.inspect()
}

// inspect finds what the folder holds, and refuses it where that is not kedge's.
func (c *Taken) inspect() (err error) {
	if c.old, err = c.kind.earlier(c.dir); err != nil {
		return err
	}
	return c.free(c.kind.data())
}

// lockOf takes the lock of a folder.
func lockOf(dir *disk.Dir) (*disk.Lock, error) {
	for {
		if err := dir.Make(ownFolder); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		l, err := dir.Lock(lockFile)
		if !errors.Is(err, fs.ErrNotExist) { // the folder of a process that is just done
			return l, err
		}
	}
}

// recovered moves a result to its place that a writer, before it died, had committed.
func recovered(dir *disk.Dir) error {
	if !dir.Has(path.Join(commitFolder, manifestFile)) {
		return nil
	}
	l, err := lockOf(dir)
	if err != nil {
		return fmt.Errorf("%s holds a result that is not in its place yet: %w", dir.Path("."), err)
	}
	defer func() {
		l.Release()
		dir.Remove(ownFolder)
	}()
	return settle(dir)
}

// Release gives the folder back. What was made for it and is empty is removed.
func (c *Taken) Release() {
	if c.lock != nil {
		clearOwn(c.dir)
		c.lock.Release()
		c.dir.Remove(ownFolder) // unless somebody else has it by now
	}
	if c.dir != nil {
		c.dir.Close()
	}
	c.disk.RemoveEmpty(c.made)
}

// Dir is where the folder is.
func (c *Taken) Dir() string { return c.dir.Path(".") }

// Root is the folder itself, for what a result keeps there besides its files.
func (c *Taken) Root() *disk.Dir { return c.dir }

// earlier returns the manifest of the result that a folder holds, nil if it holds none but is free for one.
func (k Kind) earlier(dir *disk.Dir) (*Manifest, error) {
	m, err := readManifest(dir, manifestFile)
	there := Kind("")
	switch {
	case err == nil:
		there = m.Kind
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w; without it nobody knows which files there are kedge's: choose another folder with --out, or remove this one", err)
	default:
		if there, err = markOf(dir); err != nil {
			return nil, err
		}
	}
	entries, err := dir.List(".")
	switch {
	case err != nil:
		return nil, err
	case there == k, there == "" && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isWork(dir, e.Name()) }):
		return m, nil
	case there == "":
		return nil, fmt.Errorf("%s: %w", dir.Path("."), ErrNotOurs)
	}
	return nil, fmt.Errorf("%s holds a %s, not a %s; choose another folder with --out", dir.Path("."), there, k)
}

// isWork tells whether a name is of what kedge keeps in a folder while it works there.
func isWork(dir *disk.Dir, name string) bool {
	return name == ownFolder || strings.HasPrefix(name, room.Attempt) || name == unfinishedFile || name == disk.Draft(unfinishedFile) || name == CheckpointDir && isCheckpoint(dir)
}

// data are the files, apart from figures, that results of the kind have.
func (k Kind) data() []string {
	switch k {
	case KindRun:
		return []string{specFile, summaryFile, seriesFile, parquetFile, arraysFile, timesFile, pageFile, markdownFile}
	case KindSweep:
		return []string{SweepFile, indexFile, tableFile, tableCSV, failuresFile, pageFile, markdownFile}
	case KindStudy:
		return []string{StudyFile, tableFile, tableCSV, pageFile, markdownFile}
	}
	return []string{CompareFile, tableFile, tableCSV, timesFile, pageFile, markdownFile}
}

// The pages of every result.
const (
	pageFile     = "report.html"
	markdownFile = "report.md"
)

// begin marks the folder as one in which a result is growing. The mark is on disk when the folder's names are.
func (c *Taken) begin() error {
	if c.old != nil {
		return nil // that one holds until the new one is committed
	}
	mark := unfinished{c.kind, "kedge has not finished this " + string(c.kind) + "; run the command again"}
	return c.dir.Replace(unfinishedFile, AsJSON(mark))
}

// markOf is the kind of the result that a folder's mark says is growing there, "" without a mark.
func markOf(dir *disk.Dir) (Kind, error) {
	text, err := readAll(dir, unfinishedFile, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var mark unfinished
	if err := json.Unmarshal(text, &mark); err != nil {
		return "", fmt.Errorf("%s: %w", dir.Path(unfinishedFile), err)
	}
	return mark.Kind, nil
}
