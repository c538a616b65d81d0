package transport

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Cost is what it costs to carry a unit of mass from one of n places to one of m.
type Cost interface {
	// Size returns n and m.
	Size() (n, m int)
	// Row writes the costs from place i to all m places to dst, which has m entries.
	Row(dst []float64, i int)
}

// table is a Cost whose entries are written down.
type table struct {
	entries []float64
	m       int
}

func (t table) Size() (n, m int) { return len(t.entries) / t.m, t.m }

func (t table) Row(dst []float64, i int) { copy(dst, t.entries[i*t.m:(i+1)*t.m]) }

// Table is the Cost with the given entries, m to a row. It keeps the slice.
func Table(entries []float64, m int) (Cost, error) {
	if err := points("entries", entries, m); err != nil {
		return nil, err
	}
	return table{entries, m}, nil
}

// metric is the Euclidean distance between points in rows.
type metric struct {
	x, y []float64
	dim  int
}

func (e metric) Size() (n, m int) { return len(e.x) / e.dim, len(e.y) / e.dim }

func (e metric) Row(dst []float64, i int) {
	x := e.x[i*e.dim : (i+1)*e.dim]
	for j := range dst {
		dst[j] = rows.Distance(x, e.y[j*e.dim:(j+1)*e.dim])
	}
}

// Euclidean is the Cost ‖xᵢ − yⱼ‖ between points of dim entries, one after the other. It keeps the slices.
func Euclidean(x, y []float64, dim int) (Cost, error) {
	if err := errors.Join(points("x", x, dim), points("y", y, dim)); err != nil {
		return nil, err
	}
	return metric{x, y, dim}, nil
}

// Weighted is the Cost ‖xᵢ − yⱼ‖_P = √((xᵢ − yⱼ)ᵀP(xᵢ − yⱼ)) for a symmetric positive definite P of dim rows. With the
// Cholesky factor P = LLᵀ [golub2013] it is the Euclidean distance between Lᵀxᵢ and Lᵀyⱼ, which are computed here, once.
func Weighted(p, x, y []float64, dim int) (Cost, error) {
	if err := errors.Join(points("x", x, dim), points("y", y, dim)); err != nil {
		return nil, err
	}
	l, err := cholesky(p, dim)
	if err != nil {
		return nil, err
	}
	e := metric{mapped(l, x, dim), mapped(l, y, dim), dim}
	return e, errors.Join(kedge.CheckFinite("Lᵀx", e.x), kedge.CheckFinite("Lᵀy", e.y))
}

// mixed is the sum of two costs.
type mixed struct{ states, traits Cost }

func (c mixed) Size() (n, m int) { return c.states.Size() }

func (c mixed) Row(dst []float64, i int) {
	c.states.Row(dst, i)
	second := make([]float64, len(dst))
	c.traits.Row(second, i)
	rows.AddScaled(dst, 1, second)
}

// Mixed is the sum of two costs between the same numbers of places. Of a Weighted one between states and a Euclidean one
// between traits it is the metric ‖p − p′‖_P + ‖d − d′‖ of individuals [he2025, joint metric].
func Mixed(states, traits Cost) (Cost, error) {
	n, m := states.Size()
	nt, mt := traits.Size()
	if n != nt {
		return nil, &kedge.DimError{Arg: "the left side of traits", Got: nt, Want: n}
	}
	if m != mt {
		return nil, &kedge.DimError{Arg: "the right side of traits", Got: mt, Want: m}
	}
	return mixed{states, traits}, nil
}

// points says why x is no list of points of dim finite entries.
func points(arg string, x []float64, dim int) error {
	if dim < 1 {
		return &kedge.RangeError{Arg: "the number of entries of a point of " + arg, Got: float64(dim), Want: "at least 1"}
	}
	if len(x) == 0 || len(x)%dim != 0 {
		return &kedge.DimError{Arg: arg, Got: len(x), Want: max(1, (len(x)+dim-1)/dim) * dim}
	}
	return kedge.CheckFinite(arg, x)
}

// cholesky returns the L of P = LLᵀ in its lower triangle.
func cholesky(p []float64, dim int) ([]float64, error) {
	if err := errors.Join(kedge.CheckVector("P", p, dim*dim), symmetric(p, dim)); err != nil {
		return nil, err
	}
	l := slices.Clone(p)
	if at, pivot := dense.Cholesky(l, dim, 0); at < dim {
		return nil, &kedge.RangeError{Arg: fmt.Sprintf("pivot %d of P", at), Got: pivot, Want: "above 0, as P is positive definite"}
	}
	return l, nil
}

// symmetric says where P is not.
func symmetric(p []float64, dim int) error {
	if len(p) != dim*dim {
		return nil // which has been said
	}
	for i := range dim {
		for j := range i {
			if p[i*dim+j] != p[j*dim+i] {
				return &kedge.RangeError{Arg: fmt.Sprintf("P[%d,%d]", i, j), Got: p[i*dim+j], Want: fmt.Sprintf("P[%d,%d] = %v", j, i, p[j*dim+i])}
			}
		}
	}
	return nil
}

// mapped returns Lᵀx for every point of x.
func mapped(l, x []float64, dim int) []float64 {
	out := make([]float64, len(x))
	for at := 0; at < len(x); at += dim {
		for k, v := range x[at : at+dim] {
			rows.AddScaled(out[at:at+k+1], v, l[k*dim:k*dim+k+1])
		}
	}
	return out
}
