package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// matching looks for the least distance of moments.
type matching struct {
	*marcher
	factor []*mat.Dense // by cohort: its product with its transpose is the weight of moments
	sharp  bool         // weights are the inverse of the covariance
	odd    float64      // the largest miss, in deviations of states, of a combination of moments that is the same of everybody
}

// roughly weighs every moment by its own chance.
func (p *matching) roughly() {
	for _, g := range p.cohorts {
		n := p.basis.count()
		l := mat.NewDense(len(g.targets)*n, len(g.targets)*n, nil)
		for i, t := range g.targets {
			for j := range n {
				v := t.cov[j*n+j]
				if floor := 1e-6 / float64(t.people); v < floor {
					v = 1 / float64(t.people)
				}
				l.Set(i*n+j, i*n+j, 1/math.Sqrt(v))
			}
		}
		p.factor = append(p.factor, l)
	}
}

// weighed are what a cohort's moments miss, and the derivatives of what is predicted, in units of weights.
func (p *matching) weighed(ctx context.Context, theta []float64, at int) (r *mat.VecDense, a *mat.Dense, broken bool, err error) {
	g := p.cohorts[at]
	there, err := p.march(ctx, theta, g, false)
	if err != nil || there.broken {
		return nil, nil, true, err
	}
	l, n := p.factor[at], p.basis.count()
	off := mat.NewVecDense(len(there.mean), nil)
	for i, v := range there.mean {
		off.SetVec(i, g.targets[i/n].mean[i%n]-v)
	}
	r, a = &mat.VecDense{}, &mat.Dense{}
	r.MulVec(l.T(), off)
	a.Mul(l.T(), mat.NewDense(len(there.mean), p.f.Unknowns, there.slope))
	return r, a, false, nil
}

// loss is half the sum of squares of what is missed, with its derivatives, over cohorts; it is infinite where one is broken.
func (x *marcher) loss(ctx context.Context, theta []float64) (*fit.Foothold, error) {
	k := len(x.unknowns)
	out := &fit.Foothold{Theta: slices.Clone(theta), Normal: make([]float64, k*k), Slope: make([]float64, k)}
	for at := range x.cohorts {
		r, a, broken, err := x.misses(ctx, theta, at)
		if err != nil {
			return nil, err
		}
		if broken {
			out.Loss = math.Inf(1)
			return out, nil
		}
		out.Loss += float64(mat.Dot(r, r) / 2)
		var normal mat.Dense
		var slope mat.VecDense
		normal.Mul(a.T(), a)
		slope.MulVec(a.T(), r)
		rows.Add(out.Normal, out.Normal, normal.RawMatrix().Data)
		rows.Add(out.Slope, out.Slope, slope.RawVector().Data)
	}
	out.Know(x.unknowns)
	return out, nil
}

func (x *marcher) descend(ctx context.Context, theta []float64) (*fit.Foothold, error) {
	return fit.Descend(theta, x.unknowns, func(theta []float64) (*fit.Foothold, error) { return x.loss(ctx, theta) })
}

// lowest descends from all starts; it tells how many came to the same.
func (x *marcher) lowest(ctx context.Context) (best *fit.Foothold, agreed int, err error) {
	return fit.Lowest(x.unknowns, x.o, func(theta []float64) (*fit.Foothold, error) { return x.descend(ctx, theta) })
}

// on descends from a place on, once errors or weights are others.
func (x *marcher) on(ctx context.Context, from *fit.Foothold) (*fit.Foothold, error) {
	end, err := x.descend(ctx, from.Theta)
	if end == nil && err == nil {
		err = &fit.NoEndError{Starts: 1 + x.o.Starts}
	}
	return end, err
}

// chance is the covariance of what the moments of a cohort miss: that of its samples, and that of where its first people come to.
func (p *matching) chance(ctx context.Context, theta []float64, g *cohort) (*mat.SymDense, *marched, error) {
	there, err := p.march(ctx, theta, g, true)
	if err != nil {
		return nil, nil, err
	}
	if there.broken {
		return nil, nil, &fit.NoEndError{Starts: 1 + p.o.Starts}
	}
	n := p.basis.count()
	s := mat.NewSymDense(len(there.mean), there.cov)
	for i, t := range g.targets {
		for a := range n {
			for b := a; b < n; b++ {
				s.SetSym(i*n+a, i*n+b, s.At(i*n+a, i*n+b)+t.cov[a*n+b])
			}
		}
	}
	return s, there, nil
}

// reweigh weighs moments by the inverse of their covariance, where samples are large enough to know it.
func (p *matching) reweigh(ctx context.Context, theta []float64) error {
	if p.sharp = p.enough(); !p.sharp {
		return nil
	}
	p.odd = 0
	for at, g := range p.cohorts {
		s, there, err := p.chance(ctx, theta, g)
		if err != nil {
			return err
		}
		l, odd, err := rootOfInverse(s, g, there.mean)
		if err != nil {
			return err
		}
		p.factor[at], p.odd = l, max(p.odd, odd)
	}
	return nil
}

// many is how many people there must be for every moment of a sample, for their covariance to be known well enough to weigh by its inverse.
const many = 5

func (p *matching) enough() bool {
	for _, g := range p.cohorts {
		for _, t := range g.targets {
			if t.people < many*p.basis.count() {
				return false
			}
		}
	}
	return true
}

// rootOfInverse is L with LLᵀ the inverse of a covariance, in the directions in which it is none of nothing. In the others all people are alike: it
// tells how much moments miss there.
func rootOfInverse(s *mat.SymDense, g *cohort, predicted []float64) (l *mat.Dense, odd float64, err error) {
	n := s.SymmetricDim()
	unit := make([]float64, n)
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		unit[i] = math.Sqrt(s.At(i, i))
		if !(unit[i] > 1e-9/math.Sqrt(float64(g.people()))) {
			unit[i] = 0
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			if unit[i] > 0 && unit[j] > 0 {
				scaled.SetSym(i, j, s.At(i, j)/unit[i]/unit[j])
			}
		}
	}
	var e mat.EigenSym
	if !e.Factorize(scaled, true) {
		return nil, 0, fmt.Errorf("the covariance of moments is none: fewer moments, or states in another unit")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	each := n / len(g.targets)
	l = mat.NewDense(n, n, nil)
	for c, value := range values {
		told := value > 1e-10*values[n-1]
		miss := 0.0
		for i := range n {
			miss += float64(v.At(i, c) * (g.targets[i/each].mean[i%each] - predicted[i]))
			if told && unit[i] > 0 {
				l.Set(i, c, v.At(i, c)/unit[i]/math.Sqrt(value))
			}
		}
		if !told {
			odd = max(odd, math.Abs(miss))
		}
	}
	return l, odd, nil
}
