package form

import (
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Check looks for what no single key can be blamed for, after a document was read: lengths that do not fit each other,
// settings that exclude each other. It leaves alone what could not be read.
type Check struct {
	*Mistakes
	Root *Node // the document
}

// Fail reports a mistake in which several keys have a part, the first of them foremost. It stands where the last of them
// was set, because that is what somebody changed.
func (c *Check) Fail(paths []string, format string, args ...any) {
	at := c.Root.PlaceOf(paths[0])
	for _, path := range paths[1:] {
		if other := c.Root.PlaceOf(path); other.Rank > at.Rank {
			at = other
		}
	}
	c.Report(at, paths[0], format, args...)
}

// FailIf reports such a mistake if something is so.
func (c *Check) FailIf(wrong bool, paths []string, format string, args ...any) {
	if wrong {
		c.Fail(paths, format, args...)
	}
}

// Paths lists the paths that have a part in a mistake.
func Paths(paths ...string) []string { return paths }

// Length is how many entries something must have, and why.
type Length struct {
	N    int      // -1 when it is not known
	Of   string   // as in "the decision"
	From []string // the keys that say so
}

// Known returns a length that the given keys decide; it is not known if they were not read.
func (c *Check) Known(n int, of string, from ...string) Length {
	if !c.Sound(from...) {
		n = -1
	}
	return Length{n, of, from}
}

// Length reports a list of the wrong length and tells whether it has the right one for sure.
func (c *Check) Length(path string, got int, want Length) bool {
	c.FailIf(want.N >= 0 && got != want.N, append(Paths(path), want.From...),
		"%s has %s, %s has %d", path, Entries(got), want.Of, want.N)
	return got == want.N
}

// Vector does for a vector what length does for a list; a single number has every length.
func (c *Check) Vector(path string, v Vector, want Length) bool {
	return c.Sound(path) && (v.Each == nil || c.Length(path, len(v.Each), want))
}

// Shape reports a matrix with the wrong number of rows or columns, which the given keys say.
func (c *Check) Shape(path string, r RowList, rows, columns int, from []string) {
	c.FailIf(len(r) != rows || r.Columns() != columns, append(Paths(path), from...),
		"%s has %s, want %s", path, shape(len(r), r.Columns()), shape(rows, columns))
}

// Direction checks a vector of which only the direction matters.
func (c *Check) Direction(path string, x []float64, n Length) {
	if x == nil || !c.Sound(path) {
		return
	}
	c.Length(path, len(x), n)
	norm := rows.Norm(x)
	c.FailIf(norm == 0 || math.IsInf(norm, 0), Paths(path), "%s has length %v and points nowhere", path, norm)
}

// Matrix does for a matrix what shape does for a list of rows; a multiple of the identity must be square.
func (c *Check) Matrix(path string, m Matrix, rows, columns int, from []string) {
	if !c.Sound(path) {
		return
	}
	if m.Rows != nil {
		c.Shape(path, m.Rows, rows, columns, from)
		return
	}
	c.FailIf(m.Scale != 0 && rows != columns, append(Paths(path), from...),
		"%s is %v, a multiple of the identity, but wants %s; list them", path, m.Scale, shape(rows, columns))
}

// shape writes how large a matrix is.
func shape(rows, columns int) string { return phrase.Count(rows, "row") + " of " + Entries(columns) }
