package census

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/population"
)

// FileError says why a file that the key file names cannot be read.
type FileError struct {
	Name string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

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

// ReadFrame reads columns with names, by the ending of the file: .csv, .tsv, .parquet or .npz. Most is how many bytes may be read; 0: the usual bound.
func ReadFrame(ctx context.Context, files fs.FS, name string, most int64, choose columns.Choice) (frame *columns.Frame, err error) {
	lim := intake.Limits{Bytes: most}
	err = withFile(files, name, func(r openFile, size int64) (err error) {
		var t columns.Table
		switch path.Ext(name) {
		case ".csv", ".tsv":
			frame, err = columns.ReadCSV(ctx, r, choose, lim)
			return err
		case ".parquet":
			t, err = columns.ReadParquet(r, size, lim)
		case ".npz":
			t, err = readArrays(r, size, lim)
		case ".npy":
			err = errors.New("an .npy file has no names for its columns; want .csv, .parquet or .npz, or law: file")
		default:
			err = errors.New("want a file that ends in .csv, .tsv, .parquet or .npz")
		}
		if err == nil {
			frame, err = t.Frame(choose, lim)
		}
		return err
	})
	return frame, err
}

// readArrays makes a table of vectors of one length, each a column under its name.
func readArrays(r openFile, size int64, lim intake.Limits) (t columns.Table, err error) {
	list, err := npy.ReadZip(r, size, lim)
	if err != nil {
		return t, err
	}
	for _, a := range list {
		if len(a.Shape) != 1 {
			return t, fmt.Errorf("array %q has shape %v; a column is a vector", a.Name, a.Shape)
		}
		t.Columns = append(t.Columns, columns.Column{Name: a.Name, Numbers: a.Data})
	}
	return t, t.Check()
}
