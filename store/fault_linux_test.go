package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/outage"
	"github.com/kedge-opt/kedge/session"
	"golang.org/x/sys/unix"
)

// noise is bytes that cannot be packed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	random.Read(b)
	return b
}

// On a full disk people are refused and operators are not, everything can be read, and once there is room all goes on by itself.
func TestAFullDiskIsSurvived(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-full", Text: "a disk of 3 MB that is full: tells not refused with 507, operator's events refused, acknowledged events lost, or a restart needed once there is room", Needs: "root, to mount"})
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "kedge", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	s := opened(t, filepath.Join(dir, "data"))
	c := &chain{loop: "a"}
	tell := func(n int) error {
		before := *c
		err := s.Append("a", before.seq, []session.Event{c.next(1, fmt.Sprint("b/", n), noise(uint64(n), 8<<10))}, nil)()
		if err != nil {
			*c = before
		}
		return err
	}
	n := 0
	for ; n < 1000; n++ {
		if err := tell(n); err != nil {
			row.Case(errors.Is(err, session.ErrFull), "tell %d: %v", n, err)
			break
		}
	}
	told := c.seq
	for i := range 50 {
		err := tell(n + i)
		row.Case(errors.Is(err, session.ErrFull), "another tell: %v", err)
	}
	for range 20 {
		before := c.seq
		err := s.Append("a", before, []session.Event{c.next(0, "", nil)}, nil)()
		row.Case(err == nil, "an operator's event: %v", err)
	}
	if _, err := Check(context.Background(), s); err != nil || told < 20 {
		t.Errorf("%d told, %v", told, err)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=12m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	err := tell(n + 50)
	row.Case(err == nil, "with room: %v", err)
	found, err := Check(context.Background(), s)
	row.Case(err == nil && found.Events == told+20+1 && found.Blobs == told+1, "%d told: %+v, %v", told, found, err)
}

// After the first write that fails nothing is acknowledged any more, whatever the disk then says.
func TestAFailedSyncIsTheEnd(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-sync-fails", Text: "events acknowledged after a sync has failed, acknowledged ones lost once there is power again, or a journal that does not say that it is unwell", Needs: "root and a loop device"})
	for _, large := range []bool{false, true} {
		d, err := outage.New(t.TempDir(), t.TempDir())
		if err != nil {
			t.Skip("skipped: ", err)
		}
		t.Cleanup(d.Close)
		dir := filepath.Join(d.Dir, "data")
		s := opened(t, dir)
		c := &chain{loop: "a"}
		size := 10
		if large {
			size = mostInside + 1 // its own file
		}
		tell := func() error {
			after := c.seq
			return s.Append("a", after, []session.Event{c.told(after, noise(uint64(after), size))}, nil)()
		}
		for range 5 {
			if err := tell(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Cut(); err != nil {
			t.Fatal(err)
		}
		good := *c
		for range 5 {
			*c = good
			err := tell()
			row.Case(errors.Is(err, session.ErrReadOnly), "without power: %v", err)
		}
		select {
		case <-s.Failed():
			row.Case(s.Health() != nil, "it is well")
		default:
			row.Case(false, "nobody is told of the fault")
		}
		s.Close()
		if err := d.Restore(); err != nil {
			t.Fatal(err)
		}
		s = opened(t, dir)
		found, err := Check(context.Background(), s)
		row.Case(err == nil && found.Events == 5 && found.Blobs == 5, "%+v, %v", found, err)
		s.Close()
	}
}

// Folders of other machines are refused.
func TestNetworkFoldersAreRefused(t *testing.T) {
	for name, kind := range map[string]int64{
		"NFS": unix.NFS_SUPER_MAGIC, "SMB": unix.SMB_SUPER_MAGIC, "CIFS": unix.CIFS_SUPER_MAGIC, "SMB2": unix.SMB2_SUPER_MAGIC, "AFS": unix.AFS_SUPER_MAGIC, "Ceph": unix.CEPH_SUPER_MAGIC, "OCFS2": unix.OCFS2_SUPER_MAGIC,
		"9P": unix.V9FS_MAGIC, "Coda": unix.CODA_SUPER_MAGIC, "NCP": unix.NCP_SUPER_MAGIC,
		"GPFS": 0x47504653, "Lustre": 0x0bd00bd0, // as stat of GNU coreutils has them
	} {
		if err := refuseKind("/mnt", kind); err == nil || !strings.Contains(err.Error(), "is on "+name+",") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := refuseNetwork(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there is on a disk")
	}
	if err := refuseKind("/mnt", 0xef53); err != nil { // ext4
		t.Error(err)
	}
	if err := refuseNetwork(t.TempDir()); err != nil {
		t.Error(err)
	}
}
