// Package plain opens files that must be plain ones. A named pipe, a device, a socket or a folder in the place of a file is refused at
// once: opening a pipe waits for a writer who may never come, and a device need not end.
package plain

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// TooLongError says that a file has more bytes than are read of such files.
type TooLongError struct {
	Name string
	Most int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes, the most that are read", e.Name, e.Most)
}

// Open opens a plain file, or one that a link leads to, for reading. It never waits.
func Open(path string) (*os.File, error) {
	file, err := openAtOnce(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func check(name string, file fs.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return checkMode(name, info)
}

// OpenIn opens a plain file of a file system for reading.
func OpenIn(files fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(files, name)
	if err == nil {
		err = checkMode(name, info)
	}
	if err != nil {
		return nil, err
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	if err := check(name, file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// ReadFile reads a plain file of at most so many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, &TooLongError{path, most}
	}
	return text, err
}
