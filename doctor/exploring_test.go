package doctor_test

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

// A crowd that settles at 0.6·u + 0.4·d and costs 0.5 a unit has the gradient 0.3 everywhere: residual feedback that explores 0.12 far is steady below a step of
// 0.12/0.3 = 0.4, and good up to half of that. Where nothing costs anything no step is too long.
func TestExploringStepsAreBounded(t *testing.T) {
	for _, c := range []struct {
		cost, step float64
		want       string
		warns      bool
	}{
		{0.5, 0.1, "0.1; good up to δ/(2√n‖∇‖) = 0.2, steady below 0.4", false}, {0.5, 0.39, "0.39; good up to δ/(2√n‖∇‖) = 0.2, steady below 0.4", false},
		{0.5, 0.41, "step 0.41 is above δ/(√n‖∇‖) = 0.4: decisions may overshoot and swing.", true}, {5, 0.1, "step 0.1 is above δ/(√n‖∇‖) = 0.04", true},
		{0, 99, "99; good up to δ/(2√n‖∇‖) = +Inf, steady below +Inf", false},
	} {
		s := judged(func(x float64) (float64, float64) { return c.cost * x, c.cost })
		facts := new(kind.DerivativeFreeMethod).Facts()
		facts.Reach = 0.12
		s.Rules[0].Name, s.Rules[0].Method, s.Rules[0].Step = "blind", facts, c.step
		all := findings(t, s)
		if text := strings.Join(all, "\n"); !strings.Contains(text, c.want) || strings.Contains(text, "overshoot") != c.warns {
			t.Errorf("a cost of %v and a step of %v:\n%s", c.cost, c.step, text)
		}
	}
}
