package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// random is the likelihood of a log where traits are normal: trait = mean + L·z with z of size 1. Its loss is less the logarithm, with traits
// integrated over: exactly where next states are affine in the trait, otherwise by Laplace's method, which takes them as affine around the best z.
// What is found, behind unknowns and times: means (for each entry of the trait one number, and with Origin one for every entry of the first state),
// the lower triangle of L, and logarithms of the sizes of errors.
type random struct {
	*persons
	apart                    int      // numbers for a mean of one entry
	mean, triangle, logs, to int      // where they begin, and the end
	below                    [][2]int // rows and columns of the triangle
}

func newRandom(g *persons, o Options) *random {
	x := &random{persons: g, apart: 1, mean: g.f.Unknowns + g.shifts}
	if o.Origin {
		x.apart += g.f.States
	}
	q := g.f.Traits
	for a := range q {
		for b := range a + 1 {
			x.below = append(x.below, [2]int{a, b})
		}
	}
	x.triangle = x.mean + q*x.apart
	x.logs = x.triangle + len(x.below)
	x.to = x.logs + g.f.States
	return x
}

// names are what is found besides, each with where the search begins: L so that traits matter as much as all errors.
func (x *random) names(sofar []Unknown, spread []float64) (list []Unknown) {
	q := x.f.Traits
	theta := lists.Of(sofar, func(u Unknown) float64 { return u.Start })
	size := make([]float64, q)
	var d desk
	for who := range x.count() {
		x.fill(&d, theta, spread, x.from, who, false)
		for line := range d.seen {
			for j, v := range d.own[line*q : (line+1)*q] {
				size[j] += float64(v * v / float64(len(x.l.After)))
			}
		}
	}
	for j := range q {
		list = append(list, Free(fmt.Sprintf("mean of trait %d", j), x.from[j]))
		for e := range x.apart - 1 {
			list = append(list, Free(fmt.Sprintf("trait %d by first state %d", j, e), 0))
		}
	}
	for _, at := range x.below {
		start := 0.0
		if at[0] == at[1] {
			start = 1
			if s := math.Sqrt(size[at[0]]); s > 0 && !math.IsInf(s, 0) {
				start = 1 / s
			}
		}
		list = append(list, Free(fmt.Sprintf("spread of traits %d and %d", at[0], at[1]), start))
	}
	for e, s := range spread {
		list = append(list, Free(fmt.Sprintf("spread of errors of entry %d", e), portable.Log(s)))
	}
	return list
}

// parts are what a place says of traits and errors.
func (x *random) parts(phi []float64) (lower, spread []float64) {
	q := x.f.Traits
	lower, spread = make([]float64, q*q), make([]float64, x.f.States)
	for i, at := range x.below {
		lower[at[0]*q+at[1]] = phi[x.triangle+i]
	}
	for e := range spread {
		spread[e] = portable.Exp(phi[x.logs+e])
	}
	return lower, spread
}

func (x *random) base(phi []float64, who int) []float64 {
	base := make([]float64, x.f.Traits)
	for j := range base {
		base[j] = rows.Dot(phi[x.mean+j*x.apart:x.mean+(j+1)*x.apart], x.cause(who))
	}
	return base
}

// half is what integrating adds to the loss of a person at the best z: half the logarithm of |M|, M = I + LᵀHᵀHL, and Cholesky's factor of M.
func (x *random) half(d *desk, lower []float64) (loss float64, inner, factor []float64) {
	q := x.f.Traits
	inner = make([]float64, q*q) // HᵀH
	for line := range d.seen {
		own := d.own[line*q : (line+1)*q]
		for j, v := range own {
			rows.AddScaled(inner[j*q:(j+1)*q], v, own)
		}
	}
	factor = sandwiched(inner, lower, q)
	for j := range q {
		factor[j*q+j]++
	}
	if at, _ := dense.Cholesky(factor, q, 0); at < q {
		return math.Inf(1), inner, factor
	}
	for j := range q {
		loss += portable.Log(factor[j*q+j])
	}
	return loss, inner, factor
}

// person adds what one says at a place; metric false: slope and loss alone.
func (x *random) person(d *desk, s *Foothold, phi []float64, who int, metric bool) {
	lower, spread := x.parts(phi)
	loss := x.settle(d, phi, spread, x.base(phi, who), lower, 1, who)
	half, inner, factor := x.half(d, lower)
	s.Loss += loss + half
	for _, e := range d.seen {
		s.Loss += phi[x.logs+e]
	}
	if math.IsInf(half, 0) || math.IsNaN(s.Loss) {
		s.Loss = math.Inf(1)
		return
	}
	v := newVariance(x, d, inner, factor, lower)
	x.slopes(d, s, v, who)
	for _, j := range x.bent() {
		s.Slope[j] -= x.bend(d, phi, v.z, j, who)
	}
	if metric {
		if len(x.bent()) > 0 { // the desk was used
			x.settle(d, phi, spread, x.base(phi, who), lower, 1, who)
		}
		x.metric(d, s, v, who)
	}
}

