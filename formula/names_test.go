package formula_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
)

// By hand: rows are weights by their sum, edges that are listed twice add up, and who has no neighbours sees itself.
func TestNetworks(t *testing.T) {
	for _, x := range []struct {
		edges []float64
		width int
		want  []float64
	}{
		{[]float64{0, 1, 0, 2, 1, 0}, 2, []float64{0, 0.5, 0.5, 1, 0, 0, 0, 0, 1}}, {[]float64{0, 1, 3, 0, 2, 1, 2, 1, 0}, 3, []float64{0, 0.75, 0.25, 0, 1, 0, 0, 0, 1}},
		{[]float64{0, 1, 1, 0, 1, 2, 0, 2, 1, 1, 1, 5, 1, 2, 5}, 3, []float64{0, 0.75, 0.25, 0, 0.5, 0.5, 0, 0, 1}},
	} {
		v, err := formula.Network(x.edges, x.width, 3)
		if err != nil || !slices.Equal(v.Data, x.want) || !slices.Equal(v.Shape, []int{3, 3}) {
			t.Errorf("%v: %v, %v, want %v", x.edges, v, err, x.want)
		}
	}
	for _, bad := range [][]float64{{-1, 0, 1}, {0, 3, 1}, {0.5, 1, 1}, {math.NaN(), 1, 1}, {0, 1, -1}, {0, 1, math.NaN()}, {0, 1, math.Inf(1)}} {
		if v, err := formula.Network(bad, 3, 3); err == nil {
			t.Errorf("%v is an edge: %v", bad, v)
		}
	}
	for _, width := range []int{0, 1, 4} {
		if _, err := formula.Network(nil, width, 3); err == nil {
			t.Errorf("edges of %d columns", width)
		}
	}
}

// By hand, as the manual has them.
func TestNamesOfEntries(t *testing.T) {
	for s, want := range map[string][]string{"p": {"p"}, "p[2]": {"p_0", "p_1"}, "p[apples, pears]": {"p_apples", "p_pears"}, "p[apples, pears] in EUR": {"p_apples", "p_pears"}, "p[": nil, "p[0]": nil} {
		if got := formula.Columns(s); !slices.Equal(got, want) {
			t.Errorf("columns of %q are %q, want %q", s, got, want)
		}
	}
	got := formula.DeclaredNames("q[apples, pears] in EUR", "p[2]", "d[old]")
	if got.Symbol != "q" || !slices.Equal(got.Decision, []kedge.Called{{Name: "apples", Unit: "EUR"}, {Name: "pears", Unit: "EUR"}}) || got.State != nil || !slices.Equal(got.Trait, []kedge.Called{{Name: "old"}}) {
		t.Errorf("%+v", got)
	}
}

// A name is mentioned that stands in a formula, whole, and that the model gives to nothing.
func TestMentions(t *testing.T) {
	s := formula.Source{
		Decision: "q[2]", State: "p", Trait: "d", Beside: []string{"age"}, Noise: []formula.Shock{{Declaration: "e"}}, Let: []formula.Binding{{Name: "twice", Expr: "2*inner"}},
		Next: "p + q[0]*rate + age + e + d", Minimize: "loss*p + twice", Maximize: "gain",
	}
	for name, want := range map[string]bool{
		"rate": true, "inner": true, "loss": true, "gain": true, "q": false, "p": false, "d": false, "age": false, "e": false, "twice": false, "rat": false, "other": false,
	} {
		if got := s.Mentions(name); got != want {
			t.Errorf("%s is mentioned: %v", name, got)
		}
	}
}

// By the definition of powers: of numbers below 0 those with whole exponents are numbers, odd ones below 0.
func TestPowersOfNumbersBelowZero(t *testing.T) {
	m := compile(t, formula.Source{Decision: "q", State: "p", Next: "p^q", Minimize: "p"})
	for _, x := range []struct{ p, q, want float64 }{
		{-2, 3, -8}, {-2, 2, 4}, {-2, -1, -0.5}, {-2, -2, 0.25}, {-2, 0, 1}, {-1.5, 5, -7.59375}, {-2, 0.5, math.NaN()}, {2, 0.5, math.Sqrt2}, {0, 3, 0}, {4, 1.5, 8}, {1, -9, 1}, {3, 1, 3},
	} {
		got := make([]float64, 1)
		m.Dynamics().Next(got, []float64{x.p}, []float64{x.q}, nil)
		if !(math.Abs(got[0]-x.want) <= 1e-14*math.Abs(x.want)) && !(math.IsNaN(got[0]) && math.IsNaN(x.want)) {
			t.Errorf("%v^%v is %v, want %v", x.p, x.q, got[0], x.want)
		}
	}
}
