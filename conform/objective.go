package conform

import (
	"testing"

	"github.com/kedge-opt/kedge"
)

// Objective tests o on individuals of the given dimensions: its gradients must have the slopes of its values, and
// kedge.RowObjective must agree with Eval to 64 ulp of the largest entry.
func Objective(t testing.TB, o kedge.Objective, dim kedge.Dims, c Cases) {
	t.Helper()
	c.run(t, "objective", dim, objectiveChecks(o, dim))
}

func objectiveChecks(o kedge.Objective, dim kedge.Dims) []check {
	value, state, decision := evalKernels("Eval", o.Eval, dim, false)
	loss := func(in inputs) float64 { return o.Eval(nil, nil, in.p, in.u, in.d) }
	both := func(gp, gu []float64, in inputs) { o.Eval(gp, gu, in.p, in.u, in.d) }
	checks := evalChecks("Eval", o.Eval, value, state, decision)
	checks = append(checks, slopes("Eval", state, decision, loss), together("Eval", state, decision, both))
	if g, ok := o.(kedge.RowObjective); ok {
		values, states, decisions := evalKernels("EvalRows", g.EvalRows, dim, true)
		checks = append(checks, evalChecks("EvalRows", g.EvalRows, values, states, decisions)...)
		checks = append(checks, rowsAgree(values, value, dim, 64), rowsAgree(states, state, dim, 64), rowsAgree(decisions, decision, dim, 64))
	}
	return checks
}

type eval func(gp, gu, p, u, d []float64) float64

// evalKernels splits a method into its value and its two gradients.
func evalKernels(name string, f eval, dim kedge.Dims, block bool) (value, state, decision kernel) {
	value = kernel{name: "value of " + name, width: 1, block: block, sums: true, call: func(out []float64, in inputs) {
		if len(out) != 1 {
			fail("a value has one entry")
		}
		out[0] = f(nil, nil, in.p, in.u, in.d)
	}}
	state = kernel{name: name + " to p", width: dim.State, block: block, adds: true, call: func(out []float64, in inputs) { f(out, nil, in.p, in.u, in.d) }}
	decision = kernel{name: name + " to u", width: dim.Decision, block: block, sums: true, adds: true, call: func(out []float64, in inputs) { f(nil, out, in.p, in.u, in.d) }}
	return value, state, decision
}

func evalChecks(name string, f eval, value, state, decision kernel) []check {
	checks := append(append(value.checks(), state.checks()...), decision.checks()...)
	return append(checks, check{name + " gives one value", func(t trial) {
		in := value.inputs(t)
		got := f(make([]float64, state.length()), make([]float64, decision.length()), in.p, in.u, in.d)
		same("the value with gradients", []float64{got}, value.of(in))
	}})
}
