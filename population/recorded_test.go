package population_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// everyLaw are laws of vectors, sound ones and others, by name.
func everyLaw(t *testing.T) (names []string, laws map[string]population.Law) {
	t.Helper()
	laws = map[string]population.Law{}
	add := func(l population.Law) {
		name := fmt.Sprintf("%T%+v", l, l)
		if one, ok := l.(*population.Correlated); ok {
			name = fmt.Sprintf("correlated %d", len(laws))
			l = one
		}
		if one, ok := l.(population.Beside); ok {
			name = fmt.Sprintf("beside %v %d %v", one.Law, one.Dim, one.Rest)
		}
		names, laws[name] = append(names, name), l
	}
	add(population.Sphere{})
	add(population.Proportions{})
	for _, angle := range []float64{0, 1e-3, 20, 90, 120, 180, 181, -1} {
		add(population.Cap{Angle: angle})
		add(population.Cap{Angle: angle, Axis: []float64{1, -2, 0.5}})
		add(population.Bimodal{Angle: angle, Share: angle / 100})
	}
	add(population.Cap{Angle: 30, Axis: []float64{0, 0, 0}})
	for _, shape := range [][]float64{nil, {0.01}, {0.3, 1, 4}, {1e7}, {0}, {1, 2}, {1e9}} {
		add(population.Dirichlet{Concentration: shape})
	}
	for _, wide := range [][]float64{nil, {2}, {1, 2, 3}, {-1}, {1, 2}} {
		add(population.Normal{Mean: []float64{1}, Deviation: wide})
		add(population.Uniform{Low: []float64{-1, 0, 1}, High: wide})
	}
	add(population.Classes{Ends: []int{2, 5}, Rows: [][]float64{{1, 2, 3}, {4, 5, 6}}})
	add(population.Classes{Ends: []int{2, 2}, Rows: [][]float64{{1, 2, 3}, {4, 5, 6}}})
	add(population.Classes{Ends: []int{2}})
	add(population.Beside{Law: population.Sphere{}, Dim: 2, Rest: population.Normal{}, Stream: stream.New(3, "rest")})
	add(population.Beside{Law: population.Sphere{}, Dim: 3, Rest: population.Normal{}})
	for _, c := range [][]float64{{0.5}, {-1}, {0.5, 0, 0, 0, 0.5, 0, 0, 0.1, 0.9}} {
		l, err := population.NewCorrelated(population.Normal{Mean: []float64{1, 2, 3}, Deviation: []float64{2}}, 3, c, 3, stream.New(9, "with"))
		if err != nil {
			t.Fatal(err)
		}
		add(l)
	}
	return names, laws
}

func oneLine(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "\n", "; ") }

// What laws draw, and what they refuse, is what it was when it was last looked at.
func TestLawsAreAsRecorded(t *testing.T) {
	var lines []string
	names, laws := everyLaw(t)
	for _, name := range names {
		l, said := laws[name], "== "+name+": "
		if err := l.Check(5, 3); err != nil {
			lines = append(lines, said+oneLine(err))
			continue
		}
		drawn, err := population.Draw(l, 5, 3, stream.New(4, "people"))
		if err != nil {
			lines = append(lines, said+oneLine(err))
			continue
		}
		later := make([]float64, 2*3)
		l.Fill(later, 3, 3, stream.New(4, "people"))
		if fmt.Sprint(later) != fmt.Sprint(drawn[9:]) {
			t.Errorf("%s: individuals drawn alone are others", name)
		}
		lines = append(append(lines, said), evidence.Rounded(fmt.Sprint(drawn))...)
	}
	for _, l := range population.NumberLaws() {
		for _, of := range [][]float64{{0.5, 2}, {2, -1}, {3, 0.5}, {1.5, 1}, {0.5}, {-0.5}, {2}} {
			n := population.Number{NumberLaw: l, Of: of}
			said := fmt.Sprintf("== %s %v: ", l.Name, of)
			if err := n.Check(); err != nil {
				lines = append(lines, said+oneLine(err))
				continue
			}
			s := stream.New(5, "numbers")
			said += fmt.Sprint("mean ", n.Mean(), " of")
			for range 8 {
				said += fmt.Sprint(" ", n.Draw(s))
			}
			lines = append(lines, evidence.Rounded(said)...)
		}
	}
	evidence.AsRecorded(t, "testdata/laws.txt", lines)
}

// How crowds of every motion walk is what it was when it was last looked at.
func TestMotionsAreAsRecorded(t *testing.T) {
	law := population.Normal{Mean: []float64{1, -1}, Deviation: []float64{0.5}}
	var lines []string
	for _, m := range []population.Motion{
		{Drift: population.Drift{Rate: []float64{0.1, 0.2}}},
		{Drift: population.Drift{Walk: []float64{0.1}, Swing: []float64{1, 0.5}, Period: 7}},
		{Churn: population.Churn{Share: 0.17, Law: law}},
		{Drift: population.Drift{Rate: []float64{0.1}, Swing: []float64{0.2}, Period: 3.5}, Churn: population.Churn{Share: 0.4, Law: law, States: population.Uniform{Low: []float64{0, 0}, High: []float64{1, 2}}}},
		{Churn: population.Churn{Share: 1, Law: law}},
		{Clock: true},
		{Drift: population.Drift{Swing: []float64{1}}},
		{Drift: population.Drift{Walk: []float64{-1}}},
		{Churn: population.Churn{Share: 1.5, Law: law}},
		{Churn: population.Churn{Share: 0.5}},
		{Churn: population.Churn{Share: 0.5, Law: population.Table{}}},
	} {
		m.Walks, m.Leavers, m.Arrivals, m.States = stream.New(1, "walks"), stream.New(1, "leavers"), stream.New(1, "arrivals"), stream.New(1, "states")
		lines = append(lines, fmt.Sprintf("== %+v %+v %v", m.Drift, m.Churn, m.Clock))
		lines = append(lines, walked(t, m, law)...)
	}
	evidence.AsRecorded(t, "testdata/motions.txt", lines)
}

// walked are the traits and samples of a small crowd, a line a step, under each of the pickers.
func walked(t *testing.T, m population.Motion, law population.Law) (lines []string) {
	t.Helper()
	traits, err := population.Draw(law, 6, 2, stream.New(2, "people"))
	if err != nil {
		t.Fatal(err)
	}
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	weighted, err := population.NewByWeight(stream.New(3, "samples"), []float64{1, 2, 3, 4, 5, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, pick := range []population.Picker{
		population.WithReplacement{Source: stream.New(3, "samples")}, &population.WithoutReplacement{Source: stream.New(3, "samples")}, weighted,
		&population.Rotating{Of: &population.WithoutReplacement{Source: stream.New(3, "samples")}},
	} {
		crowd, err := population.Gather(population.Config{Dynamics: f, Traits: kedge.Block{Data: traits, Width: 2}, Motion: &m, Pick: pick, Tell: true})
		if err != nil {
			return append(lines, oneLine(err))
		}
		for range 5 {
			if err := crowd.Respond(t.Context(), []float64{0.3, 0.7}); err != nil {
				return append(lines, oneLine(err))
			}
			p, d := make([]float64, 8), make([]float64, 8)
			_, err := crowd.Sample(p, d)
			_, odd := crowd.Sample(p[:6], d[:6])
			lines = append(lines, evidence.Rounded(fmt.Sprint(crowd.Look().View(make([]float64, 12), 0, 6), crowd.TraitRows().View(make([]float64, 12), 0, 6), p, d, crowd.Sampled(nil), oneLine(errors.Join(err, odd))))...)
		}
	}
	return lines
}
