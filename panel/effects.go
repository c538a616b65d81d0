package panel

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Effects are what units or times have of their own, which takes no part in the answer.
type Effects int

// None is a constant alone.
const (
	None Effects = iota
	ByUnit
	ByTime
	TwoWay
)

// sweeper takes effects out of columns: exactly, also where units are seen at different times.
type sweeper struct {
	effects    Effects
	unit, time []int // from 0, without a gap
	units      []float64
	times      []float64 // how many rows each has
	joint      *mat.Dense
	taken      int // how many numbers the effects are
}

func newSweeper(t Table, e Effects) *sweeper {
	s := &sweeper{effects: e, taken: 1}
	s.unit, s.units = ranks(t.Unit)
	s.time, s.times = ranks(t.Time)
	switch e {
	case ByUnit:
		s.taken = len(s.units)
	case ByTime:
		s.taken = len(s.times)
	case TwoWay:
		s.prepare()
	}
	return s
}

// ranks numbers labels from 0 by size, and counts them.
func ranks(labels []int) (rank []int, count []float64) {
	values := slices.Clone(labels)
	slices.Sort(values)
	values = slices.Compact(values)
	rank, count = make([]int, len(labels)), make([]float64, len(values))
	for i, v := range labels {
		at, _ := slices.BinarySearch(values, v)
		rank[i] = at
		count[at]++
	}
	return rank, count
}

// prepare inverts the normal equations of times once units are taken out, in the directions in which they say something.
func (s *sweeper) prepare() {
	n := len(s.times)
	normal := mat.NewSymDense(n, nil)
	for t, c := range s.times {
		normal.SetSym(t, t, c)
	}
	seen := make([][]int, len(s.units))
	for i, u := range s.unit {
		seen[u] = append(seen[u], s.time[i])
	}
	for u, list := range seen {
		for a, t := range list {
			for _, v := range list[a:] {
				at := normal.At(t, v) - 1/s.units[u]
				normal.SetSym(t, v, at)
			}
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(normal, true)
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	s.taken = len(s.units)
	scaled := mat.NewDense(n, n, nil)
	for j, v := range values {
		if v <= 1e-10*values[n-1] {
			continue
		}
		s.taken++
		for i := range n {
			scaled.Set(i, j, vectors.At(i, j)/v)
		}
	}
	s.joint = new(mat.Dense)
	s.joint.Mul(scaled, vectors.T())
}

// sweep takes the effects out of a column.
func (s *sweeper) sweep(x []float64) []float64 {
	out := slices.Clone(x)
	switch s.effects {
	case None:
		center(out, make([]int, len(x)), []float64{float64(len(x))})
	case ByUnit:
		center(out, s.unit, s.units)
	case ByTime:
		center(out, s.time, s.times)
	case TwoWay:
		center(out, s.unit, s.units)
		sums := make([]float64, len(s.times))
		for i, v := range out {
			sums[s.time[i]] += v
		}
		var effect mat.VecDense
		effect.MulVec(s.joint, mat.NewVecDense(len(sums), sums))
		for i := range out {
			out[i] -= effect.AtVec(s.time[i])
		}
		center(out, s.unit, s.units)
	}
	return out
}

// center takes the mean of every group out.
func center(x []float64, group []int, count []float64) {
	mean := make([]float64, len(count))
	for i, v := range x {
		mean[group[i]] += v / count[group[i]]
	}
	for i := range x {
		x[i] -= mean[group[i]]
	}
}
