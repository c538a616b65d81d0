package dynamics_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/stream"
)

// people draws directions and, where hostile, rows of other lengths: 0, 1e-160, 1e160.
func people(n, dim int, hostile bool, s *stream.Stream) []float64 {
	all := make([]float64, n*dim)
	s.Normals(all)
	for i := range n {
		x, square := kedge.Row(all, i, dim), 0.0
		for _, v := range x {
			square += float64(v * v)
		}
		scale := 1 / math.Sqrt(square)
		if hostile && i%4 == 0 {
			scale *= []float64{0, 1e-160, 1e160, 1e3}[i/4%4]
		}
		for j := range x {
			x[j] *= scale
		}
	}
	return all
}

// decided draws a decision of the given norm.
func decided(dim int, norm float64, s *stream.Stream) []float64 {
	u := people(1, dim, false, s)
	for j := range u {
		u[j] *= norm
	}
	return u
}

func polarizedCases() []dynamics.Polarized {
	return []dynamics.Polarized{
		{Dim: 20, Lambda: 0.4, Sigma: 0.5}, {Dim: 20, Lambda: 0.4, Sigma: 0.59}, {Dim: 7, Lambda: 0.4, Sigma: 0.6}, {Dim: 3, Lambda: 0.4, Sigma: 1.5},
		{Dim: 20, Lambda: 0, Sigma: 0.9}, {Dim: 2, Lambda: 0.95, Sigma: 0.04}, {Dim: 5, Lambda: 0.4, Sigma: 0}, {Dim: 1, Lambda: 1, Sigma: 0.5},
	}
}

// The list of a step has the bits of NextRows on everybody that it does not flag, and flags whoever's ‖p̃‖² over- or underflows.
func TestEmittedStepHasTheBitsOfNextRows(t *testing.T) {
	const n = 600
	s := stream.New(1, "people")
	for _, f := range polarizedCases() {
		for _, hostile := range []bool{false, true} {
			c := ptx.New(f.Dim, f.Dim, f.Shares())
			f.EmitNext(c)
			p, d, u := people(n, f.Dim, hostile, s), people(n, f.Dim, false, s), decided(f.Dim, 0.8, s)
			want, got, shared := make([]float64, n*f.Dim), make([]float64, f.Dim), make([]float64, f.Shares())
			f.NextRows(want, p, u, d)
			f.Share(shared, u)
			run, flags, differ := ptx.NewEvaluator(c), 0, 0
			for i := range n {
				if _, flag := run.Eval(got, kedge.Row(p, i, f.Dim), kedge.Row(d, i, f.Dim), shared); flag {
					flags++
					continue
				}
				for j, v := range kedge.Row(want, i, f.Dim) {
					if math.Float64bits(v) != math.Float64bits(got[j]) {
						differ++
					}
				}
			}
			if differ > 0 || !hostile && flags > 0 || hostile && f.Lambda > 0 && flags == 0 {
				t.Errorf("%+v, hostile %t: %d entries differ, %d flags", f, hostile, differ, flags)
			}
		}
	}
}

// The list of a settled affinity has the bits of AlignRows, close to the pitchfork and for decisions of all sizes, and flags what AlignRows works out one by one.
func TestEmittedAlignHasTheBitsOfAlignRows(t *testing.T) {
	const n = 400
	s, roots := stream.New(2, "people"), 0
	for _, f := range polarizedCases() {
		c := ptx.New(f.Dim, f.Dim, f.Shares())
		c.Score(f.EmitAlign(c))
		run := ptx.NewEvaluator(c)
		for _, norm := range []float64{1e-3, 0.2, 0.9, 0.999999, 1, 1.0000001, 1.3, 3, 1e30} {
			u, d := decided(f.Dim, norm, s), people(n, f.Dim, false, s)
			if f.Dim > 1 { // next to nobody is indifferent by itself
				for j := range f.Dim {
					d[j] = 0
				}
				d[0], d[1] = u[1]/math.Hypot(u[0], u[1]), -u[0]/math.Hypot(u[0], u[1])
			}
			if !f.Aligns(u) {
				continue
			}
			shared := make([]float64, f.Shares())
			f.Share(shared, u)
			for i := range n {
				got, flag := run.Eval(nil, nil, kedge.Row(d, i, f.Dim), shared)
				one := make([]float64, 1)
				if _, err := f.AlignRows(one, u, kedge.Row(d, i, f.Dim)); flag {
					continue
				} else if err != nil || math.Float64bits(got) != math.Float64bits(one[0]) {
					t.Fatalf("%+v, ‖u‖ = %v, individual %d: %v, want %v (%v)", f, norm, i, got, one[0], err)
				}
				roots++
			}
		}
	}
	if roots < 10_000 {
		t.Errorf("%d roots are too few to tell", roots)
	}
}

