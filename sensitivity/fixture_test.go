package sensitivity_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

func normals(r *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Normal()
	}
	return x
}

// directions draws unit vectors, one a row.
func directions(r *stream.Stream, count, n int) []float64 {
	x := normals(r, count*n)
	for i := range count {
		row := kedge.Row(x, i, n)
		rows.Scale(row, 1/rows.Norm(row))
	}
	return x
}

// decision draws a vector of the given norm.
func decision(r *stream.Stream, n int, norm float64) []float64 {
	u := directions(r, 1, n)
	rows.Scale(u, norm)
	return u
}

// product returns ∇ᵤh·v, which must exist.
func product(t testing.TB, s kedge.Sensitivity, p, u, d, v []float64) []float64 {
	t.Helper()
	gu := make([]float64, len(u))
	if err := s.PullRows(gu, p, u, d, v); err != nil {
		t.Fatal(err)
	}
	return gu
}

// settle returns steady states, which must exist.
func settle(t testing.TB, s kedge.RowSettler, u, d []float64) []float64 {
	t.Helper()
	dim := s.Dims()
	p := make([]float64, kedge.Count(d, dim.Trait)*dim.State)
	if _, err := s.SettleRows(p, u, d); err != nil {
		t.Fatal(err)
	}
	return p
}

// agree fails unless ‖got − want‖ ≤ tol·(‖want‖ + floor).
func agree(t testing.TB, what string, got, want []float64, tol, floor float64) {
	t.Helper()
	if off := rows.Distance(got, want) / (rows.Norm(want) + floor); !(off <= tol) {
		t.Errorf("%s: off by %.2g, want %.2g\n got %v\nwant %v", what, off, tol, got, want)
	}
}

// refused fails unless the product is an error that leaves gu alone, and returns that error.
func refused(t *testing.T, what string, s kedge.Sensitivity, p, u, d, v []float64) error {
	t.Helper()
	gu := make([]float64, len(u))
	for i := range gu {
		gu[i] = float64(i) + 0.1
	}
	before := slices.Clone(gu)
	err := s.PullRows(gu, p, u, d, v)
	if err == nil {
		t.Errorf("%s: no error", what)
	}
	if !slices.Equal(gu, before) {
		t.Errorf("%s: gu changed to %v", what, gu)
	}
	return err
}

// panics returns what a call panics with, nothing if it does not.
func panics(call func()) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

var bad = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
