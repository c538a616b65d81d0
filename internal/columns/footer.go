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
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	var end [8]byte
	if size < 12 {
		return nil, wrong("%d bytes are no Parquet file", size)
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil {
		return nil, because("read the end", err)
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic || length > size-12 {
		return nil, wrong("no Parquet file: it does not end with %s and a length that fits", magic)
	}
	f := &footer{text: make([]byte, length)}
	if _, err := r.ReadAt(f.text, size-8-length); err != nil {
		return nil, because("read the metadata", err)
	}
	if err := f.schema(); err != nil {
		return nil, err
	}
	if len(f.leaves) == 0 || f.rows < 0 {
		return nil, wrong("metadata: no columns or no rows")
	}
	return f, nil
}

// each reads the structures of the list with the given number, and the number of rows on the way.
func (f *footer) each(id int16, entry fields, visit func() error) error {
	return newMessage(f.text).read(fields{id: list{entry, visit}, 3: &f.rows}, 0)
}

// element is an entry of the schema.
type element struct {
	physical, repetition, children int64
	text                           []byte // its name
	converted                      int64  // the older way to say what a type means, -1 for nothing
	logical, signed                int64  // the newer way: the number of a type, 0 for nothing, and whether numbers have a sign
}

// schema reads a root and its leaves: a flat table.
func (f *footer) schema() error {
	root, children, blank := true, int64(0), element{converted: -1}
	e := blank
	err := f.each(2, fields{
		1: &e.physical, 3: &e.repetition, 4: &e.text, 5: &e.children, 6: &e.converted,
		10: fields{0: &e.logical, logicalNumber: fields{2: &e.signed}},
	}, func() error {
		defer func() { e = blank }()
		switch {
		case root:
			root, children = false, e.children
		case e.children != 0 || e.repetition == int64(format.Repeated):
			return wrong("metadata: column %s is nested; want a flat table", e.name())
		case len(f.leaves) == mostColumns:
			return wrong("metadata: too many columns")
		default:
			l, err := e.leaf()
			f.leaves = append(f.leaves, l)
			return err
		}
		return nil
	})
	if err == nil && children != int64(len(f.leaves)) {
		err = wrong("metadata: the root has another number of columns than there are")
	}
	return err
}

// name is a copy: what is decoded lies in the metadata's own bytes.
func (e *element) name() string { return string(e.text[:min(len(e.text), longestName)]) }

// leaf checks that the column holds numbers or texts and says which.
func (e *element) leaf() (leaf, error) {
	number, text, unsigned := e.meant()
	l := leaf{name: e.name(), physical: format.Type(e.physical), optional: e.repetition == int64(format.Optional), unsigned: unsigned}
	if l.isText() && !text || !l.isText() && (l.width() == 0 || !number) {
		return l, wrong("metadata: column %s holds neither plain numbers nor texts", l.name)
	}
	return l, nil
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
func (f *footer) visit(do func(column int, first int64, c chunk) error) error {
	var c chunk
	var first, rows int64
	column := list{fields{3: fields{4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dictionary}}, func() error {
		f.chunks = append(f.chunks, c)
		c = chunk{}
		return nil
	}}
	err := f.each(4, fields{1: column, 3: &rows}, func() error {
		if len(f.chunks) != len(f.leaves) || rows < 0 || rows > f.rows-first {
			return wrong("metadata: a row group has other columns or rows than the file")
		}
		for i, c := range f.chunks {
			if c.values != rows {
				return wrong("metadata: a row group has other rows than it says")
			}
			if err := do(i, first, c); err != nil {
				return err
			}
		}
		first += rows
		f.chunks, rows = f.chunks[:0], 0
		return nil
	})
	if err == nil && first != f.rows {
		err = wrong("metadata: the row groups have another number of rows than the file")
	}
	return err
}
