package census

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
