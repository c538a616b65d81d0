// Package wire writes states down as bytes and reads them back. A state is one frame:
//
//	kind     1 byte, the length of its name, and the name, which ends in a version: "stream.Stream/1"
//	length   uint64, of the content in bytes
//	content  the fields of the state, in order
//	check    uint32, CRC-32C of everything before it
//
// Numbers are little-endian, floats their IEEE 754 bits; lists begin with a uint64 count. Frames nest as lists of bytes.
// Bytes that were cut off, changed or written by something else are an *Error, and reading never allocates more than a
// small multiple of what it is given.
package wire

import (
	"encoding"
	"encoding/binary"
	"hash/crc32"
)

// State is what can be written down and read back. UnmarshalBinary makes the receiver go on where the state was written; on
// an error it changes nothing.
type State interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Described is what remembers something within a State and describes its fields there, to be written or read.
type Described interface{ Describe(f *Fields) }

// Keeper is what has a part that only grows and then never changes, so that who saves it often need not write it again: the part is a State of its own,
// and lean frames leave it out.
type Keeper interface{ Kept() State }

// KeptBy returns what something keeps apart, nil if nothing.
func KeptBy(of any) State {
	if k, ok := of.(Keeper); ok {
		return k.Kept()
	}
	return nil
}

// Remembers tells whether something can be a part of a state.
func Remembers(part any) bool {
	_, describes := part.(Described)
	_, saves := part.(State)
	return describes || saves
}

// Error says why bytes are not the state that was asked for.
type Error struct {
	Kind   string // what was asked for
	Reason string
	Torn   bool // the bytes only end too early, as a write that was interrupted leaves them
}

func (e *Error) Error() string { return "read " + e.Kind + ": " + e.Reason }

func torn(kind string) *Error {
	return &Error{Kind: kind, Reason: "the bytes end too early", Torn: true}
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// Split takes the first frame off data and checks that it is as it was written.
func Split(data []byte) (kind string, frame, rest []byte, err error) {
	kind, begin, err := header(data)
	if err != nil {
		return "", nil, nil, err
	}
	size, left := binary.LittleEndian.Uint64(data[begin-8:]), uint64(len(data)-begin)
	if left < 4 || size > left-4 {
		return "", nil, nil, torn(kind)
	}
	end := begin + int(size)
	if binary.LittleEndian.Uint32(data[end:]) != checksum(data[:end]) {
		return "", nil, nil, &Error{Kind: kind, Reason: "the checksum is wrong, so bytes have changed since they were written"}
	}
	return kind, data[:end+4], data[end+4:], nil
}

// header reads the kind of the first frame of data and tells where its content begins.
func header(data []byte) (kind string, begin int, err error) {
	if len(data) == 0 || len(data) < 1+int(data[0])+8 {
		return "", 0, torn("a state")
	}
	name := 1 + int(data[0])
	return string(data[1:name]), name + 8, nil
}

// RestoreAll restores every state from its bytes, or on an error none.
func RestoreAll(states []State, from [][]byte) error {
	before := make([][]byte, max(0, len(states)-1)) // the last one's error leaves it as it was
	for i := range before {
		var err error
		if before[i], err = states[i].AppendBinary(nil); err != nil {
			return err
		}
	}
	for i, s := range states {
		if err := s.UnmarshalBinary(from[i]); err != nil {
			for j := range i {
				_ = states[j].UnmarshalBinary(before[j]) // its own words of a moment ago
			}
			return err
		}
	}
	return nil
}
