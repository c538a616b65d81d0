package columns

import (
	"encoding/binary"
	"math"
)

// Types of Thrift's compact protocol [parquet, Thrift].
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

const deepest = 24 // structures within each other

// thrift reads a compact message from the left without taking memory for it. After its first error it is at its end.
type thrift struct {
	rest  []byte
	depth int
	err   error
}

func (t *thrift) fail(what string) { t.stop(wrong("metadata: %s", what)) }

// stop ends the reading if there is an error.
func (t *thrift) stop(err error) {
	if err == nil {
		return
	}
	if t.err == nil {
		t.err = err
	}
	t.rest = nil
}

// take returns the next n bytes.
func (t *thrift) take(n uint64) []byte {
	if n > uint64(len(t.rest)) {
		t.fail("ends in the middle")
		return nil
	}
	b := t.rest[:n]
	t.rest = t.rest[n:]
	return b
}

func (t *thrift) byte() byte {
	b := t.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.rest)
	if n <= 0 {
		t.fail("a number without an end")
		return 0
	}
	t.rest = t.rest[n:]
	return v
}

// int reads a number in zigzag form.
func (t *thrift) int() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// int32 reads a number that fits 32 bits.
func (t *thrift) int32() int32 {
	v := t.int()
	if v != int64(int32(v)) {
		t.fail("a number is too large")
	}
	return int32(v)
}

func (t *thrift) bytes() []byte { return t.take(t.uvarint()) }

// fields calls read for every field of a structure. What read leaves alone, by returning false, is skipped.
func (t *thrift) fields(read func(id int16, kind byte) bool) {
	if t.depth++; t.depth > deepest {
		t.fail("structures too deep within each other")
	}
	for id := int16(0); t.err == nil; {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta > 0 {
			id += int16(delta)
		} else {
			id = int16(t.int())
		}
		if kind := head & 15; !read(id, kind) {
			t.skip(kind)
		}
	}
	t.depth--
}

// list calls read for every element of a list of structures.
func (t *thrift) list(read func()) {
	n, kind := t.listHead()
	if kind != thriftStruct && n > 0 {
		t.fail("a list of something else than structures")
	}
	for ; n > 0 && t.err == nil; n-- {
		read()
	}
}

// listHead reads length and type of a list; every element takes at least a byte.
func (t *thrift) listHead() (n uint64, kind byte) {
	head := t.byte()
	if n = uint64(head >> 4); n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.rest)) {
		t.fail("a list longer than the file")
		return 0, 0
	}
	return n, head & 15
}

// skip passes over a value.
func (t *thrift) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.take(1)
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.take(8)
	case thriftBinary:
		t.bytes()
	case thriftList, thriftSet:
		t.skipList()
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.fields(func(int16, byte) bool { return false })
	default:
		t.fail("a value of an unknown type")
	}
}

func (t *thrift) skipList() {
	n, kind := t.listHead()
	if t.depth++; t.depth > deepest {
		t.fail("lists too deep within each other")
	}
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(kind)
	}
	t.depth--
}

func (t *thrift) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	if t.depth++; n > math.MaxInt32 || t.depth > deepest {
		t.fail("a map too large or too deep")
	}
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
	t.depth--
}

// skipElement passes over an element of a list, where truth takes a byte of its own.
func (t *thrift) skipElement(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind)
}
