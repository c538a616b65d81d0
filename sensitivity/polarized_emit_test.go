package sensitivity_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// The list of an answer has the bits of PullPlanes, and flags exactly whom that gives up on: also where the sensitivity is of other dynamics than people have,
// so that they are not settled.
func TestEmittedPullHasTheBitsOfPullPlanes(t *testing.T) {
	const n, m = 300, 6
	s, pulled, flags := stream.New(1, "people"), 0, 0
	for _, f := range []dynamics.Polarized{{Dim: m, Lambda: 0.4, Sigma: 0.5}, {Dim: m, Lambda: 0.4, Sigma: 0.6}, {Dim: m, Lambda: 0, Sigma: 1.5}, {Dim: m, Lambda: 0.95, Sigma: 0.04}} {
		for _, of := range []*sensitivity.Polarized{{Dim: m, Lambda: f.Lambda, Sigma: f.Sigma}, {Dim: m, Lambda: f.Lambda, Sigma: f.Sigma, Floor: 0.3}, {Dim: m, Lambda: f.Lambda, Sigma: f.Sigma * (1 + 1e-9)}} {
			c := ptx.New(m, m, f.Shares())
			h := of.EmitPull(c, f.EmitPlane(c), f.EmitSquare(c))
			c.Score(h.PU)
			c.Plane(h)
			run, shared := ptx.NewEvaluator(c), make([]float64, f.Shares())
			for i := range n {
				u, d := make([]float64, m), make([]float64, m)
				s.Normals(u)
				s.Normals(d)
				scale(u, []float64{0.05, 0.7, 1, 1.2}[i%4])
				scale(d, 1)
				f.Share(shared, u)
				pu, flag := run.Eval(nil, nil, d, shared)
				want := kedge.Planes{PU: make([]float64, 1), Along: make([]float64, 1), Across: make([]float64, 1)}
				if _, ok := f.SettlePlanes(want, u, d); !ok {
					t.Fatalf("%+v does not settle individual %d", f, i)
				}
				if ok := of.PullPlanes(want, u); ok == flag {
					t.Fatalf("%+v, individual %d answers %t and is flagged %t", of, i, ok, flag)
				}
				if flag {
					flags++
					continue
				}
				pulled++
				for k, v := range []float64{want.PU[0], want.Along[0], want.Across[0]} {
					if got := []float64{pu, run.Along, run.Across}[k]; math.Float64bits(got) != math.Float64bits(v) {
						t.Fatalf("%+v, individual %d: number %d is %v, want %v", of, i, k, got, v)
					}
				}
			}
		}
	}
	if pulled < 1000 || flags < 300 {
		t.Errorf("%d answers and %d flags are too few to tell", pulled, flags)
	}
}

// scale brings x to a length.
func scale(x []float64, to float64) {
	square := 0.0
	for _, v := range x {
		square += float64(v * v)
	}
	for i := range x {
		x[i] *= to / math.Sqrt(square)
	}
}
