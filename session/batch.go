package session

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/problem/live"
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

// Limits on what messages hold.
const (
	MostRows      = 100_000   // of a batch
	MostBatches   = 1_000     // of a decision
	MostOfAllRows = 1_000_000 // of a decision
)

const batchKind = "session.Batch/1"

// Encode writes a batch in its one canonical form; its SHA-256 is what the batch is known by.
func (b *Batch) Encode() ([]byte, error) { return wire.Append(nil, batchKind, b.fields) }

// Decode reads what Encode wrote.
func (b *Batch) Decode(data []byte) error { return wire.Restore(data, batchKind, b.fields) }

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

// check refuses a batch that a loop cannot take, with a pointer to the first fault.
func (b *Batch) check(dim kedge.Dims, want *live.Arrangement) (n int, err error) {
	n = len(b.P) / dim.State
	fault := func(kind, pointer, format string, args ...any) error {
		detail := fmt.Sprintf(format, args...)
		return &Refusal{Type: kind, Detail: detail + "; nothing was stored", Errors: []Fault{{pointer, detail}}}
	}
	switch {
	case len(b.P) == 0 || len(b.P)%dim.State != 0:
		return 0, fault(DimensionMismatch, "/p", "p has %d numbers, want at least one row of %d", len(b.P), dim.State)
	case n > MostRows:
		return 0, fault(TooLarge, "/p", "%d rows, at most %d in a batch", n, MostRows)
	case b.D != nil && len(b.D) != n*dim.Trait:
		return 0, fault(DimensionMismatch, "/d", "d has %d numbers, want %d rows of %d", len(b.D), n, dim.Trait)
	case b.W != nil && len(b.W) != n:
		return 0, fault(DimensionMismatch, "/w", "w has %d numbers, want one a row of %d", len(b.W), n)
	case b.Who != nil && len(b.Who) != n:
		return 0, fault(DimensionMismatch, "/id", "id has %d entries, want one a row of %d", len(b.Who), n)
	}
	for _, has := range []struct {
		what, pointer, want string
		given               bool
	}{{"weights", "/w", want.Weights, b.W != nil}, {"traits", "/d", want.Traits, b.D != nil && len(b.Missing) == 0}, {"ids", "/id", want.IDs, b.Who != nil}} {
		switch {
		case has.want == live.Without && has.given:
			return 0, fault(DimensionMismatch, has.pointer, "rows have %s, but by live.samples they have none", has.what)
		case has.want == live.Required && !has.given:
			return 0, fault(DimensionMismatch, has.pointer, "rows need %s by live.samples", has.what)
		}
	}
	for _, list := range []struct {
		name    string
		numbers []float64
		width   int
	}{{"p", b.P, dim.State}, {"d", b.D, dim.Trait}, {"w", b.W, 1}} {
		for i, v := range list.numbers {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				at := fmt.Sprintf("/%s/%d/%d", list.name, i/list.width, i%list.width)
				if list.width == 1 && list.name == "w" {
					at = fmt.Sprintf("/w/%d", i)
				}
				return 0, fault(NotFinite, at, "%s is %v, want a finite number", at, v)
			}
		}
	}
	sum := 0.0
	for i, w := range b.W {
		if w < 0 {
			return 0, fault(BadWeights, fmt.Sprintf("/w/%d", i), "a weight is %v, want one ≥ 0", w)
		}
		sum += w
	}
	if b.W != nil && !(sum > 0) {
		return 0, fault(BadWeights, "/w", "all weights are 0")
	}
	return n, nil
}
