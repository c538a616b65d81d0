package formula

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// maxDense is the longest state whose ∂f/∂p is taken as a full matrix.
const maxDense = 512

// resolvent solves (I − A)x = b and (I − A)ᵀx = b for A = ∂f/∂p. Where A is a diagonal and a few rank-one terms it takes
// O(entries) by the Woodbury formula [woodbury1950], otherwise a full inverse, which individuals share if they can.
type resolvent struct {
	f        *dynamics
	rank     int             // of what A is beside a diagonal, −1 if it is a full matrix
	parts    func() *program // writes D, then the xₖ and the zₖ of Aᵀ = D + Σ xₖzₖᵀ
	isShared bool            // A is the same for all individuals
	isFixed  bool            // and for all decisions
	pool     sync.Pool
}

// newResolvent returns nil where A is too large a full matrix, or one that differs from state to state.
func (c *compiler) newResolvent(f *dynamics, next *node) *resolvent {
	if f.slope != nil && c.full {
		return nil
	}
	r := &resolvent{f: f, rank: -1, isShared: f.slope == nil || f.slope.deps&(onState|onTrait) == 0}
	r.isFixed = r.isShared && (f.slope == nil || f.slope.deps&(onDecision|onCrowd) == 0)
	if m, ok := c.split(f.slope, c.input(opCotangent, next.shape)); ok && !c.full {
		r.rank = len(m.x)
		r.parts = planned(output{toDst, c.joined(m, next.shape), 0})
		return r
	}
	if f.dims.State > maxDense || next.degP > 1 {
		return nil
	}
	return r
}

// joined puts the parts of a matrix behind each other.
func (c *compiler) joined(m lowRank, s shape) *node {
	r := reverse{graph: c.graph}
	all := []*node{r.full(m.diagonal, s)}
	for _, n := range slices.Concat(m.x, m.z) {
		all = append(all, r.full(n, s))
	}
	return c.apply(opConcat, vector(len(all)*s.size()), [4]int{}, all...)
}

// bench is the memory of one solution.
type bench struct {
	parts   []float64 // D, X, Z of the individuals looked at
	inverse []float64 // (I−A)⁻¹, row-major
	left    []float64 // I−A
	slopes  []float64 // I−A of the individuals looked at
	u       []float64 // the decision of the inverse
	isSet   bool
	small   []float64 // the system of the rank-one terms, and its right side

	solutions, total []float64 // of all individuals, and their product with ∂f/∂u
	units, column    []float64 // of all individuals looked at
}

func (r *resolvent) borrow() *bench {
	if b, ok := r.pool.Get().(*bench); ok {
		return b
	}
	return &bench{u: make([]float64, r.f.dims.Decision), small: make([]float64, max(r.rank, 0)*(r.rank+1))}
}

// together is how many individuals are looked at at a time: few enough that what is worked out of them stays in the cache.
func (r *resolvent) together() int {
	n := r.f.dims.State
	if r.rank < 0 && !r.isShared {
		return max(1, min(64, 1<<16/(n*n)))
	}
	return max(1, min(64, 1<<14/n))
}

// look works out the parts of A of some individuals at once or, where it has none and everybody has an A, that.
func (r *resolvent) look(w *bench, p, u, d []float64) {
	switch n := r.f.dims.State; {
	case r.rank >= 0:
		w.parts = resized(w.parts, (1+2*r.rank)*len(p))
		r.parts().run(len(p)/n, frame{p: p, u: u, d: d, dst: w.parts})
	case !r.isShared:
		r.matrices(w, p, u, d)
	}
}

// matrices leaves I−A of all individuals in w.slopes: row j of A is the pullback of the j-th unit vector.
func (r *resolvent) matrices(w *bench, p, u, d []float64) {
	n := r.f.dims.State
	w.slopes, w.units, w.column = resized(w.slopes, n*len(p)), resized(w.units, len(p)), resized(w.column, len(p))
	clear(w.units)
	for j := range n {
		for i := j; i < len(p); i += n {
			w.units[i] = -1
		}
		clear(w.column)
		r.f.PullbackRows(w.column, nil, p, u, d, w.units)
		for i := 0; i < len(p); i += n {
			w.units[i+j] = 0
			w.column[i+j]++
			copy(w.slopes[(i+j)*n:(i+j+1)*n], w.column[i:i+n])
		}
	}
}

// resized returns memory for n numbers, if there is enough that of x.
func resized(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }

