package problem

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
)

const fruit = `
iterations: 10
model:
  decision: q[apples, pears] in EUR
  state: p[2] in kg
  trait: d[income]
  next: 0.5*p + 0.5*d[income] - 0.1*[q[apples], q[pears]]
  maximize: dot(p, q)
  subject to: 0 <= q <= 9
population: {size: 5, law: normal, mean: [3], deviation: 0.1, states: {law: values, values: [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1]]}}
algorithms: [{name: composite, kind: composite, step: 0.1, batch: 5}]
`

func TestEntriesAreCalledAsTheSpecSays(t *testing.T) {
	named := func(unit string, names ...string) (list []kedge.Called) {
		for _, n := range names {
			list = append(list, kedge.Called{Name: n, Unit: unit})
		}
		return list
	}
	for extra, want := range map[string]kedge.Names{
		"": {Symbol: "q", Decision: named("EUR", "apples", "pears"), State: named("kg", "", ""), Trait: named("", "income")},
		"names: {state: [demand of apples in kg, other], value: revenue in EUR}": {
			Symbol: "q", Decision: named("EUR", "apples", "pears"), State: append(named("kg", "demand of apples"), named("", "other")...),
			Trait: named("", "income"), Value: kedge.Called{Name: "revenue", Unit: "EUR"},
		},
	} {
		s, err := Parse(nil, "x.yaml", []byte(fruit+extra))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Called(); !reflect.DeepEqual(got, want) {
			t.Errorf("with %q: %+v, want %+v", extra, got, want)
		}
		again, err := Parse(nil, "again.yaml", s.YAML())
		if err != nil || !reflect.DeepEqual(again.Called(), want) {
			t.Errorf("with %q, printed and read again: %v", extra, err)
		}
	}
}

func TestWrongNamesAreRefused(t *testing.T) {
	for extra, want := range map[string]string{
		"names: {state: [one]}":                                 "x.yaml:12: names.state are 1, but a state has 2 entries",
		"names: {decision: [a, b]}":                             "names.decision and model.decision both name the entries",
		"names: {state: [a, a]}":                                "names.state: two entries are called a",
		"names: {trait: [\"a, b\"]}":                            "x.yaml:12: names.trait",
		"names: {value: \"\"}":                                  "x.yaml:12: names.value",
		"names: {decisions: [a, b]}":                            "unknown key names.decisions",
		"names: {trait: [\"" + strings.Repeat("x", 49) + "\"]}": "names.trait",
	} {
		_, err := Parse(nil, "x.yaml", []byte(fruit+extra))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", extra, err, want)
		}
	}
	_, err := Parse(nil, "x.yaml", []byte(strings.ReplaceAll(fruit, "apples", "gap")))
	if err == nil || !strings.Contains(err.Error(), "gap is a column of every series") {
		t.Errorf("a decision called gap: %v", err)
	}
}

func TestShortDecisionsAreKept(t *testing.T) {
	for extra, want := range map[string]bool{"": true, "record: {decisions: false}": false, "record: {decisions: true}": true} {
		s, err := Parse(nil, "x.yaml", []byte(fruit+extra))
		if err != nil {
			t.Fatal(err)
		}
		if s.KeepsDecisions() != want {
			t.Errorf("with %q decisions are kept: %v", extra, !want)
		}
		if printed := strings.Contains(string(s.YAML()), "decisions:"); printed != (extra != "") {
			t.Errorf("with %q the spec as run says decisions: %v", extra, printed)
		}
	}
	text, _ := Case("polarized")
	s, err := Parse(nil, "polarized", text)
	if err != nil || s.KeepsDecisions() {
		t.Errorf("20 entries are kept unasked (%v)", err)
	}
}
