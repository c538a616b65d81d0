package formula

import (
	"cmp"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

type sensitivity struct{ f *dynamics }

// PullRows adds Σᵢ ∇ᵤh(pᵢ, u, dᵢ) vᵢ to gu. Errors name the individual and leave gu unchanged.
func (s sensitivity) PullRows(gu, p, u, d, v []float64) error {
	dims := s.f.dims
	count := mustFit(dims, p, u, d)
	mustBe("v", v, len(p))
	mustBe("gu", gu, dims.Decision)
	r := s.f.resolvent
	b := r.borrow()
	defer r.pool.Put(b)
	w, n := b.rows(len(v)), dims.State
	for i := range count {
		at, end := i*n, (i+1)*n
		trait := d[i*dims.Trait : (i+1)*dims.Trait]
		if err := r.solve(b, w[at:end], v[at:end], p[at:end], u, trait, true); err != nil {
			if fault := blame(p[at:end], u, trait, v[at:end]); fault != nil {
				err = fault
			}
			return &kedge.RowError{Row: i, Err: err}
		}
	}
	return s.commit(b, gu, p, u, d, v, w)
}

// commit adds the product if it is finite and says whose fault it is otherwise.
func (s sensitivity) commit(b *bench, gu, p, u, d, v, w []float64) error {
	sum := b.sum(len(gu))
	s.f.PullbackRows(nil, sum, p, u, d, w)
	if rows.Finite(sum) {
		rows.AddScaled(gu, 1, sum)
		return nil
	}
	if err := blame(p, u, d, v); err != nil {
		return err
	}
	return kedge.CheckFinite("the product with ∇ᵤh", sum)
}

// blame returns an error for the first argument that is not finite.
func blame(p, u, d, v []float64) error {
	return cmp.Or(kedge.CheckFinite("u", u), kedge.CheckFinite("p", p), kedge.CheckFinite("d", d), kedge.CheckFinite("v", v))
}

// rows returns room for n numbers.
func (b *bench) rows(n int) []float64 {
	b.solutions = slices.Grow(b.solutions[:0], n)[:n]
	return b.solutions
}

// sum returns n zeros.
func (b *bench) sum(n int) []float64 {
	b.total = slices.Grow(b.total[:0], n)[:n]
	clear(b.total)
	return b.total
}
