package panel

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The order of rows changes nothing: whichever comes first, coefficients and their errors have the same bits, by changes and by lags.
func TestOrderOfRowsChangesNothing(t *testing.T) {
	table, _ := made(5, 6, 3, false)
	said := func(t Table) string {
		e, err := Dynamics(t, "lag", ByChanges{Steps: 2, Oldest: 3})
		lagged := t.Lagged("lag")
		return fmt.Sprint(e.Value, entries(e.Cov), e.Sargan, err, lagged.Unit, lagged.Time, lagged.Y, lagged.X)
	}
	want := said(table)
	rows := make([]int, len(table.Y))
	for first := range rows {
		for i := range rows {
			rows[i] = (first + i) % len(rows)
		}
		if got := said(table.Rows(rows)); got != want {
			t.Fatalf("from row %d on: %s, want %s", first, got, want)
		}
		slices.Reverse(rows)
		if got := said(table.Rows(rows)); got != want {
			t.Fatalf("back from row %d: %s, want %s", first, got, want)
		}
	}
}

// A lag is of the same unit: whose first time comes after the last of another has none. One row alone has no lag, and says nothing.
func TestLagsAreOfTheSameUnit(t *testing.T) {
	table := Table{Unit: []int{1, 1, 2, 2}, Time: []int{1, 2, 3, 4}, Y: []float64{5, 6, 7, 8}, Names: []string{}, X: nil}
	if l := table.Lagged("lag"); !slices.Equal(l.Y, []float64{6, 8}) || !slices.Equal(l.X[0], []float64{5, 7}) {
		t.Errorf("%+v", l)
	}
	one := table.Rows([]int{3})
	one.Names, one.X = []string{"x"}, [][]float64{{1}}
	if l := one.Lagged("lag"); len(l.Y) != 0 || len(l.X) != 2 {
		t.Errorf("%+v", l)
	}
	var scarce *ScarceError
	if _, err := Fit(one, Design{}); !errors.As(err, &scarce) || *scarce != (ScarceError{1, 2}) {
		t.Error(err)
	}
}

// By hand: two columns at an angle θ are of sizes √(1 ± cos θ), so that θ/2 is what must be above a billionth. A column of zeros does not move.
func TestWhatIsToldApart(t *testing.T) {
	for angle, told := range map[float64]bool{1.5e-9: false, 1.9e-9: false, 2.1e-9: true, 2.5e-9: true, 3.5e-9: true, 1: true} {
		x := [][]float64{{1, 0, 0}, {math.Cos(angle), math.Sin(angle), 0}}
		if err := toldApart([]string{"a", "b"}, x, x); (err == nil) != told {
			t.Errorf("at an angle of %v: %v", angle, err)
		}
	}
	for size, told := range map[float64]bool{0: false, 0.9e-9: false, 1.5e-9: true, 3e-9: true} { // of what was there before effects were taken out
		err := toldApart([]string{"a", "b"}, [][]float64{{0, 1, 0}, {size, 0, 0}}, [][]float64{{0, 1, 0}, {1, 0, 0}})
		if (err == nil) != told || !told && err.Error() != "b cannot be told: it does not move once effects are taken out" {
			t.Errorf("what is left is %v: %v", size, err)
		}
	}
	var blind *BlindError
	zeros := [][]float64{{1, 2, 3}, {0, 0, 0}, {3, 1, 1}}
	if err := toldApart([]string{"a", "b", "c"}, zeros, zeros); !errors.As(err, &blind) || !slices.Equal(blind.Direction, []float64{0, 1, 0}) || err.Error() != "b cannot be told: it does not move once effects are taken out" {
		t.Errorf("%v, %+v", err, blind)
	}
	if in := (&BlindError{Names: []string{"a", "b", "c"}, Direction: []float64{1e-3, -1.1e-3, 1}}).Involved(); !slices.Equal(in, []string{"b", "c"}) {
		t.Errorf("a thousandth of the direction is %q", in)
	}
	if _, err := Fit(Table{Names: []string{"a", "b"}, X: [][]float64{{}, {}}}, Design{}); err == nil || err.Error() != "0 rows say nothing of 3 numbers: more rows, or fewer columns and effects" {
		t.Error(err)
	}
}

// Instruments whose products are beyond all numbers are refused; a table cannot have such.
func TestInstrumentsBeyondNumbers(t *testing.T) {
	for size, refused := range map[float64]bool{1e150: false, 1e200: true} {
		z := mat.NewDense(2, 3, []float64{size, size, size, size, size, size})
		one := change{y: []float64{1, 1}, x: mat.NewDense(2, 1, []float64{1, 2}), z: z, time: []int{2, 3}}
		if _, err := newMoments([]change{one, one}); (err != nil) != refused || refused && err.Error() != "the instruments are too large to be weighed" {
			t.Errorf("of size %v: %v", size, err)
		}
	}
}

