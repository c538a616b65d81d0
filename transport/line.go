package transport

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// atom is a weight at a place of the line.
type atom struct{ at, weight float64 }

// Line returns the Wasserstein distance of order one [he2025, Wasserstein distance] between weights a at the points x and
// weights b at the points y of the line, which is the area between the distribution functions [vallender1974]:
//
//	W₁ = ∫ |F(t) − G(t)| dt, F(t) = Σ_{xᵢ≤t} aᵢ/Σa, G(t) = Σ_{yⱼ≤t} bⱼ/Σb
//
// The points may come in any order and more than once. Nil weights are uniform; others are not negative, some may be zero, and
// sum to 1 within 1e-9, which is divided out. Swapping the two sides, and listing points in another order, gives the same bits;
// scaling both x and y by 2ᵏ scales the result by 2ᵏ. The arguments are not changed.
func Line(x, a, y, b []float64) (float64, error) {
	left, errX := atoms("x", "a", x, a)
	right, errY := atoms("y", "b", y, b)
	if errX != nil || errY != nil {
		return 0, errors.Join(errX, errY)
	}
	sumA, sumB := total(left), total(right)
	ma, mb := sumA.Value(), sumB.Value()
	area := between(left, right, less(sumA, sumB).Value()/(ma+mb)) * ((1/ma + 1/mb) / 2)
	if !(area <= math.MaxFloat64) {
		return 0, &kedge.RangeError{Arg: "the distance", Got: math.Inf(1), Want: "points less than 1.8e308 apart"}
	}
	return area, nil
}

// atoms returns the weighted points in their order on the line, which does not depend on how they were listed.
func atoms(point, weight string, x, a []float64) ([]atom, error) {
	a, err := weightsOf(weight, a, point, len(x))
	if err != nil {
		return nil, err
	}
	_, err = mass(weight, a)
	if err := errors.Join(kedge.CheckFinite(point, x), err); err != nil {
		return nil, err
	}
	list := make([]atom, len(x))
	for i, at := range x {
		list[i] = atom{at, a[i]}
	}
	slices.SortFunc(list, func(p, q atom) int { return cmp.Or(cmp.Compare(p.at, q.at), cmp.Compare(p.weight, q.weight)) })
	return list, nil
}

// weightsOf returns the weights a of n points, the uniform ones for nil.
func weightsOf(arg string, a []float64, points string, n int) ([]float64, error) {
	if n < 1 {
		return nil, &kedge.DimError{Arg: points, Got: n, Want: 1}
	}
	if a != nil {
		return a, kedge.CheckLen(arg, a, n)
	}
	return slices.Repeat([]float64{1 / float64(n)}, n), nil
}

// total is the mass of a list, every digit of it.
func total(list []atom) (s rows.Total) {
	for _, p := range list {
		s = s.Add(p.weight)
	}
	return s
}

// less returns s − t.
func less(s, t rows.Total) rows.Total {
	return rows.Total{}.AddBoth(s.High, -t.High).AddBoth(s.Low, -t.Low)
}

// between is the area between the distribution functions, with the correction e for their masses that careful explains.
func between(left, right []atom, e float64) float64 {
	var below, area rows.Total
	last := 0.0
	for len(left)+len(right) > 0 {
		at := lowest(left, right)
		if height := math.Abs(below.Value()); height > 0 {
			area = area.Add(float64(height * (at - last)))
		}
		a, afterA := here(left, at)
		b, afterB := here(right, at)
		below = below.AddBoth(a.High, -b.High).AddBoth(a.Low, -b.Low)
		below.Low -= float64((a.Value() + b.Value()) * e)
		left, right, last = afterA, afterB, at
	}
	return area.Value()
}

// lowest is the first place of two lists, one of which may be empty.
func lowest(left, right []atom) float64 {
	if len(right) == 0 || len(left) > 0 && left[0].at < right[0].at {
		return left[0].at
	}
	return right[0].at
}

// here takes what is at one place from the front of a list.
func here(list []atom, at float64) (rows.Total, []atom) {
	n := 0
	for n < len(list) && list[n].at == at {
		n++
	}
	return total(list[:n]), list[n:]
}
