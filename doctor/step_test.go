package doctor

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
)

// The gradient (u₀, 3u₁) bends by 3. Rules that descend alike share what is found, also that nothing is; others look for themselves.
func TestCurvatureIsFoundOnce(t *testing.T) {
	asked, broken := 0, errors.New("no gradient")
	var wrong error
	grad := func(g, u []float64) (float64, error) {
		asked++
		g[0], g[1] = u[0], 3*u[1]
		return 0, wrong
	}
	blind, sees := Candidate{Method: kind.Facts{Held: online.Stable}}, Candidate{Method: kind.Facts{Held: online.Stable + 1}}
	if !blind.blind() || sees.blind() {
		t.Fatal("who is blind is not")
	}
	e := &exam{ctx: t.Context(), us: [][]float64{{1, 2}, {0, 0}, {5, 5}}}
	for _, rule := range []Candidate{sees, sees, blind, sees, blind} {
		before, fresh := asked, e.bends == nil || rule.blind() && len(e.bends) == 1
		if l, err := e.bent(rule, grad); err != nil || math.Abs(l-3) > 1e-4 || (asked > before) != fresh {
			t.Errorf("blind %t: L is %v, %v, after %d gradients", rule.blind(), l, err, asked-before)
		}
	}
	e, wrong = &exam{ctx: t.Context(), us: [][]float64{{1, 2}}}, broken
	for range 2 {
		asked = 0
		if _, err := e.bent(sees, grad); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	if asked > 0 {
		t.Error("what has no gradient is looked at again")
	}
}
