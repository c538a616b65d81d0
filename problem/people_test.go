package problem

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/problem/kind"
)

const customers = `name,income,age,region,w,spend
"Smith, ""Jo""",32000,44,north,1,2
Lee,51000,17,south,2,3
"Ng
X",28000,63,north,0.5,1
Kim,,30,south,1,1
Ada,90000,38,"east, far",2,4
`

const shop = `iterations: 3
model: {decision: q, state: p, trait: "d[2]", next: "0.5*p + 0.5*(d[0] - 0.3*q)", minimize: "(p - d[1]*q)^2", subject to: "-9 <= q <= 9"}
population: {file: customers.csv, traits: [income/10000, age/10], states: [spend], weight: w, group: region, where: age >= 18 and not missing(income)}
algorithms: [{name: composite, step: 0.01}]
`

// The same people, written down by hand.
const shopListed = `iterations: 3
model: {decision: q, state: p, trait: "d[2]", next: "0.5*p + 0.5*(d[0] - 0.3*q)", minimize: "(p - d[1]*q)^2", subject to: "-9 <= q <= 9"}
population: {size: 3, law: values, values: [[3.2, 4.4], [2.8, 6.3], [9, 3.8]], states: {law: values, values: [[2], [1], [4]]}, weights: [1, 0.5, 2]}
algorithms: [{name: composite, step: 0.01}]
`

// buildWith builds a spec with some files.
func buildWith(t *testing.T, src string, files fstest.MapFS) (*Problem, error) {
	t.Helper()
	s, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err != nil {
		return nil, err
	}
	return Build("x", s, files)
}

func csvOf(text string) fstest.MapFS { return fstest.MapFS{"customers.csv": {Data: []byte(text)}} }

// A table's people are those who were written down: traits, first states, weights, values and samples, bit for bit.
func TestPeopleOfATable(t *testing.T) {
	p, err := buildWith(t, shop, csvOf(customers))
	if err != nil {
		t.Fatal(err)
	}
	listed := build(t, shopListed)
	all := p.Some(10)
	states, traits := p.First(all)
	wantStates, wantTraits := listed.First(all)
	if !slices.Equal(states, wantStates) || !slices.Equal(traits, wantTraits) || !slices.Equal(p.Weights, listed.Weights) {
		t.Errorf("states %v, traits %v, weights %v", states, traits, p.Weights)
	}
	answers := func(p *Problem) (list []float64) {
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		g, mean := make([]float64, 1), make([]float64, 1)
		value, err := f.Gradient(g, []float64{.7})
		trial, wrong := p.Trial(0, 0, math.NaN())
		if err := errors.Join(err, wrong, f.Mean(mean, []float64{.7})); err != nil {
			t.Fatal(err)
		}
		x, d := make([]float64, 5), make([]float64, 10)
		if _, err := trial.Population.Sample(x, d); err != nil {
			t.Fatal(err)
		}
		return slices.Concat([]float64{value, float64(trial.Batch)}, g, mean, x, d)
	}
	if got, want := answers(p), answers(listed); !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
	of, names := p.Groups()
	if !slices.Equal(of, []int{1, 1, 0}) || !slices.Equal(names, []string{"east, far", "north"}) {
		t.Errorf("groups %v %v", of, names)
	}
	if !slices.Equal(p.people.TraitNames, []string{"income/10000", "age/10"}) || !slices.Equal(p.people.StateNames, []string{"spend"}) {
		t.Errorf("names %v %v", p.people.TraitNames, p.people.StateNames)
	}
}

