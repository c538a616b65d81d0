package store

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// networked are file systems whose locks and syncs cannot be relied on, by the numbers of statfs(2).
var networked = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x5346414f: "AFS", 0x00c36400: "Ceph", 0x7461636f: "OCFS2",
	0x47504653: "GPFS", 0x0bd00bd0: "Lustre", 0x01021997: "9P", 0x73757245: "Coda", 0x564c: "NCP",
}

// refuseNetwork refuses a folder of another machine.
func refuseNetwork(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return err
	}
	return refuseKind(path, int64(uint32(fs.Type)))
}

func refuseKind(path string, kind int64) error {
	if name, is := networked[kind]; is {
		return fmt.Errorf("%s is on %s, a network file system, which loses what was acknowledged: put the folder on a disk of this machine", path, name)
	}
	return nil
}

// allocate takes room for a file.
func allocate(f *os.File, size int64) error { return unix.Fallocate(int(f.Fd()), 0, 0, size) }
