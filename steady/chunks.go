package steady

import (
	"context"
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	chunk  = 128 // individuals judged at a time; sums depend on it, so it is the same for any number of workers
	stride = 8   // chunks a worker takes at a time, so that workers rarely meet where they are handed out
)

// sums are the sums of losses and gradients over a crowd: those of every chunk in a place of its own, the loss and then the
// gradient if one is wanted, all of them added up by one fixed tree.
type sums struct {
	n     int                                               // individuals
	width int                                               // of a place
	parts []float64                                         // the places, and room for the gradients when none is wanted
	judge func(part []float64, hand, first, last int) error // adds the sums of individuals first … last−1 to part
	work  func(hand, i int) error                           // takes, bound once so that an evaluation allocates nothing
	until *context.Context                                  // whose end ends an evaluation; it, or what it points to, may be nil
}

func (s *sums) init(until *context.Context, n, decision int, judge func(part []float64, hand, first, last int) error) {
	s.until, s.n, s.judge, s.work = until, n, judge, s.take
	s.parts = make([]float64, s.chunks()*(1+decision))
}

func (s *sums) chunks() int { return (s.n + chunk - 1) / chunk }

// mean writes the mean gradient to g unless it is nil and returns the mean loss. The error is that of the first individual
// that has one.
func (s *sums) mean(g []float64, hands int) (float64, error) {
	total, err := s.add(len(g), hands)
	if err != nil {
		return 0, err
	}
	return s.divide(g, total), nil
}

// divide makes means of sums: the gradients in g, and the loss that it returns.
func (s *sums) divide(g, total []float64) float64 {
	for i := range g {
		g[i] = total[1+i] / float64(s.n)
	}
	return total[0] / float64(s.n)
}

// add returns the sum of the losses and then those of the gradients, which have so many entries: none when they are not wanted.
func (s *sums) add(gradient, hands int) (total []float64, err error) {
	s.width = 1 + gradient
	if err := crew.Share(hands, (s.n+stride*chunk-1)/(stride*chunk), s.work); err != nil {
		return nil, err
	}
	rows.AddTree(s.parts[:s.chunks()*s.width], s.width)
	total = s.parts[:s.width]
	return total, kedge.CheckFinite("Φ̃ and its gradient", total)
}

// gradientOf returns where in its part a chunk adds gradients, nil when none are wanted.
func gradientOf(part []float64) []float64 {
	if len(part) == 1 {
		return nil
	}
	return part[1:]
}

// take judges the chunks of stride i.
func (s *sums) take(hand, i int) error {
	if s.until != nil && *s.until != nil && (*s.until).Err() != nil {
		return (*s.until).Err()
	}
	for first := i * stride * chunk; first < min(s.n, (i+1)*stride*chunk); first += chunk {
		part := kedge.Row(s.parts, first/chunk, s.width)
		clear(part)
		if err := s.judge(part, hand, first, min(s.n, first+chunk)); err != nil {
			return shiftRow(err, first)
		}
	}
	return nil
}

// shiftRow makes a row number within a chunk one within the crowd.
func shiftRow(err error, first int) error {
	if row, is := errors.AsType[*kedge.RowError](err); is {
		return &kedge.RowError{Row: row.Row + first, Err: row.Err}
	}
	return err
}

// Bend writes the product of v with the Hessian at u to v, by central differences of a gradient.
func Bend(gradient func(g, u []float64) (float64, error), v, u []float64, step float64) error {
	at, ahead, behind := make([]float64, len(u)), make([]float64, len(u)), make([]float64, len(u))
	for _, side := range []struct {
		to []float64
		by float64
	}{{ahead, step}, {behind, -step}} {
		copy(at, u)
		rows.AddScaled(at, side.by, v)
		if _, err := gradient(side.to, at); err != nil {
			return err
		}
	}
	rows.Sub(v, ahead, behind)
	rows.Scale(v, 1/(2*step))
	return nil
}

// checkAsk is the door of an evaluation at u; g is nil when no gradient is wanted.
func checkAsk(g, u []float64, dim kedge.Dims) error {
	if g != nil {
		if err := kedge.CheckLen("g", g, dim.Decision); err != nil {
			return err
		}
	}
	if len(u) == dim.Decision && rows.Finite(u) {
		return nil
	}
	return kedge.CheckVector("u", u, dim.Decision)
}

// room returns room to look at a chunk of rows, none where they can be looked at in place.
func room(r kedge.Rows) []float64 {
	if _, inPlace := r.(kedge.Block); inPlace {
		return nil
	}
	n, width := r.Size()
	return make([]float64, min(n, chunk)*width)
}
