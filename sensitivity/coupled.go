package sensitivity

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Coupled is the sensitivity of a crowd whose individuals are drawn to its mean p̄. Given the mean they settle at h(u, p̄, d),
// and the mean settles where p̄ = mean h(u, p̄, dᵢ); implicit differentiation of both gives
//
//	Σᵢ ∇ᵤhᵢ vᵢ = Σᵢ ∂ᵤhᵢ (vᵢ + y),   y = meanᵢ ∂ₘhᵢ (vᵢ + y),
//
// with the partial products ∂ᵤh and ∂ₘh at a given mean. The mean-field correction is thus one vector y that is added to
// everybody's. Both means are those of the rows given: of a sample they are estimates.
type Coupled struct {
	Of     kedge.Sensitivity // of h(u, p̄, d) to (u, p̄), which is taken for the decision
	States int               // entries of a state, the last ones of that decision

	pool sync.Pool // of *field
}

var _ kedge.Sensitivity = (*Coupled)(nil)

// field is the workspace of one product.
type field struct {
	p, d   []float64 // as given
	v      []float64 // at about unit length
	seen   []float64 // (u, p̄)
	moved  []float64 // the rows vᵢ + y
	g      []float64 // Σᵢ of the products with them, for u and for p̄
	y      []float64
	solver *fixpoint.Solver
	step   func(dst, y []float64) error
}

// PullRows implements [kedge.Sensitivity].
func (s *Coupled) PullRows(gu, p, u, d, v []float64) error {
	mustBe("gu", gu, len(u))
	mustBe("v", v, len(p))
	count := kedge.Count(p, s.States)
	if count == 0 {
		return nil
	}
	f := s.borrow(len(u) + s.States)
	defer s.pool.Put(f)
	f.p, f.d = p, d
	scale := f.take(v)
	mean := append(f.seen[:0], u...)[len(u) : len(u)+s.States]
	clear(mean)
	sumRows(mean, p)
	rows.Scale(mean, 1/float64(count))
	clear(f.y)
	if _, err := f.solver.Solve(f.step, f.y); err != nil {
		return cmp.Or(blame(p, u, d, v, count), fmt.Errorf("the answer of the crowd's mean: %w", notConverged(err)))
	}
	sum := f.g[:len(u)]
	rows.Scale(sum, scale)
	return commit(gu, sum, p, u, d, v, count)
}

// take keeps v scaled to about unit length, by a power of two, which rounds nothing, and returns what undoes it.
func (f *field) take(v []float64) (scale float64) {
	_, exponent := math.Frexp(rows.MaxAbs(v))
	f.v = append(f.v[:0], v...)
	f.moved = append(f.moved[:0], v...)
	for i := range f.v {
		f.v[i] = math.Ldexp(f.v[i], -exponent)
	}
	return math.Ldexp(1, exponent)
}

func (s *Coupled) borrow(width int) *field {
	if f, ok := s.pool.Get().(*field); ok && len(f.seen) == width {
		return f
	}
	f := &field{
		seen: make([]float64, width), g: make([]float64, width), y: make([]float64, s.States),
		solver: fixpoint.New(s.States, fixpoint.Settings{}),
	}
	f.step = func(dst, y []float64) error {
		count := kedge.Count(f.v, s.States)
		for i := range f.moved {
			f.moved[i] = f.v[i] + y[i%s.States]
		}
		clear(f.g)
		if err := s.Of.PullRows(f.g, f.p, f.seen, f.d, f.moved); err != nil {
			return err
		}
		copy(dst, f.g[width-s.States:])
		rows.Scale(dst, 1/float64(count))
		return nil
	}
	return f
}
