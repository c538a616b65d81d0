package columns

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
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
	group  rowGroup // the one at hand
}

// element, rowGroup and chunk are what is wanted of the structures that Parquet's metadata are made of [parquet, Thrift].
type element struct {
	Physical   format.Type                           `thrift:"1"`
	Repetition format.FieldRepetitionType            `thrift:"3"`
	Name       string                                `thrift:"4"`
	Children   int32                                 `thrift:"5"`
	Converted  thrift.Null[deprecated.ConvertedType] `thrift:"6"`  // the older way to say what a type means
	Logical    format.LogicalType                    `thrift:"10"` // the newer way
}

type rowGroup struct {
	Columns []struct {
		Meta chunk `thrift:"3"`
	} `thrift:"1"`
	Rows int64 `thrift:"3"`
}

// chunk is where the values of one column in one row group are.
type chunk struct {
	Codec      format.CompressionCodec `thrift:"4"`
	Values     int64                   `thrift:"5"`
	Size       int64                   `thrift:"7"`  // of all pages
	Data       int64                   `thrift:"9"`  // offset
	Dictionary int64                   `thrift:"11"` // offset; at 0 there is none
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

// list decodes into entry one structure after the other of the list with the given number, and the number of rows on the way.
func (f *footer) list(id int16, entry any, visit func() error) error {
	w := walk{newThrift(f.text), len(f.text)}
	for last := int16(0); ; {
		field, err := w.ReadField()
		if err != nil {
			return wrong("metadata: ends in the middle")
		}
		if field.Delta {
			field.ID += last
		}
		last = field.ID
		switch {
		case field.Type == thrift.STOP:
			return nil
		case field.ID == id && field.Type == thrift.LIST:
			err = f.entries(w, entry, visit)
		case field.ID == 3 && field.Type == thrift.I64:
			if f.rows, err = w.ReadInt64(); err != nil {
				err = wrong("metadata: a number without an end")
			}
		default:
			err = w.value(field.Type, 1)
		}
		if err != nil {
			return err
		}
	}
}

// entries decodes the structures of the list at hand, each after it has been walked over.
func (f *footer) entries(w walk, entry any, visit func() error) error {
	list, err := w.listHead(1)
	if err == nil && list.Size > 0 && list.Type != thrift.STRUCT {
		err = wrong("metadata: a list of something else than structures")
	}
	body := newThrift(nil)
	decoder := thrift.NewDecoder(body)
	for i := int32(0); i < list.Size && err == nil; i++ {
		body.ResetBytes(f.text[w.BytesRead():])
		if err = w.value(thrift.STRUCT, 1); err != nil {
			break
		}
		if err = decoder.Decode(entry); err != nil {
			return because("metadata", err)
		}
		err = visit()
	}
	return err
}

// schema reads a root and its leaves: a flat table.
func (f *footer) schema() error {
	root, children := true, int32(0)
	var e element
	err := f.list(2, &e, func() error {
		defer func() { e = element{} }()
		switch {
		case root:
			root, children = false, e.Children
		case e.Children != 0 || e.Repetition == format.Repeated:
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
	if err == nil && int(children) != len(f.leaves) {
		err = wrong("metadata: the root has another number of columns than there are")
	}
	return err
}

// name is a copy: what is decoded lies in the metadata's own bytes.
func (e *element) name() string { return string([]byte(e.Name[:min(len(e.Name), longestName)])) }

// leaf checks that the column holds numbers or texts and says which.
func (e *element) leaf() (leaf, error) {
	number, text, unsigned := e.meant()
	l := leaf{name: e.name(), physical: e.Physical, optional: e.Repetition == format.Optional, unsigned: unsigned}
	if l.isText() && !text || !l.isText() && (l.width() == 0 || !number) {
		return l, wrong("metadata: column %s holds neither plain numbers nor texts", l.name)
	}
	return l, nil
}

// meant tells what the values may stand for; where nothing is said, they stand for themselves.
func (e *element) meant() (number, text, unsigned bool) {
	switch t := e.Logical.Value.(type) {
	case nil:
	case *format.IntType:
		return true, false, !t.IsSigned
	case *format.StringType, *format.EnumType, *format.JsonType:
		return false, true, false
	default:
		return false, false, false
	}
	if !e.Converted.Valid {
		return true, true, false
	}
	switch c := e.Converted.V; c {
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

// chunks calls visit for every column of every row group, in the order of the file; first is the group's first row.
func (f *footer) chunks(visit func(column int, first int64, c chunk) error) error {
	first, g := int64(0), &f.group
	err := f.list(4, g, func() error {
		if len(g.Columns) != len(f.leaves) || g.Rows < 0 || g.Rows > f.rows-first {
			return wrong("metadata: a row group has other columns or rows than the file")
		}
		for i, c := range g.Columns {
			if c.Meta.Values != g.Rows {
				return wrong("metadata: a row group has other rows than it says")
			}
			if err := visit(i, first, c.Meta); err != nil {
				return err
			}
		}
		first += g.Rows
		clear(g.Columns)
		g.Columns, g.Rows = g.Columns[:0], 0
		return nil
	})
	if err == nil && first != f.rows {
		err = wrong("metadata: the row groups have another number of rows than the file")
	}
	return err
}
