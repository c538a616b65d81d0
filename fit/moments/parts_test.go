package moments

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"gonum.org/v1/gonum/mat"
)

// rowed wants what is wrong to be told of a row, or of none.
func rowed(t *testing.T, err error) {
	t.Helper()
	var bad *fit.InputError
	if errors.As(err, &bad) && bad.Row < -1 {
		t.Errorf("of row %d: %v", bad.Row, err)
	}
}

// By hand: 0 and 1 have the mean ½ and the deviation ½, whatever the unit and whatever is missing; of what differs by less than a trillionth of its size the deviation is that size.
func TestSpreadsOfColumns(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		column     []float64
		mean, unit float64
	}{
		{[]float64{0, 1}, 0.5, 0.5}, {[]float64{0, 1, nan}, 0.5, 0.5}, {[]float64{-3e200, 3e200}, 0, 3e200}, {[]float64{0, 0}, 0, 1}, {[]float64{7, 7}, 7, 7}, {[]float64{-7, -7, nan}, -7, 7}, {[]float64{1, 3, 5}, 3, math.Sqrt(8. / 3)},
		{[]float64{8, 8 * (1 - 3e-12)}, 8, 8 * 1.5e-12}, {[]float64{8, 8 * (1 - 1.4e-12)}, 8, 8},
	} {
		var wide []float64 // the second of three columns
		for _, v := range c.column {
			wide = append(wide, 100, v, nan)
		}
		mean, unit := spreadOf([][2][]float64{{nil, wide[:3]}, {nil, wide[3:]}}, 1, 3, 1)
		if !(math.Abs(mean-c.mean) <= 1e-11*(1+math.Abs(c.mean))) || !(math.Abs(unit/c.unit-1) <= 1e-3) {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.column, mean, unit, c.mean, c.unit)
		}
	}
}

// By hand: a moment is weighed by its deviation, and, where its variance is less than a millionth of that of a unit over as many people, as if it were that of a unit.
func TestMomentsAreWeighedRoughly(t *testing.T) {
	g := &cohort{targets: []target{{people: 4, cov: []float64{0.25, 0, 0, 1.5e-6 / 4}}, {people: 16, cov: []float64{1e-6 / 16, 0, 0, 0.7e-6 / 16}}}}
	p := &matching{marcher: &marcher{basis: &basis{factors: make([][2]int, 2)}, cohorts: []*cohort{g}}}
	p.roughly()
	want := mat.NewDiagDense(4, []float64{2, 1 / math.Sqrt(1.5e-6/4), 1 / math.Sqrt(1e-6/16), 4})
	if !mat.EqualApprox(p.factor[0], want, 1e-9) {
		t.Errorf("weights are %v", mat.Formatted(p.factor[0]))
	}
}

// By hand: of four people a moment is the same of everybody where its deviation is no more than 1e-9/√4.
func TestDeviationsThatAreNone(t *testing.T) {
	g := &cohort{weight: make([]float64, 4), targets: []target{{mean: []float64{1, -3}}}}
	for deviation, told := range map[float64]int{0.4e-9: 1, 0.7e-9: 2, 3e-9: 2} {
		l, odd, err := rootOfInverse(mat.NewSymDense(2, []float64{deviation * deviation, 0, 0, 1}), g, []float64{0, -3})
		if err != nil || rank(l) != told || !(math.Abs(odd-float64(2-told)) <= 1e-12) {
			t.Errorf("deviation %v: %v, odd %v, %v", deviation, mat.Formatted(l), odd, err)
		}
	}
}

// Each thing that a reader must know is told from where it begins, and no other.
func TestWhatIsAssumedAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		people   int
		sharp    bool
		odd      float64
		over     int
		chance   float64
		warnings string
	}{
		{50, true, 1e-6, 1, 0.01, ""}, {49, true, 0, 1, 0.5, "the smallest sample has 49 people"}, {50, true, 1.5e-6, 1, 0.5, "are missed by 1.5e-06 deviations"}, {50, true, 0, 1, 0.009, "as far off in 0.9 of 100 logs"},
		{50, true, 0, 1, 0.0157, ""}, {50, true, 0, 0, math.NaN(), "there are no more moments than unknowns"}, {50, false, 0, 1, 0.5, "some samples have fewer than 5 people for each of 1 moments"},
	} {
		g := &cohort{weight: make([]float64, c.people), targets: []target{{people: 60}}}
		p := &matching{marcher: &marcher{f: half(t), basis: &basis{factors: make([][2]int, 1)}, cohorts: []*cohort{g}}, sharp: c.sharp, odd: c.odd}
		out := &Matched{Match: Means, Over: c.over, Chance: c.chance}
		p.assume(out, Sections{})
		if said := strings.Join(out.Warnings, "\n"); (said == "") != (c.warnings == "") || len(out.Warnings) > 1 || !strings.Contains(said, c.warnings) || len(out.Assumes) != 2 {
			t.Errorf("%+v: %q, %q", c, out.Warnings, out.Assumes)
		}
	}
}

// States that differ by less than 1e-60 between people are in a unit of which no products can be made.
func TestTheLeastUnitOfStates(t *testing.T) {
	w := recordedModels(t)[0]
	w.people, w.dates, w.groups = 8, 3, 1
	_, unit := spreadOf([][2][]float64{{w.samples(1).States, nil}}, 0, 1, 0)
	for least, refused := range map[float64]bool{0.7e-60: true, 1.5e-60: false} {
		s := w.samples(1)
		for i := range s.States {
			s.States[i] *= least / unit
		}
		for i := range s.Beside {
			s.Beside[i] *= least / unit
		}
		_, err := Find(t.Context(), w.f, s, []fit.Unknown{fit.Free("a", 0.5), fit.Free("b", 0.1)}, fit.Options{})
		if got := err != nil && strings.Contains(err.Error(), "between people: another unit"); got != refused {
			t.Errorf("a deviation of %v: %v", least, err)
		}
		rowed(t, err)
	}
}
