package panel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"gonum.org/v1/gonum/mat"
)

// What small panels say, with and without holes, shuffled, with few units, with columns that say the same and with numbers that are none, is what they said
// when it was last looked at. Whether it is right others tell, by NumPy and by plm.
func TestPanelsAreAsRecorded(t *testing.T) {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 7))
		table, z := made(1+r.IntN(9), 1+r.IntN(11), seed, seed%3 == 1)
		spoil(r, &table, int(seed)%20)
		say("%d: %d rows", seed, len(table.Y))
		for effects := None; effects <= TwoWay; effects++ {
			e, err := Fit(table, Design{Effects: effects})
			say("  effects %d: %s", effects, toldOf(e, err))
			e, err = Fit(table, Design{Effects: effects, Endogenous: []int{0}, Instruments: instruments(r, z, seed)})
			say("  effects %d, instruments: %s", effects, toldOf(e, err))
			e, err = Jackknife(table, Design{Effects: effects})
			say("  effects %d, halves: %s", effects, toldOf(e, err))
			e, err = Jackknife(table.Lagged("lag"), Design{Effects: effects})
			say("  effects %d, lag, halves: %s", effects, toldOf(e, err))
			if err == nil && len(e.Value) > 1 {
				value, deviation := e.LongRun(0, 1)
				say("    in the long run %.9g ± %.9g", value, deviation)
			}
		}
		for _, d := range []ByChanges{{Steps: 1}, {Steps: 2}, {Steps: 1, Collapse: true}, {Steps: 2, Oldest: 2}, {Steps: 2, Oldest: 3, TwoWay: true}, {Steps: 1, TwoWay: true, Collapse: true, Oldest: int(seed % 4)}} {
			e, err := Dynamics(table, "lag", d)
			if err != nil {
				say("  %+v: %v", d, err)
				continue
			}
			say("  %+v: %s; %d instruments, Sargan %.9g of chance %.6g, serial %.9g of chance %.6g", d, toldOf(&e.Coefficients, nil), e.Instruments, e.Sargan, e.SarganChance, e.Serial, e.SerialChance)
		}
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// spoil makes of a table one that is harder, or wrong.
func spoil(r *rand.Rand, t *Table, how int) {
	n := len(t.Y)
	switch how {
	case 3: // any order
		r.Shuffle(n, func(a, b int) {
			t.Unit[a], t.Unit[b], t.Time[a], t.Time[b], t.Y[a], t.Y[b] = t.Unit[b], t.Unit[a], t.Time[b], t.Time[a], t.Y[b], t.Y[a]
			for _, x := range t.X {
				x[a], x[b] = x[b], x[a]
			}
		})
	case 5: // a column twice
		t.X, t.Names = append(t.X, append([]float64(nil), t.X[0]...)), append(t.Names, "again")
	case 6: // one that is the same for ever
		for i := range t.X[1] {
			t.X[1][i] = 2
		}
	case 8: // one of units, one of times
		for i := range n {
			t.X[0][i], t.X[1][i] = float64(t.Unit[i]), float64(t.Time[i])
		}
	case 9:
		t.X, t.Names = nil, nil
	case 11:
		t.X, t.Names = t.X[:1], t.Names[:1]
	case 12: // a sum
		sum := make([]float64, n)
		for i := range sum {
			sum[i] = t.X[0][i] + 3*t.X[1][i]
		}
		t.X, t.Names = append(t.X, sum), append(t.Names, "sum")
	case 14:
		for i := range t.Y {
			t.Y[i], t.X[1][i] = 1e6*t.Y[i], 1e-9*t.X[1][i]
		}
	case 15: // two rows of one time
		if n > 1 {
			t.Unit[n-1], t.Time[n-1] = t.Unit[0], t.Time[0]
		}
	case 17:
		for i := range t.Time {
			t.Time[i] *= 2
		}
	}
}

// instruments are as many as a seed says: too few, one, two, one twice, or one of another length.
func instruments(r *rand.Rand, z []float64, seed uint64) [][]float64 {
	other := make([]float64, len(z))
	for i := range other {
		other[i] = z[i]/2 + r.NormFloat64()
	}
	switch seed % 7 {
	case 0:
		return nil
	case 1, 2:
		return [][]float64{z}
	case 3:
		return [][]float64{z, z}
	case 4:
		return [][]float64{z[1:]}
	}
	return [][]float64{z, other}
}

func toldOf(e *Coefficients, err error) string {
	if err != nil {
		return err.Error()
	}
	plain := "none"
	if e.Plain != nil {
		plain = fmt.Sprintf("%.9g", entries(e.Plain))
	}
	size := 0.0
	for i, v := range e.Residuals {
		size += v * float64(i+1)
	}
	return fmt.Sprintf("%v %.9g, covariance %.9g, plain %s, %d rows of %d units, freedom %d, sigma %.9g, by rows %v, weakest %.9g, residuals %.9g", e.Names, e.Value, entries(e.Cov), plain, e.Rows, e.Units, e.Freedom, e.Sigma, e.ByRows, e.Weakest, size)
}

func entries(s *mat.SymDense) (list []float64) {
	for i := range s.SymmetricDim() {
		for j := range i + 1 {
			list = append(list, s.At(i, j))
		}
	}
	return list
}
