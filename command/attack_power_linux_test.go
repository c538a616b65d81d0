package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// loopDisk is a file system of its own whose power can be cut.
type loopDisk struct{ image, dir string }

// newLoopDisk mounts one, or skips the test where that cannot be.
func newLoopDisk(t *testing.T) *loopDisk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("skipped: only root can mount a disk to cut its power")
	}
	d := &loopDisk{filepath.Join(t.TempDir(), "disk.img"), t.TempDir()}
	if out, err := exec.Command("sh", "-c", `truncate -s 96M "$0" && mkfs.ext4 -q "$0"`, d.image).CombinedOutput(); err != nil {
		t.Skipf("skipped: no file system: %v: %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Skipf("skipped: no loop device: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", d.dir).Run() })
	return d
}

func (d *loopDisk) mount() ([]byte, error) {
	return exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput()
}

// on calls something with the open disk.
func (d *loopDisk) on(call func(disk int) error) error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return call(int(f.Fd()))
}

// cut shuts the file system down without writing its journal (EXT4_IOC_SHUTDOWN): what was not fsynced is gone.
func (d *loopDisk) cut() error {
	const shutdown, noLogFlush = 0x8004587d, 2
	return d.on(func(disk int) error { return unix.IoctlSetPointerInt(disk, shutdown, noLogFlush) })
}

// restore mounts the disk again once everybody has left it.
func (d *loopDisk) restore() error {
	if out, err := exec.Command("umount", d.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("umount: %w: %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	return nil
}

// The disk of every command loses its power at a random moment, or just when the command has ended with 0: the folder holds the old result or
// the new one, after the end the new one, and the same command again ends with the bytes of one that was left alone.
func TestPowerCutsOfEveryCommand(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "power", Short: "8 cuts", Needs: "root and a loop device",
		Text: "the disk (ext4) loses its power at a random moment of run, run with checkpoint, sweep, merge, report, compare, study, or after exit code 0: neither old nor new, not whole after 0, other bytes once the command is repeated, a file of the user lost"})
	d := newLoopDisk(t)
	w := workshopOf(t)
	blows := 8
	if evidence.Whole() {
		blows = 200
	}
	all := deeds()
	a.strike(blows, 1, func(n int, random *rand.Rand) (string, error) {
		dir, ours := filepath.Join(d.dir, fmt.Sprint(n)), all[n%len(all)]
		ended, err := w.fell(ours, dir, random, func() error { return d.on(unix.Syncfs) }, func(c *writer) error {
			if random.IntN(3) == 0 {
				c.wait()
			} else {
				moment(c, dir, w.took[ours.name], random)
			}
			err := d.cut()
			c.cmd.Process.Kill()
			if c.done.IsZero() {
				c.wait()
			}
			return errors.Join(err, d.restore())
		})
		return ended, errors.Join(err, os.RemoveAll(dir))
	})
}
