package problem

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/kind"
)

// regions is a table of six people in three regions. They settle at need − price, with built-in dynamics as with formulas.
const regions = "need,region,w\n4,north,1\n6,north,3\n3,south,1\n5,south,1\n9,south,1\n8,west,2\n"

const shopByName = `iterations: 10
population: {file: shop.csv, dim: 1, traits: need, group: region}
dynamics: {kind: affine, a: [[0.5]], b: [[-0.5]], e: [[0.5]]}
objective: "-p[0]*u[0]"
set: {kind: box, lower: 0, upper: 3}
constraints:
  - {name: need, kind: worst-group, of: "p[0] + 0.1*u[0]", bound: 5, group-by: region}
algorithms:
  - {name: composite, step: 0.1, batch: 6}
`

const shopAsModel = `iterations: 10
population: {file: shop.csv, traits: need, group: region}
model: {decision: price, state: p, trait: need, next: 0.5*p + 0.5*(need - price), minimize: -p*price, subject to: 0 <= price <= 3}
constraints:
  - {name: need, kind: worst-group, of: p + 0.1*price, bound: 5, group-by: group, groups: [north, south, west]}
algorithms:
  - {name: composite, step: 0.1, batch: 6}
`

var shops = fstest.MapFS{"shop.csv": {Data: []byte(regions)}}

// The excess of a group is the mean of need − price + 0.1·price over its people, by hand, less the bound; with weights, the weighted mean. Formulas and
// built-in kinds count alike, on everybody and in samples.
func TestGroupsOfAColumnAreBoundByName(t *testing.T) {
	const price = 1.5
	for name, src := range map[string]string{"built-in": shopByName, "model": shopAsModel} {
		for weight, means := range map[string][3]float64{"": {5, 17.0 / 3, 8}, "population.weight=w": {22.0 / 4, 17.0 / 3, 8}} {
			var over []Overlay
			if weight != "" {
				over = append(over, Assign(weight))
			}
			p, err := Build("x", mustParse(t, src, over...), shops)
			if err != nil {
				t.Fatal(name, err)
			}
			list, _, err := p.Constraints()
			if err != nil || len(list) != 3 {
				t.Fatalf("%s: %d constraints, %v", name, len(list), err)
			}
			g := make([]float64, 1)
			for i, region := range []string{"north", "south", "west"} {
				want := means[i] - price + 0.1*price - 5
				got, err := list[i].Gradient(g, []float64{price})
				if err != nil || list[i].Name() != "need, "+region || math.Abs(got-want) > 1e-12 || math.Abs(g[0]+0.9) > 1e-12 {
					t.Errorf("%s %s: %s exceeds by %v with the slope %v, %v; want %v and -0.9", name, weight, list[i].Name(), got, g, err, want)
				}
			}
		}
		p, err := Build("x", mustParse(t, src), shops)
		if err != nil {
			t.Fatal(err)
		}
		checkSampledGroups(t, name, p)
	}
}

// checkSampledGroups tells a rule of samples who is in them: its multipliers grow by the excess of the group's people who were seen.
func checkSampledGroups(t *testing.T, name string, p *Problem) {
	t.Helper()
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 1)
	trial.Algorithm.Ask(u)
	o := kedge.Observation{U: u, P: []float64{4, 3, 9}, D: []float64{4, 3, 9}, Who: []uint64{0, 2, 4}}
	if err := trial.Algorithm.Tell(o); err != nil {
		t.Fatal(name, err)
	}
	// From 0: north shows 4, which is below 5; south 3 and 9, a mean of 6; west nobody.
	if got := trial.Algorithm.Multipliers(); math.Abs(got[1]-0.1*(6-5)) > 1e-12 || got[0] != 0 || got[2] != 0 {
		t.Errorf("%s: multipliers %v", name, got)
	}
	o.Who = nil
	if err := trial.Algorithm.Tell(o); err == nil || !strings.Contains(err.Error(), "does not tell who") {
		t.Errorf("%s: a sample of unknown people: %v", name, err)
	}
	if err := trial.Population.Respond(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	states, traits := make([]float64, 6), make([]float64, 6)
	if _, err := trial.Population.Sample(states, traits); err != nil {
		t.Fatal(err)
	}
	needs := []float64{4, 6, 3, 5, 9, 8}
	told := trial.Population.Sampled(nil)
	if len(told) != 6 {
		t.Fatalf("%s: %d people are told of 6", name, len(told))
	}
	for i, who := range told {
		if traits[i] != needs[who] {
			t.Errorf("%s: row %d has the trait %v and is said to be of %d", name, i, traits[i], who)
		}
	}
	turns := loop.Loop{Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective, Turns: 5, Batch: 6}
	if err := turns.Run(t.Context()); err != nil { // which tells the rule who they are
		t.Errorf("%s: %v", name, err)
	}
}

// Groups of a model are bound by name as those of a column are.
func TestGroupsOfAModelAreBoundByName(t *testing.T) {
	src := `iterations: 10
population: {size: 10, law: values, values: [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10]]}
model:
  decision: price
  state: p
  trait: need
  groups: {loyal: {share: 0.6, answer: 1}, others: {share: 0.4, answer: 2}}
  next: 0.5*p + 0.5*(need - answer*price)
  minimize: -p*price
  subject to: 0 <= price <= 3
constraints:
  - {name: need, kind: worst-group, of: p, bound: 1, group-by: group}
algorithms:
  - {name: composite, step: 0.1, batch: 6}
`
	p, err := Build("x", mustParse(t, src), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := p.Constraints()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d constraints, %v", len(list), err)
	}
	for i, want := range []float64{3.5 - 0.5 - 1, 8.5 - 2*0.5 - 1} { // 1 … 6 and 7 … 10
		if got, err := list[i].Excess([]float64{0.5}); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s exceeds by %v, %v, want %v", list[i].Name(), got, err, want)
		}
	}
	for _, c := range []mistakeTest{
		{"group-by: group", "group-by: group, groups: [loyal, other]", "x.yaml:12: constraints.need.groups names other, but the groups are loyal and others; did you mean others?"},
		{"group-by: group", "group-by: groupe", "x.yaml:12: constraints.need.group-by is groupe, want an entry of the trait by its number, or group; did you mean group?"},
		{"group-by: group", "group-by: group, cuts: [0]", "x.yaml:12: constraints.need.cuts are given, but groups that have names need none"},
		{"group-by: group", "group-by: 1", "x.yaml:12: constraints.need.cuts is missing, want a list of numbers that divides entry 1 of the trait"},
		{"group-by: group", "group-by: 1, cuts: [3], groups: [loyal]", "x.yaml:12: constraints.need.groups are given, but constraints.need.group-by is an entry of the trait, whose groups have no names; want group-by: group"},
	} {
		c.breaks(t, src)
	}
}

func TestGroupMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"group-by: region", "group-by: regions", "x.yaml:7: constraints.need.group-by is regions, want an entry of the trait by its number, or group or region; did you mean region?"},
		{", group: region", "", "x.yaml:7: constraints.need.group-by is region, but there are no groups with names; want population.group, a column of a file, or model.groups, or an entry of the trait by its number"},
	} {
		c.breaks(t, shopByName)
	}
	s, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(shopByName, "group-by: region", "group-by: region, groups: [nort]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = "x.yaml:7: constraints.need.groups: groups names nort, but the groups are north, south and west; did you mean north?"
	if _, err := Build("x", s, shops); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := BuildLive(mustParse(t, shopByName), 0, 0, shops); err == nil || !strings.Contains(err.Error(), "nobody is drawn") {
		t.Errorf("a rule without people: %v", err)
	}
}
