package fit

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// likely is the likelihood of a log whose errors are of given laws, over all rows. Logarithms of scales stand behind the unknowns.
type likely struct {
	f     *formula.Regressor
	l     Log
	laws  []ErrorLaw
	scale []int     // place of the logarithm of an entry's scale; -1: it has none
	near  []float64 // how close to 0 a mean of counts is taken as it is
	to    int       // unknowns and scales
	group []int
	many  int
}

// newLikely prepares it, with the unknowns that scales are.
func newLikely(f *formula.Regressor, l Log, laws []ErrorLaw, spread []float64) (x *likely, scales []Unknown) {
	x = &likely{f: f, l: l, laws: laws, to: f.Unknowns, near: make([]float64, f.States)}
	x.many, x.group = l.People()
	n := l.rows(f)
	for e, w := range laws {
		for i := range n {
			x.near[e] += math.Abs(l.After[i*f.States+e]) / float64(n)
		}
		x.near[e] = max(float64(x.near[e]*1e-6), 1e-300)
		at := -1
		if w.hasScale() {
			at = x.to
			x.to++
			u := Free("scale", portable.Log(spread[e]))
			u.Lower, u.Upper = u.Start-30, u.Start+30
			scales = append(scales, u)
		}
		x.scale = append(x.scale, at)
	}
	return x, scales
}

// lanes goes through rows from lo to hi, some at a time, with their predictions and, behind these, slopes, as columns.
func (x *likely) lanes(room, theta []float64, lo, hi int, each func(columns []float64, lo, n int)) {
	m, b := x.f.States, x.f.Beside
	for at := lo; at < hi; at += lane {
		n := min(lane, hi-at)
		columns := room[:n*x.f.Width()]
		x.f.Columns(columns, x.l.States[at*m:(at+n)*m], theta[:x.f.Unknowns], x.l.Beside[at*b:(at+n)*b])
		each(columns, at, n)
	}
}

// sizes are the scales of entries with their logarithms, 1 where there are none.
func (x *likely) sizes(theta []float64) (scale, logs []float64) {
	scale, logs = make([]float64, len(x.laws)), make([]float64, len(x.laws))
	for e, at := range x.scale {
		if scale[e] = 1; at >= 0 {
			scale[e], logs[e] = portable.Exp(theta[at]), theta[at]
		}
	}
	return scale, logs
}

func (x *likely) at(ctx context.Context, theta, _, weight []float64, workers int) (*Foothold, error) {
	scale, logs := x.sizes(theta)
	return sumOf(ctx, x.f, theta, even(x.l.rows(x.f)), workers, func(s *Foothold, room []float64, lo, hi int) {
		x.lanes(room[lane+x.f.Unknowns:], theta, lo, hi, func(columns []float64, lo, n int) {
			for e := range scale {
				x.entry(s, room, columns, weight, e, lo, n, scale[e], logs[e])
			}
		})
	})
}

// entry adds what one entry of n rows from lo on says. It leaves slopes times roots of curvatures behind.
func (x *likely) entry(s *Foothold, room, columns, weight []float64, e, lo, n int, scale, logScale float64) {
	k, m := x.f.Unknowns, x.f.States
	products, score := room[:k], room[k:k+n]
	slopes, roots := columns[(m+e*k)*n:(m+(e+1)*k)*n], columns[e*n:(e+1)*n]
	for i := range n {
		w := x.l.weight(lo+i) * rows.Weight(weight, x.group[lo+i])
		if w == 0 { // whatever it is, it does not count
			score[i], roots[i] = 0, 0
			for a := range k {
				slopes[a*n+i] = 0
			}
			continue
		}
		y := x.l.After[(lo+i)*m+e]
		v := x.laws[e].of(y, roots[i], scale, logScale, x.near[e])
		off := y - roots[i]
		s.Square[e] += float64(w * off * off)
		s.Loss += float64(w * v.loss)
		score[i], roots[i] = float64(w*v.score), math.Sqrt(float64(w*v.curve))
		if at := x.scale[e]; at >= 0 {
			s.Slope[at] += float64(w * v.scaleScore)
			s.Normal[at*x.to+at] += float64(w * v.scaleExpected)
		}
	}
	rows.Dots(products, score, slopes, n)
	rows.AddScaled(s.Slope, 1, products)
	for a := range k {
		for i, by := range roots {
			slopes[a*n+i] *= by
		}
	}
	for a := range k {
		rows.Dots(products[:k-a], slopes[a*n:(a+1)*n], slopes[a*n:], n)
		rows.AddScaled(s.Normal[a*x.to+a:a*x.to+k], 1, products[:k-a])
	}
}