// of returns the parts of individual i of those looked at.
func (r *resolvent) of(w *bench, i int) []float64 {
	size := (1 + 2*r.rank) * r.f.dims.State
	return w.parts[i*size : (i+1)*size]
}

// solve writes the solution for individual i of those looked at to x, apart from the right side b; with adjoint set, that of the transpose. The parts are used up.
func (r *resolvent) solve(w *bench, i int, x, b, p, u, d []float64, adjoint bool) error {
	if r.rank >= 0 && r.woodbury(w, r.of(w, i), x, b, adjoint) {
		return nil
	}
	if r.f.dims.State > maxDense {
		return fmt.Errorf("the matrix I − ∂f/∂p: %w", kedge.ErrSingular)
	}
	if err := r.invert(w, i, p, u, d); err != nil {
		return err
	}
	clear(x)
	if adjoint {
		rows.AddMulT(x, w.inverse, b)
	} else {
		rows.AddMul(x, w.inverse, b)
	}
	return nil
}

// woodbury tells whether it found a solution that holds.
func (r *resolvent) woodbury(w *bench, parts, x, b []float64, adjoint bool) bool {
	n, k := len(b), r.rank
	diagonal, left, right := parts[:n], parts[n:(1+k)*n], parts[(1+k)*n:]
	if !adjoint {
		left, right = right, left
	}
	for i, v := range diagonal {
		if diagonal[i] = 1 / (1 - v); !(math.Abs(diagonal[i]) < 1e12) {
			return false
		}
	}
	for i, e := range diagonal { // E∘b
		x[i] = e * b[i]
	}
	return k == 0 || w.correct(x, diagonal, left, right, k)
}

// correct adds E∘X·s to x, where (I − ZᵀEX)s = Zᵀx.
func (w *bench) correct(x, e, left, right []float64, k int) bool {
	n := len(x)
	system, s := w.small[:k*k], w.small[k*k:]
	for i := range k {
		z := right[i*n : (i+1)*n]
		s[i] = rows.Dot(z, x)
		for j := range k {
			sum := 0.0
			for t, v := range left[j*n : (j+1)*n] {
				sum += float64(float64(z[t]*e[t]) * v)
			}
			system[i*k+j] = truth(i == j) - sum
		}
	}
	if !(dense.Eliminate(system, s, k, dense.Last) > leastPivot) {
		return false
	}
	for j, c := range s {
		for t, v := range left[j*n : (j+1)*n] {
			x[t] += float64(c * float64(e[t]*v))
		}
	}
	for i, want := range s { // s = Zᵀx, if the small system was a good one
		z := right[i*n : (i+1)*n]
		if !(math.Abs(rows.Dot(z, x)-want) <= 1e-11*rows.Norm(z)*rows.Norm(x)) {
			return false
		}
	}
	return true
}

// invert leaves (I−A)⁻¹ of individual i of those looked at in the bench, unless it is there already.
func (r *resolvent) invert(w *bench, i int, p, u, d []float64) error {
	if w.isSet && (r.isFixed || r.isShared && sameBits(w.u, u)) {
		return nil
	}
	w.isSet = false
	n := r.f.dims.State
	r.matrix(w, i, p, u, d)
	size := dense.MaxRowSum(w.left, n, n)
	clear(w.inverse)
	for i := range n {
		w.inverse[i*n+i] = 1
	}
	solved := dense.Eliminate(w.left, w.inverse, n, dense.Last) > leastPivot
	if condition := size * dense.MaxRowSum(w.inverse, n, n); !solved || !(condition < maxCondition) {
		return fmt.Errorf("the matrix I − ∂f/∂p has a condition of %.3g: %w", condition, kedge.ErrSingular)
	}
	copy(w.u, u)
	w.isSet = true
	return nil
}

const (
	maxCondition = 0x1p53 / 100 // leaves two digits to a solution
	leastPivot   = 1e-300       // below it a matrix is singular
)

// matrix leaves I−A of individual i of those looked at in w.left.
func (r *resolvent) matrix(w *bench, i int, p, u, d []float64) {
	size := r.f.dims.State * r.f.dims.State
	if r.rank >= 0 || r.isShared { // then nobody's has been looked at
		r.matrices(w, p, u, d)
		i = 0
	}
	w.inverse, w.left = resized(w.inverse, size), resized(w.left, size)
	copy(w.left, w.slopes[i*size:])
}
