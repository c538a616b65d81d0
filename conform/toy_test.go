package conform

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// toy is a contraction with every ability, made of functions so that a twin can break one:
// fᵢ = ½ sin pᵢ cos u₂ + ¼uᵢ² + dᵢ for i = 0, 1.
type toy struct {
	next             func(dst, p, u, d []float64)
	nextRows         func(dst, p, u, d []float64)
	pullback         func(gp, gu, p, u, d, v []float64)
	settle, settleRs settle
}

var (
	_ kedge.RowDynamics = toy{}
	_ kedge.Smooth      = toy{}
	_ kedge.RowSettler  = toy{}
	_ kedge.Sensitivity = pull(nil)
)

func (toy) Dims() kedge.Dims                                         { return kedge.Dims{Decision: 3, State: 2, Trait: 2} }
func (t toy) Next(dst, p, u, d []float64)                            { t.next(dst, p, u, d) }
func (t toy) NextRows(dst, p, u, d []float64)                        { t.nextRows(dst, p, u, d) }
func (t toy) Pullback(gp, gu, p, u, d, v []float64)                  { t.pullback(gp, gu, p, u, d, v) }
func (t toy) Settle(dst, u, d []float64) (kedge.Residual, error)     { return t.settle(dst, u, d) }
func (t toy) SettleRows(dst, u, d []float64) (kedge.Residual, error) { return t.settleRs(dst, u, d) }

func newToy() toy {
	t := toy{next: toyNext, pullback: toyPullback, settle: toySettle}
	t.nextRows = func(dst, p, u, d []float64) {
		must(len(dst) == len(p) && len(d) == len(p))
		for i := range kedge.Count(p, 2) {
			toyNext(kedge.Row(dst, i, 2), kedge.Row(p, i, 2), u, kedge.Row(d, i, 2))
		}
	}
	t.settleRs = func(dst, u, d []float64) (worst kedge.Residual, err error) {
		must(len(dst) == len(d))
		if err := kedge.CheckVector("u", u, 3); err != nil {
			return worst, err
		}
		for i := range kedge.Count(dst, 2) {
			res, _ := toySettle(kedge.Row(dst, i, 2), u, kedge.Row(d, i, 2))
			worst = worst.Worst(res)
		}
		return worst, nil
	}
	return t
}

func must(ok bool) {
	if !ok {
		panic("wrong length")
	}
}

func toyNext(dst, p, u, d []float64) {
	must(len(dst) == 2 && len(p) == 2 && len(u) == 3 && len(d) == 2)
	for i := range dst {
		dst[i] = 0.5*math.Sin(p[i])*math.Cos(u[2]) + 0.25*u[i]*u[i] + d[i]
	}
}

func toyPullback(gp, gu, p, u, _, v []float64) {
	must((gp == nil || len(gp) == 2) && (gu == nil || len(gu) == 3) && len(p) == 2 && len(u) == 3 && len(v) == 2)
	for i := range p {
		if gp != nil {
			gp[i] += 0.5 * math.Cos(p[i]) * math.Cos(u[2]) * v[i]
		}
		if gu != nil {
			gu[i] += 0.5 * u[i] * v[i]
			gu[2] -= 0.5 * math.Sin(p[i]) * math.Sin(u[2]) * v[i]
		}
	}
}

func toySettle(dst, u, d []float64) (kedge.Residual, error) {
	must(len(dst) == 2 && len(d) == 2)
	if err := kedge.CheckVector("u", u, 3); err != nil {
		return kedge.Residual{}, err
	}
	h, next := make([]float64, 2), make([]float64, 2)
	for range 80 {
		toyNext(next, h, u, d)
		h, next = next, h
	}
	toyNext(next, h, u, d)
	copy(dst, h)
	return kedge.Residual{Norm: rows.Distance(next, h) / max(1, rows.MaxAbs(h)), Steps: 80}, nil
}

// pull is a sensitivity given as a function.
type pull func(gu, p, u, d, v []float64) error

func (f pull) PullRows(gu, p, u, d, v []float64) error { return f(gu, p, u, d, v) }

// toyPull solves with the diagonal Jacobian: ∇ᵤh v = ∇ᵤf (1 − ∂f/∂p)⁻¹ v.
func toyPull(gu, p, u, d, v []float64) error {
	must(len(gu) == 3 && len(p) == len(v) && len(p) == len(d) && len(u) == 3)
	if err := errors.Join(kedge.CheckFinite("p", p), kedge.CheckFinite("u", u), kedge.CheckFinite("v", v)); err != nil {
		return err
	}
	for i := range kedge.Count(p, 2) {
		pi := kedge.Row(p, i, 2)
		w := [2]float64{}
		for j := range w {
			w[j] = v[2*i+j] / (1 - 0.5*math.Cos(pi[j])*math.Cos(u[2]))
		}
		toyPullback(nil, gu, pi, u, nil, w[:])
	}
	return nil
}

// fewCases are enough to catch a twin.
func fewCases() Cases {
	c := toyCases()
	c.Count = 4
	return c
}

func toyCases() Cases {
	return Cases{Draw: func(r *stream.Stream) (p, u, d []float64) { return normals(r, 2), normals(r, 3), normals(r, 2) }}
}

// restless returns ever new numbers, as a kernel with shared scratch may.
func restless() func() float64 {
	var calls atomic.Int64
	return func() float64 { return float64(calls.Add(1)) }
}