// The list of where one settles has the bits of SettlePlanes, one by one, and flags exactly whom that gives up on.
func TestEmittedPlaneHasTheBitsOfSettlePlanes(t *testing.T) {
	const n = 300
	s, spots, flags := stream.New(3, "people"), 0, 0
	for _, f := range polarizedCases() {
		c := ptx.New(f.Dim, f.Dim, f.Shares())
		h := f.EmitPlane(c)
		c.Score(h.PU)
		c.Plane(h)
		run := ptx.NewEvaluator(c)
		for _, norm := range []float64{1e-3, 0.2, 0.9, 1, 1.3, 3, 1e30} {
			u, d := decided(f.Dim, norm, s), people(n, f.Dim, false, s)
			for j := range f.Dim { // too long to be settled by a cosine, and not so long
				d[j] *= 1 + 0x1p-39
				d[f.Dim+j] *= 1 + 0x1p-43
			}
			if !f.Aligns(u) {
				continue
			}
			shared := make([]float64, f.Shares())
			f.Share(shared, u)
			for i := range n {
				pu, flag := run.Eval(nil, nil, kedge.Row(d, i, f.Dim), shared)
				want := kedge.Planes{PU: make([]float64, 1), Along: make([]float64, 1), Across: make([]float64, 1)}
				res, ok := f.SettlePlanes(want, u, kedge.Row(d, i, f.Dim))
				if ok == flag {
					t.Fatalf("%+v, ‖u‖ = %v, individual %d is settled %t and flagged %t", f, norm, i, ok, flag)
				}
				if flag {
					flags++
					continue
				}
				spots++
				for k, v := range []float64{want.PU[0], want.Along[0], want.Across[0], res.Norm} {
					if got := []float64{pu, run.Along, run.Across, 0x1p-48 + run.Off}[k]; math.Float64bits(got) != math.Float64bits(v) {
						t.Fatalf("%+v, ‖u‖ = %v, individual %d: number %d is %v, want %v", f, norm, i, k, got, v)
					}
				}
			}
		}
	}
	if spots < 5000 || flags < 20 {
		t.Errorf("%d who settle and %d who are flagged are too few to tell", spots, flags)
	}
}

// By the cosine of u and d that there is, for a u of length 1 along the first axis: from 10⁻¹⁰⁰ on one is settled by it, and below one is as good as indifferent and flagged.
func TestWhoIsNearlyIndifferentIsFlagged(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	c := ptx.New(f.Dim, f.Dim, f.Shares())
	c.Score(f.EmitAlign(c))
	run, u, shared := ptx.NewEvaluator(c), []float64{1, 0}, make([]float64, f.Shares())
	f.Share(shared, u)
	for _, cosine := range []float64{0, 1e-300, 0.5e-100, 0.99e-100, 1e-100, 1.01e-100, 1.9e-100, 3e-100, 1e-50} {
		for _, d := range [][]float64{{cosine, 1}, {-cosine, -1}} {
			_, ok := f.SettlePlanes(kedge.Planes{PU: make([]float64, 1), Along: make([]float64, 1), Across: make([]float64, 1)}, u, d)
			if _, flag := run.Eval(nil, nil, d, shared); flag != (cosine < 1e-100) || ok == flag {
				t.Errorf("a cosine of %v is flagged %t and settled %t", d[0], flag, ok)
			}
		}
	}
}

// A step that remembers its norm has the bits of NextRows, the norm included.
func TestEmittedStepWithItsNorm(t *testing.T) {
	const n = 300
	s := stream.New(4, "people")
	for _, of := range polarizedCases() {
		f := dynamics.PolarizedNorm{Polarized: of}
		m := of.Dim + 1
		c := ptx.New(m, of.Dim, f.Shares())
		f.EmitNext(c)
		p, d, u := people(n, m, true, s), people(n, of.Dim, false, s), decided(of.Dim, 0.8, s)
		want, got, shared := make([]float64, n*m), make([]float64, m), make([]float64, f.Shares())
		f.NextRows(want, p, u, d)
		f.Share(shared, u)
		run, moved := ptx.NewEvaluator(c), 0
		for i := range n {
			if _, flag := run.Eval(got, kedge.Row(p, i, m), kedge.Row(d, i, of.Dim), shared); flag {
				continue
			}
			moved++
			for j, v := range kedge.Row(want, i, m) {
				if math.Float64bits(v) != math.Float64bits(got[j]) {
					t.Fatalf("%+v, individual %d: entry %d is %v, want %v", f, i, j, got[j], v)
				}
			}
		}
		if c.Nexts() != m || moved < n/2 {
			t.Errorf("%+v: %d entries are written, %d people moved", f, c.Nexts(), moved)
		}
	}
}
