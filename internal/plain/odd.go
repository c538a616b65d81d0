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
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
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
