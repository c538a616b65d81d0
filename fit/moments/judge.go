package moments

import (
	"context"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/lists"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// judge says how sure numbers are, and whether moments that are more than unknowns agree.
func (p *matching) judge(ctx context.Context, out *Matched, best *fit.Foothold, free []int) error {
	n := len(free)
	var all []float64 // derivatives
	meat := mat.NewDense(max(1, n), max(1, n), nil)
	for at, g := range p.cohorts {
		r, a, broken, err := p.misses(ctx, best.Theta, at)
		if err != nil || broken {
			return err
		}
		s, there, err := p.chance(ctx, best.Theta, g)
		if err != nil {
			return err
		}
		p.show(out, g, there)
		if p.sharp {
			if math.IsNaN(out.Distance) {
				out.Distance = 0
			}
			out.Distance += mat.Dot(r, r)
		}
		out.Moments += rank(p.factor[at])
		if n == 0 {
			continue
		}
		some := mat.NewDense(r.Len(), n, nil)
		for i, j := range free {
			some.SetCol(i, mat.Col(nil, j, a))
		}
		var half, whole, left, add mat.Dense
		half.Mul(s, p.factor[at])
		whole.Mul(p.factor[at].T(), &half)
		left.Mul(&whole, some)
		add.Mul(some.T(), &left)
		meat.Add(meat, &add)
		all = append(all, some.RawMatrix().Data...)
	}
	told := 0
	if n > 0 {
		b, err := p.bread(all, free)
		if err != nil {
			return err
		}
		out.Blind, told = b.blind, n-len(b.blind)
		p.write(out, b, meat)
	}
	p.test(out, told)
	return nil
}

// bread is the inverse of normal equations of free numbers.
type bread struct {
	free    []int
	inverse *mat.Dense
	loose   []bool
	blind   []fit.Blindness
}

// bread bakes it of derivatives, row by row.
func (x *marcher) bread(derivatives []float64, free []int) (b bread, err error) {
	some := lists.Of(free, func(j int) fit.Unknown { return x.unknowns[j] })
	b.free = free
	b.inverse, b.loose, b.blind, err = fit.Bread(mat.NewDense(len(derivatives)/len(free), len(free), derivatives), some)
	return b, err
}

// write writes the covariance of free numbers, bread·meat·bread, with what is known beforehand among the squares of scores.
func (x *marcher) write(out *Matched, b bread, meat *mat.Dense) {
	for i, j := range b.free {
		meat.Set(i, i, meat.At(i, i)+x.unknowns[j].Known())
	}
	var half, whole mat.Dense
	half.Mul(b.inverse, meat)
	whole.Mul(&half, b.inverse)
	out.Take(&whole, b.free, b.loose)
}

// rank is how many columns of a factor are not nothing.
func rank(l *mat.Dense) (n int) {
	_, columns := l.Dims()
	for c := range columns {
		if mat.Norm(l.ColView(c), 2) > 0 {
			n++
		}
	}
	return n
}

// test compares what is left with its chance.
func (p *matching) test(out *Matched, told int) {
	out.Over = max(0, out.Moments-told)
	if !p.sharp || out.Over == 0 {
		out.Distance = math.NaN()
		return
	}
	out.Chance = distuv.ChiSquared{K: float64(out.Over)}.Survival(out.Distance)
}

// show writes means beside what is predicted.
func (p *matching) show(out *Matched, g *cohort, there *marched) {
	n := p.basis.count()
	for i, t := range g.targets {
		for e := range p.f.States {
			mid, unit := p.basis.mid[e], p.basis.unit[e]
			out.Seen = append(out.Seen, MeanSeen{
				Time: t.time, Group: g.group, Entry: e, Mean: mid + float64(unit*t.mean[e]), Error: unit * math.Sqrt(t.cov[e*n+e]),
				Predicted: mid + float64(unit*there.mean[i*n+e]),
			})
		}
	}
}

// small is a sample for which intervals were seen to hold their number too seldom.
const small = 50

// assume says what has to be true for the numbers to be.
func (p *matching) assume(out *Matched, s Sections) {
	say := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	say(&out.Assumes, "people of every sample were drawn independently from the people who met the decisions since the first time, and nobody came or left")
	switch {
	case len(p.f.Noise) == 0 && p.f.Affine && out.Match < Squares:
		say(&out.Assumes, "noise in the states, if there is any, has mean zero: means of a linear model do not depend on it")
	case len(p.f.Noise) == 0:
		say(&out.Assumes, "nothing but the decisions moves people: the model has no noise")
	case p.loud:
		say(&out.Assumes, "noise is as the model says, drawn %d times for everybody", p.copies)
	default:
		say(&out.Assumes, "noise has the mean that the model says; means of a linear model depend on nothing else of it")
	}
	if !p.sharp {
		say(&out.Warnings, "some samples have fewer than %d people for each of %d moments: moments are weighted one by one, and whether the model fits is not tested", many, p.basis.count())
	}
	if n := p.smallest(); n < small {
		say(&out.Warnings, "the smallest sample has %d people: errors are from few, and intervals may be too narrow", n)
	}
	if p.odd > 1e-6 {
		say(&out.Warnings, "moments that are the same of everybody are missed by %.2g deviations of states: the model cannot come to what was seen", p.odd)
	}
	if out.Chance < 0.01 {
		say(&out.Warnings, "the model does not fit: were it true, moments would be as far off in %.2g of 100 logs", 100*out.Chance)
	}
	if out.Over == 0 {
		say(&out.Warnings, "there are no more moments than unknowns: whether the model fits cannot be tested")
	}
}
