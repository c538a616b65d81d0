package columns

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

const (
	magic       = "PAR1"
	mostColumns = 4096
	longestName = 256
)

// leaf is a column as the schema has it.
type leaf struct {
	name     string
	physical format.Type
	optional bool
	unsigned bool
}

// footer is the metadata of a file. Row groups are not kept but read again whenever they are wanted.
type footer struct {
	text   []byte
	leaves []leaf
	rows   int64
	chunks []chunk // of the row group at hand
}

// chunk is where the values of one column in one row group are.
type chunk struct {
	codec, values    int64
	size             int64 // of all pages
	data, dictionary int64 // offsets; at 0 there is no dictionary
}

// readFooter reads the end of a file and the columns it announces.
func readFooter(r io.ReaderAt, size int64) *footer {
	var end [8]byte
	if size < 12 {
		refuse("%d bytes are no Parquet file", size)
	}
	readAt(r, end[:], size-8, "the end")
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic || length > size-12 {
		refuse("no Parquet file: it does not end with %s and a length that fits", magic)
	}
	f := &footer{text: make([]byte, length)}
	readAt(r, f.text, size-8-length, "the metadata")
	if f.schema(); len(f.leaves) == 0 || f.rows < 0 {
		refuse("metadata: no columns or no rows")
	}
	return f
}

// readAt fills b from an offset on.
func readAt(r io.ReaderAt, b []byte, at int64, what string) {
	if _, err := r.ReadAt(b, at); err != nil {
		panic(because("read "+what, err))
	}
}

// each reads the structures of the list with the given number, and the number of rows on the way.
func (f *footer) each(id int16, entry fields, visit func()) {
	newMessage(f.text).read(fields{id: list{entry, visit}, 3: &f.rows}, 0)
}

// element is an entry of the schema.
type element struct {
	physical, repetition, children int64
	text                           []byte // its name
	converted                      int64  // the older way to say what a type means, -1 for nothing
	logical, signed                int64  // the newer way: the number of a type, 0 for nothing, and whether numbers have a sign
}

// schema reads a root and its leaves: a flat table.
func (f *footer) schema() {
	root, children, blank := true, int64(0), element{converted: -1}
	e := blank
	f.each(2, fields{
		1: &e.physical, 3: &e.repetition, 4: &e.text, 5: &e.children, 6: &e.converted,
		10: fields{0: &e.logical, logicalNumber: fields{2: &e.signed}},
	}, func() {
		switch {
		case root:
			root, children = false, e.children
		case e.children != 0 || e.repetition == int64(format.Repeated):
			refuse("metadata: column %s is nested; want a flat table", e.name())
		case len(f.leaves) == mostColumns:
			refuse("metadata: too many columns")
		default:
			f.leaves = append(f.leaves, e.leaf())
		}
		e = blank
	})
	if children != int64(len(f.leaves)) {
		refuse("metadata: the root has another number of columns than there are")
	}
}

// name is a copy: what is decoded lies in the metadata's own bytes.
func (e *element) name() string { return string(e.text[:min(len(e.text), longestName)]) }

// leaf checks that the column holds numbers or texts and says which.
func (e *element) leaf() leaf {
	number, text, unsigned := e.meant()
	l := leaf{name: e.name(), physical: format.Type(e.physical), optional: e.repetition == int64(format.Optional), unsigned: unsigned}
	if l.isText() && !text || !l.isText() && (l.width() == 0 || !number) {
		refuse("metadata: column %s holds neither plain numbers nor texts", l.name)
	}
	return l
}

// The numbers of the logical types that are read.
const (
	logicalText, logicalEnum, logicalNumber, logicalJSON = 1, 4, 10, 12
)

// meant tells what the values may stand for; where nothing is said, they stand for themselves.
func (e *element) meant() (number, text, unsigned bool) {
	switch e.logical {
	case 0:
	case logicalNumber:
		return true, false, e.signed == 0
	case logicalText, logicalEnum, logicalJSON:
		return false, true, false
	default:
		return false, false, false
	}
	switch c := deprecated.ConvertedType(e.converted); c {
	case -1:
		return true, true, false
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return false, true, false
	default:
		return deprecated.Uint8 <= c && c <= deprecated.Int64, false, c <= deprecated.Uint64
	}
}

func (l *leaf) isText() bool { return l.physical == format.ByteArray }

// width is the size of a number in bytes, 0 if the column holds none.
func (l *leaf) width() int {
	switch l.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	}
	return 0
}

// visit calls do for every column of every row group, in the order of the file; first is the group's first row.
func (f *footer) visit(do func(column int, first int64, c chunk)) {
	var c chunk
	var first, rows int64
	column := list{fields{3: fields{4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dictionary}}, func() {
		f.chunks = append(f.chunks, c)
		c = chunk{}
	}}
	f.chunks = f.chunks[:0]
	f.each(4, fields{1: column, 3: &rows}, func() {
		if len(f.chunks) != len(f.leaves) || rows < 0 || rows > f.rows-first {
			refuse("metadata: a row group has other columns or rows than the file")
		}
		for i, c := range f.chunks {
			if c.values != rows {
				refuse("metadata: a row group has other rows than it says")
			}
			do(i, first, c)
		}
		first += rows
		f.chunks, rows = f.chunks[:0], 0
	})
	if first != f.rows {
		refuse("metadata: the row groups have another number of rows than the file")
	}
}
