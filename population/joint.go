package population

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Correlated is a normal law of vectors that are correlated with those of another normal law, individual by individual. With the
// standard normal z from which the other law makes an individual and a w of its own,
//
//	x = Mean + Deviation∘(Cz + Lw),  LLᵀ = I − CCᵀ:
//
// x is distributed as Normal says, and the correlation of its entry i with the other's entry j is Cᵢⱼ. NewCorrelated makes one.
type Correlated struct {
	of      Normal
	with    stream.Stream // of the other law
	entries int           // of the other law's vectors
	alike   float64       // C is so many times the identity, where it is not listed
	c, l    []float64     // row by row; nil: multiples of the identity
}

// maxCorrelated is how many entries vectors have at most whose correlations are listed one by one.
const maxCorrelated = 256

// NewCorrelated returns the law of vectors of dim entries distributed as of and correlated with those of the other law, of so many entries,
// which another Normal makes of the stream with. Correlations are one number for entries of the same place, of vectors of one length, or
// dim·entries of them, row by row.
func NewCorrelated(of Normal, dim int, correlations []float64, entries int, with *stream.Stream) (*Correlated, error) {
	l := &Correlated{of: of, entries: entries}
	if err := errors.Join(checkStream("other law", with, true), l.correlate(correlations, dim)); err != nil {
		return nil, err
	}
	l.with = *with
	return l, nil
}

// correlate takes correlations that some joint law has.
func (l *Correlated) correlate(c []float64, dim int) error {
	if len(c) == 1 && dim == l.entries {
		l.alike = c[0]
		return kedge.CheckRange("correlation", c[0], math.Abs(c[0]) <= 1, "between -1 and 1")
	}
	err := errors.Join(kedge.CheckVector("correlation", c, dim*l.entries),
		kedge.CheckRange("the entries of correlated vectors", dim, dim <= maxCorrelated && l.entries <= maxCorrelated, "at most 256"))
	if err != nil {
		return err
	}
	l.c, l.l = c, remainder(c, dim)
	return l.checkFactor(dim)
}

// remainder returns a lower triangle L with LLᵀ = I − CCᵀ where there is one. A pivot that is 0 but for rounding leaves its column empty.
func remainder(c []float64, dim int) []float64 {
	l, width := make([]float64, dim*dim), len(c)/dim
	for i := range dim {
		x := kedge.Row(l, i, dim)
		for j := range i + 1 {
			other := kedge.Row(l, j, dim)
			rest := -rows.Dot(kedge.Row(c, i, width), kedge.Row(c, j, width)) - rows.Dot(x[:j], other[:j])
			switch {
			case i == j:
				x[j] = math.Sqrt(max(0, 1+rest))
			case other[j] > rounded:
				x[j] = rest / other[j]
			}
		}
	}
	return l
}

const (
	rounded     = 1e-8 // the root of a pivot that is 0 but for rounding
	incoherence = 2e-8 // what LLᵀ + CCᵀ may be off the identity
)

// checkFactor tells whether there is a law of such correlations: whether LLᵀ + CCᵀ is the identity.
func (l *Correlated) checkFactor(dim int) error {
	for i := range dim {
		for j := range i + 1 {
			got := rows.Dot(kedge.Row(l.c, i, l.entries), kedge.Row(l.c, j, l.entries)) + rows.Dot(kedge.Row(l.l, i, dim), kedge.Row(l.l, j, dim))
			if i == j {
				got--
			}
			if !(math.Abs(got) <= incoherence) {
				return errors.New("no law has these correlations: entries that are independent of each other cannot depend on others so strongly " +
					"(the largest singular value of the matrix must be at most 1)")
			}
		}
	}
	return nil
}

// Check demands what Normal demands, and vectors of the length that the correlations are of.
func (l *Correlated) Check(n, dim int) error {
	want := l.entries
	if l.c != nil {
		want = len(l.c) / max(1, l.entries)
	}
	if dim != want {
		return &kedge.DimError{Arg: "a correlated vector", Got: dim, Want: want}
	}
	return l.of.Check(n, dim)
}

// Fill draws w from the individual's own range of s, and z as the other law draws it.
func (l *Correlated) Fill(dst []float64, dim, first int, s *stream.Stream) {
	with, z, w := l.with, make([]float64, l.entries), make([]float64, dim)
	individual := first
	eachRow(dst, dim, first, s, func(x []float64) {
		with.Seek(uint64(individual))
		individual++
		with.Normals(z)
		s.Normals(w)
		for j := range x {
			x[j] = entry(l.of.Mean, j, 0) + float64(entry(l.of.Deviation, j, 1)*l.standard(j, z, w))
		}
	})
}

// standard returns entry j of Cz + Lw.
func (l *Correlated) standard(j int, z, w []float64) float64 {
	if l.c == nil {
		return float64(l.alike*z[j]) + float64(math.Sqrt((1-l.alike)*(1+l.alike))*w[j])
	}
	return rows.Dot(kedge.Row(l.c, j, len(z)), z) + rows.Dot(kedge.Row(l.l, j, len(w))[:j+1], w[:j+1])
}