// Instruments of nothing are not looked at: with none of the columns in question they may be the same twice.
func TestInstrumentsOfNothing(t *testing.T) {
	table, z := made(6, 6, 4, false)
	want, err := Fit(table, Design{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Fit(table, Design{Instruments: [][]float64{z, z}})
	if err != nil || toldOf(got, nil) != toldOf(want, nil) {
		t.Errorf("%v, %v", got, err)
	}
}

// By hand, of one column and one instrument: the slope is Σzy/Σzx of what is around the means, 22/8, and F is 3 times what z tells of x over what it leaves, by R² = (Σzx)²/(Σz²Σx²) = 64/(4·17.2).
func TestOneInstrumentForOneColumn(t *testing.T) {
	table := Table{Unit: []int{1, 2, 3, 4, 5}, Time: []int{1, 1, 1, 1, 1}, Names: []string{"x"}, X: [][]float64{{1, 2, 3, 5, 6}}, Y: []float64{2, 1, 7, 9, 16}}
	z := []float64{-1, -1, 0, 1, 1}
	e, err := Fit(table, Design{Endogenous: []int{0}, Instruments: [][]float64{z}})
	if err != nil {
		t.Fatal(err)
	}
	xx := 1. + 4 + 9 + 25 + 36 - 17.*17/5
	zx, zy := -1.-2+5+6, -2.-1+9+16
	near(t, "the slope", e.Value[0], zy/zx, 1e-14)
	r2 := zx * zx / (4 * xx)
	near(t, "F", e.Weakest, r2/((1-r2)/3), 1e-12)
}

// Columns of sizes so different that numbers cannot hold both are refused by least squares, in either stage.
func TestColumnsOfVeryDifferentSizes(t *testing.T) {
	table, z := made(6, 6, 4, false)
	scaled := func(x []float64, by float64) []float64 {
		out := slices.Clone(x)
		for i := range out {
			out[i] *= by
		}
		return out
	}
	table.X = [][]float64{scaled(table.X[0], 1e20), scaled(table.X[1], 1e-20)}
	for name, m := range map[string]Design{"one stage": {}, "two stages": {Endogenous: []int{0}, Instruments: [][]float64{scaled(z, 1e20)}}} {
		if _, err := Fit(table, m); err == nil || !strings.HasPrefix(err.Error(), "least squares: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// By hand: the inverse of a diagonal, without what is below 1.5e-8 of the largest. Of zeros it is zeros.
func TestInversesWithoutWhatIsFaint(t *testing.T) {
	for small, want := range map[float64]float64{1: 1, 2e-8: 5e7, 1.6e-8: 6.25e7, 1.4e-8: 0, 0: 0} {
		a := inverse(mat.NewSymDense(2, []float64{1, 0, 0, small}))
		near(t, "the large one", a.At(0, 0), 1, 1e-15)
		near(t, fmt.Sprint("that of ", small), a.At(1, 1), want, 1e-9*max(1, want))
	}
	if a := inverse(mat.NewSymDense(2, nil)); !mat.Equal(a, mat.NewSymDense(2, nil)) {
		t.Errorf("of zeros: %v", a.RawSymmetric().Data)
	}
}

// By hand: normal equations of the condition 1/s² are solved up to 10¹⁴.
func TestConditionsOfMoments(t *testing.T) {
	for condition, solved := range map[float64]bool{1: true, 0.7e14: true, 1.5e14: false, 3e14: false} {
		m := &moments{instruments: 2, zx: mat.NewDense(2, 2, []float64{1, 0, 0, 1 / math.Sqrt(condition)}), zy: mat.NewVecDense(2, []float64{3, 4})}
		s, err := m.step(mat.NewSymDense(2, []float64{1, 0, 0, 1}))
		if (err == nil) != solved {
			t.Errorf("condition %v: %v", condition, err)
		}
		if err == nil {
			near(t, "the first", s.value[0], 3, 1e-14)
		}
	}
}

// Where nothing moves no coefficient can be told, and the error names all that were asked for: the lag, the columns and the times from the third on.
func TestNothingMoves(t *testing.T) {
	table, _ := made(4, 5, 3, false)
	for i := range table.Y {
		table.Y[i], table.X[0][i], table.X[1][i] = 0, 1, 2
	}
	for two, want := range map[bool]string{false: "lag x w", true: "lag x w time 1962 time 1963 time 1964"} {
		_, err := Dynamics(table, "lag", ByChanges{Steps: 1, TwoWay: two})
		var blind *BlindError
		if !errors.As(err, &blind) || strings.Join(blind.Names, " ") != want || err.Error() != "no coefficient can be told" {
			t.Errorf("with effects of times %v: %v, %+v", two, err, blind)
		}
	}
}
