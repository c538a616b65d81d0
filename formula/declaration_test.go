package formula_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/formula"
)

func TestDeclarationsNameEntries(t *testing.T) {
	for text, want := range map[string]formula.Declaration{
		"q":                             {Name: "q"},
		"q[3]":                          {Name: "q"},
		"q in EUR":                      {Name: "q", Unit: "EUR"},
		"q[2] in EUR a kilo":            {Name: "q", Unit: "EUR a kilo"},
		"q[apples]":                     {Name: "q", Labels: []string{"apples"}},
		"q[apples, pears, λ₁] in EUR":   {Name: "q", Labels: []string{"apples", "pears", "λ₁"}, Unit: "EUR"},
		"Q[3, 4]":                       {Name: "Q"},
		"q[":                            {},
		"q[apples, 3]":                  {Name: "q"},
		"q[apples:pears] in kg, please": {Name: "q", Unit: "kg, please"},
	} {
		if got := formula.Declare(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q declares %+v, want %+v", text, got, want)
		}
	}
}

// A name in brackets is the number of the entry, also at the ends of a range; names of other things stay what they are.
func TestEntriesGoByTheirNames(t *testing.T) {
	named := formula.Source{
		Decision: "q[apples, pears, plums] in EUR", State: "p[apples, pears, plums]", Trait: "d[income]",
		Let:      []formula.Binding{{Name: "last", Expr: "2"}},
		Next:     "0.5*p + 0.1*d[income]*[q[plums], q[apples], sum(q[apples:plums])]",
		Minimize: "q[pears]^2 + p[last] - p[apples]*q[last]",
	}
	plain := formula.Source{
		Decision: "q[3]", State: "p[3]", Trait: "d[1]",
		Next:     "0.5*p + 0.1*d[0]*[q[2], q[0], sum(q[0:2])]",
		Minimize: "q[1]^2 + p[2] - p[0]*q[2]",
	}
	p, u, d := []float64{1, 2, 3}, []float64{0.3, -0.7, 1.1}, []float64{2}
	var results [2][]float64
	for i, s := range []formula.Source{named, plain} {
		m, err := formula.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 3)
		m.Dynamics().Next(dst, p, u, d)
		results[i] = append(dst, m.Objective().Eval(nil, nil, p, u, d))
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Errorf("by names %v, by numbers %v", results[0], results[1])
	}
}

func TestWrongNamesOfEntriesAreTold(t *testing.T) {
	for _, c := range []struct{ decision, next, want string }{
		{"q[apples, apples]", "p", "two entries are called apples"},
		{"q[apples, 2]", "p", "lengths are whole numbers"},
		{"q[apples, pears]", "p*q[plums]", "unknown name plums"},
	} {
		_, err := formula.Compile(formula.Source{Decision: c.decision, State: "p", Next: c.next})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.decision, err, c.want)
		}
	}
}
