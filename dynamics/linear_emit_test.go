package dynamics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/stream"
)

// emitting are dynamics whose step is a list, too.
type emitting interface {
	kedge.Dynamics
	NextRows(dst, p, u, d []float64)
	Shares() int
	Share(dst, u []float64)
	EmitNext(c *ptx.OpList)
}

// The list of a step of choice and affine dynamics has the bits of NextRows, which may take vectors of any length.
func TestEmittedLinearStepsHaveTheBitsOfNextRows(t *testing.T) {
	s := stream.New(5, "people")
	drawn := func(n int) []float64 { x := make([]float64, n); s.Normals(x); return x }
	affine := func(dims kedge.Dims) emitting {
		f, err := dynamics.NewAffine(dims, drawn(dims.State*dims.State), drawn(dims.State*dims.Decision), drawn(dims.State*dims.Trait))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	group, err := dynamics.NewFriedkinJohnsen([]float64{0.5, 0.5, 0.25, 0.75}, []float64{0.5, 0.25}, []float64{0.25, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []emitting{
		dynamics.Choice{Dim: 1, Lambda1: 0.3, Lambda2: 0.2, Epsilon: 0.5}, dynamics.Choice{Dim: 7, Lambda1: 0.1, Lambda2: 0.9, Epsilon: 3},
		dynamics.Choice{Dim: 21, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5},
		affine(kedge.Dims{Decision: 3, State: 1, Trait: 2}), affine(kedge.Dims{Decision: 1, State: 9, Trait: 5}), affine(kedge.Dims{Decision: 4, State: 4, Trait: 1}), group,
	} {
		t.Run(fmt.Sprintf("%T of %v", f, f.Dims()), func(t *testing.T) {
			const n = 200
			dims := f.Dims()
			c := ptx.New(dims.State, dims.Trait, f.Shares())
			f.EmitNext(c)
			p, d, u := drawn(n*dims.State), drawn(n*dims.Trait), drawn(dims.Decision)
			want, got, shared := make([]float64, n*dims.State), make([]float64, dims.State), make([]float64, f.Shares())
			f.NextRows(want, p, u, d)
			f.Share(shared, u)
			run := ptx.NewEvaluator(c)
			for i := range n {
				if _, flag := run.Eval(got, kedge.Row(p, i, dims.State), kedge.Row(d, i, dims.Trait), shared); flag {
					t.Fatalf("individual %d is flagged", i)
				}
				for j, v := range kedge.Row(want, i, dims.State) {
					if math.Float64bits(v) != math.Float64bits(got[j]) {
						t.Fatalf("entry %d of individual %d is %v, want %v", j, i, got[j], v)
					}
				}
			}
			if c.Nexts() != dims.State {
				t.Errorf("%d entries are written", c.Nexts())
			}
		})
	}
}
