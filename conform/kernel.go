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
	call  func(out []float64, in inputs) error
}

// sure makes a method that cannot fail the call of a kernel.
func sure(call func(out []float64, in inputs)) func(out []float64, in inputs) error {
	return func(out []float64, in inputs) error {
		call(out, in)
		return nil
	}
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
func (k kernel) of(in inputs) ([]float64, error) {
	out := make([]float64, k.length())
	return out, k.call(out, in)
}

func (k kernel) isFinite(t trial) error {
	out, err := k.of(k.inputs(t))
	if err != nil {
		return err
	}
	return finite("the result", out)
}

func (k kernel) keepsInputs(t trial) error {
	in := k.inputs(t)
	before := in.clone()
	_, err := k.of(in)
	return errors.Join(err, sameBits("p", in.p, before.p), sameBits("u", in.u, before.u),
		sameBits("d", in.d, before.d), sameBits("v", in.v, before.v))
}

func (k kernel) overwrites(t trial) error {
	in := k.inputs(t)
	want, err := k.of(in)
	for _, old := range []float64{math.NaN(), 1e300, -1} {
		out := filled(len(want), old)
		err = errors.Join(err, k.call(out, in), sameBits(fmt.Sprintf("over a destination full of %v", old), out, want))
	}
	return err
}

func (k kernel) addsTo(t trial) error {
	in := k.inputs(t)
	added, err := k.of(in)
	old := normals(t.r, len(added))
	out := clone(old)
	err = errors.Join(err, k.call(out, in))
	tol := 64 * ulp * (rows.MaxAbs(old) + rows.MaxAbs(added))
	rows.AddScaled(old, 1, added)
	return errors.Join(err, near("old content plus product", out, old, tol))
}

// refusesLengths gives every argument one entry too few or too many. A destination must be refused; an input must be
// refused or, if the kernel does not read that far, change nothing.
func (k kernel) refusesLengths(t trial) error {
	in := k.inputs(t)
	want, err := k.of(in)
	if err != nil {
		return err
	}
	for _, more := range []int{-1, 1} {
		out := resized(make([]float64, len(want)), more)
		if guard(func() error { return k.call(out, in) }) == nil {
			return fmt.Errorf("a destination of %d entries was accepted, want a panic: it has %d", len(out), len(want))
		}
		for _, field := range fields() {
			bent, out := in.clone(), make([]float64, len(want))
			x := field.of(&bent)
			*x = resized(*x, more)
			if guard(func() error { return k.call(out, bent) }) != nil {
				continue
			}
			if err := sameBits("the result with a wrong length of "+field.name, out, want); err != nil {
				return fmt.Errorf("%w: panic on a wrong length", err)
			}
		}
	}
	return nil
}

// resized returns x with one entry more or less, and no room behind.
func resized(x []float64, more int) []float64 {
	if more > 0 {
		return clone(append(clone(x), 1))
	}
	return clone(x[:max(len(x)-1, 0)])
}

// inParallel calls the kernel from several goroutines, which must not disturb each other.
func (k kernel) inParallel(t trial) error {
	want, err := k.of(k.inputs(t))
	return errors.Join(inParallel(4, func(int) error {
		for range 8 {
			got, err := k.of(k.inputs(t))
			if err := errors.Join(err, sameBits("the result", got, want)); err != nil {
				return err
			}
		}
		return nil
	}), err)
}

// inParallel calls f in n goroutines.
func inParallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = guard(func() error { return f(i) }) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// rowsAgree says whether a kernel for blocks does what another does row by row, within some ulps of the largest entry.
func rowsAgree(block, one kernel, dim kedge.Dims, ulps float64) check {
	return check{block.name + " agrees with " + one.name, func(t trial) error {
		got, err := block.of(block.inputs(t))
		want := make([]float64, len(got))
		scale := 0.0
		for i := range blockRows {
			row, e := one.of(t.block.row(i, dim))
			err = errors.Join(err, e)
			scale = max(scale, rows.MaxAbs(row))
			at := i * one.width
			if block.sums {
				at = 0
			}
			rows.AddScaled(want[at:], 1, row)
		}
		return errors.Join(err, near("the block", got, want, ulps*ulp*scale))
	}}
}

// linear says whether the product of a kernel is linear in v.
func linear(k kernel) check {
	return check{k.name + " is linear in v", func(t trial) error {
		first := k.inputs(t)
		second, both := first.clone(), first.clone()
		second.v = normals(t.r, len(first.v))
		for i, v := range second.v {
			both.v[i] = float64(2*first.v[i]) + v
		}
		x, errX := k.of(first)
		y, errY := k.of(second)
		z, errZ := k.of(both)
		tol := 1e-12 * (2*rows.MaxAbs(x) + rows.MaxAbs(y))
		rows.AddScaled(y, 2, x)
		return errors.Join(errX, errY, errZ, near("the product with 2v + w", z, y, tol))
	}}
}
