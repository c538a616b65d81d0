package sensitivity_test

import (
	"testing"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// The second half of the theorem on polarized steady states [he2025, polarized sensitivity]: the closed form is ∇ᵤh. Over 10⁵
// random individuals, decisions and parameters with λ + σ‖u‖² ≤ 0.95 it equals implicit differentiation, which knows only the
// derivatives of f, and differences of steady states, which know not even those. The closer to the splitting, the steeper and
// the more curved h is: 1/D is at most 1/(1−λ−σ‖u‖²), and what differences are off by grows like its third power.
func TestPolarizedThreeWays(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const groups, people = 2000, 50
	r := stream.New(5, "three ways")
	for range groups {
		n := 2 + int(4*r.Float64())
		size := 0.1 + 1.4*r.Float64()
		lambda := 0.9 * r.Float64()
		sigma := (0.95 - lambda) * (0.02 + 0.98*r.Float64()) / (size * size)
		u, d, v := decision(r, n, size), directions(r, people, n), normals(r, people*n)
		f := dynamics.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
		p := settle(t, f, u, d)
		closed := &sensitivity.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
		implicit, differences := &sensitivity.Implicit{Dynamics: f}, &sensitivity.Differences{Settler: f}
		steep := 1 / (1 - lambda - sigma*size*size)
		for i := range people {
			p, d, v := p[i*n:(i+1)*n], d[i*n:(i+1)*n], v[i*n:(i+1)*n]
			want := product(t, closed, p, u, d, v)
			scale := sigma * size * steep * rows.Norm(v)
			agree(t, "implicit", product(t, implicit, p, u, d, v), want, 1e-13*steep, scale)
			agree(t, "differences", product(t, differences, p, u, d, v), want, 1e-9*steep*steep*steep, scale)
		}
	}
}
