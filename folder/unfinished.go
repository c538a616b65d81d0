package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// unfinishedFile is in a folder from the moment it is begun until it is sealed.
const unfinishedFile = "unfinished.json"

// unfinished is what that file says.
type unfinished struct {
	Kind    Kind     `json:"kind"`
	Note    string   `json:"note"`
	Foreign []string `json:"foreign"` // what else was in the folder: not ours to list, overwrite or remove
}

// ErrNotOurs says that an output folder holds something else than a result, which would be overwritten.
var ErrNotOurs = errors.New("the folder is not empty and holds no kedge result; choose another with --out")

// Usable tells whether a run may be written to dir: it does not exist, is empty or holds an earlier run, finished or not. It
// changes nothing.
func Usable(dir string) error { return usable(dir, KindRun) }

// usable tells whether a result of a kind may be written to dir.
func usable(dir string, kind Kind) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := ReadManifest(dir)
	there := Kind("")
	if err == nil {
		there = m.Kind
	} else if !errors.Is(err, ErrUnfinished) {
		return err
	} else if mark, err := readUnfinished(dir); err == nil {
		there = mark.Kind
	}
	isOther := func(e fs.DirEntry) bool {
		n := e.Name()
		return n != LockFile && !isLeftover(n, unfinishedFile) && !(n == CheckpointDir && isCheckpoint(dir))
	}
	switch {
	case there == kind, there == "" && !slices.ContainsFunc(entries, isOther):
		return nil
	case there == "":
		return fmt.Errorf("%s: %w", dir, ErrNotOurs)
	}
	return fmt.Errorf("%s holds a %s, not a %s; choose another folder with --out", dir, there, kind)
}

// Begin makes a folder ready for the files of a run. What an earlier run left there is removed, its manifest first; anything
// else stays and will not be listed in the manifest. Until the folder is sealed it holds unfinished.json.
func Begin(dir string) error { return KindRun.Begin(dir) }

// Usable tells, as the function Usable does of a run, whether a result of the kind may be written to dir.
func (k Kind) Usable(dir string) error { return usable(dir, k) }

// Begin does for a result of one folder, of a run or of a study, what the function Begin does for a run.
func (k Kind) Begin(dir string) error {
	if err := errors.Join(k.Usable(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	ours, err := earlier(dir)
	if err != nil {
		return err
	}
	mark := unfinished{Kind: k, Note: "kedge has not finished this folder; run the command again"}
	if mark.Foreign, err = others(dir, ours); err != nil {
		return err
	}
	err = WriteFile(filepath.Join(dir, unfinishedFile), func(w io.Writer) error { return WriteJSON(w, mark) })
	if err != nil {
		return err
	}
	return errors.Join(Remove(dir, manifestFile), Remove(dir, ours...))
}

// earlier lists the files of an earlier run: those of its manifest or, if it was not finished, those that bear our names.
func earlier(dir string) ([]string, error) {
	m, err := ReadManifest(dir)
	if err == nil {
		drafts, err := draftsIn(dir)
		return append(slices.Sorted(maps.Keys(m.Files)), drafts...), err
	}
	mark, err := readUnfinished(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return draftsIn(dir)
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	var ours []string
	for _, e := range entries {
		if e.Type().IsRegular() && isOurs(e.Name()) && !mark.holds(e.Name()) {
			ours = append(ours, e.Name())
		}
	}
	return ours, err
}

// draftsIn lists the files that dead processes were writing.
func draftsIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if n := e.Name(); e.Type().IsRegular() && strings.HasPrefix(n, ".") && isOurs(n) {
			names = append(names, n)
		}
	}
	return names, err
}

// others lists what is in a folder beside the given files and our marks.
func others(dir string, ours []string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := []string{}
	for _, e := range entries {
		n := e.Name()
		if n != manifestFile && n != unfinishedFile && !slices.Contains(ours, n) && !(n == CheckpointDir && isCheckpoint(dir)) {
			names = append(names, n)
		}
	}
	return names, err
}

// isOurs tells whether a run or a study writes files of this name, or prepares them under it. Its two marks are no such files.
func isOurs(name string) bool {
	if prepared, hidden := strings.CutPrefix(name, "."); hidden {
		name = prepared[:max(0, strings.LastIndexByte(prepared, '-'))]
		if name == manifestFile || name == unfinishedFile {
			return true
		}
	}
	switch filepath.Ext(name) {
	case ".svg", ".png", ".pdf":
		return true
	}
	return slices.Contains([]string{specFile, summaryFile, seriesFile, parquetFile, arraysFile, timesFile, tableFile, tableCSV, StudyFile, "report.html", "report.md"}, name)
}

// isLeftover tells whether a name is one under which WriteFile prepares the given file.
func isLeftover(name, file string) bool { return strings.HasPrefix(name, "."+file+"-") }

func readUnfinished(dir string) (unfinished, error) {
	var mark unfinished
	err := readJSON(filepath.Join(dir, unfinishedFile), largestManifest, &mark)
	return mark, err
}

func (u unfinished) holds(name string) bool { return slices.Contains(u.Foreign, name) }

// Remove removes files by their names in a folder; those that are not there are no error.
func Remove(dir string, names ...string) error {
	var errs []error
	for _, name := range names {
		err := os.Remove(filepath.Join(dir, filepath.FromSlash(name)))
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// settled hashes a file once it is on disk.
func settled(name string) (File, error) {
	if err := Flush(name); err != nil {
		return File{}, err
	}
	return sumOf(name)
}

// Flush puts a file, or the names in a folder, on disk. Windows does that only for files open for writing.
func Flush(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
