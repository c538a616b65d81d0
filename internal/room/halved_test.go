package room

import (
	"errors"
	"testing"
	"testing/fstest"
)

// halved are files of which the beginning alone can be read.
type halved struct{ fstest.MapFS }

func (f halved) ReadFile(name string) ([]byte, error) {
	return f.MapFS[name].Data[:2], errors.New("the rest cannot be read")
}

// A number of which only the first digits were read is none.
func TestNumbersThatAreCut(t *testing.T) {
	files := fstest.MapFS{"now": file("123\n")}
	if whole, half := entry(files, "now", ""), entry(halved{files}, "now", ""); whole != 123 || half != -1 {
		t.Errorf("%d, and %d of what cannot be read", whole, half)
	}
}

// The path of a group may have colons; the nearest folder that is there is named without what is needless.
func TestNamesWithColonsAndSlashes(t *testing.T) {
	files := fstest.MapFS{
		"proc/meminfo": file("MemAvailable: 4000 kB\n"), "proc/self/cgroup": file("1:name=systemd:/x:y\n0::/a:b\n"),
		"sys/fs/cgroup/a:b/memory.max": file("1000\n"), "sys/fs/cgroup/a:b/memory.current": file("400\n"), "sys/fs/cgroup/a/memory.max": file("10\n"), "sys/fs/cgroup/a/memory.current": file("4\n"),
	}
	if got := free(files); got != (Supply{600, "left by the limit of the control group"}) {
		t.Errorf("%+v", got)
	}
	dir := t.TempDir()
	for _, name := range []string{dir, dir + "/", dir + "//.", dir + "/a/..", dir + "/a/"} {
		if got := existing(name); got != dir {
			t.Errorf("above %q there is %q", name, got)
		}
	}
}