// scores come with a root of the curvature of the likelihood as it is or, where that says too little of what is hard to tell, with the triangle of derivatives by the
// curvature that is expected.
func (x *likely) scores(ctx context.Context, theta, _, _ []float64, _ int) (factor, scores *mat.Dense, err error) {
	k, m := x.f.Unknowns, x.f.States
	scores = mat.NewDense(x.many, x.to, nil)
	bend, triangle := mat.NewDense(x.to, x.to, nil), mat.NewDense(x.to, x.to, nil)
	scale, logs := x.sizes(theta)
	line := make([]float64, x.to)
	x.lanes(make([]float64, lane*x.f.Width()), theta, 0, x.l.rows(x.f), func(columns []float64, lo, n int) {
		if err = ctx.Err(); err != nil {
			return
		}
		stack := mat.NewDense(x.to+2*n*m, x.to, nil)
		copy(stack.RawMatrix().Data, triangle.RawMatrix().Data)
		for e := range m {
			for i := range n {
				w := x.l.weight(lo + i)
				if w == 0 {
					continue
				}
				v := x.laws[e].of(x.l.After[(lo+i)*m+e], columns[e*n+i], scale[e], logs[e], x.near[e])
				for a := range k {
					line[a] = columns[(m+e*k+a)*n+i]
				}
				rows.AddScaled(scores.RawRowView(x.group[lo+i])[:k], w*v.score, line[:k])
				below := stack.RawRowView(x.to + 2*(i*m+e))
				rows.AddScaled(below[:k], math.Sqrt(float64(w*v.expected)), line[:k])
				for a, d := range line[:k] {
					rows.AddScaled(bend.RawRowView(a)[:k], float64(w*v.bend*d), line[:k])
				}
				if at := x.scale[e]; at >= 0 {
					scores.RawRowView(x.group[lo+i])[at] += float64(w * v.scaleScore)
					stack.Set(x.to+2*(i*m+e)+1, at, math.Sqrt(float64(w*v.scaleExpected)))
					bend.Set(at, at, bend.At(at, at)+float64(w*v.scaleBend))
					for a, d := range line[:k] {
						bend.Set(a, at, bend.At(a, at)+float64(w*v.cross*d))
						bend.Set(at, a, bend.At(a, at))
					}
				}
			}
		}
		under(triangle, stack)
	})
	if err != nil {
		return nil, nil, err
	}
	if root, least := rootOf(bend); least > sound {
		return root, scores, nil
	}
	return triangle, scores, nil
}

// outside refuses numbers by which a mean lies where its law has none.
func (x *likely) outside(theta []float64) (err error) {
	m := x.f.States
	x.lanes(make([]float64, lane*x.f.Width()), theta, 0, x.l.rows(x.f), func(columns []float64, lo, n int) {
		for i := range n * m {
			row, e := lo+i/m, i%m
			if fault := x.laws[e].misses(columns[e*n+i/m]); fault != "" && err == nil && x.l.weight(row) > 0 {
				err = &InputError{row, fault}
			}
		}
	})
	return err
}

// write writes what was found of scales down, how far errors are spread, and, of laws without a scale, by how much more they vary than these say.
func (x *likely) write(best *Foothold, p *search, out *Fitted) {
	out.Laws, out.Excess = x.laws, make([]float64, len(x.laws))
	total := p.l.total(p.f)
	scale, logs := x.sizes(best.Theta)
	out.Scale = scale
	sums := make([]float64, len(x.laws))
	x.lanes(make([]float64, lane*x.f.Width()), best.Theta, 0, x.l.rows(x.f), func(columns []float64, lo, n int) {
		for e, w := range x.laws {
			for i := range n {
				y, mean := x.l.After[(lo+i)*len(x.laws)+e], columns[e*n+i]
				if v := w.of(y, mean, scale[e], logs[e], x.near[e]); !w.hasScale() && x.l.weight(lo+i) > 0 {
					sums[e] += float64(x.l.weight(lo+i) * (y - mean) * (y - mean) * v.expected)
				}
			}
		}
	})
	for e, w := range x.laws {
		p.spread[e] = math.Sqrt(best.Square[e] / total)
		if !w.hasScale() {
			out.Scale[e], out.Excess[e] = math.NaN(), sums[e]/max(1, total-float64(p.asked)/float64(len(x.laws)))
		} else {
			out.Excess[e] = math.NaN()
		}
	}
}
