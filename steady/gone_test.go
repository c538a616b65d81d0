package steady_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/steady"
)

// Who leaves at the rate 1 − a and is not replaced is gone, s = 0; with newcomers s = c/(1 − a) is left. What begins at 0 has not gone.
func TestVanished(t *testing.T) {
	for _, c := range []struct {
		a, b, first []float64
		want        []int
	}{
		{[]float64{0.9, 0, 0, 0.5}, []float64{0, 0.5}, []float64{1, 2, 3, 4}, []int{0}},
		{[]float64{0.9, 0, 0, 0.5}, []float64{0.1, 0.5}, []float64{1, 2, 3, 4}, nil},
		{[]float64{0.9, 0, 0, 0.5}, []float64{0, 0}, []float64{1, 2, 3, 4}, []int{0, 1}},
		{[]float64{0.9, 0, 0, 0.5}, []float64{0, 0}, []float64{1, 0, 3, 0}, []int{0}},
		{[]float64{0.9, 0, 0, 0.5}, []float64{0, 0}, []float64{1, 2, 3, 0}, []int{0, 1}}, // who begins elsewhere than at 0 is one of them
	} {
		f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 2}, c.a, c.b, make([]float64, 4))
		if err != nil {
			t.Fatal(err)
		}
		traits := kedge.Block{Data: c.first, Width: 2}
		m := kedge.Model{Dynamics: f, Settler: f, Traits: traits, States: traits}
		if got := steady.Vanished(m, []int{0, 1}, [][]float64{{1}, {2}}); !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: %v has gone, want %v", c.a, c.b, got, c.want)
		}
	}
}
