package columns

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

func everything(names []string) (places []int, err error) {
	for i := range names {
		places = append(places, i)
	}
	return places, nil
}

// show writes a frame as words and numbers, a row a line.
func show(f *Frame) string {
	var b strings.Builder
	for _, c := range f.Columns {
		b.WriteString(c.Name + "|")
	}
	for i := range f.Rows() {
		b.WriteByte('\n')
		for j, v := range f.Row(i) {
			switch {
			case math.IsNaN(v):
				b.WriteString("-")
			case f.Columns[j].IsText:
				b.WriteString(f.Words[int(v)])
			default:
				b.Write(AppendNumber(nil, v))
			}
			b.WriteByte('|')
		}
	}
	return b.String()
}

// Files as other programs write them [shafranovich2005].
func TestReadCSV(t *testing.T) {
	for src, want := range map[string]string{
		"a,b\n1,x\n2,y\n":                       "a|b|\n1|x|\n2|y|",
		"a,b\r\n1,x\r\n2,y":                     "a|b|\n1|x|\n2|y|",
		"\ufeffa,b\n1,x\n":                      "a|b|\n1|x|",
		"a,b\n1,\"x, \"\"y\"\"\n z\"\n":         "a|b|\n1|x, \"y\"\n z|",
		"a;b\n1.5;x,y\n":                        "a|b|\n1.5|x,y|",
		"a\tb\n1\t\n2\t x \n":                   "a|b|\n1|-|\n2|x|",
		"a, b\n 1 , \"x\"\n":                    "a|b|\n1|x|",
		"\"a;b;c\",d\n1,2\n":                    "a;b;c|d|\n1|2|",
		"a\n1\n\n2\n":                           "a|\n1|\n2|",
		"a,b\nNA,null\nNaN,\nN/A,1e3\n-1,+.5\n": "a|b|\n-|-|\n-|-|\n-|1000|\n-1|0.5|",
		"a,b\n1,0x10\nInfinity,2\n":             "a|b|\n1|0x10|\nInfinity|2|",
		"a,b\n1,1e999\n1_0,2\n":                 "a|b|\n1|1e999|\n1_0|2|",
	} {
		f, err := ReadCSV(t.Context(), strings.NewReader(src), everything, intake.Limits{})
		if err != nil || show(f) != want {
			t.Errorf("%q gives\n%v, %v, want\n%s", src, f, err, want)
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"":                      "table: the file is empty; the first line names the columns",
		"a,b\n":                 "table: there are no rows below the names of the columns",
		"a,a\n1,2\n":            `table: columns 1 and 2 are both called "a"; give one of them another name`,
		"a,\n1,2\n":             "table: column 2 has no name; every column of the first line wants one",
		"a,b\n1,2\n3\n":         "table: row 2 (line 3) has another number of fields than the first line, which names 2 columns",
		"a,b\n1,x\"y\n":         "table: row 1 (line 2): a quote inside of a field; fields with quotes are put in quotes, and theirs are doubled",
		"a;b\n1;2\n\"3,5\";2\n": `table: row 2, column "a": "3,5" has a decimal comma; write numbers with a point`,
		"a,b\n1,\"" + strings.Repeat("x", 3<<20) + "\"\n": "table: row 1: a line of more than 1048576 bytes; is a quote not closed?",
	} {
		if _, err := ReadCSV(t.Context(), strings.NewReader(src), everything, intake.Limits{}); err == nil || err.Error() != want {
			t.Errorf("%.40q gives %v, want %s", src, err, want)
		}
	}
	many := strings.NewReader("a,b\n" + strings.Repeat("1,2\n", 1000))
	if _, err := ReadCSV(t.Context(), many, everything, intake.Limits{Bytes: 15_000}); !errors.Is(err, intake.ErrTooLarge) {
		t.Errorf("16 kB were read into 15: %v", err)
	}
	different := "a\n"
	for i := range 100 {
		different += strings.Repeat("x", i+1) + "\n"
	}
	if _, err := ReadCSV(t.Context(), strings.NewReader(different), everything, intake.Limits{Bytes: 10_000}); !errors.Is(err, intake.ErrTooLarge) {
		t.Errorf("5 kB of texts in 100 words were read into 10: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadCSV(ended, many, everything, intake.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading went on: %v", err)
	}
}

// The same columns come out of all formats; those that nobody wants are not kept.
func TestFramesOfAllFormats(t *testing.T) {
	table := Table{Columns: []Column{{Name: "a", Numbers: []float64{1, math.NaN()}}, {Name: "b", Text: []string{"x", ""}}, {Name: "c", Numbers: []float64{3, 4}}}}
	some := func(names []string) ([]int, error) { return []int{0, slices.Index(names, "c")}, nil }
	var text, parquet bytes.Buffer
	err := errors.Join(table.WriteCSV(&text), table.WriteParquet(&parquet))
	if err != nil {
		t.Fatal(err)
	}
	for i, choose := range []Choice{some, everything} {
		want := map[bool]string{true: "a|c|\n1|3|\n-|4|", false: "a|b|c|\n1|x|3|\n-|-|4|"}[i == 0]
		a, err := ReadCSV(t.Context(), bytes.NewReader(text.Bytes()), choose, intake.Limits{})
		if err != nil || show(a) != want {
			t.Errorf("CSV %v, %v", a, err)
		}
		whole, err := ReadParquet(bytes.NewReader(parquet.Bytes()), int64(parquet.Len()), intake.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := whole.Frame(choose, intake.Limits{}); err != nil || show(b) != want {
			t.Errorf("Parquet %v, %v", b, err)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, src := range []string{"a,b\n1,x\n", "a;b\n\"1;\";2\n", "\ufeffa\tb\n1\t2"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		frame, err := ReadCSV(context.Background(), strings.NewReader(src), everything, intake.Limits{Bytes: 1 << 16})
		if err == nil && frame.Rows()*len(frame.Columns) != len(frame.Data) {
			t.Errorf("%d numbers in %d rows of %d", len(frame.Data), frame.Rows(), len(frame.Columns))
		}
	})
}
