package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Coefficients are what a table says of its columns.
type Coefficients struct {
	Names     []string
	Value     []float64
	Cov       *mat.SymDense // of errors that go together within a unit in any way (sandwich), with the usual small-sample factor
	Plain     *mat.SymDense // were errors independent and of one size; nil of estimates from changes
	Residuals []float64     // by the rows of the table
	Rows      int
	Units     int
	Freedom   int     // rows less all that was estimated
	Sigma     float64 // the size of errors
	ByRows    bool    // there are no more units than columns: Cov takes rows for independent
	Weakest   float64 // the least F of excluded instruments over the columns that have them; +Inf: no column has
}

// Error is the standard error of coefficient j.
func (e *Coefficients) Error(j int) float64 { return math.Sqrt(e.Cov.At(j, j)) }

// Design says how a table is read.
type Design struct {
	Effects     Effects
	Endogenous  []int       // columns of X that were chosen because of what y would be
	Instruments [][]float64 // columns that move those, and y by nothing else
}

// BlindError says that a table cannot tell coefficients apart.
type BlindError struct {
	Names     []string
	Direction []float64 // in which coefficients can be changed without a change to what is predicted, of length 1 by columns of one size
}

// Involved are the coefficients that take part.
func (e *BlindError) Involved() (in []string) {
	for j, d := range e.Direction {
		if math.Abs(d) > 1e-3 {
			in = append(in, e.Names[j])
		}
	}
	return in
}

func (e *BlindError) Error() string {
	in := e.Involved()
	switch len(in) {
	case 0:
		return "no coefficient can be told"
	case 1:
		return fmt.Sprintf("%s cannot be told: it does not move once effects are taken out", in[0])
	}
	return phrase.Enumerate(in) + " cannot be told apart: they always moved together"
}

// ScarceError says that a table has too few rows for what is asked.
type ScarceError struct{ Rows, Want int }

func (e *ScarceError) Error() string {
	return fmt.Sprintf("%d rows say nothing of %d numbers: more rows, or fewer columns and effects", e.Rows, e.Want)
}

// faint is how much of the largest singular value, columns being of one size, the least must have for coefficients to be told apart.
const faint = 1e-9

// Fit estimates by least squares, in two stages where columns have instruments.
func Fit(t Table, m Design) (*Coefficients, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if len(t.X) == 0 {
		return nil, &ShapeError{"x", -1, "has no columns: at least one, whose coefficient is asked for"}
	}
	if len(m.Instruments) < len(m.Endogenous) {
		return nil, fmt.Errorf("%d instruments for %d columns: at least one each", len(m.Instruments), len(m.Endogenous))
	}
	for j, z := range m.Instruments {
		if err := finite(fmt.Sprintf("instrument %d", j+1), z, len(t.Y)); err != nil {
			return nil, err
		}
	}
	k := len(t.X)
	if len(t.Y) == 0 {
		return nil, &ScarceError{0, 1 + k}
	}
	s := newSweeper(t, m.Effects)
	if len(t.Y) <= s.taken+k {
		return nil, &ScarceError{len(t.Y), s.taken + k}
	}
	y, x := s.sweep(t.Y), columns(s, t.X)
	if err := toldApart(t.Names, x, t.X); err != nil {
		return nil, err
	}
	projected, weakest := x, math.Inf(1)
	if len(m.Endogenous) > 0 {
		var err error
		if projected, weakest, err = stage(s, x, m, len(t.Y)-s.taken); err != nil {
			return nil, err
		}
		if err := toldApart(t.Names, projected, t.X); err != nil {
			return nil, err
		}
	}
	e := &Coefficients{Names: t.Names, Rows: len(t.Y), Units: len(s.units), Freedom: len(t.Y) - s.taken - k, Weakest: weakest}
	value, bread, err := solve(projected, y)
	if err != nil {
		return nil, err
	}
	e.Value = value
	e.Residuals = residuals(x, y, value)
	e.Sigma = math.Sqrt(dot(e.Residuals, e.Residuals) / float64(e.Freedom))
	e.Plain = mat.NewSymDense(k, nil)
	e.Plain.ScaleSym(e.Sigma*e.Sigma, bread)
	group, groups := s.unit, len(s.units)
	if e.ByRows = groups <= k; e.ByRows { // sums by unit would have nothing left in some direction
		groups = len(t.Y)
		group = kedge.Some(groups, groups)
	}
	e.Cov = sandwich(bread, projected, e.Residuals, group, groups, e.Freedom)
	return e, nil
}

// columns takes effects out of all columns.
func columns(s *sweeper, x [][]float64) [][]float64 {
	return lists.Of(x, s.sweep)
}

