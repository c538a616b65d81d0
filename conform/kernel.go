package conform

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// kernel is a method as a function of its inputs: it writes to out, or adds to it.
type kernel struct {
	name  string
	width int  // entries of out for one individual
	sums  bool // out is one row also for a block
	block bool // takes a block of individuals
	adds  bool
	call  func(out []float64, in inputs)
}

// checks are the promises that every kernel makes.
func (k kernel) checks() []check {
	destination := check{k.name + " overwrites its destination", k.overwrites}
	if k.adds {
		destination = check{k.name + " adds to its destination", k.addsTo}
	}
	return []check{
		{k.name + " is finite", k.isFinite},
		{k.name + " keeps its inputs", k.keepsInputs},
		destination,
		{k.name + " refuses wrong lengths", k.refusesLengths},
		{k.name + " may be called in parallel", k.inParallel},
	}
}

func (k kernel) inputs(t trial) inputs {
	if k.block {
		return t.block.clone()
	}
	return t.one.clone()
}

// length is the length of out.
func (k kernel) length() int {
	if k.block && !k.sums {
		return blockRows * k.width
	}
	return k.width
}

// of returns what the kernel writes, or adds to zero.
func (k kernel) of(in inputs) []float64 {
	out := make([]float64, k.length())
	k.call(out, in)
	return out
}

func (k kernel) isFinite(t trial) { finite("the result", k.of(k.inputs(t))) }

func (k kernel) keepsInputs(t trial) {
	in := k.inputs(t)
	before := in.clone()
	k.of(in)
	for i, name := range inputNames() {
		same(name, *in.all()[i], *before.all()[i])
	}
}

func (k kernel) overwrites(t trial) {
	in := k.inputs(t)
	want := k.of(in)
	for _, old := range []float64{math.NaN(), 1e300, -1} {
		out := filled(len(want), old)
		k.call(out, in)
		same(fmt.Sprintf("over a destination full of %v", old), out, want)
	}
}

func (k kernel) addsTo(t trial) {
	in := k.inputs(t)
	added := k.of(in)
	old := normals(t.r, len(added))
	out := clone(old)
	k.call(out, in)
	tol := 64 * ulp * (rows.MaxAbs(old) + rows.MaxAbs(added))
	rows.AddScaled(old, 1, added)
	near("old content plus product", out, old, tol)
}

// refusesLengths gives every argument one entry too few or too many. A destination must be refused; an input must be
// refused or, if the kernel does not read that far, change nothing.
func (k kernel) refusesLengths(t trial) {
	in := k.inputs(t)
	want := k.of(in)
	for _, more := range []int{-1, 1} {
		out := resized(make([]float64, len(want)), more)
		if guard(func() { k.call(out, in) }) == nil {
			fail("a destination of %d entries was accepted, want a panic: it has %d", len(out), len(want))
		}
		for i, name := range inputNames() {
			bent, out := in.clone(), make([]float64, len(want))
			x := bent.all()[i]
			*x = resized(*x, more)
			if guard(func() { k.call(out, bent) }) != nil {
				continue
			}
			if err := guard(func() { same("the result with a wrong length of "+name, out, want) }); err != nil {
				fail("%w: panic on a wrong length", err)
			}
		}
	}
}

// resized returns x with one entry more or less, and no room behind.
func resized(x []float64, more int) []float64 {
	if more > 0 {
		return clone(append(clone(x), 1))
	}
	return clone(x[:max(len(x)-1, 0)])
}

// inParallel calls the kernel from several goroutines, which must not disturb each other.
func (k kernel) inParallel(t trial) {
	want := k.of(k.inputs(t))
	inParallel(4, func(int) {
		for range 8 {
			same("the result", k.of(k.inputs(t)), want)
		}
	})
}

// inParallel calls f in n goroutines.
func inParallel(n int, f func(i int)) {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = guard(func() { f(i) }) })
	}
	wg.Wait()
	succeeds(errors.Join(errs...))
}

// rowsAgree says whether a kernel for blocks does what another does row by row, within some ulps of the largest entry.
func rowsAgree(block, one kernel, dim kedge.Dims, ulps float64) check {
	return check{block.name + " agrees with " + one.name, func(t trial) {
		got := block.of(block.inputs(t))
		want := make([]float64, len(got))
		scale := 0.0
		for i := range blockRows {
			row := one.of(t.block.row(i, dim))
			scale = max(scale, rows.MaxAbs(row))
			at := i * one.width
			if block.sums {
				at = 0
			}
			rows.AddScaled(want[at:], 1, row)
		}
		near("the block", got, want, ulps*ulp*scale)
	}}
}

// linear says whether the product of a kernel is linear in v.
func linear(k kernel) check {
	return check{k.name + " is linear in v", func(t trial) {
		first := k.inputs(t)
		second, both := first.clone(), first.clone()
		second.v = normals(t.r, len(first.v))
		for i, v := range second.v {
			both.v[i] = float64(2*first.v[i]) + v
		}
		x, y, z := k.of(first), k.of(second), k.of(both)
		tol := 1e-12 * (2*rows.MaxAbs(x) + rows.MaxAbs(y))
		rows.AddScaled(y, 2, x)
		near("the product with 2v + w", z, y, tol)
	}}
}
