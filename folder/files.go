package folder

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Contents are files of a folder: by name, what writes each.
type Contents map[string]func(io.Writer) error

// Write writes the files into a folder, each whole or not at all.
func (c Contents) Write(dir string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c)) {
		errs = append(errs, WriteFile(filepath.Join(dir, name), c[name]))
	}
	return errors.Join(errs...)
}

// AsJSON is the content of a file that holds a value as WriteJSON writes it.
func AsJSON(v any) func(io.Writer) error {
	return func(w io.Writer) error { return WriteJSON(w, v) }
}

func asText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// WriteFile writes a file so that it is there whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	b := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(write(b), b.Flush(), f.Sync(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// WriteJSON writes a value as the files of folders have it.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// readJSON reads a file that must hold one JSON value and no more than so many bytes.
func readJSON(path string, most int64, v any) error {
	text, err := readAll(path, most)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readSized reads a file whose format must be told its size.
func readSized(path string, read func(f io.ReaderAt, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := read(f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readAll reads a file of at most so many bytes.
func readAll(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are read", path, info.Size(), most)
	}
	return os.ReadFile(path)
}

// Remove removes files by their names in a folder; those that are not there are no error.
func Remove(dir string, names ...string) error {
	var errs []error
	for _, name := range names {
		err := os.Remove(filepath.Join(dir, filepath.FromSlash(name)))
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// settled hashes a file once it is on disk.
func settled(name string) (File, error) {
	if err := Flush(name); err != nil {
		return File{}, err
	}
	return sumOf(name)
}

// Flush puts a file, or the names in a folder, on disk. Windows does that only for files open for writing.
func Flush(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sumOf hashes a plain file.
func sumOf(name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is no plain file", name)
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	return File{n, hex.EncodeToString(h.Sum(nil))}, err
}
