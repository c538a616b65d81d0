package formula

import (
	"github.com/kedge-opt/kedge"
)

// Dynamics are what a next formula gives. Where it is affine in the state they are a kedge.RowSettler as well.
type Dynamics interface {
	kedge.RowDynamics
	kedge.Smooth
	// PullbackRows adds each row's (∂f/∂p)ᵀv to that row of gp and the sum of the rows' (∂f/∂u)ᵀv to gu.
	PullbackRows(gp, gu, p, u, d, v []float64)
}

// dynamics are the programs of a next formula.
type dynamics struct {
	dims      kedge.Dims
	next      func() *program
	pull      programs
	slope     *node // (∂f/∂p)ᵀv; nil is zero
	reads     bool  // derivatives depend on the trait
	resolvent *resolvent
}

var _ Dynamics = (*dynamics)(nil)

// Dims returns the lengths that the formulas declare.
func (f *dynamics) Dims() kedge.Dims { return f.dims }

// Next writes f(p, u, d) to dst, the bits of NextRows.
func (f *dynamics) Next(dst, p, u, d []float64) {
	mustBe("p", p, f.dims.State)
	f.NextRows(dst, p, u, d)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst.
func (f *dynamics) NextRows(dst, p, u, d []float64) {
	n := mustFit(f.dims, p, u, d)
	mustBe("dst", dst, len(p))
	f.next().run(n, frame{p: p, u: u, d: d, dst: dst})
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu.
func (f *dynamics) Pullback(gp, gu, p, u, d, v []float64) {
	mustBe("p", p, f.dims.State)
	f.PullbackRows(gp, gu, p, u, d, v)
}

// PullbackRows is Pullback for the rows of p, d and v, summed over them in gu.
func (f *dynamics) PullbackRows(gp, gu, p, u, d, v []float64) {
	n := mustFit(f.dims, p, u, d)
	mustBe("v", v, len(p))
	mustTake(f.dims, gp, gu, p)
	f.pull.run(n, frame{p: p, u: u, d: d, v: v, gp: gp, gu: gu})
}

// mustFit panics unless the blocks are those of the dimensions; it returns the number of rows.
func mustFit(dims kedge.Dims, p, u, d []float64) int {
	n := kedge.Count(p, dims.State)
	mustBe("u", u, dims.Decision)
	mustBe("d", d, n*dims.Trait)
	return n
}

// mustTake panics unless destinations that are wanted have the right length.
func mustTake(dims kedge.Dims, gp, gu, p []float64) {
	if gp != nil {
		mustBe("gp", gp, len(p))
	}
	if gu != nil {
		mustBe("gu", gu, dims.Decision)
	}
}

func mustBe(name string, x []float64, n int) {
	if err := kedge.CheckLen(name, x, n); err != nil {
		panic("formula: " + err.Error())
	}
}

// objective are the programs of a minimize or maximize formula.
type objective struct {
	dims     kedge.Dims
	reads    bool // the loss or a derivative depends on the trait
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
