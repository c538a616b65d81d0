package population

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// Uniform draws independent coordinates, uniform between Low and High, which have one entry for each.
type Uniform struct{ Low, High []float64 }

// Check demands fitting lengths, finite numbers and Low ≤ High.
func (l Uniform) Check(n, dim int) error {
	err := errors.Join(checkSizes(n, dim), kedge.CheckVector("low", l.Low, dim), kedge.CheckVector("high", l.High, dim))
	for j := range min(len(l.Low), len(l.High)) {
		err = errors.Join(err, kedge.CheckRange("low", l.Low[j], !(l.Low[j] > l.High[j]), "at most high"))
	}
	return err
}

// Fill draws every coordinate from the individual's own range.
func (l Uniform) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) {
		for j := range x {
			x[j] = l.Low[j] + float64((l.High[j]-l.Low[j])*s.Float64())
		}
	})
}

// Beside is the law of vectors whose first Dim entries follow one law and whose others follow a second one, drawn from a stream
// of its own: the first are what they would be alone.
type Beside struct {
	Law    Law
	Dim    int
	Rest   Law
	Stream *stream.Stream // of the rest; is not moved
}

// Check demands what both laws demand.
func (l Beside) Check(n, dim int) error {
	return errors.Join(l.Law.Check(n, l.Dim), l.Rest.Check(n, dim-l.Dim), checkStream("rest", l.Stream, true))
}

// Fill draws both parts of every individual.
func (l Beside) Fill(dst []float64, dim, first int, s *stream.Stream) {
	count, rest := kedge.Count(dst, dim), *l.Stream
	a, b := make([]float64, count*l.Dim), make([]float64, count*(dim-l.Dim))
	l.Law.Fill(a, l.Dim, first, s)
	l.Rest.Fill(b, dim-l.Dim, first, &rest)
	for i := range count {
		row := kedge.Row(dst, i, dim)
		copy(row, kedge.Row(a, i, l.Dim))
		copy(row[l.Dim:], kedge.Row(b, i, dim-l.Dim))
	}
}
