package kedge

import "strconv"

// Batched returns the block form of f: f itself when it has one, otherwise Next row by row.
func Batched(f Dynamics) RowDynamics {
	if r, ok := f.(RowDynamics); ok {
		return r
	}
	return rowByRow{f}
}

type rowByRow struct{ Dynamics }

func (r rowByRow) NextRows(dst, p, u, d []float64) {
	dim := r.Dims()
	for i := range Count(p, dim.State) {
		r.Next(Row(dst, i, dim.State), Row(p, i, dim.State), u, Row(d, i, dim.Trait))
	}
}

// BatchedObjective returns the block form of o over individuals of the given dimensions.
func BatchedObjective(o Objective, dim Dims) RowObjective {
	if r, ok := o.(RowObjective); ok {
		return r
	}
	return evalByRow{o, dim}
}

type evalByRow struct {
	Objective
	dim Dims
}

func (r evalByRow) EvalRows(gp, gu, p, u, d []float64) float64 {
	sum := 0.0
	for i := range Count(p, r.dim.State) {
		var g []float64
		if gp != nil {
			g = Row(gp, i, r.dim.State)
		}
		sum += r.Eval(g, gu, Row(p, i, r.dim.State), u, Row(d, i, r.dim.Trait))
	}
	return sum
}

// BatchedSettler returns the block form of s.
func BatchedSettler(s Settler) RowSettler {
	if r, ok := s.(RowSettler); ok {
		return r
	}
	return settleByRow{s}
}

type settleByRow struct{ Settler }

// SettleRows settles row by row. An error names the row; the rows before it are already written.
func (r settleByRow) SettleRows(dst, u, d []float64) (Residual, error) {
	dim := r.Dims()
	var worst Residual
	for i := range Count(dst, dim.State) {
		res, err := r.Settle(Row(dst, i, dim.State), u, Row(d, i, dim.Trait))
		if err != nil {
			return worst, &RowError{Row: i, Err: err}
		}
		worst = worst.Worst(res)
	}
	return worst, nil
}

// RowError says which individual of a block an error belongs to.
type RowError struct {
	Row int
	Err error
}

func (e *RowError) Error() string { return "individual " + strconv.Itoa(e.Row) + ": " + e.Err.Error() }

func (e *RowError) Unwrap() error { return e.Err }

// Row returns row i of a block whose rows have width entries.
func Row(block []float64, i, width int) []float64 {
	return block[i*width : (i+1)*width : (i+1)*width]
}

// Count returns how many rows of the given width a block has. It panics when the block has a broken row.
func Count(block []float64, width int) int {
	if width == 0 {
		return 0
	}
	if len(block)%width != 0 {
		panic("kedge: block of " + strconv.Itoa(len(block)) + " entries has a broken row of width " + strconv.Itoa(width))
	}
	return len(block) / width
}
