package folder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
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

// Make makes the folder of a result: its data, the pages about them, and the manifest last.
func (m Manifest) Make(dir string, data Contents, pages func(dir string) (names []string, err error)) error {
	if err := m.Kind.Begin(dir); err != nil {
		return err
	}
	if err := data.Write(dir); err != nil {
		return err
	}
	if _, err := pages(dir); err != nil {
		return err
	}
	return m.Seal(dir)
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
