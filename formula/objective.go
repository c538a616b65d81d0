package formula

import "github.com/kedge-opt/kedge"

// objective are the programs of a minimize or maximize formula.
type objective struct {
	dims          kedge.Dims
	value         func() *program
	state, choice func() *program // with the gradient in p, in u
	both          func() *program
}

var _ kedge.RowObjective = (*objective)(nil)

// Objective returns the loss, that of a maximize formula with its sign turned; nil for a model without either.
func (m *Model) Objective() kedge.RowObjective {
	if m.objective == nil {
		return nil
	}
	return m.objective
}

func (c *compiler) newObjective(m *Model) *objective {
	slopes := c.gradients(m.loss, c.number(1), onState|onDecision)
	value := output{toValue, c.apply(opRowSum, scalar(), [4]int{}, m.loss)}
	gp, gu := output{toGP, slopes[opState]}, output{toGU, slopes[opDecision]}
	return &objective{
		dims: m.dims, value: planned(value),
		state: planned(value, gp), choice: planned(value, gu), both: planned(value, gp, gu),
	}
}

// Eval returns the loss of one individual and adds its gradients.
func (o *objective) Eval(gp, gu, p, u, d []float64) float64 {
	mustBe("p", p, o.dims.State)
	return o.EvalRows(gp, gu, p, u, d)
}

// EvalRows returns the sum of the losses and adds their gradients, those in u summed over the rows.
func (o *objective) EvalRows(gp, gu, p, u, d []float64) float64 {
	n := mustFit(o.dims, p, u, d)
	mustTake(o.dims, gp, gu, p)
	return chosen(gp, gu, o.value, o.state, o.choice, o.both)().run(n, frame{p: p, u: u, d: d, gp: gp, gu: gu})
}
