package population

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Law is a probability law of individuals' vectors, be they states or traits.
type Law interface {
	// Check says what keeps the law from filling n rows of dim entries.
	Check(n, dim int) error
	// Fill writes individuals first, first+1, … to the rows of dst, dim entries each; Check must have passed. Individual i
	// draws from range i of s only, so a block can be filled in parts, in any order and by several goroutines at once. It leaves s at no
	// particular place.
	Fill(dst []float64, dim, first int, s *stream.Stream)
}

// Draw returns a block of n individuals of a law.
func Draw(l Law, n, dim int, s *stream.Stream) ([]float64, error) {
	return DrawWithin(context.Background(), l, n, dim, s)
}

// glance is how many individuals are drawn between two looks at the context: a few milliseconds of work. Everybody draws from a range of
// the own, so neither that nor who draws whom changes bits.
const glance = 1 << 12

// DrawWithin is Draw that ends with the error of the context once that is done.
func DrawWithin(ctx context.Context, l Law, n, dim int, s *stream.Stream) ([]float64, error) {
	if err := l.Check(n, dim); err != nil {
		return nil, err
	}
	block := make([]float64, n*dim)
	err := share(n, dim, glance, func(_, first, last int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, own := block[first*dim:last*dim], s
		if s != nil { // a table needs none
			at := *s // a stream is moved by drawing
			own = &at
		}
		l.Fill(part, dim, first, own)
		return checkRows("draw", part, first, dim)
	})
	if err != nil {
		return nil, err
	}
	return block, nil
}

// share has rows first … last−1 done, a piece of them at a time, on all processors if they are worth it. What a hand keeps under its number is its own.
func share(n, dim, piece int, do func(hand, first, last int) error) error {
	return crew.Share(hands(n, dim), (n+piece-1)/piece, func(hand, k int) error { return do(hand, k*piece, min(n, (k+1)*piece)) })
}

// hands is how many goroutines are worth it.
func hands(n, dim int) int { return crew.Hands(runtime.GOMAXPROCS(0), n*dim) }

func checkSize(arg string, n int) error {
	return kedge.CheckRange(arg, n, n >= 1, "at least 1")
}

// checkSizes tells whether a block of n rows of dim entries can be.
func checkSizes(n, dim int) error {
	if err := errors.Join(checkSize("the number of individuals", n), checkSize("the dimension", dim)); err != nil {
		return err
	}
	return kedge.CheckRange("the number of individuals", n, n <= math.MaxInt/8/dim, "what memory can address")
}

// checkEntries tells whether x has no entry, one for all coordinates, or one for each, all of them finite.
func checkEntries(arg string, x []float64, dim int) error {
	if len(x) > 1 && len(x) != dim {
		return &kedge.DimError{Arg: arg, Got: len(x), Want: dim}
	}
	return kedge.CheckFinite(arg, x)
}

// checkBetween demands also that no entry is below low or above high.
func checkBetween(arg string, x []float64, dim int, low, high float64, want string) error {
	err := checkEntries(arg, x, dim)
	for _, v := range x {
		err = errors.Join(err, kedge.CheckRange(arg, v, !(v < low || v > high), want))
	}
	return err
}

// entry is what x says of coordinate j.
func entry(x []float64, j int, otherwise float64) float64 {
	switch len(x) {
	case 0:
		return otherwise
	case 1:
		return x[0]
	}
	return x[j]
}

// eachRow calls draw for every row of dst with the stream at the individual's own range.
func eachRow(dst []float64, dim, first int, s *stream.Stream, draw func(x []float64)) {
	for i := range kedge.Count(dst, dim) {
		s.Seek(uint64(first + i))
		draw(kedge.Row(dst, i, dim))
	}
}

// divide divides every entry, which multiplying by an inverse would round differently.
func divide(x []float64, by float64) {
	for j := range x {
		x[j] /= by
	}
}

// Normal draws independent coordinates N(Mean, Deviation²). Mean and Deviation have one entry for all coordinates or one
// for each; none means 0 and 1. A deviation of 0 puts everybody on the mean.
type Normal struct{ Mean, Deviation []float64 }

// Check demands fitting lengths, finite numbers and deviations of at least 0.
func (l Normal) Check(n, dim int) error {
	return errors.Join(checkSizes(n, dim), checkEntries("mean", l.Mean, dim), checkDeviations("deviation", l.Deviation, dim))
}

