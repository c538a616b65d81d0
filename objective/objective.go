// Package objective holds losses Φ(p, u, d): what a decision is judged by, one individual at a time. Everything is a loss
// and smaller is better; a reward is written with a minus sign, or weighted by −1.
//
// Eval and EvalRows return the loss and add its gradients to gp and gu. The block form adds the rows up in order, so that it
// gives the bits of evaluating row after row; only Quadratic, which factors the rows' common part out, differs by rounding.
//
// A state row may be longer than what an objective reads, as when the dynamics keep hidden entries: the field State is the
// width of a row, and 0 means "as long as what is read". What is not read gets no gradient.
//
// These are kernels. They allocate nothing, panic on a wrong length and hand a NaN on to the loss and the gradients it
// touches, where a caller sees it. Check is their door: it says once, in typed errors, whether the parameters make sense and
// whether the objective fits individuals of given dimensions.
package objective

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
)

// width returns the entries of a state row: state, or the number of entries read when state is 0.
func width(state, read int) int {
	if state == 0 {
		return read
	}
	if state < read {
		panic("objective: state rows of " + strconv.Itoa(state) + " entries, want " + strconv.Itoa(read) + " or more")
	}
	return state
}

// checkWidth is width for a door: it says whether individuals with dim.State entries have the rows that are asked for.
func checkWidth(state, read int, dim kedge.Dims) error {
	if state != 0 && state < read {
		return &kedge.RangeError{Arg: "State", Got: float64(state), Want: "0 or at least " + strconv.Itoa(read)}
	}
	return kedge.CheckDim("the state", dim.State, width(state, read))
}

// checkNumber returns a *RangeError unless x is finite and at least floor.
func checkNumber(arg string, x, floor float64) error {
	want := "a finite number"
	if !math.IsInf(floor, 0) {
		want += " ≥ " + strconv.FormatFloat(floor, 'g', -1, 64)
	}
	return kedge.CheckRange(arg, x, x >= floor && !math.IsInf(x, 0), want)
}

// mustFit panics unless every gradient that is wanted has the length of its variable.
func mustFit(gp, gu, p, u []float64) {
	if gp != nil && len(gp) != len(p) {
		panic("objective: gp has " + strconv.Itoa(len(gp)) + " entries, p has " + strconv.Itoa(len(p)))
	}
	if gu != nil && len(gu) != len(u) {
		panic("objective: gu has " + strconv.Itoa(len(gu)) + " entries, u has " + strconv.Itoa(len(u)))
	}
}

// mustBe panics unless the named vector has n entries.
func mustBe(name string, x []float64, n int) {
	if len(x) != n {
		panic("objective: " + name + " has " + strconv.Itoa(len(x)) + " entries, want " + strconv.Itoa(n))
	}
}

// sumRows adds up the losses of the rows in order. Trait rows of width 0 are not read.
func sumRows[O kedge.Objective](o O, state, trait int, gp, gu, p, u, d []float64) float64 {
	mustFit(gp, gu, p, u)
	count := kedge.Count(p, state)
	mustBe("d", d, count*trait)
	sum := 0.0
	for i := range count {
		var g []float64
		if gp != nil {
			g = kedge.Row(gp, i, state)
		}
		sum += o.Eval(g, gu, kedge.Row(p, i, state), u, kedge.Row(d, i, trait))
	}
	return sum
}
