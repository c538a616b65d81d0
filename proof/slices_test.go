package proof_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// Of (n − 1.3)² + (x² − 1)² − a·x with n = 0 … 2 and x in [−2, 2] the best of a slice is (n − 1.3)² and the least of a double well, which is between −a and
// −a − a²/2 for a small: that of all is the slice n = 1.
func TestSlicesAreProven(t *testing.T) {
	f := landscape(t, formula.Source{Decision: "u[2]", State: "p", Trait: "d", Next: "d", Minimize: "(u[0] - 1.3)^2 + (u[1]^2 - 1)^2 - 0.1*u[1]"}, []float64{0})
	well := func(x float64) float64 { return (x*x-1)*(x*x-1) - 0.1*x }
	best := 1.0
	for range 50 { // Newton on its derivative
		best -= (4*best*best*best - 4*best - 0.1) / (12*best*best - 4)
	}
	if well(best) > -0.1 || well(best) < -0.105 {
		t.Fatalf("the well is %v deep", well(best))
	}
	lattice := set.Lattice{Lower: []float64{-0.5, -2}, Upper: []float64{2.5, 2}, Whole: []bool{true, false}}
	at := func(n, x float64) proof.Found {
		return proof.Found{Decision: []float64{n, x}, Loss: (n-1.3)*(n-1.3) + well(x)}
	}
	found := []proof.Found{at(0, best), at(1, best), at(2, best)}
	least := found[1].Loss
	ctx, over := context.WithCancel(context.Background())
	over()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		loss   float64
		points []proof.Found
		budget proof.Budget
		want   bool
	}{
		{"all slices", context.Background(), least, found, proof.Budget{}, true},
		{"a slice whose other well was found, and is above", context.Background(), least, []proof.Found{at(0, -1), found[1], found[2]}, proof.Budget{}, true},
		{"a value that is not reached is not beaten either", context.Background(), least - 1, found, proof.Budget{}, true},
		{"a slice too few", context.Background(), least, found[:2], proof.Budget{}, false},
		{"a slice too many", context.Background(), least, append(found[:3:3], found[1]), proof.Budget{}, false},
		{"a value that a slice is below", context.Background(), least + 0.01, found, proof.Budget{}, false},
		{"no budget to speak of", context.Background(), least, found, proof.Budget{Work: 30}, false},
		{"called off", ctx, least, found, proof.Budget{}, false},
	} {
		lower, ok := proof.Slices(c.ctx, f, lattice, c.loss, c.points, c.budget)
		if ok != c.want {
			t.Errorf("%s: %v, want %v", c.name, ok, c.want)
		}
		if ok && (lower > least || lower < least-1e-4) || !ok && lower != 0 {
			t.Errorf("%s: none is below %v, and the least is %v", c.name, lower, least)
		}
	}
	all := set.Lattice{Lower: []float64{0, 0}, Upper: []float64{1, 2}}
	if _, ok := proof.Slices(context.Background(), f, all, math.Inf(-1), found, proof.Budget{}); ok {
		t.Error("three points are said to be all six of a lattice")
	}
}
