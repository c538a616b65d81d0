package optimum_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// pairwise is a game of two players with a number each.
type pairwise struct {
	loss func(j int, u []float64) float64
	by   func(j int, u []float64) float64 // its derivative in uⱼ
}

func (g pairwise) Players() int                       { return 2 }
func (g pairwise) Block(u []float64, j int) []float64 { return u[j : j+1] }

func (g pairwise) Field(f, u []float64) (float64, error) {
	f[0], f[1] = g.by(0, u), g.by(1, u)
	return g.loss(0, u) + g.loss(1, u), nil
}

func (g pairwise) Losses(dst, u []float64) error {
	dst[0], dst[1] = g.loss(0, u), g.loss(1, u)
	return nil
}

func (g pairwise) Reply(j int, u []float64) optimum.Function {
	at := append([]float64(nil), u...)
	return optimum.Field(func(f, x []float64) (float64, error) {
		at[j] = x[0]
		f[0] = g.by(j, at)
		return g.loss(j, at), nil
	})
}

// rivals are two shops with the losses −2u₁ + u₁² + u₁u₂/2 and −2u₂ + 3u₂²/2 + u₁u₂/2 in a unit of money.
func rivals(unit float64) pairwise {
	bend := []float64{1, 1.5}
	return pairwise{
		func(j int, u []float64) float64 { return unit * (-2*u[j] + bend[j]*u[j]*u[j] + u[0]*u[1]/2) },
		func(j int, u []float64) float64 { return unit * (-2 + 2*bend[j]*u[j] + u[1-j]/2) },
	}
}

func shared(t *testing.T, g pairwise, c optimum.Function, start []float64) ([]optimum.SharedEquilibrium, error) {
	t.Helper()
	box := set.Box{Lower: []float64{-3}, Upper: []float64{3}}
	return optimum.Shared(context.Background(), g, []optimum.Function{c}, []kedge.Set{box, box},
		set.Product{Parts: []set.Part{{Size: 1, Set: box}, {Size: 1, Set: box}}}, start, optimum.Effort{})
}

// By hand: both must keep 1 − (u₁ + u₂)/2 ≤ 0 together. Alone they would be at (20/23, 12/23), whose sum 32/23 is below 2, so it binds. With one
// multiplier λ for both,
//
//	−2 + 2u₁ + u₂/2 = λ/2,   −2 + 3u₂ + u₁/2 = λ/2,   u₁ + u₂ = 2,
//
// of which the difference gives 3u₁ = 5u₂: u = (5/4, 3/4) and λ = 7/4. In other units of money and of the constraint λ changes, u does not.
func TestSharedCapacity(t *testing.T) {
	for _, money := range []float64{1, 1e-9, 1e9} {
		for _, unit := range []float64{1, 1e-6, 1e6} {
			capacity := optimum.Field(func(g, u []float64) (float64, error) {
				g[0], g[1] = -unit/2, -unit/2
				return unit * (1 - (u[0]+u[1])/2), nil
			})
			list, err := shared(t, rivals(money), capacity, []float64{.2, 1.5})
			if err != nil {
				t.Fatalf("money %g, unit %g: %v", money, unit, err)
			}
			e, lambda := list[0], 1.75*money/unit
			if len(list) != 1 || !e.Nash || rows.Distance(e.Decision, []float64{1.25, .75}) > 1e-7 ||
				math.Abs(e.Multipliers[0]-lambda) > 1e-6*lambda || math.Abs(e.Excess[0]) > 1e-8*unit {
				t.Errorf("money %g, unit %g: %d equilibria, %+v", money, unit, len(list), e)
			}
		}
	}
}

