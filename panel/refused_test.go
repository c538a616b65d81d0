package panel

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// Tables that do not fit together, and what cannot be estimated, are refused with the column or the reason.
func TestTablesThatAreRefused(t *testing.T) {
	spoilt := func(spoil func(*Table)) Table {
		one, _ := made(4, 6, 3, false)
		spoil(&one)
		return one
	}
	for _, c := range []struct {
		table Table
		want  string
	}{
		{spoilt(func(t *Table) { t.Names = t.Names[:1] }), "column x has 2 columns and 1 names"},
		{spoilt(func(t *Table) { t.Unit = t.Unit[:5] }), "column unit has 5 rows, and y 24"},
		{spoilt(func(t *Table) { t.Time = append(t.Time, 9) }), "column time has 25 rows, and y 24"},
		{spoilt(func(t *Table) { t.X[1] = t.X[1][:3] }), "column w"},
		{spoilt(func(t *Table) { t.Y[7] = math.NaN() }), "column y, row 8 "},
		{spoilt(func(t *Table) { t.Y[0] = math.NaN() }), "column y, row 1 "},
		{spoilt(func(t *Table) { t.X[0][2] = math.Inf(-1) }), "column x, row 3 "},
		{spoilt(func(t *Table) { t.X[0][4] = -math.Nextafter(1e150, 1e151) }), "column x, row 5 "},
		{spoilt(func(t *Table) { t.Time[9] = t.Time[8] }), "column time, row 10 repeats row 9: unit 99 has two rows of time 1962"},
	} {
		_, fit := Fit(c.table, Design{})
		_, halves := Jackknife(c.table, Design{Effects: ByUnit})
		_, changes := Dynamics(c.table, "lag", ByChanges{Steps: 1})
		for _, err := range []error{fit, halves, changes} {
			var shape *ShapeError
			if !errors.As(err, &shape) || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(c.want, ", row ") && shape.Row != -1 {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
	}
	good, _ := made(3, 6, 3, false)
	if _, err := Jackknife(good, Design{Endogenous: []int{0}}); err == nil || err.Error() != "the jackknife of halves is for columns without instruments" {
		t.Error(err)
	}
	for steps, want := range map[int]string{0: "0 steps: 1 or 2", 3: "3 steps: 1 or 2"} {
		if _, err := Dynamics(good, "lag", ByChanges{Steps: steps}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Dynamics(Table{}, "lag", ByChanges{Steps: 1}); err == nil || err.Error() != "column time must go up by one from a time to the next" {
		t.Errorf("nothing at all: %v", err)
	}
	for far, refused := range map[int]bool{189: false, 190: true} { // 18 rows: a span of 190 times is all that they may have
		apart, _ := made(3, 6, 3, false)
		apart.Time[17] = 1960 + far
		_, err := Dynamics(apart, "lag", ByChanges{Steps: 1, Collapse: true, Oldest: 1})
		var shape *ShapeError
		if errors.As(err, &shape) != refused {
			t.Errorf("times %d apart: %v", far, err)
		}
	}
	long, _ := made(1, 100, 3, false)
	if _, err := Dynamics(long, "lag", ByChanges{Steps: 1}); err == nil || !strings.Contains(err.Error(), "instruments, at most 4000: say how old the oldest may be") {
		t.Errorf("a long panel: %v", err)
	}
}

// An instrument that has nothing to do with what it is to move says nothing of it: with x, w and z at right angles the projection of x is 0.
func TestInstrumentsThatMoveNothing(t *testing.T) {
	table := Table{Names: []string{"x", "w"}, X: [][]float64{{1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1, -1, -1}}, Y: []float64{3, 1, 4, 1, 5, 9, 2, 6}}
	for i := range table.Y {
		table.Unit, table.Time = append(table.Unit, i/4), append(table.Time, i%4)
	}
	z := []float64{1, -1, -1, 1, 1, -1, -1, 1}
	_, err := Fit(table, Design{Endogenous: []int{0}, Instruments: [][]float64{z}})
	var blind *BlindError
	if !errors.As(err, &blind) || strings.Join(blind.Involved(), " ") != "x" {
		t.Errorf("%v", err)
	}
	z[0] = 3 // no longer at right angles: x is told
	if _, err := Fit(table, Design{Endogenous: []int{0}, Instruments: [][]float64{z}}); err != nil {
		t.Error(err)
	}
}

// With one column x, from which the mean is taken, and two units the variance of its coefficient is Σᵤ(Σᵢ xᵢeᵢ)²/(Σx²)², times (n−1)/(n−2) for what was
// estimated and 2/(2−1) for the units.
func TestErrorsOfTwoUnits(t *testing.T) {
	table := Table{Unit: []int{1, 1, 1, 2, 2, 2}, Time: []int{1, 2, 3, 1, 2, 3}, Names: []string{"x"}, X: [][]float64{{-5, -3, -1, 1, 3, 5}}, Y: []float64{2, 7, 1, 8, 2, 8}}
	e, err := Fit(table, Design{})
	if err != nil {
		t.Fatal(err)
	}
	x, mean := table.X[0], 28.0/6
	slope := (-5*2 - 3*7 - 1*1 + 1*8 + 3*2 + 5*8) / 70.0
	near(t, "the slope", e.Value[0], slope, 1e-14)
	scores := [2]float64{}
	for i, y := range table.Y {
		scores[i/3] += x[i] * (y - mean - slope*x[i])
	}
	near(t, "its variance", e.Cov.At(0, 0), (scores[0]*scores[0]+scores[1]*scores[1])/(70*70)*5/4*2, 1e-13)
}

// What is wrong with a column as a whole is told of no row.
func TestColumnsThatAreRefused(t *testing.T) {
	one, _ := made(2, 6, 3, false)
	var shape *ShapeError
	if _, err := Fit(Table{Unit: one.Unit, Time: one.Time, Y: one.Y}, Design{}); !errors.As(err, &shape) || *shape != (ShapeError{"x", -1, "has no columns: at least one, whose coefficient is asked for"}) {
		t.Errorf("without columns: %v", err)
	}
	if _, err := Dynamics(Table{}, "lag", ByChanges{Steps: 1}); !errors.As(err, &shape) || *shape != (ShapeError{"time", -1, "must go up by one from a time to the next"}) {
		t.Errorf("nothing at all: %v", err)
	}
}

// By hand: 90 times have 1 + 2 + … + 88 older states to instrument with; beside 84 columns that makes 4000, which are taken, and beside one more they are too many.
func TestMostInstruments(t *testing.T) {
	for columns, want := range map[int]string{84: "1 rows say nothing of 2 numbers: more rows, or fewer columns and effects", 85: "4001 instruments, at most 4000: say how old the oldest may be, or one for each distance (collapse)"} {
		var one Table
		for i := range 90 {
			one.Unit, one.Time, one.Y = append(one.Unit, 1), append(one.Time, i), append(one.Y, float64(i%7))
		}
		for range columns {
			one.X, one.Names = append(one.X, one.Y), append(one.Names, "x")
		}
		if _, err := Dynamics(one, "lag", ByChanges{Steps: 1}); err == nil || err.Error() != want {
			t.Errorf("%d columns: %v, want %s", columns, err, want)
		}
	}
}
