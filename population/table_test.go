package population_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/population"
)

func TestReadCSV(t *testing.T) {
	for in, want := range map[string]population.Table{
		"1,2\n3,4\n":               {Data: []float64{1, 2, 3, 4}, Width: 2},
		"x,y\r\n1, 2\r\n3,4\r\n":   {Data: []float64{1, 2, 3, 4}, Width: 2},
		"nanny,info\n1,2":          {Data: []float64{1, 2}, Width: 2},
		"1\n2":                     {Data: []float64{1, 2}, Width: 1},
		"1,2\n3,4":                 {Data: []float64{1, 2, 3, 4}, Width: 2},
		"1\n ":                     {Data: []float64{1}, Width: 1},
		"\ufeff0.1":                {Data: []float64{0.1}, Width: 1},
		"5\n-1e-3\n\n  \n":         {Data: []float64{5, -0.001}, Width: 1},
		"9\n-9.5\n":                {Data: []float64{9, -9.5}, Width: 1},
		wide(`"name"`) + wide("1"): {Data: slices.Repeat([]float64{1}, 5000), Width: 5000},
		wide("") + wide("1"):       {Data: slices.Repeat([]float64{1}, 5000), Width: 5000},
		wide("name") + wide("1"):   {Data: slices.Repeat([]float64{1}, 5000), Width: 5000},
	} {
		got, err := population.ReadCSV(strings.NewReader(in))
		if err != nil || !slices.Equal(got.Data, want.Data) || got.Width != want.Width {
			t.Errorf("%.40q: %.40v, %v", in, got.Data, err)
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "table: no numbers",
		"a,b\n":                    "table: no numbers",
		"1,2\n3,x\n":               `table, line 2, column 2: "x" is not a finite number`,
		"a,1\n":                    `table, line 1, column 1: "a" is not a finite number`,
		"1\nNaN":                   `table, line 2, column 1: "NaN" is not a finite number`,
		"1,2\n-Inf,1":              `table, line 2, column 1: "-Inf" is not a finite number`,
		"nan":                      `table, line 1, column 1: "nan" is not a finite number`,
		"NaN,a\n1,2":               `table, line 1, column 1: "NaN" is not a finite number`,
		"-inf,a\n1,2":              `table, line 1, column 1: "-inf" is not a finite number`,
		"a,+Infinity\n1,2":         `table, line 1, column 1: "a" is not a finite number`,
		"1e999":                    `table, line 1, column 1: "1e999" is not a finite number`,
		"a,b\n1,2\n3\n":            "table, line 3: 1 numbers, the first row has 2",
		"1,2\n3,4,5\n":             "table, line 2: 3 numbers, the first row has 2",
		"1,2,\n":                   `table, line 1, column 3: "" is not a finite number`,
		"1,2\n3,":                  `table, line 2, column 2: "" is not a finite number`,
		"1,2\n,":                   `table, line 2, column 1: "" is not a finite number`,
		"\n1":                      "table, line 1: blank line inside the table",
		"1\n\n2\n":                 "table, line 2: blank line inside the table",
		"1\n\n2,x\n":               "table, line 2: blank line inside the table",
		"1,2\n3," + long(4097):     "table, line 2, column 2: more than 4096 bytes",
		"1,2\nx," + long(4097):     `table, line 2, column 1: "x" is not a finite number`, // whatever follows
		"1\n\n2," + long(4097):     "table, line 2: blank line inside the table",
		"1\n" + long(100) + "x\n2": `table, line 2, column 1: "` + long(40) + `" is not a finite number`,
	} {
		var te *population.TableError
		got, err := population.ReadCSV(strings.NewReader(in))
		if !errors.As(err, &te) || err.Error() != want || got.Data != nil {
			t.Errorf("%.40q: %v, want %s", in, err, want)
		}
	}
}

// wide is a line of 5000 equal fields.
func wide(field string) string { return strings.Repeat(field+",", 4999) + field + "\n" }

func long(n int) string { return strings.Repeat("7", n) }

func TestReadCSVReportsTheReadersError(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := population.ReadCSV(failing{broken}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)       { return 0, f.err }
func (f failing) Seek(int64, int) (int64, error) { return 0, nil }

// npyFile is a file of one array.
func npyFile(t *testing.T, shape []int, data ...float64) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, npy.Array{Shape: shape, Data: data}); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestReadNPY(t *testing.T) {
	got, err := population.ReadNPY(npyFile(t, []int{2, 3}, 1, 2, 3, 4, 5, 6))
	if err != nil || got.Width != 3 || got.Rows() != 2 || !slices.Equal(got.Data, []float64{1, 2, 3, 4, 5, 6}) {
		t.Error(got, err)
	}
	for want, in := range map[string]*bytes.Buffer{
		"array of shape [], want a matrix or a vector":      npyFile(t, nil, 1),
		"array of shape [1 1 1], want a matrix or a vector": npyFile(t, []int{1, 1, 1}, 1),
		"array of shape [0 2] has no entries":               npyFile(t, []int{0, 2}),
		"line 2, column 1: NaN is not a finite number":      npyFile(t, []int{2, 2}, 1, 2, math.NaN(), math.Inf(1)),
		"bytes after the array":                             bytes.NewBuffer(append(npyFile(t, []int{1}, 1).Bytes(), 0)),
		"npy: read magic: unexpected EOF":                   {},
	} {
		if got, err := population.ReadNPY(in); err == nil || !strings.Contains(err.Error(), want) || got.Data != nil {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadNPZ(t *testing.T) {
	var b bytes.Buffer
	if err := npy.WriteZip(&b, npy.Named{Name: "start", Array: npy.Array{Shape: []int{2}, Data: []float64{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	got, err := population.ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), "start")
	if err != nil || got.Width != 0 || got.Rows() != 2 {
		t.Error(got, err)
	}
	if _, err := population.ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), "end"); err == nil {
		t.Error("a member that is not there was read")
	}
}

// A vector serves as one row or as one column; a matrix only as itself.
func TestTableShapes(t *testing.T) {
	vector, matrix := population.Table{Data: count(6)}, population.Table{Data: count(6), Width: 3}
	for _, c := range []struct {
		l      population.Table
		n, dim int
		ok     bool
	}{
		{vector, 1, 6, true}, {vector, 6, 1, true}, {vector, 2, 3, false}, {vector, 1, 5, false}, {vector, 5, 1, false},
		{matrix, 2, 3, true}, {matrix, 3, 2, false}, {matrix, 1, 6, false}, {matrix, 6, 1, false}, {matrix, 1, 3, false},
	} {
		x, err := population.Draw(c.l, c.n, c.dim, nil)
		if c.ok != (err == nil) || c.ok && !slices.Equal(x, count(6)) || !c.ok && !typed(err) {
			t.Errorf("%+v as %d rows of %d: %v, %v", c.l, c.n, c.dim, x, err)
		}
	}
}

// Every number that a file may hold takes two bytes and becomes eight; nothing else grows with the file.
func TestCSVMemoryFollowsTheData(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	for what, in := range map[string]string{
		"shortest numbers, one line":  strings.Repeat("1,", 1<<18) + "1",
		"shortest numbers, one a row": strings.Repeat("1\n", 1<<18),
		"longest numbers":             strings.Repeat(strings.Repeat("1", 300)+",", 1<<11) + "1",
		"names":                       strings.Repeat("n,", 1<<18),
		"odd names":                   strings.Repeat("1x,", 1<<18),
		"commas":                      strings.Repeat(",", 1<<19),
		"a mistake at the end":        strings.Repeat("1,", 1<<18),
		"one long field":              long(1 << 20),
		"blank lines":                 strings.Repeat("\n", 1<<19),
	} {
		bound := 4*int64(len(in)) + 1<<20
		if got := heap.Taken(0, func() { _, _ = population.ReadCSV(strings.NewReader(in)) }); got > bound {
			t.Errorf("%s: %d bytes took %d of memory, want at most %d", what, len(in), got, bound)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"1,2\n3,4\n", "x,y\n1,2\n", "1\n\n", "\ufeff1", "1,\n", "nan", "0x1p-3,1_0\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var table population.Table
		var err error
		bound := 4*int64(len(in)) + 1<<20
		if got := heap.Taken(bound, func() { table, err = population.ReadCSV(strings.NewReader(in)) }); got > bound {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		if err != nil && !typed(err) {
			t.Errorf("untyped error %v", err)
		}
		if err == nil && table.Check(table.Rows(), table.Width) != nil {
			t.Errorf("%q gives a table that does not pass its own check: %v", in, table)
		}
	})
}

// fickle is a file on a disk that fails at one of the times that it is sought or read in.
type fickle struct {
	*strings.Reader
	seeks, reads int // 0: never
}

var errDisk = errors.New("the disk is gone")

func (f *fickle) Seek(offset int64, whence int) (int64, error) {
	if f.seeks--; f.seeks == 0 {
		return 0, errDisk
	}
	return f.Reader.Seek(offset, whence)
}

func (f *fickle) Read(b []byte) (int, error) {
	if f.reads--; f.reads == 0 {
		return 0, errDisk
	}
	return f.Reader.Read(b)
}

// A table is read twice; a disk that fails at any time in between makes no table of it.
func TestTablesOnFailingDisks(t *testing.T) {
	for _, at := range []fickle{{seeks: 1}, {seeks: 2}, {reads: 1}, {reads: 2}, {reads: 3}} {
		f := fickle{strings.NewReader("1,2\n3,4\n"), at.seeks, at.reads}
		if got, err := population.ReadCSV(&f); !errors.Is(err, errDisk) || got.Data != nil {
			t.Errorf("failing at seek %d or read %d: %v, %v", at.seeks, at.reads, got, err)
		}
	}
}
