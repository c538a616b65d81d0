package formula

import (
	"cmp"
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// settled are dynamics p⁺ = A(u,d)p + c(u,d), whose steady state is (I−A)⁻¹c.
type settled struct{ *dynamics }

var (
	_ Dynamics         = settled{}
	_ kedge.RowSettler = settled{}
)

// Settle writes (I−A)⁻¹c to dst. The errors are those of arguments of the wrong length or not finite, *kedge.UnstableError, and
// one that wraps kedge.ErrSingular.
func (f settled) Settle(dst, u, d []float64) (kedge.Residual, error) {
	err := errors.Join(kedge.CheckLen("dst", dst, f.dims.State), kedge.CheckVector("u", u, f.dims.Decision), kedge.CheckLen("d", d, f.dims.Trait))
	if err != nil {
		return kedge.Residual{}, err
	}
	w := f.resolvent.borrow()
	defer f.resolvent.pool.Put(w)
	h := w.rows(f.dims.State)
	r, err := f.settleSome(w, h, u, d, true)
	if row, ok := err.(*kedge.RowError); ok {
		return kedge.Residual{}, row.Err
	}
	copy(dst, h)
	return r, nil
}

// SettleRows settles every row of d; an error of one individual names it.
func (f settled) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	var worst kedge.Residual
	n, r := f.dims.State, f.dims.Trait
	count := len(dst) / n
	err := errors.Join(kedge.CheckLen("dst", dst, count*n), kedge.CheckLen("d", d, count*r), kedge.CheckVector("u", u, f.dims.Decision))
	if err != nil {
		return worst, err
	}
	w := f.resolvent.borrow()
	defer f.resolvent.pool.Put(w)
	together := f.resolvent.together()
	for first := 0; first < count; first += together {
		last := min(first+together, count)
		res, err := f.settleSome(w, dst[first*n:last*n], u, d[first*r:last*r], first == 0)
		worst = worst.Worst(res)
		if row, ok := err.(*kedge.RowError); ok {
			row.Row += first
			return worst, row
		}
	}
	return worst, nil
}

// settleSome settles a few individuals up to the first with an error, a *kedge.RowError, and returns the worst residual of those before.
func (f settled) settleSome(w *bench, h, u, d []float64, isFirst bool) (worst kedge.Residual, err error) {
	n, r := f.dims.State, f.dims.Trait
	both := w.sum(2 * len(h))
	zero, c := both[:len(h)], both[len(h):]
	f.NextRows(c, zero, u, d)
	f.resolvent.look(w, zero, u, d)
	count := len(h) / n
	for i := range count {
		if fault := f.settleOne(w, i, h[i*n:(i+1)*n], c[i*n:(i+1)*n], zero[:n], u, d[i*r:(i+1)*r], isFirst && i == 0); fault != nil {
			count, err = i, &kedge.RowError{Row: i, Err: fault}
			break
		}
	}
	h, c = h[:count*n], c[:count*n]
	f.NextRows(c, h, u, d[:count*r])
	for i := range count {
		c, h := c[i*n:(i+1)*n], h[i*n:(i+1)*n]
		rows.AddScaled(c, -1, h)
		worst = worst.Worst(kedge.Residual{Norm: rows.MaxAbs(c) / max(1, rows.MaxAbs(h))})
	}
	return worst, err
}

// settleOne settles individual i of those looked at. What all individuals share is judged with the first.
func (f settled) settleOne(w *bench, i int, h, c, zero, u, d []float64, isFirst bool) error {
	if err := kedge.CheckFinite("d", d); err != nil {
		return err
	}
	if isFirst || !f.resolvent.isShared {
		if err := f.resolvent.attracts(w, i, zero, u, d); err != nil {
			return err
		}
	}
	if err := f.resolvent.solve(w, i, h, c, zero, u, d, false); err != nil {
		return err
	}
	return kedge.CheckFinite("the steady state", h)
}

// attracts returns an *kedge.UnstableError unless the spectral radius of A is below 1, as it is where a norm of A is. The individual is number i of those looked at.
func (r *resolvent) attracts(w *bench, i int, p, u, d []float64) error {
	n := r.f.dims.State
	if r.rank >= 0 {
		switch bound := partsNorm(r.of(w, i), n, r.rank); {
		case bound < 1:
			return nil
		case r.rank == 0 || n > maxDense:
			return &kedge.UnstableError{Rate: bound}
		}
	}
	w.isSet = false
	r.matrix(w, i, p, u, d)
	for i := range n { // A from I−A
		rows.Scale(w.left[i*n:(i+1)*n], -1)
		w.left[i*n+i]++
	}
	if dense.MaxRowSum(w.left, n, n) < 1 {
		return nil
	}
	if err := kedge.CheckFinite("∂f/∂p", w.left); err != nil {
		return err
	}
	switch radius := dense.SpectralRadius(w.left, n); {
	case math.IsNaN(radius):
		return &kedge.NotConvergedError{What: "eigenvalues of ∂f/∂p", Residual: math.NaN()}
	case radius >= 1:
		return &kedge.UnstableError{Rate: radius}
	}
	return nil
}

// partsNorm bounds ‖D + Σ zₖxₖᵀ‖₁ from above; of a diagonal it is the norm.
func partsNorm(parts []float64, n, rank int) float64 {
	bound := rows.MaxAbs(parts[:n])
	for k := range rank {
		x, z := parts[(1+k)*n:(2+k)*n], parts[(1+rank+k)*n:(2+rank+k)*n]
		sum := 0.0
		for _, v := range z {
			sum += math.Abs(v)
		}
		bound += float64(sum * rows.MaxAbs(x))
	}
	return bound
}

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
	w, n, together := b.rows(len(v)), dims.State, r.together()
	for i := range count {
		if i%together == 0 {
			last := min(i+together, count)
			r.look(b, p[i*n:last*n], u, d[i*dims.Trait:last*dims.Trait])
		}
		at, end := i*n, (i+1)*n
		trait := d[i*dims.Trait : (i+1)*dims.Trait]
		if err := r.solve(b, i%together, w[at:end], v[at:end], p[at:end], u, trait, true); err != nil {
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
	b.solutions = resized(b.solutions, n)
	return b.solutions
}

// sum returns n zeros.
func (b *bench) sum(n int) []float64 {
	b.total = resized(b.total, n)
	clear(b.total)
	return b.total
}
