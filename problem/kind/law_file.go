package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/census"
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
	table, err := census.ReadTable(files, l.File, l.Array)
	if err != nil {
		return nil, &census.FileError{Name: l.File, Err: err}
	}
	return table, nil
}

// Words implements [Law].
func (l *FileLaw) Words() string { return "read from " + l.File }

// Habitat implements [Law].
func (*FileLaw) Habitat() Habitat { return Listed }