// Random games of quadratic losses, each convex in its own number and monotone together, under a random half-plane, against the two linear
// systems that can be the answer: without the bound and, where that breaks it, on its edge with one price for both.
func TestSharedQuadraticGames(t *testing.T) {
	r := stream.New(8, "games")
	binding := 0
	for k := range 60 {
		a, b, c, d := 1+r.Float64(), 2*r.Float64()-1, 2*r.Float64()-1, 1+r.Float64() // F(u) = [a b; c d]u − f
		f, n := []float64{r.Normal() / 2, r.Normal() / 2}, []float64{r.Normal(), r.Normal()}
		bound := r.Normal() / 2
		g := pairwise{
			func(j int, u []float64) float64 {
				if j == 0 {
					return a*u[0]*u[0]/2 + b*u[0]*u[1] - f[0]*u[0]
				}
				return d*u[1]*u[1]/2 + c*u[0]*u[1] - f[1]*u[1]
			},
			func(j int, u []float64) float64 {
				if j == 0 {
					return a*u[0] + b*u[1] - f[0]
				}
				return d*u[1] + c*u[0] - f[1]
			},
		}
		solve := func(x []float64) []float64 {
			return []float64{(d*x[0] - b*x[1]) / (a*d - b*c), (a*x[1] - c*x[0]) / (a*d - b*c)}
		}
		want, lambda := solve(f), 0.0
		if over := rows.Dot(n, want) - bound; over > 0 {
			down := solve(n)
			lambda = over / rows.Dot(n, down)
			rows.AddScaled(want, -lambda, down)
			binding++
		}
		if rows.MaxAbs(want) > 2.9 {
			continue // the box holds it
		}
		list, err := shared(t, g, optimum.Field(func(g, u []float64) (float64, error) {
			copy(g, n)
			return rows.Dot(n, u) - bound, nil
		}), []float64{0, 0})
		if err != nil || len(list) != 1 || rows.Distance(list[0].Decision, want) > 1e-6 || !(math.Abs(list[0].Multipliers[0]-lambda) <= 1e-5*max(1, lambda)) {
			t.Errorf("game %d: %+v, %v; want %v at the price %v", k, list, err, want, lambda)
		}
	}
	if binding < 10 {
		t.Errorf("only %d bounds bind", binding)
	}
}

// A bound that does not bind leaves the equilibrium (20/23, 12/23) and has no price.
func TestSharedCapacityThatIsNotReached(t *testing.T) {
	capacity := optimum.Field(func(g, u []float64) (float64, error) {
		g[0], g[1] = 1, 1
		return u[0] + u[1] - 2, nil
	})
	list, err := shared(t, rivals(1), capacity, []float64{3, 3})
	if err != nil {
		t.Fatal(err)
	}
	if e := list[0]; rows.Distance(e.Decision, []float64{20. / 23, 12. / 23}) > 1e-8 || e.Multipliers[0] != 0 {
		t.Errorf("%+v", e)
	}
}

// At u₁ = 0.2 the gradients of −(u₁ − 0.2)² and u₂² are 0, and it is the first player's worst decision: nothing is called an equilibrium but the
// end of its set that is farther away, −3.
func TestSharedBalanceIsNoEquilibriumByItself(t *testing.T) {
	g := pairwise{
		func(j int, u []float64) float64 {
			if j == 0 {
				return -(u[0] - .2) * (u[0] - .2)
			}
			return u[1] * u[1]
		},
		func(j int, u []float64) float64 {
			if j == 0 {
				return -2 * (u[0] - .2)
			}
			return 2 * u[1]
		},
	}
	loose := optimum.Field(func(g, u []float64) (float64, error) {
		g[0], g[1] = 1, 1
		return u[0] + u[1] - 100, nil
	})
	list, _ := shared(t, g, loose, []float64{.2, 0})
	for _, e := range list {
		if rows.Distance(e.Decision, []float64{-3, 0}) > 1e-6 {
			t.Errorf("%v is called an equilibrium", e.Decision)
		}
	}
	// Under u₁ ≥ −1 for both together the nearer end 3 is the better one.
	tight := optimum.Field(func(g, u []float64) (float64, error) {
		g[0], g[1] = -1, 0
		return -1 - u[0], nil
	})
	if list, err := shared(t, g, tight, []float64{1, 1}); err != nil || rows.Distance(list[0].Decision, []float64{3, 0}) > 1e-6 {
		t.Errorf("%+v, %v", list, err)
	}
}
