package panel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// made is a panel with a lag of 0.6, an effect of x of -0.8, effects of units and times, and, where holes says so, rows that are missing.
func made(units, times int, seed uint64, holes bool) (t Table, instrument []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	shock := make([]float64, times)
	for i := range shock {
		shock[i] = r.NormFloat64() / 3
	}
	t.Names, t.X = []string{"x", "w"}, make([][]float64, 2)
	for u := range units {
		own := r.NormFloat64()
		y := own / 0.4
		for at := -20; at < times; at++ {
			z, e := r.NormFloat64(), r.NormFloat64()/4
			x, w := own/2+z+e, r.NormFloat64()
			y = 0.6*y - 0.8*x + 0.3*w + own + e
			if at < 0 {
				continue
			}
			y += shock[at] / 5
			if holes && r.IntN(6) == 0 {
				continue
			}
			t.Unit, t.Time, t.Y = append(t.Unit, 100-u), append(t.Time, 1960+at), append(t.Y, y)
			t.X[0], t.X[1] = append(t.X[0], x), append(t.X[1], w)
			instrument = append(instrument, z)
		}
	}
	return t, instrument
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Least squares with every kind of effects, in one stage and in two, is that of NumPy with a column for every effect.
func TestLeastSquaresAreNumPys(t *testing.T) {
	python := cmp.Or(os.Getenv("KEDGE_PYTHON"), "python3")
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no Python with NumPy; set KEDGE_PYTHON to one")
	}
	for _, holes := range []bool{false, true} {
		table, z := made(20, 9, 5, holes)
		in, err := json.Marshal(map[string]any{"Y": table.Y, "X": table.X, "Unit": table.Unit, "Time": table.Time, "Instruments": [][]float64{z}})
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(python, "testdata/least.py")
		c.Stdin = bytes.NewReader(in)
		text, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]struct {
			Value, Error, Plain []float64
			Sigma               float64
			F                   *float64
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != 8 {
			t.Fatalf("%d results", len(want))
		}
		for effects := range TwoWay + 1 {
			for stages := 1; stages <= 2; stages++ {
				m := Design{Effects: effects}
				if stages == 2 {
					m.Endogenous, m.Instruments = []int{0}, [][]float64{z}
				}
				e, err := Fit(table, m)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d/%d", effects, stages)
				w := want[name]
				for j := range e.Value {
					near(t, name+" value", e.Value[j], w.Value[j], 1e-9)
					near(t, name+" error", e.Error(j), w.Error[j], 1e-9)
					near(t, name+" plain error", math.Sqrt(e.Plain.At(j, j)), w.Plain[j], 1e-9)
				}
				near(t, name+" sigma", e.Sigma, w.Sigma, 1e-9)
				if w.F != nil {
					near(t, name+" F", e.Weakest, *w.F, 1e-9)
				}
			}
		}
	}
}

