package lab_test

import (
	"syscall"
	"testing"
)

// A disk of 16 kB is full at the first save; the run goes on to its end.
func TestRunsOutliveAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skipf("no small disk to be had: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	outlives(t, build(t, "polarized", wandering...), dir)
}