// bent are the numbers whose slopes of half of log |M| are taken by differences, as those of H take part in them.
func (x *random) bent() (list []int) {
	n := x.to
	switch {
	case x.f.Steady:
		return nil
	case x.f.Affine:
		n = x.f.Unknowns
	}
	for j := range n {
		list = append(list, j)
	}
	return list
}

// bend is the slope of half of log |M| in one number, traits following from where z is best here.
func (x *random) bend(d *desk, phi, z []float64, j, who int) (slope float64) {
	h := 1e-3 * max(0.1, math.Abs(phi[j]))
	there := slices.Clone(phi)
	for _, c := range []struct{ by, weight float64 }{{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}} {
		there[j] = phi[j] + float64(c.by*h)
		lower, spread := x.parts(there)
		copy(d.z, z)
		x.settleFrom(d, there, spread, x.base(there, who), lower, 1, who)
		half, _, _ := x.half(d, lower)
		slope += float64(c.weight * half / h)
	}
	return slope
}

func (x *random) at(ctx context.Context, phi, _, weight []float64, workers int) (*Foothold, error) {
	return x.sum(ctx, phi, weight, workers, func(d *desk, s *Foothold, who int, times float64) {
		if weight == nil {
			x.person(d, s, phi, who, true)
			return
		}
		one := newFoothold(nil, x.to, x.f.States)
		x.person(d, one, phi, who, true)
		one.scale(times)
		s.add(one)
	})
}

// scores come with the information as it is seen: differences of slopes.
func (x *random) scores(ctx context.Context, phi, _, _ []float64, workers int) (factor, scores *mat.Dense, err error) {
	n := x.to
	slopes := func(phi []float64) (*mat.Dense, []float64, error) {
		each := mat.NewDense(x.count(), n, nil)
		err := x.share(ctx, workers, func(d *desk, _, who int) {
			one := newFoothold(nil, n, x.f.States)
			x.person(d, one, phi, who, false)
			each.SetRow(who, one.Slope)
		})
		sum := make([]float64, n)
		for who := range x.count() {
			rows.AddScaled(sum, 1, each.RawRowView(who))
		}
		return each, sum, err
	}
	if scores, _, err = slopes(phi); err != nil {
		return nil, nil, err
	}
	information := mat.NewDense(n, n, nil)
	for j := range n {
		h := float64(1e-4 * max(0.1, math.Abs(phi[j])))
		there := slices.Clone(phi)
		var ends [2][]float64
		for side, at := range []float64{phi[j] + h, phi[j] - h} {
			there[j] = at
			if _, ends[side], err = slopes(there); err != nil {
				return nil, nil, err
			}
		}
		for i, up := range ends[0] {
			information.Set(i, j, (ends[1][i]-up)/2/h)
		}
	}
	factor, _ = rootOf(information)
	return factor, scores, nil
}

// traits are the likeliest of everybody.
func (x *random) traits(ctx context.Context, phi []float64) ([]float64, error) {
	q := x.f.Traits
	out := make([]float64, x.count()*q)
	lower, spread := x.parts(phi)
	err := x.share(ctx, 1, func(d *desk, _, who int) {
		base := x.base(phi, who)
		x.settle(d, phi, spread, base, lower, 1, who)
		copy(out[who*q:], base)
		rows.AddMul(out[who*q:(who+1)*q], lower, d.z)
	})
	return out, err
}

// write hands out what was found of traits, times and errors.
func (x *random) write(phi []float64, out *Fitted) {
	q := x.f.Traits
	lower, spread := x.parts(phi)
	out.Spread, out.Shifts = spread, phi[x.f.Unknowns:x.mean]
	out.TraitCov, out.TraitMean = dense.Product(lower, dense.Transposed(lower, q), q), make([]float64, q)
	for who := range x.count() {
		for j, v := range x.base(phi, who) {
			out.TraitMean[j] += v / float64(x.count())
		}
	}
}

func (x *random) words() string {
	how := "Traits were integrated over exactly"
	if !x.f.Affine {
		how = "Traits were integrated over by Laplace's method, which takes next states as affine in them near everybody's likeliest: the shorter the panel, the rougher"
	}
	if x.apart > 1 {
		return how + "; they are taken to be normal around a mean that goes with a person's first state, and to have nothing to do with decisions and columns beside it."
	}
	return how + "; they are taken to be normal and to have nothing to do with first states, decisions and columns beside them: where people had settled before the log begins, first states do go with traits, and Origin or fixed traits are asked for."
}
