package optimum_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// counted counts evaluations and may end a context.
type counted struct {
	of    func(g, u []float64) float64
	count int
	stop  context.CancelFunc
	at    int
}

func (c *counted) Gradient(g, u []float64) (float64, error) {
	if c.count++; c.stop != nil && c.count == c.at {
		c.stop()
	}
	return c.of(g, u), nil
}

// sign is a slope of |x|.
func sign(x float64) float64 { return math.Copysign(1, x) }

// bent is |u₁ − 2| + 3|u₁ + u₂|, level is |u₁| + 2|u₂ − 1| − 1: both are kinked at the answer, which is that of the linear
// program of their pieces. Where the constraint binds with 0 ≤ u₁ and u₂ ≤ 1, u₂ = (1 + u₁)/2 and the loss is 2 − u₁ + 3(u₁ + (1 + u₁)/2),
// which rises with u₁; with u₁ ≤ 0, u₂ = (1 − u₁)/2 it is 2 − u₁ + 3(1 + u₁)/2, which rises with u₁ too, down to u₁ = −1, where u₂ = 1 and the
// loss is 3; u₁ + u₂ = 0 there. So the least is 3 at (−1, 1).
func bent(g, u []float64) float64 {
	g[0], g[1] = sign(u[0]-2)+3*sign(u[0]+u[1]), 3*sign(u[0]+u[1])
	return math.Abs(u[0]-2) + 3*math.Abs(u[0]+u[1])
}

func level(g, u []float64) float64 {
	g[0], g[1] = sign(u[0]), 2*sign(u[1]-1)
	return math.Abs(u[0]) + 2*math.Abs(u[1]-1) - 1
}

// Kinks of losses and constraints are found within the evaluations that the starts allow: no more than 1,500 each and 40,000 for the rest,
// those on the way to the units and a walk's last step aside.
func TestConstrainedSearchesEnd(t *testing.T) {
	f := &counted{of: bent}
	best, err := optimum.Constrain(context.Background(), f, []optimum.Function{&counted{of: level}}, set.Ball{Radius: 5}, [][]float64{{3, 3}}, optimum.Effort{Starts: 10, Screen: 400})
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(best.Loss-3) <= 1e-7) || best.Excess[0] > 1e-7 {
		t.Errorf("%v at %v, over by %v; want 3 at (−1, 1)", best.Loss, best.Decision, best.Excess)
	}
	if most := 10*1_500 + 40_000 + 5_000; f.count > most {
		t.Errorf("%d evaluations, want at most %d", f.count, most)
	}
}

// A context that ends stops a search under constraints wherever it is, within the evaluations of a single step.
func TestConstrainedSearchesStop(t *testing.T) {
	for _, at := range []int{3, 100, 700, 2_000, 6_000} {
		ctx, stop := context.WithCancel(context.Background())
		f := &counted{of: bent, stop: stop, at: at}
		_, err := optimum.Constrain(ctx, f, []optimum.Function{&counted{of: level}}, set.Ball{Radius: 5}, [][]float64{{3, 3}}, optimum.Effort{Starts: 10, Screen: 400})
		stop()
		if f.count < at {
			continue // it was done before
		}
		if !errors.Is(err, context.Canceled) || f.count > at+1500 {
			t.Errorf("stopped at %d it went on to %d: %v", at, f.count, err)
		}
	}
}

// A loss that jumps at the answer is told from one with a kink there: −u up to 1 and 0 beyond has its infimum at the edge.
func TestJumpsAreNoKinks(t *testing.T) {
	for name, of := range map[string]func(g, u []float64) float64{
		"jump": func(g, u []float64) float64 {
			if g[0] = 0; u[0] > 1 {
				return 0
			}
			g[0] = -1
			return -u[0]
		},
		"kink": func(g, u []float64) float64 {
			g[0] = sign(u[0] - 1)
			return math.Abs(u[0] - 1)
		},
		"steep kink": func(g, u []float64) float64 {
			g[0] = 1e6 * sign(u[0]-1)
			return 1e6 * math.Abs(u[0]-1)
		},
		"bowl": func(g, u []float64) float64 {
			g[0] = 2 * (u[0] - 1)
			return (u[0] - 1) * (u[0] - 1)
		},
	} {
		best, err := optimum.Find(context.Background(), &counted{of: of}, set.Ball{Radius: 3}, [][]float64{{.2}}, optimum.Effort{Starts: 5})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(best.Decision[0]-1) <= 1e-6) || best.Jump != (name == "jump") {
			t.Errorf("%s: %+v", name, best.Point)
		}
	}
}
