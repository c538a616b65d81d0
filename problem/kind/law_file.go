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
	describeFile(f, &l.File)
	form.Field(f, "array", &l.Array, form.TextOf("the name of an array", form.IsPrintable).Optional(),
		form.Says("The member of an .npz file. Without one it must have a single member.", "", "traits"))
}

func describeFile(f *form.Form, file *string) {
	form.Field(f, "file", file, form.FileName(),
		form.Says("A .csv, .npy, .npz or .parquet file with one individual a row, relative to where kedge is run.", "", "people.csv"))
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

// withFile opens a file by its name, and closes it when it has been used.
func withFile(files fs.FS, name string, use func(r openFile, size int64) error) error {
	file, err := plain.OpenIn(files, name)
	if err != nil {
		return err
	}
	defer file.Close()
	r, ok := file.(openFile)
	if !ok {
		all, err := io.ReadAll(file)
		if err != nil {
			return err
		}
		r = bytes.NewReader(all)
	}
	size, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	return use(r, size)
}

// ReadTable reads a file of rows of numbers, by its ending.
func ReadTable(files fs.FS, name, array string) (table population.Table, err error) {
	err = withFile(files, name, func(r openFile, size int64) (err error) {
		switch path.Ext(name) {
		case ".csv":
			table, err = population.ReadCSV(r)
		case ".npy":
			table, err = population.ReadNPY(r)
		case ".parquet":
			table.Data, table.Width, err = columns.ReadMatrix(r, size, intake.Limits{})
		case ".npz":
			table, err = population.ReadNPZ(r, size, array)
		default:
			err = errors.New("want a file that ends in .csv, .npy, .npz or .parquet")
		}
		return err
	})
	return table, err
}
