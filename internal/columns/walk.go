package columns

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const deepest = 24 // structures within each other

func newThrift(b []byte) thrift.BytesReader { return new(thrift.CompactProtocol).NewReaderFromBytes(b) }

// walk passes over a message before the library decodes it, which takes memory for whatever a list says of its length and
// stack for however deep structures lie.
type walk struct {
	thrift.BytesReader
	size int
}

// value passes over a value.
func (w walk) value(kind thrift.Type, depth int) (err error) {
	what := "ends in the middle"
	switch kind {
	case thrift.TRUE, thrift.FALSE:
	case thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		what = "a number without an end"
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes()
	case thrift.LIST, thrift.SET:
		return w.list(depth + 1)
	case thrift.MAP:
		return w.pairs(depth + 1)
	case thrift.STRUCT:
		return w.fields(depth + 1)
	default:
		return wrong("metadata: a value of an unknown type")
	}
	if err != nil {
		return wrong("metadata: %s", what)
	}
	return nil
}

func (w walk) fields(depth int) error {
	if depth > deepest {
		return wrong("metadata: structures too deep within each other")
	}
	for {
		f, err := w.ReadField()
		if err != nil {
			return wrong("metadata: ends in the middle")
		}
		if f.Type == thrift.STOP {
			return nil
		}
		if err := w.value(f.Type, depth); err != nil {
			return err
		}
	}
}

func (w walk) list(depth int) error {
	l, err := w.listHead(depth)
	if err != nil {
		return err
	}
	return w.entries(int(l.Size), depth, l.Type)
}

// listHead reads length and type of a list. Each entry takes at least a byte; a list within another has at most an entry for
// every column.
func (w walk) listHead(depth int) (thrift.List, error) {
	l, err := w.ReadList()
	switch {
	case err != nil || int(l.Size) > w.size-w.BytesRead() || depth > 2 && l.Size > mostColumns:
		return thrift.List{}, wrong("metadata: a list longer than the file, or than there are columns")
	case depth > deepest:
		return thrift.List{}, wrong("metadata: lists too deep within each other")
	}
	return l, nil
}

func (w walk) pairs(depth int) error {
	m, err := w.ReadMap()
	if err != nil || depth > deepest {
		return wrong("metadata: a map too large or too deep")
	}
	return w.entries(int(m.Size), depth, m.Key, m.Value)
}

// entries passes over the entries of a list or a map, where truth takes a byte of its own.
func (w walk) entries(n, depth int, kinds ...thrift.Type) error {
	for range n {
		for _, kind := range kinds {
			if kind == thrift.TRUE || kind == thrift.FALSE {
				kind = thrift.I8
			}
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
