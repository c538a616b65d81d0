package columns

import (
	"cmp"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Kind is what a column of a file holds.
type Kind int

// The kinds of columns.
const (
	Number Kind = iota // double, null for NaN
	Whole              // int32, never null
	Text               // string with a dictionary, never null
)

// Field is a column of a file to be written.
type Field struct {
	Name string
	Kind Kind
}

const (
	groupRows = 1 << 18 // rows of a row group: what a writer keeps in memory
	batchRows = 1 << 10
	pageBytes = 256 << 10
)

// Writer writes a Parquet file batch by batch: zstd, at most 262 144 rows in memory. Equal batches make equal bytes: nothing
// in the file depends on clock, host or library.
type Writer struct {
	fields []Field
	file   *parquet.GenericWriter[any]
	rows   []parquet.Row
	values []parquet.Value
}

// NewWriter returns a writer of a file with the given columns, in their order.
func NewWriter(w io.Writer, fields ...Field) *Writer {
	x := &Writer{
		fields: fields, rows: make([]parquet.Row, batchRows), values: make([]parquet.Value, batchRows*len(fields)),
		file: parquet.NewGenericWriter[any](w, schemaOf(fields), parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.CreatedBy("kedge", "1", "0"),
			parquet.MaxRowsPerRowGroup(groupRows), parquet.PageBufferSize(pageBytes)),
	}
	for i := range x.rows {
		x.rows[i] = x.values[i*len(fields) : (i+1)*len(fields) : (i+1)*len(fields)]
	}
	return x
}

// Write adds the rows of a table whose columns are those of the file.
func (w *Writer) Write(t Table) error {
	if err := w.check(t); err != nil {
		return err
	}
	for first := 0; first < t.Rows(); first += batchRows {
		rows := w.rows[:min(batchRows, t.Rows()-first)]
		for c := range t.Columns {
			for i := range rows {
				rows[i][c] = w.value(&t.Columns[c], c, first+i)
			}
		}
		if _, err := w.file.WriteRows(rows); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is left and the end of the file.
func (w *Writer) Close() error { return w.file.Close() }

// check tells whether a batch has the columns of the file and whole numbers where it wants them.
func (w *Writer) check(t Table) error {
	if err := t.Check(); err != nil {
		return err
	}
	if len(t.Columns) != len(w.fields) {
		return wrong("%d columns, the file has %d", len(t.Columns), len(w.fields))
	}
	for i, f := range w.fields {
		c := &t.Columns[i]
		if c.Name != f.Name || t.Rows() > 0 && (c.Text != nil) != (f.Kind == Text) {
			return wrong("column %d is %q, want %q with the contents it was announced with", i, c.Name, f.Name)
		}
		for _, v := range c.Numbers {
			if f.Kind == Whole && float64(int32(v)) != v {
				return wrong("column %q: %v is no whole number of 32 bits", c.Name, v)
			}
		}
	}
	return nil
}

func (w *Writer) value(c *Column, column, row int) parquet.Value {
	switch w.fields[column].Kind {
	case Text:
		return parquet.ByteArrayValue([]byte(c.Text[row])).Level(0, 0, column)
	case Whole:
		return parquet.Int32Value(int32(c.Numbers[row])).Level(0, 0, column)
	}
	if v := c.Numbers[row]; !math.IsNaN(v) {
		return parquet.DoubleValue(v).Level(0, 1, column)
	}
	return parquet.NullValue().Level(0, 0, column)
}

// WriteParquet writes the table as a Parquet file; docs/formats/run.md says how it is laid out.
func (t Table) WriteParquet(w io.Writer) error {
	if err := t.Check(); err != nil {
		return err
	}
	if len(t.Columns) == 0 {
		return wrong("no columns")
	}
	fields := make([]Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = Field{Name: c.Name}
		if c.Text != nil {
			fields[i].Kind = Text
		}
	}
	x := NewWriter(w, fields...)
	if err := x.Write(t); err != nil {
		return err
	}
	return x.Close()
}

// ordered is a group whose fields stay in the order they were given in.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

func schemaOf(fields []Field) *parquet.Schema {
	o, place := ordered{Group: parquet.Group{}}, map[string]int{}
	for i, f := range fields {
		o.Group[f.Name], place[f.Name] = nodeOf(f.Kind), i
	}
	o.fields = o.Group.Fields()
	slices.SortFunc(o.fields, func(a, b parquet.Field) int { return cmp.Compare(place[a.Name()], place[b.Name()]) })
	return parquet.NewSchema("kedge", o)
}

func nodeOf(k Kind) parquet.Node {
	switch k {
	case Text:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case Whole:
		return parquet.Int(32)
	}
	return parquet.Optional(parquet.Leaf(parquet.DoubleType))
}
