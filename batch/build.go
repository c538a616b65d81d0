package batch

import (
	"fmt"
	"io"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Told is a batch with what a message says besides.
type Told struct {
	Batch
	Epoch string
}

// stopped is an error of the reader, on its way up.
type stopped struct{ error }

// must throws an error that a reader gave.
func must(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// limited is a reader that may not give more than so much.
type limited struct {
	from       io.Reader
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, flaw(TooLarge, "", "the batch has more than %d bytes", l.most)
	}
	n, err := l.from.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, flaw(TooLarge, "", "the batch has more than %d bytes", l.most)
	}
	return n, err
}

// builder gathers people, row by row or column by column.
type builder struct {
	dim    kedge.Dims
	most   int // rows
	b      Told
	n      int    // rows of p
	seen   seen   // columns that were given, and how many rows they have
	traits []bool // of every row of d: whether it has one
}

type seen struct{ w, id bool }

// room is how many bytes a table of people may take.
func (b *builder) room() int64 {
	const perID = 16 + 64
	return int64(b.most)*int64(8*(b.dim.State+b.dim.Trait+1)+perID) + 1<<20
}

// row counts one more row of a column.
func (b *builder) row(pointer string, i int) {
	if i >= b.most {
		panic(flaw(TooLarge, pointer, "more than %d rows in a batch; split it", b.most))
	}
}

// traitless adds a row of d that has no trait.
func (b *builder) traitless() {
	b.traits, b.b.D = append(b.traits, false), append(b.b.D, make([]float64, b.dim.Trait)...)
}

// person adds who somebody is.
func (b *builder) person(id string) {
	if id == "" {
		panic(flaw(Malformed, fmt.Sprintf("/id/%d", len(b.b.Who)), "/id/%d is empty", len(b.b.Who)))
	}
	b.b.Who = append(b.b.Who, WhoIs(id))
}

// whole is the batch, in its one form.
func (b *builder) whole() Told {
	t := &b.b
	switch {
	case b.n == 0:
		panic(flaw(DimensionMismatch, "/p", "p has no rows, want at least one of %d numbers", b.dim.State))
	case b.traits != nil && len(b.traits) != b.n:
		panic(short("/d", len(b.traits), b.n, "rows, one a row of p"))
	case b.seen.w && len(t.W) != b.n:
		panic(short("/w", len(t.W), b.n, "weights, one a row of p"))
	case b.seen.id && len(t.Who) != b.n:
		panic(short("/id", len(t.Who), b.n, "ids, one a row of p"))
	}
	if !slices.Contains(b.traits, true) || b.dim.Trait == 0 {
		t.D = nil
		return *t
	}
	for i, has := range b.traits {
		if !has {
			t.Missing = append(t.Missing, i)
		}
	}
	return *t
}

func short(pointer string, got, want int, what string) *Flaw {
	return flaw(DimensionMismatch, pointer, "%s has %d, want %d %s", pointer, got, want, what)
}
