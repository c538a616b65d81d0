package kind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// FileLaw is the individuals of a file.
type FileLaw struct {
	File  string // a .csv, .npy, .npz or .parquet file with one individual a row
	Array string // the member of an .npz file; "": its only one
}

// Word implements [form.Kind].
func (*FileLaw) Word() form.Option { return form.Choice("file", "The individuals of a file.", "") }

// Describe implements [Law].
func (l *FileLaw) Describe(f *form.Form) {
	form.Field(f, "file", &l.File, form.FileName(),
		form.Says("A .csv, .npy, .npz or .parquet file with one individual a row, relative to where kedge is run.", "", "people.csv"))
	form.Field(f, "array", &l.Array, form.TextOf("the name of an array", form.IsPrintable).Optional(),
		form.Says("The member of an .npz file. Without one it must have a single member.", "", "traits"))
}

// Check implements [Law].
func (*FileLaw) Check(*Scene, string, form.Length) {}

// Build implements [Law].
func (l *FileLaw) Build(_ int, files fs.FS) (population.Law, error) {
	table, err := ReadTable(files, l.File, l.Array)
	if err != nil {
		return nil, &FileError{l.File, err}
	}
	return table, nil
}

// FileError says why a file that the key file names cannot be read.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Words implements [Law].
func (l *FileLaw) Words() string { return "read from " + l.File }

// Habitat implements [Law].
func (*FileLaw) Habitat() Habitat { return Listed }

// openFile is a file that can be read from anywhere.
type openFile interface {
	io.ReadSeeker
	io.ReaderAt
}

// ReadTable reads a file of rows of numbers, by its ending.
func ReadTable(files fs.FS, name, array string) (population.Table, error) {
	file, err := plain.OpenIn(files, name)
	if err != nil {
		return population.Table{}, err
	}
	defer file.Close()
	r, ok := file.(openFile)
	if !ok {
		all, err := io.ReadAll(file)
		if err != nil {
			return population.Table{}, err
		}
		r = bytes.NewReader(all)
	}
	size, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return population.Table{}, err
	}
	switch path.Ext(name) {
	case ".csv":
		return population.ReadCSV(r)
	case ".npy":
		return population.ReadNPY(r)
	case ".parquet":
		rows, width, err := columns.ReadMatrix(r, size, intake.Limits{})
		return population.Table{Data: rows, Width: width}, err
	case ".npz":
		return population.ReadNPZ(r, size, array)
	}
	return population.Table{}, errors.New("want a file that ends in .csv, .npy, .npz or .parquet")
}
