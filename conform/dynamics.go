package conform

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Dynamics tests f and the optional abilities it has: kedge.RowDynamics must agree with Next to 16 ulp of a row's largest
// entry, the products of kedge.Smooth with differences of Next, and the residuals that kedge.Settler and kedge.RowSettler
// claim with residuals computed here.
func Dynamics(t testing.TB, f kedge.Dynamics, c Cases) {
	t.Helper()
	c.run(t, "dynamics", f.Dims(), dynamicsChecks(f))
}

func dynamicsChecks(f kedge.Dynamics) []check {
	next := nextKernel(f)
	checks := next.checks()
	if g, ok := f.(kedge.RowDynamics); ok {
		block := kernel{name: "NextRows", width: next.width, block: true, call: func(out []float64, in inputs) { g.NextRows(out, in.p, in.u, in.d) }}
		checks = append(append(checks, block.checks()...), rowsAgree(block, next, f.Dims(), 16))
	}
	if g, ok := f.(kedge.Smooth); ok {
		checks = append(checks, smoothChecks(g, next)...)
	}
	if g, ok := f.(kedge.Settler); ok {
		checks = append(checks, settlerChecks(g)...)
	}
	return checks
}

func nextKernel(f kedge.Dynamics) kernel {
	return kernel{name: "Next", width: f.Dims().State, call: func(out []float64, in inputs) { f.Next(out, in.p, in.u, in.d) }}
}

func smoothChecks(f kedge.Smooth, next kernel) []check {
	state := kernel{name: "Pullback to p", width: f.Dims().State, adds: true, call: func(out []float64, in inputs) { f.Pullback(out, nil, in.p, in.u, in.d, in.v) }}
	decision := kernel{name: "Pullback to u", width: f.Dims().Decision, adds: true, call: func(out []float64, in inputs) { f.Pullback(nil, out, in.p, in.u, in.d, in.v) }}
	both := func(gp, gu []float64, in inputs) { f.Pullback(gp, gu, in.p, in.u, in.d, in.v) }
	value := func(in inputs) float64 { return rows.Dot(next.of(in), in.v) }
	checks := append(state.checks(), decision.checks()...)
	return append(checks, linear(state), linear(decision), together("Pullback", state, decision, both), slopes("Pullback", state, decision, value))
}

// together says whether a method that fills two destinations gives each what it gives it alone, and takes nil for both.
func together(name string, state, decision kernel, both func(gp, gu []float64, in inputs)) check {
	return check{name + " skips nil", func(t trial) {
		in := state.inputs(t)
		wantP, wantU := state.of(in), decision.of(in)
		gp, gu := make([]float64, len(wantP)), make([]float64, len(wantU))
		both(gp, gu, in)
		both(nil, nil, in)
		same("gp", wantP, gp)
		same("gu", wantU, gu)
	}}
}

// slopes says whether two kernels give the gradients of value in p and in u.
func slopes(name string, state, decision kernel, value func(in inputs) float64) check {
	return check{name + " is the derivative", func(t trial) {
		in := state.inputs(t)
		sameSlope("in p", t, state.of(in), in.p, func(p []float64) float64 { return value(inputs{p, in.u, in.d, in.v}) })
		sameSlope("in u", t, decision.of(in), in.u, func(u []float64) float64 { return value(inputs{in.p, u, in.d, in.v}) })
	}}
}

func settlerChecks(f kedge.Settler) []check {
	one, checks := settleChecks(f, "Settle", f.Settle, false)
	if g, ok := f.(kedge.RowSettler); ok {
		block, more := settleChecks(f, "SettleRows", g.SettleRows, true)
		checks = append(append(checks, more...), rowsAgree(block, one, f.Dims(), 1e-8/ulp))
	}
	return checks
}

// settleChecks tests one of the methods that settle.
func settleChecks(f kedge.Settler, name string, settle settle, isBlock bool) (kernel, []check) {
	k := kernel{name: name, width: f.Dims().State, block: isBlock, call: func(out []float64, in inputs) {
		_, err := settle(out, in.u, in.d)
		succeeds(err)
	}}
	return k, append(k.checks(),
		check{name + " tells its residual", func(t trial) { residual(f, settle, k.inputs(t)) }},
		check{name + " refuses NaN", func(t trial) { settleRefuses(settle, k.inputs(t), k.length()) }})
}

type settle func(dst, u, d []float64) (kedge.Residual, error)

// residual compares the residual that a method claims with ‖f(h, u, d) − h‖∞ / max(1, ‖h‖∞), the worst of all rows.
func residual(f kedge.Dynamics, settle settle, in inputs) {
	dim := f.Dims()
	h := make([]float64, len(in.p))
	claim, err := settle(h, in.u, in.d)
	succeeds(err)
	worst := 0.0
	next := make([]float64, dim.State)
	for i := range len(h) / dim.State {
		row := kedge.Row(h, i, dim.State)
		f.Next(next, row, in.u, kedge.Row(in.d, i, dim.Trait))
		scale := max(1, rows.MaxAbs(row))
		rows.AddScaled(next, -1, row)
		worst = max(worst, rows.MaxAbs(next)/scale)
	}
	if !(worst <= claim.Norm+16*ulp) {
		fail("the residual is %.3g, claimed was %.3g", worst, claim.Norm)
	}
}

// settleRefuses gives a decision with a NaN, which must be an error that leaves dst as it was.
func settleRefuses(settle settle, in inputs, width int) {
	for i := range in.u {
		u := clone(in.u)
		u[i] = math.NaN()
		dst := filled(width, 7)
		if _, err := settle(dst, u, in.d); err == nil {
			fail("a NaN in entry %d of the decision was accepted", i)
		}
		same("dst after an error", dst, filled(width, 7))
	}
}
