package problem

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// unfit is a model with numbers that its log is to tell.
const unfit = `iterations: 10
model:
  decision: q
  state: p
  trait: d
  let: {a: "? in [0, 1]", W: {file: w.csv}, c: "?[2] ~ normal(3, 1)", b: 2}
  next: a*p + b*d + c[0]*q + c[1]*rain + 0*W[0]
  minimize: (p - 1)^2 + q^2
data: {file: log.csv, person: who, time: week, states: spend, decision: price, traits: need, beside: {rain: wet}}
population: {size: 2, dim: 1, law: values, values: [[1], [2]]}
algorithms: [{name: composite, step: 0.1}]
`

// unfitKind is the same of dynamics of a kind.
const unfitKind = `iterations: 10
dynamics: {kind: polarized, lambda: "? in [0.1, 0.5]", sigma: 0.3}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
data: {file: log.csv, person: who, time: week, states: [x, y], decision: [a, b], traits: [k, l]}
population: {size: 2, dim: 2, law: sphere}
algorithms: [{name: composite, step: 0.1}]
`

// What is unknown is listed in the order of the spec, with what is said of it, and neither a problem nor a rule is made before it is found.
func TestUnknownsMustBeFound(t *testing.T) {
	for _, c := range []struct {
		src, want string
		names     []string
		lower     float64
	}{
		{unfit, "x.yaml:6: a and c are unknown: kedge fit x.yaml finds what is unknown from the log that data names, and writes a spec that runs", []string{"a", "c"}, 0},
		{unfitKind, "x.yaml:2: lambda is unknown: kedge fit x.yaml finds what is unknown from the log that data names, and writes a spec that runs", []string{"lambda"}, 0.1},
	} {
		s := mustParse(t, c.src)
		_, built := Build("x", s, nil)
		_, live := BuildLive(s, 0, 0, nil)
		for _, err := range []error{built, live} {
			var unknown *UnknownsError
			if !errors.As(err, &unknown) || err.Error() != c.want || !slices.Equal(unknown.Names, c.names) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		}
		if list := s.Unknowns(); len(list) != len(c.names) || list[0].Name != c.names[0] || list[0].Lower != c.lower {
			t.Errorf("unknown are %+v", list)
		}
		if again := mustParse(t, string(s.YAML())); string(again.YAML()) != string(s.YAML()) || !strings.Contains(string(s.YAML()), "\"? in [") {
			t.Errorf("%s\nbecomes\n%s", s.YAML(), again.YAML())
		}
	}
	if err := mustParse(t, small).Unfit(); err != nil {
		t.Error(err)
	}
}

// A fit gets the formulas without what is unknown, with the numbers of files, and with the names that the log has beside decisions.
func TestSourceOfAFit(t *testing.T) {
	s := mustParse(t, unfit)
	got, err := s.FitSource(fstest.MapFS{"w.csv": {Data: []byte("5\n6\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Let) != 2 || got.Let[0].Name != "W" || !slices.Equal(got.Let[0].Data.Data, []float64{5, 6}) || got.Let[1].Name != "b" || !slices.Equal(got.Beside, []string{"rain"}) || got.Next != s.Model.Next {
		t.Errorf("%+v", got)
	}
	if _, err := s.FitSource(fstest.MapFS{}); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:6: w.csv: ") {
		t.Errorf("without the file: %v", err)
	}
	if of, ok := s.Written().Get("model").Get("let").Get("a"), s.File(); of.Text != "? in [0, 1]" || ok != "x.yaml" {
		t.Errorf("written in %s: %v", ok, of)
	}
}

// Dynamics of a kind are the formulas that say the same: one step of both, from the same place, leads to the same place.
func TestKindsAsFormulas(t *testing.T) {
	u, x, d := []float64{0.3, -0.4}, []float64{0.6, 0.8}, []float64{0.8, 0.6}
	for _, c := range []struct {
		dynamics, law string
		asked         []string
		let           []string
	}{
		{"{kind: polarized, lambda: 0.35, sigma: 0.6}", "sphere", nil, []string{"lambda", "sigma", "moved"}},
		{"{kind: polarized, lambda: \"?\", sigma: 0.6}", "sphere", []string{"lambda"}, []string{"sigma", "moved"}},
		{"{kind: polarized, lambda: 0.25, sigma: \"?\"}", "sphere", []string{"sigma"}, []string{"lambda", "moved"}},
		{"{kind: choice, lambda1: 0.35, lambda2: 0.15, epsilon: 1.5}", "dirichlet", nil, []string{"lambda1", "lambda2", "epsilon"}},
		{"{kind: choice, lambda1: \"?\", lambda2: \"?\", epsilon: 1.5}", "dirichlet", []string{"lambda1", "lambda2"}, []string{"epsilon"}},
	} {
		s := mustParse(t, unfitKind, Assign("dynamics="+c.dynamics), Assign("population.law="+c.law))
		source, err := s.FitSource(nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, b := range source.Let {
			names = append(names, b.Name)
		}
		if !slices.Equal(names, c.let) {
			t.Errorf("%s: known are %v, want %v", c.dynamics, names, c.let)
		}
		for _, key := range c.asked { // of 0.25, as the spec is checked with
			source.Let = slices.Insert(source.Let, 0, formula.Binding{Name: key, Data: &formula.Value{Data: []float64{0.25}}})
		}
		m, err := formula.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		of, err := s.Dynamics.Of.Build(s.Dims())
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]float64, 2), make([]float64, 2)
		m.Dynamics().Next(got, x, u, d)
		of.Dynamics.Next(want, x, u, d)
		if math.Hypot(got[0]-want[0], got[1]-want[1]) > 1e-15 {
			t.Errorf("%s: a step leads to %v, want %v", c.dynamics, got, want)
		}
	}
}

func TestLogMistakes(t *testing.T) {
	const wanted = ": data is given, but a log tells numbers of a model in formulas, or of dynamics polarized or choice in which people are alike; want a model"
	for change, want := range map[string]string{
		"dynamics={kind: polarized, lambda: 0.4, sigma: 0.3, coupling: 0.1}":                                wanted,
		"dynamics={kind: polarized, lambda: 0.4, sigma: 0.3, noise: 0.1}":                                   wanted,
		"dynamics={kind: polarized, lambda: 0.4, sigma: 0.3, heterogeneity: {lambda: [0.3, 0.5]}}":          wanted,
		"dynamics={kind: friedkin-johnsen, susceptibility: 0.5, influence: 0.1, weights: [[1, 0], [0, 1]]}": wanted,
		"dynamics={kind: polarized, lambda: none, sigma: 0.3, coupling: 0.1}":                               ": dynamics.lambda is \"none\", want a number from 0 to 1",
		"data.beside={rain: wet}": ": data.beside is given without a model whose formulas could use it",
		"data.effects=person":     ": data.effects is person, which wants a model in formulas",
		"data.person=null":        ": data.person is missing, want the column that says whose row it is; for people who are not seen again data.kind is sections",
		"data.states=[x, y +]":    ": data.states[1]:1:4: the formula ends, want a number, a name or a bracket",
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(unfitKind), Assign(change))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gives\n%v\nwant\n%s", change, err, want)
		}
	}
	for text, want := range map[string]string{
		"\"? in [1, 0]\"": "x.yaml:6: model.let.a is \"? in [1, 0]\", want a range whose first end is below its second, as in [0, 1]",
		"\"?[500]\"":      "x.yaml:6: model.let.a is \"?[500]\", want an unknown with 1 to 400 entries",
		"\"? about 3\"":   "x.yaml:6: model.let.a is \"? about 3\", want ? alone or with a shape, a range, a start and a prior, as in",
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(unfit, `"? in [0, 1]"`, text, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s gives\n%v\nwant\n%s", text, err, want)
		}
	}
}

