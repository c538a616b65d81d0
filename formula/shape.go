package formula

import "fmt"

// shape is that of a scalar (rank 0), a vector (rank 1, one column) or a matrix (rank 2, row-major).
type shape struct{ rank, rows, cols int }

func scalar() shape          { return shape{0, 1, 1} }
func vector(n int) shape     { return shape{1, n, 1} }
func matrix(r, c int) shape  { return shape{2, r, c} }
func (s shape) size() int    { return s.rows * s.cols }
func (s shape) flip() shape  { return matrix(s.cols, s.rows) }
func (s shape) single() bool { return s.rank == 0 }

// String says the shape in the words of a message: "p has 20 entries".
func (s shape) String() string {
	switch s.rank {
	case 0:
		return "is a scalar"
	case 1:
		return fmt.Sprintf("has %d entries", s.rows)
	}
	return fmt.Sprintf("is a %d×%d matrix", s.rows, s.cols)
}

// shapeOf returns the shape with the given lengths. It is false when they make none that is allowed.
func shapeOf(lengths []int) (shape, bool) {
	for _, n := range lengths {
		if n < 1 || n > maxEntries {
			return shape{}, false
		}
	}
	switch len(lengths) {
	case 0:
		return scalar(), true
	case 1:
		return vector(lengths[0]), true
	case 2:
		s := matrix(lengths[0], lengths[1])
		return s, s.size() <= maxEntries
	}
	return shape{}, false
}
