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
	unit, time []int // from 0, without a gap
	units      []float64
	times      []float64 // how many rows each has
	group      []int     // whose means are taken out
	count      []float64
	joint      *mat.Dense // of times, once units are taken out; nil: nothing else is
	taken      int        // how many numbers the effects are
}

func newSweeper(t Table, e Effects) *sweeper {
	s := &sweeper{}
	s.unit, s.units = ranks(t.Unit)
	s.time, s.times = ranks(t.Time)
	s.group, s.count = s.unit, s.units
	switch e {
	case None:
		s.group, s.count = make([]int, len(t.Y)), []float64{float64(len(t.Y))}
	case ByTime:
		s.group, s.count = s.time, s.times
	}
	if s.taken = len(s.count); e == TwoWay {
		s.prepare()
	}
	return s
}

// ranks numbers labels from 0 by size, and counts them.
func ranks(labels []int) (rank []int, count []float64) {
	values := slices.Compact(slices.Sorted(slices.Values(labels)))
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
	center(out, s.group, s.count)
	if s.joint == nil {
		return out
	}
	sums := make([]float64, len(s.times))
	for i, v := range out {
		sums[s.time[i]] += v
	}
	effect := times(s.joint, sums)
	for i := range out {
		out[i] -= effect.AtVec(s.time[i])
	}
	center(out, s.group, s.count)
	return out
}

// times is a matrix by numbers.
func times(a mat.Matrix, x []float64) *mat.VecDense {
	out := new(mat.VecDense)
	out.MulVec(a, mat.NewVecDense(len(x), x))
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
