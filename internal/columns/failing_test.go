package columns_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
)

var errTired = errors.New("the disk fails")

// tired is a file, or a place for one, that fails after so many calls.
type tired struct {
	*strings.Reader
	left int
	once bool // and works again afterwards
}

func (f *tired) call() error {
	if f.left--; f.left < 0 && !(f.once && f.left < -1) {
		return errTired
	}
	return nil
}

func (f *tired) Read(b []byte) (int, error) {
	if err := f.call(); err != nil {
		return 0, err
	}
	return f.Reader.Read(b)
}

func (f *tired) Seek(to int64, whence int) (int64, error) {
	if err := f.call(); err != nil {
		return 0, err
	}
	return f.Reader.Seek(to, whence)
}

func (f *tired) Write(b []byte) (int, error) { return len(b), f.call() }

// A disk that fails at any call is told of: while a table is read from CSV, in each of its two passes, and while one is written, as CSV and as Parquet.
func TestFailingDisksAreTold(t *testing.T) {
	table := columns.Table{Columns: []columns.Column{{Name: "a", Numbers: []float64{1, 2, 3}}, {Name: "b", Text: []string{"x", "y", "z"}}}}
	all := func([]string) ([]int, error) { return []int{0, 1}, nil }
	for name, use := range map[string]func(f *tired) error{
		"read CSV": func(f *tired) error {
			f.Reader = strings.NewReader("a,b\n" + strings.Repeat("1,x\n", 3000))
			frame, err := columns.ReadCSV(context.Background(), f, all, intake.Limits{})
			if err == nil && len(frame.Data) != 6000 {
				t.Errorf("%d numbers were read", len(frame.Data))
			}
			return err
		},
		"write CSV":     func(f *tired) error { return table.WriteCSV(f) },
		"write Parquet": func(f *tired) error { return table.WriteParquet(f) },
	} {
		whole := &tired{left: 1 << 20}
		if err := use(whole); err != nil {
			t.Fatal(name, err)
		}
		calls := 1<<20 - whole.left
		if calls < 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
		for n := range calls {
			for _, once := range []bool{false, true} {
				if err := use(&tired{left: n, once: once}); !errors.Is(err, errTired) {
					t.Errorf("%s fails after %d of %d calls, once: %t: %v", name, n, calls, once, err)
				}
			}
		}
	}
}

// What is no table is not written, whoever is asked to, and nothing of it is.
func TestTablesThatAreNone(t *testing.T) {
	one := []float64{1}
	for what, list := range map[string][]columns.Column{
		"has no name":           {{Numbers: one}},
		"two columns":           {{Name: "a", Numbers: one}, {Name: "a", Numbers: one}},
		"has texts and numbers": {{Name: "a", Numbers: one, Text: []string{"x"}}},
		"has 2 rows":            {{Name: "a", Numbers: one}, {Name: "b", Numbers: []float64{1, 2}}},
	} {
		table := columns.Table{Columns: list}
		for name, write := range map[string]func(w io.Writer) error{
			"CSV": table.WriteCSV, "Parquet": table.WriteParquet,
			"a batch": func(io.Writer) error { return columns.NewWriter(io.Discard, columns.Field{Name: "a"}).Write(table) },
		} {
			var b bytes.Buffer
			if err := write(&b); err == nil || !strings.Contains(err.Error(), what) || b.Len() > 0 {
				t.Errorf("%s: %v, %d bytes, want %q", name, err, b.Len(), what)
			}
		}
	}
	if err := (columns.Table{}).WriteParquet(io.Discard); err == nil {
		t.Error("a table without columns is written")
	}
	for what, x := range map[string]struct {
		field columns.Field
		c     columns.Column
	}{
		"is \"b\"": {columns.Field{Name: "a"}, columns.Column{Name: "b", Numbers: one}}, "contents": {columns.Field{Name: "a"}, columns.Column{Name: "a", Text: []string{"x"}}},
		"no whole number": {columns.Field{Name: "a", Kind: columns.Whole}, columns.Column{Name: "a", Numbers: []float64{1.5}}}, "the file has 1": {columns.Field{Name: "a"}, columns.Column{}},
	} {
		batch := columns.Table{Columns: []columns.Column{x.c}}
		if x.c.Name == "" {
			batch.Columns = nil
		}
		if err := columns.NewWriter(io.Discard, x.field).Write(batch); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a batch: %v, want %q", err, what)
		}
	}
}

// edited is a file that somebody writes to between two readings.
type edited struct {
	*strings.Reader
	next string
	seen int
}

func (f *edited) Seek(to int64, whence int) (int64, error) {
	if f.seen++; f.seen == 2 {
		f.Reader = strings.NewReader(f.next)
	}
	return f.Reader.Seek(to, whence)
}

// A file that is changed while it is read is refused, unless rows were only added: those that were checked are kept.
func TestFilesThatChangeAreTold(t *testing.T) {
	all := func([]string) ([]int, error) { return []int{0, 1}, nil }
	for name, next := range map[string]string{
		"a row less": "a,b\n1,2\n", "a text": "a,b\n1,2\n3,x\n", "other names": "b,a\n1,2\n3,4\n", "a column less": "a\n1\n3\n",
		"added to": "a,b\n1,2\n3,4\n5,x\n",
	} {
		frame, err := columns.ReadCSV(context.Background(), &edited{Reader: strings.NewReader("a,b\n1,2\n3,4\n"), next: next}, all, intake.Limits{})
		if name == "added to" {
			if err != nil || !slices.Equal(frame.Data, []float64{1, 2, 3, 4}) {
				t.Errorf("%s: %v, %v", name, err, frame)
			}
		} else if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A choice that cannot be made is told of, and so is a context that has ended.
func TestReadingCSVEnds(t *testing.T) {
	none := func([]string) ([]int, error) { return nil, errTired }
	if _, err := columns.ReadCSV(context.Background(), strings.NewReader("a,b\n1,2\n"), none, intake.Limits{}); !errors.Is(err, errTired) {
		t.Errorf("no choice: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	all := func([]string) ([]int, error) { return []int{0, 1}, nil }
	if _, err := columns.ReadCSV(ctx, strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 100_000)), all, intake.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
