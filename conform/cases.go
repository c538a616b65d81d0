package conform

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// Cases draws the individuals to test with.
type Cases struct {
	// Draw returns the state, decision and trait of one individual, somewhere inside the domain where derivatives exist. The
	// slices must be new ones.
	Draw  func(r *stream.Stream) (p, u, d []float64)
	Count int     // how many cases to draw; zero means 32
	Tol   float64 // error allowed of derivatives, relative; zero means 1e-7
}

// blockRows is the number of individuals in the block of a case.
const blockRows = 3

// trial is one case: the inputs of one individual, and of a block whose first row it is.
type trial struct {
	one, block inputs
	dim        kedge.Dims
	tol        float64
	r          *stream.Stream
}

// inputs are what a kernel reads. Besides p, u and d there is a random v for every state, the vector of products.
type inputs struct{ p, u, d, v []float64 }

// check is one property, tested on every case until it fails.
type check struct {
	name string
	test func(trial)
}

// run tests the checks on all cases and reports the first failure of each.
func (c Cases) run(t testing.TB, noun string, dim kedge.Dims, checks []check) {
	t.Helper()
	r := stream.New(1, "conform", noun)
	failed := map[string]bool{}
	for i := range cmp.Or(c.Count, 32) {
		x, err := c.draw(r, dim)
		if err != nil {
			t.Fatalf("%s: case %d: %v", noun, i, err)
		}
		for _, k := range checks {
			if failed[k.name] {
				continue
			}
			if err := guard(func() { k.test(x) }); err != nil {
				failed[k.name] = true
				t.Errorf("%s: case %d: %v", k.name, i, err)
			}
		}
	}
}

func (c Cases) draw(r *stream.Stream, dim kedge.Dims) (trial, error) {
	x := trial{dim: dim, tol: cmp.Or(c.Tol, 1e-7), r: r}
	for range blockRows {
		p, u, d := c.Draw(r)
		if got := (kedge.Dims{Decision: len(u), State: len(p), Trait: len(d)}); got != dim {
			return trial{}, fmt.Errorf("lengths drawn are %+v, want %+v", got, dim)
		}
		x.block.p = append(x.block.p, p...)
		x.block.d = append(x.block.d, d...)
		if x.block.u == nil {
			x.block.u = u
		}
	}
	x.block.v = normals(r, len(x.block.p))
	x.one = x.block.row(0, dim)
	return x, nil
}

// row returns the inputs of individual i of a block, in slices of their own.
func (in inputs) row(i int, dim kedge.Dims) inputs {
	return inputs{
		p: clone(kedge.Row(in.p, i, dim.State)),
		u: clone(in.u),
		d: clone(kedge.Row(in.d, i, dim.Trait)),
		v: clone(kedge.Row(in.v, i, dim.State)),
	}
}

// all are the inputs in the order of their names.
func (in *inputs) all() [4]*[]float64 { return [4]*[]float64{&in.p, &in.u, &in.d, &in.v} }

func inputNames() [4]string { return [4]string{"p", "u", "d", "v"} }

func (in inputs) clone() inputs {
	for _, x := range in.all() {
		*x = clone(*x)
	}
	return in
}

// property is a check of a whole run.
type property struct {
	name string
	test func()
}

// report records a run and tests its properties, and reports those that fail.
func report(t testing.TB, first string, record func(), properties func() []property) {
	t.Helper()
	if err := guard(record); err != nil {
		t.Fatalf("%s: %v", first, err)
	}
	for _, p := range properties() {
		if err := guard(p.test); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}
