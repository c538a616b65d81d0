package command

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
)

// What does not fit on a disk is refused before anything is computed, which here would take hours, and what is on the disk stays.
func TestAFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("disk", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", "disk", "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk of its own here: %v", err)
	}
	defer syscall.Unmount("disk", syscall.MNT_DETACH)
	writeFile(t, "disk/mine", []byte("keep me"))
	if err := os.Mkdir("part", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "part/large", make([]byte, 3e6))
	succeeds(t, strings.Fields("run lq2 --quiet --no-check --iterations 5 --trials 1 --out done")...)
	writeFile(t, "sweep.yaml", []byte("base: polarized\nover:\n  hold: [1000, 2000]\n"))
	for _, args := range []string{"run polarized --iterations 1000000", "sweep sweep.yaml", "compare polarized --iterations 1000000", "study theorem-11", "report done", "merge disk/new part"} {
		begun := time.Now()
		if !strings.Contains(args, "disk/new") {
			args += " --out disk/new"
		}
		out, code := command(t, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(out, "are free on that disk") || !strings.Contains(out, "--out") {
			t.Errorf("kedge %s: exit code %d, %s", args, code, out)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("kedge %s took %v to say so", args, took)
		}
	}
	if left, err := os.ReadDir("disk"); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// What cannot be printed for want of room went wrong while running: neither the command nor the spec is wrong.
func TestPrintingToAFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "grid.yaml", "base: lq2\nset: {iterations: 5, trials: 1}\nover:\n  hold: [1, 2]\n")
	succeeds(t, strings.Fields("run lq2 --quiet --no-check --iterations 5 --trials 1 --out a")...)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for args := range strings.Lines(printing) {
		if strings.Contains(args, "--out b") || strings.Contains(args, "--out s") {
			continue // which computes again
		}
		root := newRoot(kind.Standard())
		root.SetOut(full)
		root.SetArgs(strings.Fields(args))
		if err := root.ExecuteContext(t.Context()); !errors.Is(err, syscall.ENOSPC) || exitCode(err) != exitFailed {
			t.Errorf("kedge %s: exit code %d, %v", strings.TrimSpace(args), exitCode(err), err)
		}
	}
}
