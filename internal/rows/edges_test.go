package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// untouched is what lies where nobody may write.
const untouched = 123.25

// within lends n numbers in the midst of others, and what lies behind them.
func within(n int) (x, behind []float64) {
	room := slices.Repeat([]float64{untouched}, n+80)
	return room[:n:n], room[n:]
}

// whole tells whether nobody has written behind what was lent.
func whole(behind []float64) bool {
	return !slices.ContainsFunc(behind, func(v float64) bool { return v != untouched })
}

// Sums of scaled rows are those of the definition, whichever operands are shared, and nothing is read of what was there before.
func TestOwnAndSharedOperands(t *testing.T) {
	levels(func(level string) {
		r := rand.New(rand.NewPCG(12, 0))
		for kind := range 64 {
			for _, size := range [][2]int{{1, 3}, {2, 9}, {5, 4}, {7, 21}} {
				combined(t, fmt.Sprintf("%s, operands %06b, %v", level, kind, size), r, kind, size[0], size[1])
			}
		}
	})
}

// combined compares what rows come to with their definition; bits of kind say which operands have a row for each.
func combined(t *testing.T, what string, r *rand.Rand, kind, n, m int) {
	t.Helper()
	var operand [6][]float64 // a, x, b, y, c, z
	var step [6]int
	for k := range operand {
		width := []int{1, m}[k%2]
		operand[k] = random(r, width, false)
		if kind>>k&1 == 1 {
			operand[k], step[k] = random(r, n*width, false), width
		}
	}
	two, three := make([]float64, n*m), make([]float64, n*m)
	for i := range two {
		row, j := i/m, i%m
		term := func(k int) float64 { return float64(operand[k][row*step[k]] * operand[k+1][row*step[k+1]+j]) }
		two[i] = term(0) + term(2)
		three[i] = two[i] + term(4)
	}
	got, behind := within(n * m)
	Combine2(got, operand[0], operand[1], operand[2], operand[3], m)
	sameBits(t, what+", Combine2", got, two)
	copy(got, behind)
	Combine3(got, operand[0], operand[1], operand[2], operand[3], operand[4], operand[5], m)
	sameBits(t, what+", Combine3", got, three)
	if !whole(behind) {
		t.Errorf("%s: written behind the last row", what)
	}
}

// Every dot of rows is written, for any number of them, and nothing behind the last.
func TestDotsOfManyRows(t *testing.T) {
	levels(func(level string) {
		r := rand.New(rand.NewPCG(13, 0))
		for n := range 14 {
			for _, m := range []int{1, 3, 8, 21} {
				one, rows := random(r, m, false), random(r, (n+8)*m, false)
				for _, swapped := range []bool{false, true} {
					got, behind := within(n)
					x, y := one, rows[:n*m]
					if swapped {
						x, y = y, x
					}
					Dots(got, x, y, m)
					for i, v := range got {
						if want := dotPlain(one, rows[i*m:(i+1)*m]); v != want {
							t.Errorf("%s: product %d of %d of %d numbers is %v, want %v", level, i, n, m, v, want)
						}
					}
					if !whole(behind) {
						t.Errorf("%s: %d rows of %d numbers: written behind the last", level, n, m)
					}
				}
			}
		}
	})
}

// Rows of no numbers have no entries, and their products are 0.
func TestRowsOfNothing(t *testing.T) {
	levels(func(level string) {
		got, behind := within(5)
		Dots(got, nil, nil, 0)
		if slices.Max(got) != 0 || slices.Min(got) != 0 || !whole(behind) {
			t.Errorf("%s: products of nothing are %v", level, got)
		}
		ScaleRows(nil, nil, nil, 0)
		AddScaledRows(nil, []float64{1}, nil, 0)
		Combine2(nil, nil, nil, nil, nil, 0)
		Combine3(nil, nil, nil, nil, nil, nil, nil, 0)
		AddMulT(nil, nil, []float64{1, 2})
		if least, most := StepTiles(nil, nil, nil, nil, 1, 1, 1); least != math.Inf(1) || most != 0 {
			t.Errorf("%s: lengths of nobody are from %v to %v", level, least, most)
		}
		if least, most := StepTiles(nil, nil, nil, []float64{1}, 1, 1, 1); least != math.Inf(1) || most != 0 {
			t.Errorf("%s: lengths of no tiles are from %v to %v", level, least, most)
		}
		if least, most, nearest := AlignTiles(nil, nil, nil, nil, []float64{1}, 1, 1, 1, 1); least != math.Inf(1) || most != 0 || nearest != math.Inf(1) {
			t.Errorf("%s: lengths of nobody are from %v to %v, the nearest is %v", level, least, most, nearest)
		}
	})
}

