package census

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/stream"
)

const customers = "name,income,age,region,w,home town\nJo,32000,44,north,1,A\nLee,51000,17,south,2,B\nNg,28000,63,north,0.5,A\nKim,,30,south,1,\nAda,90000,38,\"east, far\",2,C\n"

// files are tables of all formats, right and wrong.
func files(t *testing.T) fstest.MapFS {
	table := columns.Table{Columns: []columns.Column{{Name: "x", Numbers: []float64{1, 2, math.NaN()}}, {Name: "y", Numbers: []float64{4, -5, 6}}}}
	named := columns.Table{Columns: append(table.Columns[:2:2], columns.Column{Name: "word", Text: []string{"b", "a", "b"}})}
	var matrix, texts, zip, square, array bytes.Buffer
	if err := errors.Join(table.WriteParquet(&matrix), named.WriteParquet(&texts),
		npy.WriteZip(&zip, npy.Named{Name: "x", Array: npy.Array{Shape: []int{3}, Data: []float64{1, 2, 3}}}, npy.Named{Name: "y", Array: npy.Array{Shape: []int{3}, Data: []float64{4, 5, 6}}}),
		npy.WriteZip(&square, npy.Named{Name: "x", Array: npy.Array{Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}}}),
		npy.Write(&array, npy.Array{Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}})); err != nil {
		t.Fatal(err)
	}
	var wide, long strings.Builder
	for i := range 25 {
		fmt.Fprintf(&wide, "column %d,", i)
	}
	wide.WriteString("z`\n" + strings.Repeat("1,", 25) + "1\n")
	long.WriteString("x,g\n")
	for i := range 9001 {
		fmt.Fprintf(&long, "%d,%d\n", i, i%1001)
	}
	list := fstest.MapFS{}
	for name, data := range map[string]string{"c.csv": customers, "c.tsv": "a\tb\n1\t2\n", "n.csv": "1,2\n3,4\n", "x.parquet": matrix.String(), "w.parquet": texts.String(), "x.npz": zip.String(), "s.npz": square.String(), "a.npy": array.String(),
		"none.csv": "x,y\n", "empty.csv": "", "bad.csv": "x,y\n1\n", "wide.csv": wide.String(), "long.csv": long.String(), "bad.parquet": "PAR1", "bad.npz": "PK", "bad.npy": "no", "x.txt": "1", "odd.csv": "x_0,y9,aA,zZ,m{,m`x,m[,m@,m:,m/,é\n-1,2,3,4,5,6,7,8,9,10,11\n"} {
		list[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return list
}

// queries are asked of tables, right and wrong.
func queries() []Query {
	people := func(q Query) Query { q.File = "c.csv"; return q }
	return []Query{
		people(Query{Traits: []string{"age/10"}}), people(Query{Traits: []string{"age", "age*2"}, States: []string{"w", "-age"}, Weight: "w", Group: "region"}), people(Query{Traits: []string{"income"}}), people(Query{Traits: []string{"income", "age"}, Where: "not missing(income)"}),
		people(Query{Traits: []string{"fill(income, 0)"}}), people(Query{Traits: []string{"age"}, Group: "age"}), people(Query{Traits: []string{"age"}, Group: "`home town`"}), people(Query{Traits: []string{"age"}, Group: "w", Where: "age > 20"}), people(Query{Traits: []string{"age"}, Where: "age > 99"}),
		people(Query{Traits: []string{"age"}, Where: "age"}), people(Query{Traits: []string{"agee"}}), people(Query{Traits: []string{"zzzzzzz"}}), people(Query{Traits: []string{"hometown"}}), people(Query{Traits: []string{"age +"}, Weight: "("}), people(Query{Traits: []string{"1"}}), people(Query{Traits: []string{"pi"}}), people(Query{Traits: []string{"name"}}),
		people(Query{Traits: []string{"1/(age - 17)"}}), people(Query{Traits: []string{"log(age - 18)"}, Where: "region == \"south\""}), people(Query{Traits: []string{"age"}, Weight: "w - 1"}), people(Query{Traits: []string{"age"}, Weight: "w - 0.5"}), people(Query{Traits: []string{"age"}, Group: "income"}), people(Query{Traits: []string{"age"}, Group: "region", Where: "region != \"north\""}),
		people(Query{Traits: []string{"age"}, States: []string{"region"}}), people(Query{Traits: []string{"1/(age-17)"}, Group: "region"}), people(Query{Traits: []string{"age/(income - 32000)"}, Where: "region == \"north\""}), people(Query{Traits: []string{"onehot(region)"}}),
		people(Query{Traits: []string{"age/(w - 1) + (region == \"north\")"}}),
		{File: "c.tsv", Traits: []string{"a", "b"}}, {File: "x.parquet", Traits: []string{"y"}}, {File: "x.parquet", Traits: []string{"x"}}, {File: "w.parquet", Traits: []string{"y"}, Group: "word"}, {File: "x.npz", Traits: []string{"x + y"}}, {File: "s.npz", Traits: []string{"x"}}, {File: "a.npy", Traits: []string{"x"}},
		{File: "none.csv", Traits: []string{"x"}}, {File: "empty.csv", Traits: []string{"x"}}, {File: "bad.csv", Traits: []string{"x"}}, {File: "wide.csv", Traits: []string{"q"}}, {File: "wide.csv", Traits: []string{"`column 3`"}}, {File: "wide.csv", Traits: []string{"1"}}, {File: "long.csv", Traits: []string{"x"}, Group: "g"}, {File: "long.csv", Traits: []string{"x/(x - 5000)"}}, {File: "long.csv", Traits: []string{"x"}, Group: "g", Where: "g != 7 and x > 8990"}, {File: "long.csv", Traits: []string{"x"}, Group: "g", Where: "g != 7"},
		{File: "odd.csv", Traits: []string{"qqqqqq"}}, {File: "odd.csv", Traits: []string{"y9"}, Weight: "x_0"},
		{File: "bad.parquet", Traits: []string{"x"}}, {File: "bad.npz", Traits: []string{"x"}}, {File: "x.txt", Traits: []string{"x"}}, {File: "nowhere.csv", Traits: []string{"x"}},
	}
}

func told(p *People, err error) string {
	if err != nil {
		of := (*FileError)(nil)
		return fmt.Sprintf("%T %v of a file %v", err, err, errors.As(err, &of))
	}
	n := min(12, len(p.Traits.Data))
	return fmt.Sprintf("%d of %d people: traits %v %q %d states %v %q %d weights %v groups %v %.30q notes %q", p.Size(), p.Rows, p.Traits.Data[:n], p.TraitNames, p.Traits.Width, p.States.Data, p.StateNames, p.States.Width, p.Weights, p.Groups[:min(12, len(p.Groups))], p.GroupNames[:min(12, len(p.GroupNames))], p.Notes)
}

// People are gathered and refused as when this was recorded.
func TestPeopleAreGatheredAsRecorded(t *testing.T) {
	var got []string
	all := files(t)
	for _, q := range queries() {
		for _, size := range []int{0, 2, 5, 6} {
			if q.File != "c.csv" && size > 2 {
				continue
			}
			p, err := q.Gather(Gathering{Files: all, Size: size, Draw: stream.New(7)})
			got = append(got, fmt.Sprintf("%+v %d: %s", q, size, told(p, err)))
		}
		got = append(got, fmt.Sprintf("  %v", q.Mistakes()))
	}
	evidence.AsRecorded(t, "testdata/people.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Formulas of rows are tabulated as when this was recorded.
func TestRowsAreTabulatedAsRecorded(t *testing.T) {
	var got []string
	all := files(t)
	field := func(name, body string) formula.TableField { return formula.TableField{Name: name, Body: body} }
	where := formula.TableField{Name: "where", Body: "age > 20", Wants: formula.GivesCondition}
	for _, s := range []Tabulation{
		{File: "c.csv", Fields: []formula.TableField{field("a", "age"), field("i", "income")}}, {File: "c.csv", Where: where, Fields: []formula.TableField{field("a", "age"), field("w", "w/2")}}, {File: "c.csv", Where: where, Fields: []formula.TableField{field("a", "age +"), field("w", ")")}},
		{File: "c.csv", Where: where, Fields: []formula.TableField{field("i", "income/10"), field("a", "1/(age - 63)")}}, {File: "nowhere.csv", Fields: []formula.TableField{field("a", "x")}}, {File: "none.csv", Fields: []formula.TableField{field("a", "x")}},
	} {
		for _, s.Drop = range []bool{false, true} {
			out, err := s.Compute(Gathering{Files: all})
			line := fmt.Sprintf("%+v: %v %v", s, err, s.Mistakes())
			if err == nil {
				line += fmt.Sprintf("; %v rows %v of %d, %d left out, last %v %q", out.Data, out.Rows, out.Total, out.Left, out.Row(len(out.Rows)-1), out.Notes)
			}
			got = append(got, line)
		}
	}
	evidence.AsRecorded(t, "testdata/tabulated.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Rows of numbers are read as when this was recorded.
func TestTablesAreReadAsRecorded(t *testing.T) {
	var got []string
	all := files(t)
	for _, name := range []string{"n.csv", "c.csv", "a.npy", "x.npz", "s.npz", "x.parquet", "w.parquet", "bad.npy", "bad.npz", "bad.parquet", "x.txt", "empty.csv", "nowhere.csv"} {
		for _, array := range []string{"", "x", "z"} {
			table, err := ReadTable(all, name, array)
			got = append(got, fmt.Sprintf("%s %q: %v %d %v", name, array, table.Data, table.Width, err))
		}
	}
	evidence.AsRecorded(t, "testdata/tables.txt", got)
}

var errDisk = errors.New("the disk is gone")

// plainFS has files of which only the beginning can be read, or that cannot be moved in.
type plainFS struct {
	fs.FS
	broken int // 1: reading, 2: finding the end, 3: going back
}

type stiff struct {
	fs.File
	broken int
}

func (s stiff) Read(p []byte) (int, error) {
	if s.broken == 1 {
		return 0, errDisk
	}
	return s.File.Read(p)
}

type moved struct{ stiff }

func (m moved) Seek(at int64, whence int) (int64, error) {
	if m.broken == 2+map[int]int{2: 0, 0: 1}[whence] {
		return 0, errDisk
	}
	return 4, nil
}
func (m moved) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

func (p plainFS) Open(name string) (fs.File, error) {
	file, err := p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if p.broken > 1 {
		return moved{stiff{file, p.broken}}, nil
	}
	return stiff{file, p.broken}, nil
}

// A file that cannot be moved in is read all the same, and what a disk does wrong is told.
func TestFilesOfAllSorts(t *testing.T) {
	all := files(t)
	for broken := range 4 {
		table, err := ReadTable(plainFS{all, broken}, "n.csv", "")
		if broken > 0 && !errors.Is(err, errDisk) || broken == 0 && (err != nil || fmt.Sprint(table.Data) != "[1 2 3 4]") {
			t.Errorf("%d: %v, %v", broken, table.Data, err)
		}
		_, err = (&Query{File: "c.csv", Traits: []string{"age"}}).Gather(Gathering{Files: plainFS{all, broken}})
		if of := (*FileError)(nil); (broken > 0) != errors.Is(err, errDisk) || broken > 0 && (!errors.As(err, &of) || of.Name != "c.csv") {
			t.Errorf("%d: %v", broken, err)
		}
	}
}

// What is ended ends, and no more is read than may be.
func TestGatheringEnds(t *testing.T) {
	all := files(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"long.csv", "x.parquet"} {
		if _, err := (&Query{File: name, Traits: []string{map[string]string{"long.csv": "x", "x.parquet": "y"}[name]}}).Gather(Gathering{Within: ctx, Files: all}); err != context.Canceled {
			t.Errorf("%s: %v, want that it was ended", name, err)
		}
	}
	for most, fits := range map[int64]bool{1: false, 1 << 20: true} {
		if _, err := (&Query{File: "long.csv", Traits: []string{"x"}}).Gather(Gathering{Files: all, Most: most}); (err == nil) != fits {
			t.Errorf("%d bytes: %v", most, err)
		}
	}
}
