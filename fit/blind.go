package fit

import (
	"cmp"
	"errors"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// faint is the least singular value of derivatives, columns being of length 1, beside the largest, for a direction that the log tells.
const faint = 1e-9

// Bread is the inverse of the normal equations of derivatives, a column each of the unknowns, together with what is known of these beforehand: in all
// directions that are told. It marks unknowns that take part in others, and names those.
func Bread(derivatives *mat.Dense, unknowns []Unknown) (inverse *mat.Dense, loose []bool, blind []Blindness, err error) {
	lines, n := derivatives.Dims()
	size := make([]float64, n) // of columns
	design := mat.NewDense(lines+n, n, nil)
	for i, u := range unknowns {
		for r := range lines {
			design.Set(r, i, derivatives.At(r, i))
		}
		if u.Deviation > 0 {
			design.Set(lines+i, i, 1/u.Deviation)
		}
		size[i] = cmp.Or(mat.Norm(design.ColView(i), 2), 1)
		for r := range lines + n {
			design.Set(r, i, design.At(r, i)/size[i])
		}
	}
	var svd mat.SVD
	if !rows.Finite(design.RawMatrix().Data) || !svd.Factorize(design, mat.SVDThin) { // small ones are decomposed whatever they hold
		return nil, nil, nil, errors.New("the derivatives of what is predicted are no numbers: other ranges or starts")
	}
	values := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	inverse, loose = mat.NewDense(n, n, nil), make([]bool, n)
	var dark [][]float64
	for c, s := range values {
		if !(s > faint*values[0]) {
			dark = append(dark, mat.Col(nil, c, &v))
			continue
		}
		for i := range n {
			for j := range n {
				inverse.Set(i, j, inverse.At(i, j)+float64(v.At(i, c)*v.At(j, c)/s/s/size[i]/size[j]))
			}
		}
	}
	sparse(dark)
	for _, d := range dark {
		blind = append(blind, direction(unknowns, d, size, loose))
	}
	return inverse, loose, blind, nil
}

// sparse takes directions for combinations of them in which fewer numbers take part: each has one of its own that no other has.
func sparse(all [][]float64) {
	for c, d := range all {
		own := 0
		for i, x := range d {
			if math.Abs(x) > math.Abs(d[own]) {
				own = i
			}
		}
		for other, e := range all {
			if other != c && d[own] != 0 {
				by := e[own] / d[own]
				rows.AddScaled(e, -by, d)
				e[own] = 0
			}
		}
	}
	for _, d := range all {
		by := mat.Norm(mat.NewVecDense(len(d), d), 2)
		for i := range d {
			if by > 0 {
				d[i] /= by
			}
		}
	}
}

// direction names what takes part in one that the log does not tell.
func direction(unknowns []Unknown, way, size []float64, loose []bool) (d Blindness) {
	for i, u := range unknowns {
		if math.Abs(way[i]) > 1e-4 {
			loose[i] = true
			d.Names, d.By = append(d.Names, u.Name), append(d.By, way[i]/size[i])
		}
	}
	return d
}
