package formula

import "github.com/kedge-opt/kedge"

// objective are the programs of a minimize or maximize formula.
type objective struct {
	dims     kedge.Dims
	programs programs
}

var _ kedge.RowObjective = (*objective)(nil)

// Eval returns the loss of one individual and adds its gradients.
func (o *objective) Eval(gp, gu, p, u, d []float64) float64 {
	mustBe("p", p, o.dims.State)
	return o.EvalRows(gp, gu, p, u, d)
}

// EvalRows returns the sum of the losses and adds their gradients, those in u summed over the rows.
func (o *objective) EvalRows(gp, gu, p, u, d []float64) float64 {
	n := mustFit(o.dims, p, u, d)
	mustTake(o.dims, gp, gu, p)
	return o.programs.run(n, frame{p: p, u: u, d: d, gp: gp, gu: gu})
}
