// Package batch is people who answered what is live, one a row, as they are told: in JSON, a line a person, CSV, Parquet or NPZ. All of them
// become one frame, so that a batch has one hash in whatever format it came.
//
// Nothing that a message says of itself is believed: rows, lengths and sizes are looked at before memory is taken for them.
package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/kedge-opt/kedge/internal/wire"
)

// Batch is people who answered what is live, one a row.
type Batch struct {
	ObservedAt time.Time // zero: when it was told
	P          []float64 // states
	D          []float64 // traits; nil: of nobody. Zeros where one is missing
	Missing    []int     // rows without a trait, ascending
	W          []float64 // weights; nil: all count alike
	Who        []uint64  // who they are, by WhoIs; nil: unknown
}

// WhoIs is the number of a person whose id is a text.
func WhoIs(id string) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.LittleEndian.Uint64(sum[:])
}

// MostRows is how many a batch may have.
const MostRows = 100_000

const kind = "session.Batch/1"

// Encode writes a batch in its one canonical form; its SHA-256 is what the batch is known by.
func (b *Batch) Encode() ([]byte, error) { return wire.Append(nil, kind, b.fields) }

// IsWrittenAs tells whether Encode writes just these bytes.
func (b *Batch) IsWrittenAs(data []byte) bool {
	again, err := wire.Append(make([]byte, 0, len(data)), kind, b.fields)
	return err == nil && bytes.Equal(again, data)
}

// Decode reads what Encode wrote.
func (b *Batch) Decode(data []byte) error { return wire.Restore(data, kind, b.fields) }

func (b *Batch) fields(f *wire.Fields) {
	var at uint64
	if !b.ObservedAt.IsZero() {
		at = uint64(b.ObservedAt.UnixNano())
	}
	f.Uint64(&at)
	if f.Reading() && at != 0 {
		b.ObservedAt = time.Unix(0, int64(at)).UTC()
	}
	f.Floats(&b.P)
	f.Floats(&b.D)
	f.Ints(&b.Missing, MostRows)
	f.Floats(&b.W)
	wire.List(f, &b.Who, 8, f.Uint64)
}

// What can be wrong with a batch, as clients are told.
const (
	Malformed         = "malformed"
	TooLarge          = "too-large"
	DimensionMismatch = "dimension-mismatch"
	NotFinite         = "not-finite"
	BadWeights        = "bad-weights"
)

// Flaw is what is wrong with a batch, and where.
type Flaw struct {
	Kind    string
	Pointer string // RFC 6901, in the batch as JSON whatever its format; empty: of no one place
	Detail  string
}

func (f *Flaw) Error() string { return f.Detail }

func flaw(kind, pointer, format string, args ...any) *Flaw {
	return &Flaw{kind, pointer, fmt.Sprintf(format, args...)}
}
