package online

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// slope is the gradient of (u − 3.4)²/2 where it was deployed.
type slope struct{}

func (slope) Estimate(g []float64, o kedge.Observation) error {
	g[0] = o.U[0] - 3.4
	return nil
}

// A rule that must deploy whole numbers walks between them: what it asks for and recommends is whole, gradients are those of what was deployed, it
// comes to swing between 3 and 4, and what it deployed is on the average where the loss is best, 3.4, whose nearest number is 3.
func TestRulesDeployTheNearestPoint(t *testing.T) {
	whole := set.Lattice{Lower: []float64{0}, Upper: []float64{9}}
	rule := Rule{Gradient: slope{}, Step: Constant(0.1), Set: whole.Relaxed(), Deploy: whole, Average: 100}
	d, err := rule.From([]float64{0.2})
	if err != nil {
		t.Fatal(err)
	}
	again, err := rule.From([]float64{0.2})
	if err != nil {
		t.Fatal(err)
	}
	u, center, seen, sum := []float64{0}, []float64{0}, map[float64]bool{}, 0.0
	for k := range 1000 {
		d.Ask(u)
		if u[0] != math.Trunc(u[0]) {
			t.Fatalf("turn %d deploys %v", k, u)
		}
		if k >= 500 {
			seen[u[0]] = true
			sum += u[0]
		}
		if err := d.Tell(kedge.Observation{Round: k, U: u}); err != nil {
			t.Fatal(err)
		}
		if k == 300 { // half-way, it goes on elsewhere
			state, err := d.AppendBinary(nil)
			if err == nil {
				err = again.UnmarshalBinary(state)
			}
			if err != nil {
				t.Fatal(err)
			}
			d = again
		}
	}
	if len(seen) != 2 || !seen[3] || !seen[4] || !(math.Abs(sum/500-3.4) <= 0.01) {
		t.Errorf("deployed %v, on the average %v", seen, sum/500)
	}
	if d.Center(center); !slices.Equal(center, []float64{3}) {
		t.Errorf("recommended is %v, want 3", center)
	}
	if !(math.Abs(d.mean[0]-3.4) <= 0.01) {
		t.Errorf("the average is %v, want that of what was deployed", d.mean)
	}
	tries, err := NewTwoPoint(1, 0.1, stream.New(1, "directions"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Rule{Gradient: tries, Step: Constant(0.1), Set: whole.Relaxed(), Deploy: whole}).From([]float64{0}); err == nil {
		t.Error("a rule that tries others is deployed")
	}
}
