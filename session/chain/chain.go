// Package chain is what holds the events of a loop together: each has the hash of its content and of the event before it.
package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// Hash is SHA-256, written in hexadecimal.
type Hash [sha256.Size]byte

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes it in hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads it.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != 2*len(h) {
		return fmt.Errorf("a hash has %d digits, not %d", 2*len(h), len(text))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// Link is what the hash of an event is of.
type Link struct {
	Prev  Hash // of the event before it
	Loop  string
	Seq   int
	At    time.Time
	Kind  string
	Actor string
	K     int
	Ref   string
	Body  []byte
}

// Sum is the hash: of every part with its length, so that no two events have one text.
func (l *Link) Sum() Hash {
	var room [1 << 10]byte // enough for most events, so that no memory is taken
	b := room[:0]
	b = appendPart(b, l.Prev[:])
	b = appendPart(b, l.Loop)
	b = appendNumber(b, int64(l.Seq))
	b = appendNumber(b, l.At.UnixNano())
	b = appendPart(b, l.Kind)
	b = appendPart(b, l.Actor)
	b = appendNumber(b, int64(l.K))
	b = appendPart(b, l.Ref)
	b = appendPart(b, l.Body)
	return sha256.Sum256(b)
}

func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...)
}

func appendNumber(b []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, 8), uint64(n))
}
