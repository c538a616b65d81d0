package problem_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// crowd is a file system with the same four people in every format.
func crowd(t *testing.T) fstest.MapFS {
	t.Helper()
	people := npy.Array{Shape: []int{4, 2}, Data: []float64{1, 0, 0, 1, 0.6, 0.8, -0.8, 0.6}}
	x, y := columns.Column{Name: "x", Numbers: []float64{1, 0, 0.6, -0.8}}, columns.Column{Name: "y", Numbers: []float64{0, 1, 0.8, 0.6}}
	names := columns.Column{Name: "who", Text: []string{"a", "b", "c", "d"}}
	files := fstest.MapFS{"noise.parquet": {Data: []byte("PAR1 is not enough PAR1")}, "people.txt": {}}
	for name, write := range map[string]func(io.Writer) error{
		"people.csv":     columns.Table{Columns: []columns.Column{x, y}}.WriteCSV,
		"people.parquet": columns.Table{Columns: []columns.Column{x, y}}.WriteParquet,
		"named.parquet":  columns.Table{Columns: []columns.Column{names, x}}.WriteParquet,
		"people.npy":     func(w io.Writer) error { return npy.Write(w, people) },
		"people.npz":     func(w io.Writer) error { return npy.WriteZip(w, npy.Named{Name: "people", Array: people}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	return files
}

func buildFrom(t *testing.T, files fstest.MapFS, file string) (*problem.Problem, error) {
	t.Helper()
	src, _ := problem.Case("polarized")
	s, err := problem.Parse(kind.Standard(), "polarized", src, problem.Assign(fmt.Sprintf("population={size: 4, dim: 2, law: file, file: %s}", file)))
	if err != nil {
		t.Fatal(err)
	}
	return problem.Build("polarized", s, files)
}

// The format of a file makes no difference to the people in it.
func TestPeopleFromFiles(t *testing.T) {
	files := crowd(t)
	want := []float64{1, 0, 0, 1, 0.6, 0.8, -0.8, 0.6}
	for _, file := range []string{"people.csv", "people.npy", "people.npz", "people.parquet"} {
		p, err := buildFrom(t, files, file)
		if err != nil {
			t.Error(file, err)
			continue
		}
		if states, _ := p.First([]int{0, 1, 2, 3}); !slices.Equal(states, want) {
			t.Errorf("%s holds %v", file, states)
		}
	}
	for file, want := range map[string]string{
		"named.parquet": `column "who" holds texts`, "noise.parquet": "no Parquet file", "people.txt": "want a file that ends in",
	} {
		if _, err := buildFrom(t, files, file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
