package problem

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// examiner looks for what no single key can be blamed for, after a document was read: lengths that do not fit each other,
// settings that exclude each other. It leaves alone what could not be read.
type examiner struct {
	*mistakes
	root *node // the document
}

// fail reports a mistake in which several keys have a part, the first of them foremost. It stands where the last of them
// was set, because that is what somebody changed.
func (c *examiner) fail(paths []string, format string, args ...any) {
	at := c.root.placeOf(paths[0])
	for _, path := range paths[1:] {
		if other := c.root.placeOf(path); other.rank > at.rank {
			at = other
		}
	}
	c.report(at, paths[0], format, args...)
}

// keys lists the paths that have a part in a mistake.
func keys(paths ...string) []string { return paths }

// length is how many entries something must have, and why.
type length struct {
	n    int      // -1 when it is not known
	of   string   // as in "the decision"
	from []string // the keys that say so
}

// known makes a length unknown whose keys were not read.
func (c *examiner) known(l length) length {
	if !c.sound(l.from...) {
		l.n = -1
	}
	return l
}

// length reports a list of the wrong length and tells whether it has the right one for sure.
func (c *examiner) length(path string, got int, want length) bool {
	if want.n >= 0 && got != want.n {
		c.fail(append(keys(path), want.from...), "%s has %s, %s has %d", path, entries(got), want.of, want.n)
	}
	return got == want.n
}

// vector does for a vector what length does for a list; a single number has every length.
func (c *examiner) vector(path string, v Vector, want length) bool {
	return c.sound(path) && (v.Each == nil || c.length(path, len(v.Each), want))
}

// shape reports a matrix with the wrong number of rows or columns, which the given keys say.
func (c *examiner) shape(path string, r Rows, rows, columns int, from []string) {
	if len(r) != rows || r.Columns() != columns {
		c.fail(append(keys(path), from...), "%s has %s, want %s", path, shape(len(r), r.Columns()), shape(rows, columns))
	}
}

// direction checks a vector of which only the direction matters.
func (c *examiner) direction(path string, x []float64, n length) {
	if x == nil || !c.sound(path) {
		return
	}
	c.length(path, len(x), n)
	if norm := rows.Norm(x); norm == 0 || math.IsInf(norm, 0) {
		c.fail(keys(path), "%s has length %v and points nowhere", path, norm)
	}
}

// matrix does for a matrix what shape does for a list of rows; a multiple of the identity must be square.
func (c *examiner) matrix(path string, m Matrix, rows, columns int, from []string) {
	if !c.sound(path) {
		return
	}
	if m.Rows != nil {
		c.shape(path, m.Rows, rows, columns, from)
		return
	}
	if m.Scale != 0 && rows != columns {
		c.fail(append(keys(path), from...), "%s is %v, a multiple of the identity, but wants %s; list them", path, m.Scale, shape(rows, columns))
	}
}
