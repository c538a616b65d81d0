package conform

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Sensitivity tests s at settled states, where its products must have the slopes of the states that the settler finds; the
// states that c draws are not used. Let c.Tol allow for the settler's own error: a residual ε makes an error of about 10³ε
// in a difference.
func Sensitivity(t testing.TB, s kedge.Sensitivity, settler kedge.Settler, c Cases) {
	t.Helper()
	c.run(t, "sensitivity", settler.Dims(), sensitivityChecks(s, settler))
}

func sensitivityChecks(s kedge.Sensitivity, settler kedge.Settler) []check {
	one := pullKernel("PullRows of one", s, settler.Dims(), false)
	block := pullKernel("PullRows", s, settler.Dims(), true)
	checks := append(append(one.checks(), block.checks()...), linear(block), rowsAgree(block, one, settler.Dims(), 1e-10/ulp),
		check{"PullRows is the derivative of the settled states", func(t trial) { pullsSlope(block, settler, t) }},
		check{"PullRows does not hide a NaN", func(t trial) { hidesNoNaN(block, t) }})
	for i, c := range checks {
		checks[i].test = func(t trial) {
			_, err := kedge.BatchedSettler(settler).SettleRows(t.block.p, t.block.u, t.block.d)
			succeeds(err)
			t.one = t.block.row(0, t.dim)
			c.test(t)
		}
	}
	return checks
}

func pullKernel(name string, s kedge.Sensitivity, dim kedge.Dims, block bool) kernel {
	return kernel{name: name, width: dim.Decision, block: block, sums: true, adds: true, call: func(out []float64, in inputs) {
		succeeds(s.PullRows(out, in.p, in.u, in.d, in.v))
	}}
}

// pullsSlope compares the product at settled states with the slope of u ↦ Σᵢ vᵢᵀh(u, dᵢ).
func pullsSlope(pull kernel, settler kedge.Settler, t trial) {
	in := pull.inputs(t)
	s := kedge.BatchedSettler(settler)
	h := make([]float64, len(in.p))
	sameSlope("in u", t, pull.of(in), in.u, func(u []float64) float64 {
		if _, err := s.SettleRows(h, u, in.d); err != nil {
			return math.NaN()
		}
		return rows.Dot(h, in.v)
	})
}

// hidesNoNaN fills the inputs with NaN, one after the other. That must be an error that leaves the destination as it was, or show in the result,
// unless the input is not read.
func hidesNoNaN(k kernel, t trial) {
	in := k.inputs(t)
	clean := k.of(in)
	for i, name := range inputNames() {
		bad, out := in.clone(), make([]float64, len(clean))
		spoil(*bad.all()[i])
		err := guard(func() { k.call(out, bad) })
		switch {
		case err != nil && rows.MaxAbs(out) != 0:
			fail("the error %q came after the destination was changed", err)
		case err == nil && rows.Finite(out) && guard(func() { same("", out, clean) }) != nil:
			fail("NaN in %s became finite numbers", name)
		}
	}
}
