package optimum_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// rescaled is a problem whose losses and decisions are stated in other units.
type rescaled struct {
	small
	loss, decision float64
}

func (s rescaled) Gradient(g, u []float64) (float64, error) {
	v := make([]float64, len(u))
	for i := range u {
		v[i] = u[i] / s.decision
	}
	loss := s.f(g, v)
	for i := range g {
		g[i] *= s.loss / s.decision
	}
	return s.loss * loss, nil
}

// Units of losses and decisions from 10⁻¹² to 10¹² change nothing: the decision is the same to a millionth, and so are the walks.
func TestUnitsChangeNothing(t *testing.T) {
	units := []float64{1e-12, 1e-5, 1e5, 1e12}
	for _, class := range []string{"bowl", "kinks", "wells", "waves", "quartic", "ridge"} {
		for k := range 3 {
			n := 1 + k
			p := small{n: n, f: classes[class](rand.New(rand.NewPCG(uint64(k), 5)), n)}
			find := func(loss, decision float64, whole bool) *optimum.Search {
				var area kedge.Set = set.Whole{}
				if !whole {
					area = set.Ball{Radius: 2 * decision}
				}
				start := make([]float64, n)
				if k > 0 {
					start[0] = .3 * decision
				}
				s, err := optimum.Find(context.Background(), rescaled{p, loss, decision}, area, [][]float64{start}, optimum.Effort{Starts: 12, Screen: 200})
				if err != nil {
					t.Fatalf("%s %d in units of %v and %v: %v", class, k, loss, decision, err)
				}
				return s
			}
			for _, whole := range []bool{false, class == "bowl" || class == "quartic" || class == "ridge"} {
				want := find(1, 1, whole)
				for _, loss := range units {
					for _, decision := range units {
						got := find(loss, decision, whole)
						for i := range got.Decision {
							if e := math.Abs(got.Decision[i]/decision - want.Decision[i]); e > 1e-6*max(math.Abs(want.Decision[i]), 1e-3) {
								t.Errorf("%s %d, whole %v, in units of %v and %v: %v, want %v", class, k, whole, loss, decision, got.Decision, want.Decision)
							}
						}
						if e := math.Abs(got.Loss/loss-want.Loss) / max(math.Abs(want.Loss), 1e-3); e > 1e-9 {
							t.Errorf("%s %d in units of %v and %v: loss %v, want %v", class, k, loss, decision, got.Loss/loss, want.Loss)
						}
					}
				}
			}
		}
	}
}
