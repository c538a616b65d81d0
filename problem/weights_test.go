package problem

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/kind"
)

const weighted = `iterations: 3
population: {size: 4, dim: 2, law: values, values: [[1, -1], [0.5, 2], [3, 0.25], [-1, -2]], weights: [3, 1, 0, 0.5]}
dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]]}
objective: {kind: quadratic, decision: 2, cross: 1, state: 1}
set: {kind: ball, radius: 2}
algorithms: [{name: composite, step: 0.1, batch: 50}]
`

// The gradient that a sample shows is on average that of everybody by weight, Σ wᵢgᵢ/Σ wᵢ: 400 batches of 50, each entry within 4 of its
// standard errors. The mean of all alike is 20 away.
func TestSampledGradientsAreUnbiased(t *testing.T) {
	p := build(t, weighted)
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	u, raw := []float64{.4, -.3}, []float64{3, 1, 0, .5}
	if err := trial.Population.Respond(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	gradient := func(g, x, d []float64) {
		v := make([]float64, len(x))
		clear(g)
		p.RowObjective().EvalRows(v, g, x, u, d)
		if err := p.Sensitivity.PullRows(g, x, u, d, v); err != nil {
			t.Fatal(err)
		}
	}
	want, alike, g := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	for i, w := range raw {
		gradient(g, kedge.Row(trial.Population.States(), i, 2), kedge.Row(trial.Population.Traits(), i, 2))
		rows.AddScaled(want, w/4.5, g)
		rows.AddScaled(alike, .25, g)
	}
	const batches, batch = 400, 50
	sum, squares := make([]float64, 2), make([]float64, 2)
	x, d := make([]float64, 2*batch), make([]float64, 2*batch)
	for range batches {
		if _, err := trial.Population.Sample(x, d); err != nil {
			t.Fatal(err)
		}
		gradient(g, x, d)
		for j, v := range g {
			sum[j] += v / batch
			squares[j] += v / batch * v / batch
		}
	}
	for j := range sum {
		mean := sum[j] / batches
		far := math.Sqrt((squares[j]/batches - mean*mean) / batches)
		if z := (mean - want[j]) / far; math.Abs(z) > 4 {
			t.Errorf("entry %d is %v on average, want %v: %.1f standard errors off", j, mean, want[j], z)
		}
		if math.Abs(alike[j]-want[j]) < 20*far {
			t.Errorf("entry %d does not tell weights (%v) from none (%v)", j, want[j], alike[j])
		}
	}
}

// Value, gradient, the gradient that takes people for given, means and what a wrong sensitivity misleads by are those of repeated people; the
// value of polarized people is found without their states.
func TestWeightedValuesAreThoseOfRepeatedPeople(t *testing.T) {
	const spec = `iterations: 3
population: {size: 3, dim: 2, law: values, values: [[1, 0], [0.6, 0.8], [0.8, -0.6]], weights: [1, 0.5, 1.5]}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms: [{name: composite, step: 0.1, wrong: {scale: 0.5}}]
`
	repeated := strings.NewReplacer("size: 3", "size: 6", ", weights: [1, 0.5, 1.5]", "",
		"[[1, 0], [0.6, 0.8], [0.8, -0.6]]", "[[1, 0], [1, 0], [0.6, 0.8], [0.8, -0.6], [0.8, -0.6], [0.8, -0.6]]").Replace(spec)
	u := []float64{.3, -.5}
	answers := func(src string) (list []float64) {
		p := build(t, src)
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		value, err := f.Value(u)
		list = append(list, value)
		for _, of := range []func(g, u []float64) error{
			func(g, u []float64) error { _, err := f.Gradient(g, u); return err },
			func(g, u []float64) error { _, err := f.Partial(g, u); return err },
			f.Mean, func(g, u []float64) error { return p.Misled(g, 0, u) },
		} {
			g := make([]float64, 2)
			err = errors.Join(err, of(g, u))
			list = append(list, g...)
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	got, want := answers(spec), answers(repeated)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13 {
			t.Errorf("answers are %v, want %v", got, want)
		}
	}
}

// Weights of a file are those of a list; what does not fit is told.
func TestWeightsOfAFile(t *testing.T) {
	src := strings.Replace(weighted, "[3, 1, 0, 0.5]", "{file: w.csv}", 1)
	s, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	listed := build(t, weighted)
	read, err := Build("x", s, fstest.MapFS{"w.csv": {Data: []byte("weight\n3\n1\n0\n0.5\n")}})
	if err != nil || !slices.Equal(read.Weights, listed.Weights) {
		t.Errorf("weights %v, want %v, %v", read.Weights, listed.Weights, err)
	}
	for data, want := range map[string]string{
		"3\n1\n":        "x.yaml:2: w.csv has 2 numbers in rows of 1, want one number for each of 4 individuals",
		"3,1\n0,2\n":    "x.yaml:2: w.csv has 4 numbers in rows of 2, want one number for each of 4 individuals",
		"1\n1\n-1\n0\n": "x.yaml:2: population.weights: individual 2: the weight is -1, want at least 0",
		"0\n0\n0\n0\n":  "x.yaml:2: population.weights: the largest weight is 0, want above 0, so that somebody counts",
		"1\nx\n1\n1\n":  `x.yaml:2: w.csv: table, line 2, column 1: "x" is not a finite number`,
	} {
		if _, err := Build("x", s, fstest.MapFS{"w.csv": {Data: []byte(data)}}); err == nil || err.Error() != want {
			t.Errorf("%q gives\n%v\nwant\n%s", data, err, want)
		}
	}
	if _, err := Build("x", s, fstest.MapFS{}); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestWeightMistakes(t *testing.T) {
	key := "x.yaml:2: population.weights"
	for _, c := range []mistakeTest{
		{"[3, 1, 0, 0.5]", "[3, 1]", key + " has 2 entries, population.size is 4"},
		{"[3, 1, 0, 0.5]", "[0, 0, 0, 0]", key + " are all 0; want one above 0, so that somebody counts"},
		{"[3, 1, 0, 0.5]", "[3, -1, 0, 0.5]", key + ".1 is -1, want a number ≥ 0"},
		{"[3, 1, 0, 0.5]", "[3, .inf, 0, 0.5]", key + ".1 is .inf, want a number ≥ 0"},
		{"[3, 1, 0, 0.5]", "heavy", key + ` is "heavy", want a list of numbers ≥ 0, or a mapping with a file`},
		{"[3, 1, 0, 0.5]", "{array: w}", key + ".file is missing, want the name of a file"},
		{"dim: 2,", "dim: 2, sampling: without-replacement,", key + " is given, but population.sampling is without-replacement: such samples are of people who count alike, " +
			"and would answer for others than the value does; want with-replacement, which samples by weight\n" +
			"x.yaml:6: algorithms.composite.batch is 50, but population.size is 4 and sampling is without-replacement"},
		{"kind: affine,", "kind: affine, coupling: 0.2,", key + " is given, but with dynamics.coupling people see the mean of a crowd in which all count alike; want coupling 0"},
		{"iterations: 3", "iterations: 3\nrecord: {theory: true}", "x.yaml:3: population.weights is given, but record.theory is true, and the theory is of people who count and are sampled alike; want false, or rows that are repeated"},
		{"law: values, values: [[1, -1], [0.5, 2], [3, 0.25], [-1, -2]]", "law: normal, churn: 0.1", key + " is given, but population.churn is above 0, and nothing says what newcomers weigh; want no churn"},
	} {
		c.breaks(t, weighted)
	}
}
