//go:build linux || darwin

package room

import "syscall"

// Disk returns how much can be written where a folder is or would be.
func Disk(dir string) Supply {
	var s syscall.Statfs_t
	if err := syscall.Statfs(existing(dir), &s); err != nil || s.Blocks == 0 {
		return unknown()
	}
	return Supply{int64(s.Bavail) * int64(s.Bsize), "free on the disk"}
}