// Estimates from changes are those of plm's pgmm in R: coefficients, robust errors, tests.
func TestDynamicsArePgmms(t *testing.T) {
	if exec.Command("Rscript", "-e", "library(plm)").Run() != nil {
		t.Skip("no R with plm (Debian: r-base-core, r-cran-plm)")
	}
	for _, holes := range []bool{false, true} {
		table, _ := made(60, 8, 9, holes)
		table.X, table.Names = table.X[1:], table.Names[1:]
		var csv strings.Builder
		csv.WriteString("unit,time,y,x\n")
		for i, y := range table.Y {
			fmt.Fprintf(&csv, "%d,%d,%s,%s\n", table.Unit[i], table.Time[i], strconv.FormatFloat(y, 'g', -1, 64), strconv.FormatFloat(table.X[0][i], 'g', -1, 64))
		}
		path := filepath.Join(t.TempDir(), "panel.csv")
		if err := os.WriteFile(path, []byte(csv.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command("Rscript", "testdata/pgmm.R", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != 8 {
			t.Fatalf("R says\n%s", text)
		}
		for _, line := range lines {
			fields := strings.Fields(line)
			var want []float64
			for _, f := range fields[1:] {
				v, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, v)
			}
			how := strings.Split(fields[0], "/")
			d := ByChanges{TwoWay: how[0] == "twoways", Oldest: 4, Collapse: how[2] == "TRUE", Steps: 1}
			if how[1] == "twosteps" {
				d.Steps = 2
			}
			e, err := Dynamics(table, "lag", d)
			if err != nil {
				t.Fatal(err)
			}
			extra := 0
			if d.TwoWay {
				extra = 6
			}
			got := []float64{e.Value[0], e.Value[1], e.Error(0), e.Error(1), e.Sargan, e.SarganChance, float64(e.Instruments - 2 - extra), e.Serial[0], e.Serial[1]}
			for i, what := range []string{"lag", "x", "error of lag", "error of x", "Sargan", "its chance", "its freedom", "AR(1)", "AR(2)"} {
				near(t, fmt.Sprintf("holes %v, %s: %s", holes, fields[0], what), got[i], want[i], 1e-6)
			}
		}
	}
}

// The jackknife is twice the whole less the mean of halves, by its definition, and takes most of the bias of a lag within units, which is about
// (1+β)/T, away.
func TestJackknife(t *testing.T) {
	var within, knifed float64
	const repeats = 60
	for seed := range uint64(repeats) {
		table, _ := made(80, 13, seed, false)
		table.X, table.Names = table.X[1:], table.Names[1:]
		table = table.Lagged("lag")
		whole, err := Fit(table, Design{Effects: ByUnit})
		if err != nil {
			t.Fatal(err)
		}
		half, err := Jackknife(table, Design{Effects: ByUnit})
		if err != nil {
			t.Fatal(err)
		}
		within, knifed = within+(whole.Value[0]-0.6)/repeats, knifed+(half.Value[0]-0.6)/repeats
		if seed > 0 {
			continue
		}
		var parts [2][]int
		for i, at := range table.Time {
			parts[min(1, (at-1961)/6)] = append(parts[min(1, (at-1961)/6)], i)
		}
		first, err1 := Fit(table.Rows(parts[0]), Design{Effects: ByUnit})
		second, err2 := Fit(table.Rows(parts[1]), Design{Effects: ByUnit})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for j := range half.Value {
			near(t, "jackknife", half.Value[j], 2*whole.Value[j]-(first.Value[j]+second.Value[j])/2, 1e-12)
		}
	}
	if !(within < -0.02 && math.Abs(knifed) < math.Abs(within)/2) {
		t.Errorf("the bias of a lag is %.4f within units, and %.4f after the jackknife", within, knifed)
	}
}

// What a table cannot tell is said, and by which columns.
func TestWhatCannotBeTold(t *testing.T) {
	table, _ := made(10, 6, 1, false)
	twin := table
	twin.X, twin.Names = [][]float64{table.X[0], table.X[1], make([]float64, len(table.Y))}, []string{"apples", "pears", "plums"}
	for i := range table.Y {
		twin.X[2][i] = 3*table.X[0][i] + 2 + float64(table.Unit[i])
	}
	still := table
	still.X = [][]float64{table.X[0], make([]float64, len(table.Y))}
	for i, u := range table.Unit {
		still.X[1][i] = float64(u)
	}
	short := table.Rows([]int{0, 1, 2})
	twice := table.Rows([]int{0, 1, 2, 3, 4, 5, 6, 7, 3})
	odd := table.Rows([]int{0, 1, 2, 3})
	odd.X[1][2] = math.NaN()
	for _, c := range []struct {
		name string
		t    Table
		want string
	}{
		{"two that move together", twin, "apples and plums cannot be told apart: they always moved together"},
		{"one that does not move", still, "w cannot be told: it does not move once effects are taken out"},
		{"too few rows", short, "3 rows say nothing of 3 numbers: more rows, or fewer columns and effects"},
		{"a row twice", twice, "column time, row 9 repeats row 4: unit 100 has two rows of time 1963"},
		{"no number", odd, "column w, row 3 is NaN"},
	} {
		if _, err := Fit(c.t, Design{Effects: ByUnit}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Where there are no more units than columns, sums by unit leave nothing of errors: they are then those of rows by themselves. Of one column and one unit that is
// n/(n-2)·Σx²e²/(Σx²)², x and y less their means.
func TestErrorsOfFewUnits(t *testing.T) {
	whole, _ := made(1, 14, 1, false)
	table := whole
	table.X, table.Names = whole.X[:1], whole.Names[:1]
	for _, effects := range []Effects{None, ByUnit} {
		e, err := Fit(table, Design{Effects: effects})
		if err != nil {
			t.Fatal(err)
		}
		n, mean := float64(len(table.Y)), 0.0
		for _, v := range table.X[0] {
			mean += v / n
		}
		below, above := 0.0, 0.0
		for i, v := range table.X[0] {
			x := v - mean
			below += x * x
			above += x * x * e.Residuals[i] * e.Residuals[i]
		}
		near(t, "error", e.Error(0), math.Sqrt(n/(n-2)*above)/below, 1e-12)
		if !e.ByRows {
			t.Error("nothing says so")
		}
	}
	if e, err := Fit(whole, Design{}); err != nil || !e.ByRows {
		t.Errorf("two columns of one unit: %v", err)
	}
}
