package panel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// moments are the equations of all units, and what their sums say.
type moments struct {
	changes     []change
	instruments int
	zx          *mat.Dense    // Σ Z'X
	zy          *mat.VecDense // Σ Z'y
	first       *mat.SymDense // the weights of the first step, right if errors are independent and of one size
}

func newMoments(changes []change) (*moments, error) {
	_, l := changes[0].z.Dims()
	_, k := changes[0].x.Dims()
	m := &moments{changes: changes, instruments: l, zx: mat.NewDense(l, k, nil), zy: mat.NewVecDense(l, nil)}
	weights := mat.NewSymDense(l, nil)
	for _, c := range changes {
		var zx, hz, zhz mat.Dense
		zx.Mul(c.z.T(), c.x)
		m.zx.Add(m.zx, &zx)
		m.zy.AddVec(m.zy, times(c.z.T(), c.y))
		h := mat.NewSymDense(len(c.time), nil)
		for i, at := range c.time {
			h.SetSym(i, i, 2)
			if i > 0 && c.time[i-1] == at-1 {
				h.SetSym(i-1, i, -1)
			}
		}
		hz.Mul(h, c.z)
		zhz.Mul(c.z.T(), &hz)
		weights.AddSym(weights, symmetric(&zhz))
	}
	m.first = inverse(weights)
	if slices.ContainsFunc(m.first.RawSymmetric().Data, math.IsNaN) {
		return nil, fmt.Errorf("the instruments are too large to be weighed")
	}
	return m, nil
}

// inverse is the inverse of a matrix without negative eigenvalues, in the directions in which there are any.
func inverse(s *mat.SymDense) *mat.SymDense {
	n := s.SymmetricDim()
	var eigen mat.EigenSym
	out := mat.NewSymDense(n, nil)
	if !eigen.Factorize(s, true) {
		out.SetSym(0, 0, math.NaN())
		return out
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	scaled := mat.NewDense(n, n, nil)
	for j, v := range values {
		if v <= 1.5e-8*values[n-1] { // as statisticians cut it: the square root of the distance of numbers
			continue
		}
		for i := range n {
			scaled.Set(i, j, vectors.At(i, j)/math.Sqrt(v))
		}
	}
	out.SymOuterK(1, scaled)
	return out
}

// stepped is the coefficients at some weights.
type stepped struct {
	value []float64
	bread *mat.SymDense // (X'Z A Z'X)⁻¹
	pull  *mat.Dense    // bread X'Z A: coefficients are this of Z'y
}

func (m *moments) step(weights *mat.SymDense) (*stepped, error) {
	var xza, normal mat.Dense
	xza.Mul(m.zx.T(), weights)
	normal.Mul(&xza, m.zx)
	var chol mat.Cholesky
	if !chol.Factorize(symmetric(&normal)) || chol.Cond() > 1e14 {
		return nil, fmt.Errorf("the moments do not tell the coefficients apart")
	}
	s := &stepped{bread: new(mat.SymDense), pull: new(mat.Dense)}
	_ = chol.InverseTo(s.bread) // whose condition is good
	s.pull.Mul(s.bread, &xza)
	var b mat.VecDense
	b.MulVec(s.pull, m.zy)
	s.value = mat.Col(nil, 0, &b)
	return s, nil
}

// errors are what coefficients leave of each unit's changes.
func (m *moments) errors(value []float64) [][]float64 {
	all := make([][]float64, len(m.changes))
	for i, c := range m.changes {
		fitted := times(c.x, value)
		all[i] = make([]float64, len(c.y))
		for r, y := range c.y {
			all[i][r] = y - fitted.AtVec(r)
		}
	}
	return all
}

// moment is Σ Z'e.
func (m *moments) moment(errs [][]float64) *mat.VecDense {
	sum := mat.NewVecDense(m.instruments, nil)
	for i, c := range m.changes {
		sum.AddVec(sum, times(c.z.T(), errs[i]))
	}
	return sum
}

// spread is Σ Z'ee'Z.
func (m *moments) spread(errs [][]float64) *mat.SymDense {
	sum := mat.NewSymDense(m.instruments, nil)
	for i, c := range m.changes {
		sum.SymRankOne(sum, 1, times(c.z.T(), errs[i]))
	}
	return sum
}

// covariance is that of coefficients whatever the errors of a unit have to do with each other.
func (s *stepped) covariance(meat *mat.SymDense) *mat.SymDense {
	var half, whole mat.Dense
	half.Mul(s.pull, meat)
	whole.Mul(&half, s.pull.T())
	return symmetric(&whole)
}

// windmeijer is the covariance of the second step with what is unknown of its weights (Windmeijer, 2005).
func (m *moments) windmeijer(second *stepped, first *mat.SymDense, errs, errs2 [][]float64) *mat.SymDense {
	k := len(second.value)
	moment := m.moment(errs2)
	// A₂ Z'e of the second step, by which every direction of the weights is seen.
	weighed := new(mat.VecDense)
	weighed.MulVec(inverse(m.spread(errs)), moment)
	d := mat.NewDense(k, k, nil)
	for j := range k {
		turned := mat.NewVecDense(m.instruments, nil) // Σ Z'(x e' + e x')Z of it
		for i, c := range m.changes {
			var zx mat.VecDense
			zx.MulVec(c.z.T(), c.x.ColView(j))
			ze := times(c.z.T(), errs[i])
			turned.AddScaledVec(turned, mat.Dot(ze, weighed), &zx)
			turned.AddScaledVec(turned, mat.Dot(&zx, weighed), ze)
		}
		var column mat.VecDense
		column.MulVec(second.pull, turned)
		d.SetCol(j, mat.Col(nil, 0, &column))
	}
	var db, dv, dvd, sum mat.Dense
	db.Mul(d, second.bread)
	dv.Mul(d, first)
	dvd.Mul(&dv, d.T())
	sum.Add(&db, db.T())
	sum.Add(&sum, &dvd)
	sum.Add(&sum, second.bread)
	return symmetric(&sum)
}

// serial is how correlated changes of errors are at a distance, in standard errors.
func (m *moments) serial(order int, s *stepped, cov *mat.SymDense, errs [][]float64) float64 {
	k := len(s.value)
	var sum, square float64
	ex := mat.NewVecDense(k, nil)
	zve := mat.NewVecDense(m.instruments, nil)
	for i, c := range m.changes {
		lagged := make([]float64, len(errs[i]))
		for r, at := range c.time {
			for before := range r {
				if c.time[before] == at-order {
					lagged[r] = errs[i][before]
				}
			}
		}
		own := dot(errs[i], lagged)
		sum += own
		square += float64(own * own)
		ex.AddVec(ex, times(c.x.T(), lagged))
		zve.AddScaledVec(zve, own, times(c.z.T(), errs[i]))
	}
	var pulled mat.VecDense
	pulled.MulVec(s.pull, zve)
	variance := square - 2*mat.Dot(ex, &pulled) + mat.Inner(ex, cov, ex)
	return sum / math.Sqrt(variance)
}
