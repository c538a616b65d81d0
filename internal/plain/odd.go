package plain

import (
	"fmt"
	"io/fs"
)

// OddFileError says that what should be a file is something else.
type OddFileError struct {
	Name string
	Mode fs.FileMode // its type
}

func (e *OddFileError) Error() string {
	return fmt.Sprintf("%s is %s, want a plain file", e.Name, kindOf(e.Mode))
}

func kindOf(mode fs.FileMode) string {
	for _, odd := range []struct {
		mode fs.FileMode
		is   string
	}{{fs.ModeDir, "a folder"}, {fs.ModeNamedPipe, "a named pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeDevice, "a device"}, {fs.ModeSymlink, "a link"}} {
		if mode&odd.mode != 0 {
			return odd.is
		}
	}
	return "no file that can be read to its end"
}

// checkMode refuses what is no plain file.
func checkMode(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &OddFileError{name, info.Mode().Type()}
	}
	return nil
}
