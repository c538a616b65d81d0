// Package outage lends tests a disk whose power can be cut.
package outage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Mount is a file system of its own, ext4 in a loop device.
type Mount struct {
	Dir   string // where it is mounted
	image string
}

// New mounts one with the two folders of a test, or says why that cannot be here.
func New(images, dir string) (*Mount, error) { return Sized(images, dir, 96) }

// Sized mounts one of so many MB.
func Sized(images, dir string, mb int) (*Mount, error) {
	if os.Getuid() != 0 {
		return nil, errors.New("only root can mount a disk to cut its power")
	}
	d := &Mount{Dir: dir, image: filepath.Join(images, "disk.img")}
	if out, err := exec.Command("sh", "-c", fmt.Sprintf(`truncate -s %dM "$0" && mkfs.ext4 -q "$0"`, mb), d.image).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("no file system: %w: %s", err, out)
	}
	return d, d.mount()
}

// Close takes it away.
func (d *Mount) Close() { _ = d.unmount() }

func (d *Mount) mount() error {
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.Dir).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	return nil
}

// on calls something with the open disk.
func (d *Mount) on(call func(disk int) error) error {
	f, err := os.Open(d.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return call(int(f.Fd()))
}

// Sync writes everything down.
func (d *Mount) Sync() error { return d.on(unix.Syncfs) }

// Cut shuts the file system down without writing its journal (EXT4_IOC_SHUTDOWN): what was not fsynced is gone.
func (d *Mount) Cut() error {
	const shutdown, noLogFlush = 0x8004587d, 2
	return d.on(func(disk int) error { return unix.IoctlSetPointerInt(disk, shutdown, noLogFlush) })
}

// Restore mounts the disk again once everybody has left it. A namespace that began meanwhile has all disks that there were: as long as it lives the
// disk comes back as it was cut, and is left again.
func (d *Mount) Restore() (err error) {
	for range 1200 {
		if err := errors.Join(d.unmount(), d.mount()); err != nil {
			return err
		}
		probe := filepath.Join(d.Dir, "probe")
		if err = errors.Join(os.RemoveAll(probe), os.Mkdir(probe, 0o700), os.Remove(probe)); err == nil { // the last cut may have left one
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the disk has no power: %w", err)
}

// unmount waits for those who look at all disks of a machine, and are soon gone.
func (d *Mount) unmount() (err error) {
	var out []byte
	for range 100 {
		if out, err = exec.Command("umount", d.Dir).CombinedOutput(); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("umount: %w: %s", err, out)
}
