//go:build unix

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stretch makes a file of 64 GB that takes no room on a disk: whoever hashes it is busy for half a minute and more.
func stretch(t *testing.T, name string, size int64) {
	t.Helper()
	if err := os.Truncate(name, size); err != nil {
		t.Skipf("no file with holes here: %v", err)
	}
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A first signal ends whatever reads or hashes files, within about a second: each of these went on to the end of its files. What it was about to
// write is not there, and what was there is.
func TestASignalEndsReading(t *testing.T) {
	if testing.Short() {
		t.Skip("signals are sent to real processes in the long tier")
	}
	if _, err := program.Path(); err != nil { // which is built where the module is
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := func(args string) {
		t.Helper()
		if out, code := command(t, strings.Fields(args)...); code != 0 {
			t.Fatal(out)
		}
	}
	writeFile(t, "sweep.yaml", []byte("base: lq2\nset: {trials: 1, optimum.starts: 1}\nover:\n  iterations: [5, 6]\n"))
	ran("run lq2 --out series --quiet --no-check --iterations 5 --trials 1")
	ran("sweep sweep.yaml --out cells --quiet")
	stretch(t, "series/series.parquet", 64<<30)
	first, err := filepath.Glob("cells/cells/*/series.parquet")
	if err != nil || len(first) != 2 {
		t.Fatal(first, err)
	}
	stretch(t, first[0], 4<<30) // which merge looks for room for
	writeFile(t, "hashed.csv", []byte("1,2\n"))
	stretch(t, "hashed.csv", 64<<30)
	writeFile(t, "read.csv", bytes.Repeat([]byte("0.25,0.5,0.125,1\n"), 6e6)) // 100 MB, hashed at once and read for some five seconds
	people := func(file string) string {
		return "run lq2 --out new --memory 50GB --set population={size:6000000,dim:2,law:file,file:" + file + "}"
	}
	for _, args := range []string{
		"verify series", "plot series --out new.svg", "report series --out new", "sweep sweep.yaml --out cells", "merge new cells",
		people("hashed.csv"), people("read.csv"),
	} {
		c, out := process(t, strings.Fields(args)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		begun := time.Now()
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatalf("kedge %s had ended already: %s", args, out)
		}
		late := time.AfterFunc(30*time.Second, func() { c.Process.Kill() })
		c.Wait()
		late.Stop()
		if code, took := c.ProcessState.ExitCode(), time.Since(begun); code != exitInterrupted || took > 20*time.Second {
			t.Errorf("kedge %s: exit code %d %v after the signal, want %d soon: %s", args, code, took, exitInterrupted, out)
		}
	}
	if made, _ := filepath.Glob("new*"); len(made) > 0 {
		t.Errorf("there is %v", made)
	}
}
