package room

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// The files are as Linux writes them; what is left was worked out by hand.
func TestFreeMemory(t *testing.T) {
	const info = "MemTotal:       8000000 kB\nMemFree:  1 kB\nMemAvailable:    4000000 kB\n"
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
	}{
		"nothing is told": {fstest.MapFS{}, -1},
		"no groups":       {fstest.MapFS{"proc/meminfo": file(info)}, 4_096_000_000},
		"version 2": {fstest.MapFS{
			"proc/meminfo": file(info), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/b/memory.current": file("5\n"),
			"sys/fs/cgroup/a/memory.max": file("1000\n"), "sys/fs/cgroup/a/memory.current": file("700\n"),
			"sys/fs/cgroup/a/memory.stat": file("anon 500\nfile 200\n"),
		}, 500},
		"version 2 in a container": {fstest.MapFS{
			"proc/meminfo": file(info), "proc/self/cgroup": file("0::/elsewhere\n"),
			"sys/fs/cgroup/memory.max": file("2000\n"), "sys/fs/cgroup/memory.current": file("2500\n"),
		}, 0},
		"version 2 with more cached than used": {fstest.MapFS{
			"proc/meminfo": file(info), "proc/self/cgroup": file("0::/a\n"),
			"sys/fs/cgroup/a/memory.max": file("1000\n"), "sys/fs/cgroup/a/memory.current": file("300\n"), "sys/fs/cgroup/a/memory.stat": file("file 400\n"),
		}, 1000},
		"version 1": {fstest.MapFS{
			"proc/meminfo": file(info), "proc/self/cgroup": file("3:cpu,memory:/x\n2:cpuset:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("9000\n"), "sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("4000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"), "sys/fs/cgroup/memory/memory.usage_in_bytes": file("4000\n"),
		}, 5000},
	} {
		if got := free(c.files); got.Bytes != c.want {
			t.Errorf("%s: %d bytes (%s), want %d", name, got.Bytes, got.Of, c.want)
		}
	}
}

func TestMemorySetByHand(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	SetMemory(12345 << 20)
	if got := Memory(); got.Bytes != 12345<<20 {
		t.Errorf("%+v", got)
	}
}

func TestMachineIsKnown(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	if got := machine(); got.Bytes < 1<<20 {
		t.Errorf("this machine has %+v", got)
	}
	if got := Disk(filepath.Join(t.TempDir(), "not", "there")); got.Bytes < 1 {
		t.Errorf("this disk has %+v", got)
	}
}

// Nothing is left where something could be written, and nothing can be written under a file or, unless one is root, where one may not.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	plain, closed := filepath.Join(dir, "file"), filepath.Join(dir, "closed")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, filepath.Join(dir, "a", "b")} {
		if err := Writable(at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, at := range []string{plain, filepath.Join(plain, "below")} {
		if err := Writable(at); err == nil {
			t.Errorf("%s can be written to", at)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := Writable(filepath.Join(closed, "a")); err == nil && os.Getuid() != 0 {
		t.Error("a closed folder can be written to")
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 274.4e9: "274 GB", 1e30: "1e+12 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%v: %q, want %q", bytes, got, want)
		}
	}
}