// The spec of a problem is written as it was, and reads back as itself: the number of people is the file's to tell.
func TestSpecOfATableStaysAsWritten(t *testing.T) {
	s, err := Parse(kind.Standard(), "x.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("x", s, csvOf(customers))
	if err != nil {
		t.Fatal(err)
	}
	text := s.YAML()
	if !bytes.Equal(p.Spec.YAML(), text) || p.Individuals() != 3 || s.Population.Size != 0 {
		t.Errorf("%d people, %d in the spec, which is now\n%s", p.Individuals(), s.Population.Size, p.Spec.YAML())
	}
	again, err := Parse(kind.Standard(), "again.yaml", text)
	if err != nil || !bytes.Equal(again.YAML(), text) {
		t.Errorf("%v, reads back as\n%s\nwant\n%s", err, again.YAML(), text)
	}
}

// Parquet and NPZ hold the same people as CSV; NPZ has no texts.
func TestPeopleOfOtherFormats(t *testing.T) {
	table := columns.Table{Columns: []columns.Column{
		{Name: "income", Numbers: []float64{32000, 51000, 28000, math.NaN(), 90000}}, {Name: "age", Numbers: []float64{44, 17, 63, 30, 38}},
		{Name: "region", Text: []string{"north", "south", "north", "south", "east, far"}}, {Name: "w", Numbers: []float64{1, 2, .5, 1, 2}},
		{Name: "spend", Numbers: []float64{2, 3, 1, 1, 4}},
	}}
	var parquet, zip bytes.Buffer
	var arrays []npy.Named
	for _, c := range table.Columns {
		if c.Numbers != nil {
			arrays = append(arrays, npy.Named{Name: c.Name, Array: npy.Array{Shape: []int{5}, Data: c.Numbers}})
		}
	}
	if err := errors.Join(table.WriteParquet(&parquet), npy.WriteZip(&zip, arrays...)); err != nil {
		t.Fatal(err)
	}
	want, err := buildWith(t, shop, csvOf(customers))
	if err != nil {
		t.Fatal(err)
	}
	states, traits := want.First([]int{0, 1, 2})
	files := fstest.MapFS{"customers.parquet": {Data: parquet.Bytes()}, "customers.npz": {Data: zip.Bytes()}}
	for _, c := range [][2]string{{".parquet", ""}, {".npz", "group: region, "}} {
		p, err := buildWith(t, strings.Replace(strings.Replace(shop, ".csv", c[0], 1), c[1], "", 1), files)
		if err != nil {
			t.Error(c, err)
			continue
		}
		if s, d := p.First([]int{0, 1, 2}); !slices.Equal(s, states) || !slices.Equal(d, traits) || !slices.Equal(p.Weights, want.Weights) {
			t.Errorf("%s: states %v, traits %v", c[0], s, d)
		}
	}
}

// So many of those who pass are drawn without replacement, in their order; another seed draws others.
func TestSomeOfATable(t *testing.T) {
	text := "x\n"
	for i := range 100 {
		text += string(rune('0'+i/10)) + string(rune('0'+i%10)) + "\n"
	}
	drawn := func(seed string) []float64 {
		p, err := buildWith(t, "seed: "+seed+`
iterations: 3
population: {file: customers.csv, traits: x, where: x >= 50, size: 20}
dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}
objective: {kind: quadratic, decision: 1}
set: {kind: ball, radius: 2}
algorithms: [{name: composite, step: 0.1}]
`, csvOf(text))
		if err != nil {
			t.Fatal(err)
		}
		_, d := p.First(p.Some(1000))
		return d
	}
	first, other := drawn("1"), drawn("2")
	if len(first) != 20 || !slices.IsSorted(first) || first[0] < 50 || len(slices.Compact(slices.Clone(first))) != 20 {
		t.Errorf("drawn were %v", first)
	}
	if slices.Equal(first, other) || !slices.Equal(first, drawn("1")) {
		t.Errorf("seed 1 draws %v, seed 2 %v", first, other)
	}
}

func TestMistakesOfTables(t *testing.T) {
	at := "x.yaml:3: "
	for _, c := range []struct{ old, new, want string }{
		{" and not missing(income)", "", at + "population.traits[0]:1:1: customers.csv, row 4: income is missing; leave such rows out by where: not missing(income), or fill them: fill(income, 0)"},
		{"age >= 18 and not missing(income)", "income > 5", at + "population.where:1:1: customers.csv, row 4: income is missing; leave such rows out by where: not missing(income), or fill them: fill(income, 0)"},
		{"income/10000", "incme", at + "population.traits[0]:1:1: customers.csv has no column incme; did you mean income?"},
		{"age/10", "onehot(region)", at + "population.traits gives 3 entries (income/10000, region = east, far and region = north), a trait has 2; onehot has an entry for every text of its column"},
		{"age/10", "log(age - 63)", at + "population.traits[1]:1:1: customers.csv, row 1: log(age - 63) is NaN where age = 44; want a finite number, or where: without such rows"},
		{"age >= 18", "age >= 180", at + "population.where:1:1: no row of customers.csv passes; want a condition that holds for somebody"},
		{"age >= 18", "age >=", at + "population.where:1:12: found not after the end of the formula; is an operator missing?"},
		{"weight: w", "weight: -w", at + "population.weight:1:1: customers.csv, row 1: the weight is -1, want at least 0"},
		{"weight: w", "weight: 0*w", at + "population.weight: the largest weight is 0, want above 0, so that somebody counts"},
		{"weight: w", "weight: w, weights: [1]", at + "population.weights is given, but people are columns of a file; want weight, with the name of a column"},
		{"weight: w", "weight: w, sampling: without-replacement", at + "population.weight is given, but population.sampling is without-replacement: such samples are of people who count alike, and would answer for others than the value does; want with-replacement, which samples by weight"},
		{"weight: w", "weight: w, size: 4", at + "customers.csv: population.size is 4, more than there is to draw from (3 rows); want at most as many, or none for all"},
		{"states: [spend]", "states: same", at + "population.states is same, but a state has 1 entry and a trait 2; want columns, or formulas of them"},
		{"states: [spend]", "states: [spend, age]", at + "population.states gives 2 entries (spend and age), a state has 1"},
		{"customers.csv", "customers.xls", at + "customers.xls: want a file that ends in .csv, .tsv, .parquet or .npz"},
		{"customers.csv", "customers.npy", at + "customers.npy: an .npy file has no names for its columns; want .csv, .parquet or .npz, or law: file"},
		{"traits: [income/10000, age/10], ", "", at + "population.traits is missing, want a column or a formula of columns such as age/10, or a list of those"},
		{"traits: [income/10000, age/10]", "traits: stored", at + "population.traits[0]:1:1: customers.csv has no column stored; there are name, income, age, region, w, spend"},
		{"weight: w", "weight: w, churn: 0.1", at + "population.weight is given, but population.churn is above 0, and nothing says what newcomers weigh; want no churn\n" +
			at + "population.churn is 0.1, but population.law is columns, from which no newcomers can be drawn"},
	} {
		files := csvOf(customers)
		files["customers.xls"], files["customers.npy"] = files["customers.csv"], files["customers.csv"]
		if _, err := buildWith(t, strings.Replace(shop, c.old, c.new, 1), files); err == nil || err.Error() != c.want {
			t.Errorf("%s gives\n%v\nwant\n%s", c.new, err, c.want)
		}
	}
}

// Where there is neither a law nor a file, the law is missed, as before.
func TestNeitherLawNorFile(t *testing.T) {
	_, err := buildWith(t, strings.Replace(shop, "file: customers.csv, traits: [income/10000, age/10], states: [spend], weight: w, group: region, where: age >= 18 and not missing(income)", "size: 3", 1), nil)
	if err == nil || !strings.Contains(err.Error(), "population.law is missing, want sphere, cap") {
		t.Error(err)
	}
}
