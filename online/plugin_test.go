package online_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// stretched runs the plug-in on a population of a location–scale family: p = 1 + u/2 + (1 + u)z, judged by ½(u − p)². With E z = 0 and E z² = 1 the
// mean loss is ½(u/2 − 1)² + ½(1 + u)², least where ½(u/2 − 1) + (1 + u) = 0: u = −2/5. Without the answer of the scale it seems
// least at the mean's, u = 2.
func stretched(t *testing.T, family online.Family) float64 {
	t.Helper()
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 1}
	loss := must(objective.NewQuadratic(dim, []float64{1}, []float64{-1}, []float64{1}, nil, nil))
	around := set.Box{Lower: []float64{-0.9}, Upper: []float64{5}}
	g := must(online.NewPlugIn(loss, dim, family, 6, 0.5, stream.New(1, "v"), around))
	d := must(online.Rule{Gradient: g, Step: online.Constant(1), Set: around}.From([]float64{0.3}))
	u, p, crowds := make([]float64, 1), make([]float64, 4), [2][]float64{{-math.Sqrt2, 0, 0, math.Sqrt2}, {1, -1}} // trials need not see as many people
	for d.Steps() < 3 {
		if d.Steps() == 1 && d.Deployments() != 6 {
			t.Errorf("the first step came after %d deployments, want 6", d.Deployments())
		}
		d.Ask(u)
		z := crowds[d.Deployments()%2]
		for i, v := range z {
			p[i] = 1 + u[0]/2 + (1+u[0])*v
		}
		if err := d.Tell(kedge.Observation{U: u, P: p[:len(z)], D: z}); err != nil {
			t.Fatal(err)
		}
	}
	d.Ask(u)
	return u[0]
}

func TestPlugInFitsScales(t *testing.T) {
	if u := stretched(t, online.LocationScale); !(math.Abs(u+0.4) <= 1e-8) {
		t.Errorf("location–scale: ends at %v, want −0.4", u)
	}
	if u := stretched(t, online.Location); !(math.Abs(u-2) <= 1e-8) {
		t.Errorf("location: ends at %v, want 2", u)
	}
}