// Fill draws every coordinate from the individual's own range.
func (l Normal) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) {
		for j := range x {
			x[j] = entry(l.Mean, j, 0) + float64(entry(l.Deviation, j, 1)*s.Normal())
		}
	})
}

// Proportions draws independent uniform numbers on [0, 1) and divides them by their sum, as the published study of softmax
// dynamics starts [he2025, softmax dynamics]. It is not uniform on the simplex; Dirichlet is.
type Proportions struct{}

// Check demands at least one coordinate.
func (Proportions) Check(n, dim int) error { return checkSizes(n, dim) }

// Fill draws every coordinate from the individual's own range.
func (Proportions) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) {
		total := 0.0
		for total == 0 {
			for j := range x {
				x[j] = s.Float64()
			}
			total = rows.Sum(x)
		}
		divide(x, total)
	})
}

// checkRows names the individual and the entry of the first number that is not finite; the block starts at individual first.
func checkRows(arg string, block []float64, first, width int) error {
	if rows.Finite(block) {
		return nil
	}
	for i := range kedge.Count(block, width) {
		if err := kedge.CheckFinite(arg, kedge.Row(block, i, width)); err != nil {
			return &kedge.RowError{Row: first + i, Err: err}
		}
	}
	return nil
}

// checkDeviations demands entries of at least 0.
func checkDeviations(arg string, x []float64, dim int) error {
	return checkBetween(arg, x, dim, 0, math.Inf(1), "at least 0")
}

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

// Classes is the law of people who are one of several kinds, in order: who comes before an entry of Ends, and not before the one ahead of it, has
// that row. Newcomers, behind the last end, take the kinds over again.
type Classes struct {
	Ends []int // in growing order
	Rows [][]float64
}

// Check demands an end for every row, in growing order, and rows of dim entries.
func (l Classes) Check(n, dim int) error {
	if len(l.Rows) == 0 {
		return &kedge.DimError{Arg: "classes", Want: 1}
	}
	if len(l.Ends) != len(l.Rows) {
		return &kedge.DimError{Arg: "the ends of classes", Got: len(l.Ends), Want: len(l.Rows)}
	}
	err, last := checkSizes(n, dim), 0
	for i, row := range l.Rows {
		err = errors.Join(err, kedge.CheckVector("a class", row, dim), kedge.CheckRange("the end of a class", l.Ends[i], l.Ends[i] > last, "above the one before"))
		last = l.Ends[i]
	}
	return err
}

// Fill draws nothing: it depends on the individual alone.
func (l Classes) Fill(dst []float64, dim, first int, _ *stream.Stream) {
	for i := range kedge.Count(dst, dim) {
		at, _ := slices.BinarySearch(l.Ends, (first+i)%l.Ends[len(l.Ends)-1]+1)
		copy(kedge.Row(dst, i, dim), l.Rows[at])
	}
}

// Dirichlet is the law of gamma variables of shapes Concentration divided by their sum. Concentration has one entry for all
// coordinates or one for each, between 1e-8 and 1e8; none means 1, which is uniform on the simplex. Proportions too small
// for a float64 come out as 0.
type Dirichlet struct{ Concentration []float64 }

// Check demands fitting lengths and concentrations in their range.
func (l Dirichlet) Check(n, dim int) error {
	return errors.Join(checkSizes(n, dim), checkBetween("concentration", l.Concentration, dim, 1e-8, 1e8, "between 1e-8 and 1e8"))
}

// Fill draws every coordinate from the individual's own range. It works with logarithms, for gamma variables of small
// shapes are often too small for a float64 when their proportions are not.
func (l Dirichlet) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) {
		top := math.Inf(-1)
		for j := range x {
			x[j] = logGamma(entry(l.Concentration, j, 1), s)
			top = max(top, x[j])
		}
		for j, v := range x {
			x[j] = exp(v - top)
		}
		divide(x, rows.Sum(x))
	})
}

// logGamma returns the logarithm of a gamma variable [marsaglia2000]. For shapes below 1 it uses that the variable of shape
// a is that of shape a+1 times U^(1/a).
func logGamma(shape float64, s *stream.Stream) float64 {
	shift := 0.0
	if shape < 1 {
		shift = portable.Log(1-s.Float64()) / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if portable.Log(1-s.Float64()) < float64(x*x/2)+d-float64(d*v)+float64(d*portable.Log(v)) {
			return portable.Log(d*v) + shift
		}
	}
}

func checkStream(arg string, s *stream.Stream, needed bool) error {
	if needed && s == nil {
		return errors.New("the stream of the " + arg + " is missing")
	}
	return nil
}