// Cosines settle as plain code has them settle, however many there are, and nobody behind the last does.
func TestSettledCosinesOfAnyNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 0))
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 200} {
		from, k, s := make([]float64, n), 0.3+r.Float64(), 2*r.Float64()
		for i := range from {
			from[i] = 2*r.Float64() - 1
		}
		want := clone(from)
		failed := settleCosinesPlain(want, k, s)
		levels(func(level string) {
			got, behind := within(n)
			copy(got, from)
			if missed := SettleCosines(got, k, s); missed != failed || failed != 0 {
				t.Errorf("%s: %d of %d roots not found, %d without vectors", level, missed, n, failed)
			}
			sameBits(t, fmt.Sprintf("%s: %d cosines", level, n), got, want)
			if !whole(behind) {
				t.Errorf("%s: cosines behind the last of %d have settled", level, n)
			}
		})
	}
}

// Roots that are not found are counted, each of them, in whole groups and in the rest: where k is s and a cosine as good as nothing, Newton's method comes nearer
// and nearer by less and less.
func TestRootsThatAreNotFound(t *testing.T) {
	const k, far = 1e-20, 2.293069440112604e-233
	for n, want := range map[int]int{1: 1, 64: 2, 70: 2, 135: 2} {
		levels(func(level string) {
			x := slices.Repeat([]float64{0.5}, n)
			x[0], x[n-1] = far, far
			if failed := SettleCosines(x, k, k); failed != want {
				t.Errorf("%s: %d of %d roots are not found, want %d", level, failed, n, want)
			}
		})
	}
}

// The same roots are not found with vectors and without, to the step: of cosines of all sizes some are found in as many steps as are taken, and some would be with one more.
func TestTheLastStep(t *testing.T) {
	for _, k := range []float64{1e-20, 1e-100} {
		x := make([]float64, 1500)
		for i := range x {
			x[i] = math.Pow(10, -20-0.06*float64(i))
		}
		want := clone(x)
		failed := settleCosinesPlain(want, k, k)
		if failed < 20 || failed > 1480 {
			t.Errorf("%d of 1500 roots are not found", failed)
		}
		levels(func(level string) {
			got := clone(x)
			if missed := SettleCosines(got, k, k); missed != failed {
				t.Errorf("%s: %d roots are not found, %d without vectors", level, missed, failed)
			}
			sameBits(t, level+" SettleCosines", got, want)
		})
	}
}

// Where two numbers cannot be told apart the second is taken, as vector instructions do: of zeros its sign is left, and what is not a number is passed on as second alone.
func TestTheSecondOfTwo(t *testing.T) {
	zero, minus := 0.0, math.Copysign(0, -1)
	if !math.Signbit(lesser(zero, minus)) || math.Signbit(lesser(minus, zero)) || !math.Signbit(greater(zero, minus)) || math.Signbit(greater(minus, zero)) {
		t.Error("the sign of a zero is not that of the second")
	}
	if short := float32(minus); !math.Signbit(float64(greater(0, short))) || math.Signbit(float64(greater(short, 0))) {
		t.Error("the sign of a short zero is not that of the second")
	}
	if !math.IsNaN(lesser(1, math.NaN())) || !math.IsNaN(greater(1, math.NaN())) || lesser(math.NaN(), 1) != 1 || greater(math.NaN(), 1) != 1 {
		t.Error("what is not a number is passed on as first, or not as second")
	}
	if lesser(1, 2) != 1 || lesser(2, 1) != 1 || greater(1.0, 2) != 2 || greater(2.0, 1) != 2 {
		t.Error("the wrong one of two")
	}
}

// The sign of any entry in a lane is kept, and no other: by hand, for the first of a alone, then b, then c, from either end.
func TestSignsOfGaps(t *testing.T) {
	for _, c := range []struct {
		vector, at int
		want       [4]bool
	}{
		{0, 0, [4]bool{true, true, false, false}}, {0, 1, [4]bool{true, true, false, false}}, {0, 5, [4]bool{false, false, true, true}},
		{1, 1, [4]bool{true, false, false, false}}, {1, 4, [4]bool{false, false, true, false}}, {2, 0, [4]bool{false, true, false, false}}, {2, 5, [4]bool{false, false, false, true}},
		{2, 3, [4]bool{}}, // which nobody comes to
	} {
		levels(func(level string) {
			three := [3][]float64{}
			for k := range three {
				three[k] = slices.Repeat([]float64{0.125}, 6)
			}
			three[c.vector][c.at] *= -1
			g := NewGaps()
			g.Walk(three[0], three[1], three[2], 2)
			for lane, want := range c.want {
				if math.Signbit(g.Signs[lane]) != want {
					t.Errorf("%s: entry %d of vector %d is below 0, and lane %d has signs %v", level, c.at, c.vector, lane, g.Signs)
				}
			}
		})
	}
}
