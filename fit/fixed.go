package fit

import (
	"context"

	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// fixed is least squares where everybody has a trait of his own, or times shift all: the best traits are found at every place of a search, and
// slopes are those of what is left once traits follow.
type fixed struct{ *persons }

// person fills a desk and takes out of slopes what traits make up for.
func (x fixed) person(d *desk, theta, spread []float64, who int) (loss float64) {
	q := x.f.Traits
	loss = x.settle(d, theta, spread, x.from, identity(q), 0, who)
	if q == 0 {
		return loss
	}
	normal, cross := d.table(2, q*q), d.table(3, q*d.width)
	for line := range d.seen {
		own, slope := d.own[line*q:(line+1)*q], d.slope[line*d.width:(line+1)*d.width]
		for j, v := range own {
			rows.AddScaled(normal[j*q:(j+1)*q], v, own)
			rows.AddScaled(cross[j*d.width:(j+1)*d.width], v, slope)
		}
	}
	solveSome(normal, cross, q, d.width)
	before, after := d.table(4, d.width), d.table(5, d.width)
	for line := range d.seen {
		slope := d.slope[line*d.width : (line+1)*d.width]
		squared(before, slope)
		for j, v := range d.own[line*q : (line+1)*q] {
			rows.AddScaled(slope, -v, cross[j*d.width:(j+1)*d.width])
		}
		squared(after, slope)
	}
	for j, left := range after {
		if left <= rounding*rounding*before[j] {
			for line := range d.seen {
				d.slope[line*d.width+j] = 0
			}
		}
	}
	return loss
}

// rounding is the part of slopes that is left by it where traits make up for all of them.
const rounding = 1e-12

// squared adds the squares of x.
func squared(sum, x []float64) {
	for j, v := range x {
		sum[j] += float64(v * v)
	}
}

func (x fixed) at(ctx context.Context, theta, spread, weight []float64, workers int) (*Foothold, error) {
	k := x.f.Unknowns + x.shifts
	return x.sum(ctx, theta, weight, workers, func(d *desk, s *Foothold, who int, times float64) {
		s.Loss += float64(times * x.person(d, theta, spread, who))
		for line, r := range d.r[:len(d.seen)] {
			e, slope := d.seen[line], d.slope[line*k:(line+1)*k]
			s.Square[e] += float64(float64(times*r*r) * float64(spread[e]*spread[e]))
			s.gather(slope, times, r)
		}
	})
}

func (x fixed) scores(ctx context.Context, theta, spread, _ []float64, _ int) (triangle, scores *mat.Dense, err error) {
	k := x.f.Unknowns + x.shifts
	triangle, scores = mat.NewDense(k, k, nil), mat.NewDense(x.count(), k, nil)
	var d desk
	for who := range x.count() {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		x.person(&d, theta, spread, who)
		lines := len(d.seen)
		for line, r := range d.r[:lines] {
			rows.AddScaled(scores.RawRowView(who), r, d.slope[line*k:(line+1)*k])
		}
		stack := mat.NewDense(k+lines, k, nil)
		copy(stack.RawMatrix().Data, triangle.RawMatrix().Data)
		copy(stack.RawMatrix().Data[k*k:], d.slope[:lines*k])
		under(triangle, stack)
	}
	return triangle, scores, nil
}

// traits are those of everybody.
func (x fixed) traits(ctx context.Context, theta, spread []float64) ([]float64, error) {
	q := x.f.Traits
	out := make([]float64, x.count()*q)
	err := x.share(ctx, 1, func(d *desk, _, who int) {
		x.settle(d, theta, spread, x.from, identity(q), 0, who)
		for j := range q {
			out[who*q+j] = x.from[j] + d.z[j]
		}
	})
	return out, err
}
