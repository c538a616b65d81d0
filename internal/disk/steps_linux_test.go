package disk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/evidence"
)

var errRefused = errors.New("refused")

// says is what a file is to hold.
func says(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// tree is what is below a folder: folders end in a slash, links have arrows, files what they hold.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case e.IsDir():
			name += "/"
		case e.Type().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name += fmt.Sprintf("=%q", text)
		default:
			name += "→"
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// ground is a folder with a file, an empty folder, a full one, and links that lead out of it.
func ground(t *testing.T) (top string) {
	t.Helper()
	top = t.TempDir()
	in := filepath.Join(top, "in")
	err := errors.Join(os.MkdirAll(filepath.Join(in, "full"), 0o755), os.Mkdir(filepath.Join(in, "empty"), 0o755), os.WriteFile(filepath.Join(in, "file"), []byte("old"), 0o644),
		os.WriteFile(filepath.Join(in, "full", "x"), nil, 0o644), os.WriteFile(filepath.Join(top, "outside"), []byte("theirs"), 0o644), os.Mkdir(filepath.Join(top, "other"), 0o755),
		os.Symlink("../outside", filepath.Join(in, "link")), os.Symlink("../other", filepath.Join(in, "way")), os.Symlink("file", filepath.Join(in, "near")), syscall.Mkfifo(filepath.Join(in, "pipe"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// deed is something that is done to a folder.
type deed struct {
	name string
	do   func(d disk.Disk, dir *disk.Dir, at string) (string, error)
}

// onDir is a deed in the folder.
func onDir(name string, do func(dir *disk.Dir) error) deed {
	return deed{name, func(_ disk.Disk, dir *disk.Dir, _ string) (string, error) { return "", do(dir) }}
}

func opened(name string) deed {
	return deed{"open " + name, func(_ disk.Disk, dir *disk.Dir, _ string) (string, error) {
		f, err := dir.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		return string(text), err
	}}
}

func listed(name string) deed {
	return deed{"list " + name, func(_ disk.Disk, dir *disk.Dir, _ string) (said string, err error) {
		list, err := dir.List(name)
		for _, e := range list {
			said += e.Name() + " "
		}
		return said + fmt.Sprint(dir.Has(name)), err
	}}
}

// made is a deed that makes folders, and removes them again.
func made(name string) deed {
	return deed{"make all of " + name, func(d disk.Disk, _ *disk.Dir, at string) (string, error) {
		list, err := d.MakeAll(filepath.Join(at, name))
		return fmt.Sprint(list), err
	}}
}

// deeds are all that packages do to folders, as it should be and as it should not.
func deeds() []deed {
	return []deed{
		made("a/b/c"), made("full"), made("file"), made("file/a"), made("full/a"), made("missing"),
		{"make all and remove", func(d disk.Disk, _ *disk.Dir, at string) (string, error) {
			list, err := d.MakeAll(filepath.Join(at, "a/b"))
			d.RemoveEmpty(list)
			return "", err
		}},
		{"make all and remove around a file", func(d disk.Disk, dir *disk.Dir, at string) (string, error) {
			list, err := d.MakeAll(filepath.Join(at, "a/b/c"))
			if err == nil {
				err = os.WriteFile(filepath.Join(at, "a", "x"), nil, 0o644)
			}
			d.RemoveEmpty(list)
			return "", err
		}},
		{"write a new file", func(d disk.Disk, _ *disk.Dir, at string) (string, error) {
			return "", d.WriteFile(filepath.Join(at, "empty", "new"), says("new"))
		}},
		{"write nowhere", func(d disk.Disk, _ *disk.Dir, at string) (string, error) {
			return "", d.WriteFile(filepath.Join(at, "missing", "new"), says("new"))
		}},
		{"write over a file", func(d disk.Disk, _ *disk.Dir, at string) (string, error) {
			return "", d.WriteFile(filepath.Join(at, "file"), says("new"))
		}},
		onDir("fill a new file", func(dir *disk.Dir) error { return dir.Fill("empty/new", says("new")) }),
		onDir("fill a file", func(dir *disk.Dir) error { return dir.Fill("file", says("new")) }),
		onDir("fill a link", func(dir *disk.Dir) error { return dir.Fill("link", says("new")) }),
		onDir("fill a folder", func(dir *disk.Dir) error { return dir.Fill("full", says("new")) }),
		onDir("fill outside", func(dir *disk.Dir) error { return dir.Fill("../outside", says("new")) }),
		onDir("fill by a link", func(dir *disk.Dir) error { return dir.Fill("way/new", says("new")) }),
		onDir("fill and fail", func(dir *disk.Dir) error {
			return dir.Fill("file", func(w io.Writer) error { return errors.Join(says("half")(w), io.ErrUnexpectedEOF) })
		}),
		onDir("replace", func(dir *disk.Dir) error { return dir.Replace("file", says("new")) }),
		onDir("replace inside", func(dir *disk.Dir) error { return dir.Replace("full/x", says("new")) }),
		onDir("replace and fail", func(dir *disk.Dir) error {
			return dir.Replace("file", func(w io.Writer) error { return errors.Join(says("half")(w), io.ErrUnexpectedEOF) })
		}),
		onDir("replace a folder", func(dir *disk.Dir) error { return dir.Replace("full", says("new")) }),
		onDir("rename", func(dir *disk.Dir) error { return dir.Rename("file", "empty/name") }),
		onDir("rename what is missing", func(dir *disk.Dir) error { return dir.Rename("missing", "name") }),
		onDir("rename out", func(dir *disk.Dir) error { return dir.Rename("file", "way/name") }),
		onDir("remove", func(dir *disk.Dir) error { return dir.Remove("missing", "file", "empty", "link", "full/x") }),
		onDir("remove what is full", func(dir *disk.Dir) error { return dir.Remove("full", "file") }),
		onDir("remove outside", func(dir *disk.Dir) error { return dir.Remove("../outside", "file") }),
		onDir("make", func(dir *disk.Dir) error { return dir.Make("empty/a") }),
		onDir("make what is there", func(dir *disk.Dir) error { return dir.Make("full") }),
		onDir("make over a file", func(dir *disk.Dir) error { return dir.Make("file") }),
		onDir("make over a link", func(dir *disk.Dir) error { return dir.Make("way") }),
		onDir("make nowhere", func(dir *disk.Dir) error { return dir.Make("missing/a") }),
		onDir("sync", func(dir *disk.Dir) error { return errors.Join(dir.Sync("."), dir.Sync("full")) }),
		onDir("sync what is missing", func(dir *disk.Dir) error { return dir.Sync("missing") }),
		opened("file"), opened("full/x"), opened("near"), opened("link"), opened("full"), opened("pipe"), opened("missing"), opened("../outside"),
		listed("."), listed("full"), listed("empty"), listed("missing"), listed("file"), listed("way"), listed("near"), listed("link"), listed("../other"),
	}
}

// Every deed takes the steps that it took when this was recorded, and where one of them is refused, it says so and leaves what it left.
func TestStepsAsRecorded(t *testing.T) {
	var got []string
	for _, one := range deeds() {
		for refuse, more := 0, true; more; refuse++ {
			top := ground(t)
			at := filepath.Join(top, "in")
			plain := func(text string) string { return strings.NewReplacer(at, "IN", top, "TOP", "\n", " + ").Replace(text) }
			var steps []string
			d := disk.Disk{Before: func(s disk.Step) error {
				steps = append(steps, strings.TrimSpace(plain(fmt.Sprint(s.Call, " ", s.Path, " ", s.To))))
				if len(steps) == refuse {
					return errRefused
				}
				return nil
			}}
			dir, err := d.Open(at)
			if err != nil {
				t.Fatal(err)
			}
			before := tree(t, top)
			said, err := one.do(d, dir, at)
			after := tree(t, top)
			if after == before {
				after = "as before"
			}
			if more = refuse <= len(steps); refuse > 0 && !more {
				break
			}
			if refuse > 0 && err == nil && !strings.Contains(one.name, "and remove") {
				t.Errorf("%s: step %d was refused, and it says %v", one.name, refuse, err)
			}
			got = append(got, fmt.Sprintf("%s, refused %d: %s; %s; %s; %s", one.name, refuse, plain(said), plain(fmt.Sprint(err)), strings.Join(steps, ", "), after))
			if err := dir.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	evidence.AsRecorded(t, "testdata/steps.txt", got)
}

// The zero disk changes the same and asks nobody.
func TestDisksOfTheSystem(t *testing.T) {
	for _, one := range deeds() {
		top, same := ground(t), ground(t)
		dir, err := disk.Disk{}.Open(filepath.Join(top, "in"))
		if err != nil {
			t.Fatal(err)
		}
		quiet := disk.Disk{Before: func(disk.Step) error { return nil }}
		asked, err := quiet.Open(filepath.Join(same, "in"))
		if err != nil {
			t.Fatal(err)
		}
		a, errA := one.do(disk.Disk{}, dir, filepath.Join(top, "in"))
		b, errB := one.do(quiet, asked, filepath.Join(same, "in"))
		if (errA == nil) != (errB == nil) || strings.ReplaceAll(a, top, same) != b || tree(t, top) != tree(t, same) {
			t.Errorf("%s: %q and %q, %v and %v", one.name, a, b, errA, errB)
		}
		dir.Close()
		asked.Close()
	}
	if _, err := (disk.Disk{}).Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := (disk.Disk{}).SyncDir(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if err := (disk.Disk{}).SyncDir(""); err != nil { // here
		t.Error(err)
	}
	if list, err := (disk.Disk{}).MakeAll("a/b"); err != nil || fmt.Sprint(list) != "[a a/b]" {
		t.Error(list, err)
	}
}

// Files and folders are as others may read them.
func TestModes(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	dir := t.TempDir()
	d, err := disk.Disk{}.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := (disk.Disk{}).MakeAll(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Make("a"), d.Replace("b", says("x"))); err != nil {
		t.Fatal(err)
	}
	l, err := d.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	for name, want := range map[string]fs.FileMode{"a": 0o755, "b": 0o644, "c": 0o755, "lock": 0o644} {
		if info, err := d.Lstat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// Where a file cannot be made nobody is asked what it is to hold, and the reason is told.
func TestFilesThatCannotBeMade(t *testing.T) {
	dir, err := disk.Disk{}.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for what, make := range map[string]func(string, func(io.Writer) error) error{"fill": dir.Fill, "replace": dir.Replace} {
		isAsked := false
		err := make("missing/new", func(io.Writer) error { isAsked = true; return nil })
		if !errors.Is(err, fs.ErrNotExist) || isAsked {
			t.Errorf("%s: asked %t, %v", what, isAsked, err)
		}
	}
}