// toldApart refuses columns that say the same, or nothing beside rounding of what they were.
func toldApart(names []string, x, raw [][]float64) error {
	k := len(x)
	unit := mat.NewDense(len(x[0]), k, nil)
	for j, c := range x {
		size := math.Sqrt(dot(c, c))
		if size <= faint*math.Sqrt(dot(raw[j], raw[j])) {
			direction := make([]float64, k)
			direction[j] = 1
			return &BlindError{names, direction}
		}
		for i, v := range c {
			unit.Set(i, j, v/size)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(unit, mat.SVDThinV) {
		return fmt.Errorf("the columns could not be decomposed")
	}
	values := svd.Values(nil)
	if values[k-1] > faint*values[0] {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	return &BlindError{names, mat.Col(nil, k-1, &v)}
}

// stage predicts the endogenous columns by all that is not, and tells the least F of the instruments among them.
func stage(s *sweeper, x [][]float64, m Design, freedom int) (projected [][]float64, weakest float64, err error) {
	var exogenous [][]float64
	for j, c := range x {
		if !slices.Contains(m.Endogenous, j) {
			exogenous = append(exogenous, c)
		}
	}
	excluded := columns(s, m.Instruments)
	all := slices.Concat(exogenous, excluded)
	names := make([]string, len(all))
	for j := range names {
		names[j] = fmt.Sprintf("instrument %d", j+1-len(exogenous))
	}
	if err := toldApart(names, all, all); err != nil {
		return nil, 0, err
	}
	projected, weakest = slices.Clone(x), math.Inf(1)
	for _, j := range m.Endogenous {
		value, _, err := solve(all, x[j])
		if err != nil {
			return nil, 0, err
		}
		with := residuals(all, x[j], value)
		without := x[j]
		if len(exogenous) > 0 {
			short, _, err := solve(exogenous, x[j])
			if err != nil { // as solving by all would have told
				return nil, 0, err
			}
			without = residuals(exogenous, x[j], short)
		}
		full, less := dot(with, with), dot(without, without)
		weakest = min(weakest, (less-full)/float64(len(excluded))/(full/float64(freedom-len(all))))
		projected[j] = make([]float64, len(with))
		for i, r := range with {
			projected[j][i] = x[j][i] - r
		}
	}
	return projected, weakest, nil
}

// solve is least squares by QR, with the inverse of the normal equations.
func solve(x [][]float64, y []float64) (value []float64, bread *mat.SymDense, err error) {
	k := len(x)
	design := mat.NewDense(len(y), k, nil)
	for j, c := range x {
		design.SetCol(j, c)
	}
	var qr mat.QR
	qr.Factorize(design)
	var b mat.VecDense
	var r, inverse mat.Dense
	qr.RTo(&r)
	if err := cmp.Or(qr.SolveVecTo(&b, false, mat.NewVecDense(len(y), y)), inverse.Inverse(r.Slice(0, k, 0, k))); err != nil {
		return nil, nil, fmt.Errorf("least squares: %w", err)
	}
	bread = mat.NewSymDense(k, nil)
	bread.SymOuterK(1, &inverse)
	return mat.Col(nil, 0, &b), bread, nil
}

func residuals(x [][]float64, y, value []float64) []float64 {
	out := slices.Clone(y)
	for j, c := range x {
		rows.AddScaled(out, -value[j], c)
	}
	return out
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}

// sandwich is the covariance of coefficients whose errors go together within groups.
func sandwich(bread *mat.SymDense, x [][]float64, residuals []float64, group []int, groups, freedom int) *mat.SymDense {
	k := len(x)
	scores := mat.NewDense(groups, k, nil)
	for j, c := range x {
		for i, v := range c {
			scores.Set(group[i], j, scores.At(group[i], j)+float64(v*residuals[i]))
		}
	}
	n := float64(len(residuals))
	factor := (n - 1) / float64(freedom) * (float64(groups) / float64(groups-1)) // of which there are two at least
	meat := mat.NewSymDense(k, nil)
	meat.SymOuterK(factor, scores.T())
	return around(bread, meat)
}

// around is b m b of symmetric matrices.
func around(b, m *mat.SymDense) *mat.SymDense {
	var half, whole mat.Dense
	half.Mul(b, m)
	whole.Mul(&half, b)
	return symmetric(&whole)
}

// symmetric is a matrix that is symmetric but for rounding.
func symmetric(d *mat.Dense) *mat.SymDense {
	n, _ := d.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, 0+float64((d.At(i, j)+d.At(j, i))/2)) // a zero has no sign: −0 would be told, and divide, otherwise than 0
		}
	}
	return out
}
