package columns

import (
	"encoding/binary"
	"io"
	"math"
)

// Physical types of Parquet that are read.
const (
	typeInt32  = 1
	typeInt64  = 2
	typeFloat  = 4
	typeDouble = 5
	typeBytes  = 6
)

const (
	magic       = "PAR1"
	mostColumns = 4096
	longestName = 256
)

// leaf is a column as the schema has it.
type leaf struct {
	name     string
	physical int8
	optional bool
	unsigned bool
}

// chunk is where the values of one column in one row group are.
type chunk struct {
	codec            int32
	values           int64
	data, dictionary int64 // offsets; a dictionary at 0 is none
	size             int64 // of all pages
}

// footer is the metadata of a file. Chunks are not kept but read again whenever they are wanted.
type footer struct {
	text   []byte
	leaves []leaf
	rows   int64
}

// readFooter reads the end of a file and the columns it announces.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	var end [8]byte
	if size < 12 {
		return nil, wrong("%d bytes are no Parquet file", size)
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil {
		return nil, &Error{"read the end", err}
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic || length > size-12 {
		return nil, wrong("no Parquet file: it does not end with %s and a length that fits", magic)
	}
	f := &footer{text: make([]byte, length)}
	if _, err := r.ReadAt(f.text, size-8-length); err != nil {
		return nil, &Error{"read the metadata", err}
	}
	return f, f.parse()
}

// parse reads schema and number of rows.
func (f *footer) parse() error {
	t := &thrift{rest: f.text}
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 2 && kind == thriftList:
			f.schema(t)
		case id == 3 && kind == thriftI64:
			f.rows = t.int()
		default:
			return false
		}
		return true
	})
	if t.err == nil && (len(f.leaves) == 0 || f.rows < 0) {
		t.fail("no columns or no rows")
	}
	return t.err
}

// schema reads a root and its leaves: a flat table.
func (f *footer) schema(t *thrift) {
	root, children := true, int32(0)
	t.list(func() {
		e := element{leaf: leaf{physical: -1}}
		e.read(t)
		switch {
		case t.err != nil:
		case root:
			root, children = false, e.children
		case e.children != 0 || e.repetition == 2:
			t.fail("column " + e.name + " is nested; want a flat table")
		case len(f.leaves) == mostColumns:
			t.fail("too many columns")
		default:
			f.leaves = append(f.leaves, e.plain(t))
		}
	})
	if t.err == nil && int(children) != len(f.leaves) {
		t.fail("the root has another number of columns than there are")
	}
}

// element is an entry of the schema.
type element struct {
	leaf
	repetition, children int32
	converted            int32 // the older way to say what a type means, plus one
	logical              int16 // the newer way
}

func (e *element) read(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			e.physical = int8(max(-1, min(t.int32(), math.MaxInt8)))
		case id == 3 && kind == thriftI32:
			e.repetition = t.int32()
		case id == 4 && kind == thriftBinary:
			name := t.bytes()
			e.name = string(name[:min(len(name), longestName)])
		case id == 5 && kind == thriftI32:
			e.children = t.int32()
		case id == 6 && kind == thriftI32:
			e.converted = t.int32() + 1
		case id == 10 && kind == thriftStruct:
			e.meaning(t)
		default:
			return false
		}
		return true
	})
}

// meaning reads which logical type is meant; of integers, whether they have a sign.
func (e *element) meaning(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		e.logical = id
		if id != logicalInteger || kind != thriftStruct {
			return false
		}
		t.fields(func(id int16, kind byte) bool {
			e.unsigned = e.unsigned || id == 2 && kind == thriftFalse
			return false
		})
		return true
	})
}

const logicalInteger = 10

// plain checks that the column holds numbers or texts and says which.
func (e *element) plain(t *thrift) leaf {
	e.optional = e.repetition == 1
	number, text := e.meant()
	if e.isText() && !text || !e.isText() && (e.width() == 0 || !number) {
		t.fail("column " + e.name + " holds neither plain numbers nor texts")
	}
	return e.leaf
}

// meant tells what the values may stand for; where nothing is said, they stand for themselves.
func (e *element) meant() (number, text bool) {
	switch e.logical {
	case 0:
	case logicalInteger:
		return true, false
	case 1, 4, 12: // string, enum, JSON
		return false, true
	default:
		return false, false
	}
	c := e.converted - 1
	e.unsigned = 11 <= c && c <= 14
	return c == -1 || 11 <= c && c <= 18, c == -1 || c == 0 || c == 4 || c == 19
}

func (l *leaf) isText() bool { return l.physical == typeBytes }

// width is the size of a number in bytes, 0 if the column holds none.
func (l *leaf) width() int {
	switch l.physical {
	case typeInt32, typeFloat:
		return 4
	case typeInt64, typeDouble:
		return 8
	}
	return 0
}

// chunks calls visit for every column of every row group, in the order of the file; first is the group's first row.
func (f *footer) chunks(visit func(column int, first int64, c chunk) error) error {
	t := &thrift{rest: f.text}
	var first int64
	t.fields(func(id int16, kind byte) bool {
		if id != 4 || kind != thriftList {
			return false
		}
		t.list(func() { first += f.group(t, first, visit) })
		return true
	})
	if t.err == nil && first != f.rows {
		t.fail("the row groups have another number of rows than the file")
	}
	return t.err
}

// group visits the columns of one row group and returns its number of rows.
func (f *footer) group(t *thrift, first int64, visit func(column int, first int64, c chunk) error) (rows int64) {
	column, said := 0, int64(-1)
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func() {
				c := readChunk(t)
				if column == 0 {
					rows = c.values
				}
				if column >= len(f.leaves) || c.values != rows || rows < 0 || rows > f.rows-first {
					t.fail("a row group has other columns or rows than the file")
				}
				if t.err == nil {
					t.stop(visit(column, first, c))
				}
				column++
			})
		case id == 3 && kind == thriftI64:
			said = t.int()
		default:
			return false
		}
		return true
	})
	if column != len(f.leaves) || said != rows {
		t.fail("a row group has other columns or rows than it says")
	}
	return rows
}

// readChunk reads where a column of a row group is.
func readChunk(t *thrift) chunk {
	c := chunk{codec: -1, values: -1, data: -1, size: -1}
	t.fields(func(id int16, kind byte) bool {
		if id != 3 || kind != thriftStruct {
			return false
		}
		c.read(t)
		return true
	})
	return c
}

func (c *chunk) read(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 4 && kind == thriftI32:
			c.codec = t.int32()
		case id == 5 && kind == thriftI64:
			c.values = t.int()
		case id == 7 && kind == thriftI64:
			c.size = t.int()
		case id == 9 && kind == thriftI64:
			c.data = t.int()
		case id == 11 && kind == thriftI64:
			c.dictionary = t.int()
		default:
			return false
		}
		return true
	})
}
