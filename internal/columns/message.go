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
	visit func()
}

// whole refuses a message of which a part is not all there.
func whole(err error, what string) {
	if err != nil {
		refuse("metadata: %s", what)
	}
}

// read reads a structure.
func (m message) read(to fields, depth int) {
	if depth > deepest {
		refuse("metadata: structures too deep within each other")
	}
	for last := int16(0); ; {
		f, err := m.ReadField()
		whole(err, "ends in the middle")
		if f.Type == thrift.STOP {
			return
		}
		if f.Delta {
			f.ID += last
		}
		last = f.ID
		if number, ok := to[0].(*int64); ok {
			*number = int64(last)
		}
		m.field(to[last], f.Type, depth)
	}
}

// field reads a field to where it goes, or passes over one that goes nowhere.
func (m message) field(to any, kind thrift.Type, depth int) {
	inner, isStructure := to.(fields)
	entries, isList := to.(list)
	switch {
	case isStructure && kind == thrift.STRUCT:
		m.read(inner, depth+1)
		return
	case isList && kind == thrift.LIST:
		m.each(entries, depth+1)
		return
	}
	number, text := m.value(kind, depth)
	switch to := to.(type) {
	case *int64:
		*to = number
	case *[]byte:
		*to = text
	}
}

// each reads the structures of a list.
func (m message) each(to list, depth int) {
	l := m.listHead(depth)
	if l.Size > 0 && l.Type != thrift.STRUCT {
		refuse("metadata: a list of something else than structures")
	}
	for range l.Size {
		m.read(to.entry, depth+1)
		to.visit()
	}
}

// value reads a number or a text, or passes over something else.
func (m message) value(kind thrift.Type, depth int) (number int64, text []byte) {
	var err error
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
		l := m.listHead(depth + 1)
		m.entries(l.Size, depth+1, l.Type)
	case thrift.MAP:
		p, err := m.ReadMap()
		whole(err, "a map too large")
		m.entries(p.Size, depth+1, p.Key, p.Value)
	case thrift.STRUCT:
		m.read(nil, depth+1)
	default:
		refuse("metadata: a value of an unknown type")
	}
	whole(err, what)
	return number, text
}

// listHead reads length and type of a list. Each entry takes at least a byte; a list within another has at most an entry for
// every column.
func (m message) listHead(depth int) thrift.List {
	l, err := m.ReadList()
	if err != nil || int(l.Size) > m.size-m.BytesRead() || depth > 2 && l.Size > mostColumns {
		refuse("metadata: a list longer than the file, or than there are columns")
	}
	return l
}

// entries passes over the entries of a list or a map, where truth takes a byte of its own.
func (m message) entries(n int32, depth int, kinds ...thrift.Type) {
	if depth > deepest {
		refuse("metadata: lists or maps too deep within each other")
	}
	for range n {
		for _, kind := range kinds {
			if kind == thrift.TRUE || kind == thrift.FALSE {
				kind = thrift.I8
			}
			m.value(kind, depth)
		}
	}
}
