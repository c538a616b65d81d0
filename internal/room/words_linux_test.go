package room

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// By hand: the number behind a word, or the first of a file.
func TestEntries(t *testing.T) {
	root := fstest.MapFS{
		"a": file("one 1\ntwo\n\ntwo 0 kB\ntwo 3\n"), "first": file("0\n5\n"), "max": file("max\n5\n"), "less": file("-4\n"), "empty": file(""), "blank": file("\n7\n"),
	}
	for _, c := range []struct {
		name, word string
		want       int64
	}{
		{"a", "one", 1}, {"a", "two", 0}, {"a", "three", -1}, {"first", "", 0}, {"max", "", -1}, {"less", "", -1}, {"empty", "", -1}, {"blank", "", -1}, {"missing", "", -1}, {"missing", "one", -1},
	} {
		if got := entry(root, c.name, c.word); got != c.want {
			t.Errorf("%s of %s is %d, want %d", c.word, c.name, got, c.want)
		}
	}
}

// What is least is the smallest that is known, and of equal ones the first; 0 is known.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		all  []Supply
		want Supply
	}{
		{nil, Supply{Bytes: -1}}, {[]Supply{{-1, ""}, {5, "a"}, {3, "b"}, {3, "c"}, {9, "d"}}, Supply{3, "b"}}, {[]Supply{{1, "a"}, {0, "b"}}, Supply{0, "b"}}, {[]Supply{{-1, "a"}, {-5, "b"}}, Supply{Bytes: -1}},
	} {
		if got := least(c.all...); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.all, got, c.want)
		}
	}
}

// Groups whose limit or use is not told leave what is unknown; a group that uses nothing leaves its limit, and caches do not leave more than that.
func TestWhatGroupsLeave(t *testing.T) {
	group := func(files fstest.MapFS) Supply { return left(files, "top", "a", "max", "now", "file") }
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"no limit":      {fstest.MapFS{"top/a/now": file("5")}, -1},
		"no use":        {fstest.MapFS{"top/a/max": file("5")}, -1},
		"uses nothing":  {fstest.MapFS{"top/a/max": file("5"), "top/a/now": file("0")}, 5},
		"may have none": {fstest.MapFS{"top/a/max": file("0"), "top/a/now": file("0")}, 0},
		"all is cache":  {fstest.MapFS{"top/a/max": file("5"), "top/a/now": file("3"), "top/a/memory.stat": file("file 4\n")}, 5},
		"some is cache": {fstest.MapFS{"top/a/max": file("9"), "top/a/now": file("8"), "top/a/memory.stat": file("anon 1\nfile 2\n")}, 3},
		"beside":        {fstest.MapFS{"top/b/max": file("1"), "top/b/now": file("1"), "max": file("1"), "now": file("1")}, -1},
	} {
		got := group(c.files)
		if got.Bytes != c.want || got.Known() != (c.want >= 0) || got.Known() && got.Of != "left by the limit of the control group" {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
	odd := fstest.MapFS{"proc/meminfo": file("MemAvailable: 0 kB\n"), "proc/self/cgroup": file("nonsense\n1:name=systemd:/x\n4:memory\n"), "sys/fs/cgroup/memory/memory.limit_in_bytes": file("1\n")}
	if got := free(odd); got.Bytes != 0 || got.Of != "free on this machine" {
		t.Errorf("%+v", got)
	}
}

// A limit that nobody has set is none, and one that is asked for stays as it is.
func TestMemoryLimits(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	debug.SetMemoryLimit(math.MaxInt64)
	if got := Memory(); got.Of == "of the limit that was set" || !got.Known() {
		t.Errorf("%+v", got)
	}
	SetMemory(5 << 40)
	for range 2 {
		if got := Memory(); got != (Supply{5 << 40, "of the limit that was set"}) {
			t.Errorf("%+v", got)
		}
	}
}

func TestSizesAtTheEdges(t *testing.T) {
	for bytes, want := range map[float64]string{999.4: "999 B", 999.5: "1 kB", 999_499: "999 kB", 999_500: "1 MB", 1e9: "1 GB", 1.5e12: "1.5 TB", 2e15: "2 PB", 3e18: "3 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%v: %q, want %q", bytes, got, want)
		}
	}
}

// What cannot be written to is told with its reason; the nearest folder that is there is asked, be it the root or where one is.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	plain, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(plain, nil, 0o644), os.Symlink(filepath.Join(dir, "missing"), link)); err != nil {
		t.Fatal(err)
	}
	err := Writable(filepath.Join(plain, "below"))
	var typed *UnwritableError
	if want := "nothing can be written to " + plain + "/below: " + plain + " is no folder; choose another folder with --out"; !errors.As(err, &typed) || err.Error() != want || typed.Unwrap() != typed.Err {
		t.Errorf("%v, want %s", err, want)
	}
	if err := Writable(link); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v", err)
	}
	for at, want := range map[string]string{dir: dir, dir + "/a/b/": dir, "/missing/a": "/", "/": "/", "missing/a": ".", "": "."} {
		if got := existing(at); got != want {
			t.Errorf("above %q there is %q, want %q", at, got, want)
		}
	}
	if err := tryNamed(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("tried where nothing is: %v", err)
	}
	if err := try(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("tried where nothing is: %v", err)
	}
	if err := tryNamed(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := Writable("/proc"); err == nil || !strings.HasPrefix(err.Error(), "nothing can be written to /proc: ") {
		t.Errorf("/proc: %v", err)
	}
}

// A disk has what the system says; a file system without blocks says nothing.
func TestDisks(t *testing.T) {
	dir := t.TempDir()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	got := Disk(filepath.Join(dir, "not", "there"))
	if whole := int64(s.Blocks) * int64(s.Bsize); got.Of != "free on the disk" || got.Bytes > whole || got.Bytes < int64(s.Bavail)*int64(s.Bsize)/2 {
		t.Errorf("%+v of %d", got, whole)
	}
	if got := Disk("/proc"); got.Known() {
		t.Errorf("/proc has %+v", got)
	}
}
