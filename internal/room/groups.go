package room

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// free is the memory that Linux would give a process, as its files under the root of the file system say: MemAvailable, and what the control
// groups of the process, version 1 or 2, and those above them leave.
func free(root fs.FS) Supply {
	all := []Supply{unknown()}
	if kilobytes := entry(root, "proc/meminfo", "MemAvailable:"); kilobytes >= 0 {
		all = append(all, Supply{kilobytes << 10, "free on this machine"})
	}
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) < 3:
		case parts[1] == "":
			all = append(all, left(root, "sys/fs/cgroup", parts[2], "memory.max", "memory.current", "file"))
		case strings.Contains(","+parts[1]+",", ",memory,"):
			all = append(all, left(root, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"))
		}
	}
	return least(all...)
}

// left is what a group and all above it leave. Files that are cached count as used and are given up when memory is wanted. A process in a
// container may be told a path that is not there: then the top is its own group.
func left(root fs.FS, top, group, limit, used, cached string) Supply {
	out := unknown()
	for at := path.Join(top, group); strings.HasPrefix(at, top); at = path.Dir(at) {
		most, now := entry(root, path.Join(at, limit), ""), entry(root, path.Join(at, used), "")
		if most >= 0 && now >= 0 {
			files := max(0, entry(root, path.Join(at, "memory.stat"), cached))
			out = least(out, Supply{max(0, most-max(0, now-files)), "left by the limit of the control group"})
		}
	}
	return out
}

// entry reads the number behind a word that a line begins with, or the first of a file; −1 where there is none.
func entry(root fs.FS, name, word string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return -1
	}
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if word != "" {
			if len(fields) < 2 || fields[0] != word {
				continue
			}
			fields = fields[1:]
		}
		if len(fields) > 0 {
			if n, err := strconv.ParseInt(fields[0], 10, 64); err == nil && n >= 0 {
				return n
			}
		}
		return -1
	}
	return -1
}
