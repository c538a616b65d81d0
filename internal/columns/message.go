package columns

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const deepest = 24 // structures within each other

// message is one of those that Parquet's metadata are made of [parquet, Thrift]. It is read without a copy: the library's own decoder
// takes memory for whatever a list says of its length and stack for however deep structures lie.
type message struct {
	thrift.BytesReader
	size int
}

func newMessage(b []byte) message {
	return message{new(thrift.CompactProtocol).NewReaderFromBytes(b), len(b)}
}

// fields says where the fields of a structure go, by their numbers: to an *int64, which is 1 for a truth, to a *[]byte, which lies in
// the message, to fields of their own or to a list. Under 0 stands where the number of the last one goes. Others are passed over.
type fields map[int16]any

// list says where the structures of a list go, one after the other, and what is done with each.
type list struct {
	entry fields
	visit func() error
}

// read reads a structure.
func (m message) read(to fields, depth int) error {
	if depth > deepest {
		return wrong("metadata: structures too deep within each other")
	}
	for last := int16(0); ; {
		f, err := m.ReadField()
		if err != nil {
			return wrong("metadata: ends in the middle")
		}
		if f.Type == thrift.STOP {
			return nil
		}
		if f.Delta {
			f.ID += last
		}
		last = f.ID
		if number, ok := to[0].(*int64); ok {
			*number = int64(last)
		}
		if err := m.field(to[last], f.Type, depth); err != nil {
			return err
		}
	}
}

// field reads a field to where it goes, or passes over one that goes nowhere.
func (m message) field(to any, kind thrift.Type, depth int) error {
	switch to := to.(type) {
	case fields:
		if kind == thrift.STRUCT {
			return m.read(to, depth+1)
		}
	case list:
		if kind == thrift.LIST {
			return m.each(to, depth+1)
		}
	}
	number, text, err := m.value(kind, depth)
	switch to := to.(type) {
	case *int64:
		*to = number
	case *[]byte:
		*to = text
	}
	return err
}

// each reads the structures of a list.
func (m message) each(to list, depth int) error {
	l, err := m.listHead(depth)
	if err == nil && l.Size > 0 && l.Type != thrift.STRUCT {
		err = wrong("metadata: a list of something else than structures")
	}
	for i := int32(0); i < l.Size && err == nil; i++ {
		if err = m.read(to.entry, depth+1); err == nil {
			err = to.visit()
		}
	}
	return err
}

// value reads a number or a text, or passes over something else.
func (m message) value(kind thrift.Type, depth int) (number int64, text []byte, err error) {
	what := "ends in the middle"
	switch kind {
	case thrift.TRUE:
		number = 1
	case thrift.FALSE:
	case thrift.I8:
		_, err = m.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		what = "a number without an end"
		number, err = m.ReadInt64()
	case thrift.DOUBLE:
		_, err = m.ReadFloat64()
	case thrift.BINARY:
		text, err = m.ReadBytes()
	case thrift.LIST, thrift.SET:
		return 0, nil, m.list(depth + 1)
	case thrift.MAP:
		return 0, nil, m.pairs(depth + 1)
	case thrift.STRUCT:
		return 0, nil, m.read(nil, depth+1)
	default:
		return 0, nil, wrong("metadata: a value of an unknown type")
	}
	if err != nil {
		err = wrong("metadata: %s", what)
	}
	return number, text, err
}

func (m message) list(depth int) error {
	l, err := m.listHead(depth)
	if err != nil {
		return err
	}
	return m.entries(int(l.Size), depth, l.Type)
}

// listHead reads length and type of a list. Each entry takes at least a byte; a list within another has at most an entry for
// every column.
func (m message) listHead(depth int) (thrift.List, error) {
	l, err := m.ReadList()
	switch {
	case err != nil || int(l.Size) > m.size-m.BytesRead() || depth > 2 && l.Size > mostColumns:
		return thrift.List{}, wrong("metadata: a list longer than the file, or than there are columns")
	case depth > deepest:
		return thrift.List{}, wrong("metadata: lists too deep within each other")
	}
	return l, nil
}

func (m message) pairs(depth int) error {
	p, err := m.ReadMap()
	if err != nil || depth > deepest {
		return wrong("metadata: a map too large or too deep")
	}
	return m.entries(int(p.Size), depth, p.Key, p.Value)
}

// entries passes over the entries of a list or a map, where truth takes a byte of its own.
func (m message) entries(n, depth int, kinds ...thrift.Type) error {
	for range n {
		for _, kind := range kinds {
			if kind == thrift.TRUE || kind == thrift.FALSE {
				kind = thrift.I8
			}
			if _, _, err := m.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
