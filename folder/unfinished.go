package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Usable tells whether a result of the kind may be written to dir: it does not exist, is empty or holds an earlier one, finished or
// not. It changes nothing.
func (k Kind) Usable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := ReadManifest(dir)
	var there Kind
	switch {
	case err == nil:
		there = m.Kind
	case !errors.Is(err, ErrUnfinished):
		return err
	default:
		mark, _ := readUnfinished(dir)
		there = mark.Kind
	}
	isOther := func(e fs.DirEntry) bool {
		n := e.Name()
		return n != LockFile && draftOf(n) != unfinishedFile && !(n == CheckpointDir && isCheckpoint(dir))
	}
	switch {
	case there == k, there == "" && !slices.ContainsFunc(entries, isOther):
		return nil
	case there == "":
		return fmt.Errorf("%s: %w", dir, ErrNotOurs)
	}
	return fmt.Errorf("%s holds a %s, not a %s; choose another folder with --out", dir, there, k)
}

// Begin makes a folder ready for the files of a result. What an earlier one left there is removed, its manifest first; anything else
// stays and will not be listed in the manifest. Until the folder is sealed it holds unfinished.json.
func (k Kind) Begin(dir string) error {
	if err := errors.Join(k.Usable(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	return k.begin(dir, "folder")
}

// begin marks a usable folder as unfinished and removes what an earlier result left. What is spared counts as somebody else's.
func (k Kind) begin(dir, what string, spared ...string) error {
	ours, foreign, err := k.sorted(dir)
	if err != nil {
		return err
	}
	mark := unfinished{Kind: k, Note: "kedge has not finished this " + what + "; run the command again", Foreign: append(foreign, spared...)}
	if err := errors.Join(Contents{unfinishedFile: AsJSON(mark)}.Write(dir), Flush(dir)); err != nil {
		return err
	}
	return errors.Join(Remove(dir, manifestFile), Remove(dir, ours...))
}

// sorted lists the files of an earlier result in a usable folder, apart from cells and marks, and what is not ours. A file with a name
// of ours is somebody else's if the manifest does not list it or, without one, if it was there before the result was begun.
func (k Kind) sorted(dir string) (ours, foreign []string, err error) {
	mark, err := readUnfinished(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	m, _ := ReadManifest(dir)
	entries, err := os.ReadDir(dir)
	foreign = []string{}
	for _, e := range entries {
		name := e.Name()
		mine := e.Type().IsRegular() && k.writes(name) && !mark.holds(name)
		if m != nil && draftOf(name) == "" {
			_, listed := m.Files[name]
			mine = mine && listed
		}
		switch {
		case name == LockFile, name == manifestFile, name == unfinishedFile, k == KindSweep && name == cellsFolder, name == CheckpointDir && isCheckpoint(dir):
		case mine:
			ours = append(ours, name)
		default:
			foreign = append(foreign, name)
		}
	}
	return ours, foreign, err
}

// writes tells whether results of the kind have files of this name, or prepare files under it. The two marks are no such files, but
// what becomes one is.
func (k Kind) writes(name string) bool {
	names := []string{
		specFile, summaryFile, seriesFile, parquetFile, arraysFile, timesFile, tableFile, tableCSV, StudyFile, CompareFile, "report.html", "report.md",
	}
	if k == KindSweep {
		names = append(names, SweepFile, indexFile, failuresFile)
	}
	if strings.HasPrefix(name, ".") {
		name, names = draftOf(name), append(names, manifestFile, unfinishedFile)
	}
	return slices.Contains(names, name) || slices.Contains([]string{".svg", ".png", ".pdf"}, filepath.Ext(name))
}

// draftOf returns the file that WriteFile prepares under a name, "" if it prepares none.
func draftOf(name string) string {
	if prepared, hidden := strings.CutPrefix(name, "."); hidden {
		return prepared[:max(0, strings.LastIndexByte(prepared, '-'))]
	}
	return ""
}

func readUnfinished(dir string) (unfinished, error) {
	var mark unfinished
	err := readJSON(filepath.Join(dir, unfinishedFile), largestManifest, &mark)
	return mark, err
}

func (u unfinished) holds(name string) bool { return slices.Contains(u.Foreign, name) }