// What stands for unknown numbers while they are not known: where a search would begin, but not 0 if there is room above it, so that nothing is divided by it.
func TestNumbersThatStandForUnknownOnes(t *testing.T) {
	for text, want := range map[string][]float64{
		"? from 7": {7}, "? in [2, 4]": {3}, "?": {0.5}, "? in [-3, 3]": {0.5}, "? in [-0.5, 0.5]": {0.25}, "? in [-1, 1]": {0.5}, "? in [-0.25, 0.25]": {0.125},
		"?[3] ~ normal(3, 1)": {3, 3, 3}, "?[2, 2] from 1": {1, 1, 1, 1}, "? in [-inf, 0] from 0": {0}, "? in [0, 3] from 0": {0.5}, "? in [0, 0.5] from 0": {0.25},
	} {
		u, fault := record.ReadUnknown(text)
		if fault != "" {
			t.Fatal(text, fault)
		}
		got := (&Let{Unknown: &u}).stand()
		if !slices.Equal(got.Data, want) || !reflect.DeepEqual(got.Shape, u.Shape) {
			t.Errorf("%s: %v stands for it, want %v", text, got, want)
		}
	}
}

// A model may divide by what nobody knows yet, and take its logarithm.
func TestUnknownNumbersAreDividedBy(t *testing.T) {
	for _, text := range []string{"?", "? in [-1, 1]", "? in [0, inf]", "? in [-inf, 3]", "? in [0, 1] from 0"} {
		mustParse(t, strings.NewReplacer(`"? in [0, 1]"`, `"`+text+`"`, "a*p", "log(a)*p + 1/a", "W: {file: w.csv}, ", "", " + 0*W[0]", "").Replace(unfit))
	}
}

// The people of a spec are its own unless they are those that a fit wrote beside it.
func TestOwnPeople(t *testing.T) {
	for population, want := range map[string]bool{
		"{size: 2, dim: 1, law: values, values: [[1], [2]]}":         true,
		"{law: columns, file: crowd.csv, traits: d, states: p}":      true,
		"{law: columns, file: out/people.csv, traits: d, states: p}": false,
	} {
		if s := mustParse(t, unfit, Assign("population="+population)); s.OwnPeople() != want {
			t.Errorf("%s: own people %v", population, !want)
		}
	}
	if s := mustParse(t, shop); !s.OwnPeople() {
		t.Error("without a log everybody is of the spec")
	}
}

// A mistake of a formula is told at its place in the spec; another is handed on.
func TestMistakesOfACompiler(t *testing.T) {
	s := mustParse(t, unfit)
	_, wrong := formula.Compile(formula.Source{Decision: "q", State: "p", Trait: "d", Next: "p + nothing", Minimize: "q"})
	if err := s.FormulaMistakes(wrong); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:7: model.next:1:5: unknown name nothing") {
		t.Error(err)
	}
	if other := errors.New("other"); s.FormulaMistakes(other) != other {
		t.Error("another error is not handed on")
	}
}
