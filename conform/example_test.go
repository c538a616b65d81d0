package conform_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/stream"
)

// Drift is written by a user: p⁺ = ½p + u + d, one number each.
type Drift struct{}

func (Drift) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }

func (Drift) Next(dst, p, u, d []float64) {
	if len(dst) != 1 || len(p) != 1 || len(u) != 1 || len(d) != 1 {
		panic("drift: wrong length")
	}
	dst[0] = 0.5*p[0] + u[0] + d[0]
}

func drawDrift(r *stream.Stream) (p, u, d []float64) {
	return []float64{r.Normal()}, []float64{r.Normal()}, []float64{r.Normal()}
}

func TestDrift(t *testing.T) { conform.Dynamics(t, Drift{}, conform.Cases{Draw: drawDrift}) }

// A test of a user's own dynamics is one call.
func ExampleDynamics() {
	var t *testing.T // the argument of the test

	conform.Dynamics(t, Drift{}, conform.Cases{Draw: drawDrift})
}
