package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// unnamed hides what dynamics are known by, so that their constants have to be sampled.
type unnamed struct {
	kedge.Smooth
	kedge.Settler
}

func (u unnamed) Dims() kedge.Dims            { return u.Smooth.Dims() }
func (u unnamed) Next(dst, p, v, d []float64) { u.Smooth.Next(dst, p, v, d) }

// What is sampled of linear dynamics is what their closed forms say, but an estimate. A matrix of norm above 1 contracts in the
// metric of the mean Jacobian, which is its own.
func TestSampledAgreesWithClosedForms(t *testing.T) {
	for _, a := range [][]float64{{0.5, 0.25, 0, 0.5}, {0.6, 2, 0, 0.5}} {
		dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
		f, err := dynamics.NewAffine(dim, a, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
		must(t, err)
		p := lq2(t)
		p.Dynamics = f
		closed, err := Derive(p.Model, p.Seed)
		must(t, err)
		p.Dynamics = unnamed{f, f}
		sampled, err := Derive(p.Model, p.Seed)
		must(t, err)
		for _, k := range []Key{LfU, LfD, LhU, LhD, MhD} {
			near(t, string(k), sampled.Value(k), closed.Value(k), 1e-8)
			if sampled.Get(k).Known != Estimate {
				t.Errorf("%s is a %v, want an estimate", k, sampled.Get(k).Known)
			}
		}
		if sampled.Metric != nil {
			near(t, "L_f^p", sampled.Value(LfP), closed.Value(LfP), 1e-8)
			near(t, "ρ₂", sampled.Value(Rho2), closed.Value(Rho2), 1e-6)
		}
		if (sampled.Metric != nil) != (dense.Norm(a, 2, 2) >= 1) {
			t.Errorf("metric %v for ‖A‖ = %v", sampled.Metric, dense.Norm(a, 2, 2))
		}
	}
}

// An individual who does not contract is named, with the rate.
func TestSampledNamesTheIndividual(t *testing.T) {
	d := make([]float64, 20)
	for i := range d {
		d[i] = 0.5
	}
	d[17] = 1.03
	f := dynamics.Func{Size: kedge.Dims{Decision: 1, State: 1, Trait: 1}, F: func(dst, p, u, d []float64) { dst[0] = d[0]*p[0] + u[0] }}
	_, err := Derive(kedge.Model{
		Dynamics: f, Settler: atRest{f}, Objective: lq2(t).Objective, Traits: kedge.Block{Data: d, Width: 1},
	}, 0)
	wantError(t, err, "not certified: spectral radius 1.03 at trait 17, want less than 1")
}

// atRest solves p = dp + u, whether or not anybody gets there.
type atRest struct{ dynamics.Func }

func (atRest) Settle(dst, u, d []float64) (kedge.Residual, error) {
	dst[0] = u[0] / (1 - d[0])
	return kedge.Residual{}, nil
}

// Whatever is missing or out of range is told before anything is computed.
func TestCertifyDoor(t *testing.T) {
	whole := lq2(t)
	gain, err := whole.Dynamics.(*dynamics.Affine).Gain()
	must(t, err)
	whole.Sensitivity, err = sensitivity.NewAffine(whole.Dynamics.Dims(), gain)
	must(t, err)
	whole.Start, whole.Step, whole.Batch, whole.Horizon, whole.Tau = []float64{0, 0}, 0.1, 2, 100, 0.05
	if _, err := Certify(context.Background(), whole.Model, whole.Premises); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*problem){
		"dynamics":    func(p *problem) { p.Dynamics = nil },
		"traits":      func(p *problem) { p.Traits = kedge.Block{Data: []float64{1}, Width: 1} },
		"states":      func(p *problem) { p.States = kedge.Block{Data: []float64{1}, Width: 1} },
		"sensitivity": func(p *problem) { p.Sensitivity = nil },
		"start":       func(p *problem) { p.Start = []float64{0, math.NaN()} },
		"step":        func(p *problem) { p.Step = math.Inf(1) },
		"batch":       func(p *problem) { p.Batch = 0 },
		"horizon":     func(p *problem) { p.Horizon = 0 },
		"tau":         func(p *problem) { p.Tau = 1 },
		"optimum":     func(p *problem) { p.Optimum = []float64{1} },
	} {
		p := whole
		spoil(&p)
		if _, err := Certify(context.Background(), p.Model, p.Premises); err == nil {
			t.Errorf("a problem with a bad %s is certified", name)
		}
	}
	for name, spoil := range map[string]func(*problem){"sensitivity": func(p *problem) { p.Sensitivity = nil }, "steady states": func(p *problem) { p.Dynamics, p.Settler = unsettling{p.Dynamics}, nil }} {
		p := whole
		spoil(&p)
		if _, err := (&Constants{}).Certify(context.Background(), p.Model, p.Premises); err == nil || err.Error() != "certify: the problem needs steady states and their sensitivity" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Certify(stopped, whole.Model, whole.Premises); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context gives %v", err)
	}
}

// unsettling is dynamics that nobody says the steady states of.
type unsettling struct{ kedge.Dynamics }

// ledge is a cost of decisions alone whose slope goes from −1 to 1 at one place, over the width 0.05: its curvature there is 20, and nothing far
// from it. Every place between the first decision and the optimum where curvature is looked for must find it, and no other does.
type ledge struct{ at float64 }

func (l ledge) Eval(_, gu, _, u, _ []float64) float64 {
	x := (u[0] - l.at) / 0.05
	if gu != nil {
		gu[0] += math.Tanh(x)
	}
	return 0.05 * (math.Abs(x) + math.Log1p(math.Exp(-2*math.Abs(x))))
}

func TestWhereCurvatureIsLookedFor(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{0}, []float64{1})
	must(t, err)
	rigid, err := sensitivity.NewAffine(f.Dims(), []float64{0})
	must(t, err)
	for at, want := range map[float64]float64{0: 20, 0.5: 20, 1: 20, 0.25: 0, 2: 0, 100: 20} {
		m := kedge.Model{Dynamics: f, Sensitivity: rigid, Objective: ledge{at}, Traits: kedge.Block{Data: []float64{1}, Width: 1}, Set: set.Interval{Lower: 100, Upper: 100}, Start: []float64{0}}
		phi, err := steady.New(m)
		must(t, err)
		most, points, err := bend(problem{m, Premises{Optimum: []float64{1}}}, phi)
		must(t, err)
		near(t, fmt.Sprintf("the curvature that is found of a ledge at %v", at), most, want, 0.2) // differences of slopes, further apart where decisions are large
		if points != 5 {
			t.Errorf("%d decisions were looked at, want 5", points)
		}
	}
}

// refuses fails as a set and as a population that settles.
type refuses struct{ dynamics.Func }

var errRefused = errors.New("refused")

func (refuses) Project([]float64) error { return errRefused }

func (refuses) Settle(_, _, _ []float64) (r kedge.Residual, err error) { return r, errRefused }

// Where no decision can be drawn, or nobody settles, there is no curvature, and that is told.
func TestCurvatureTellsErrors(t *testing.T) {
	f := dynamics.Func{Size: kedge.Dims{Decision: 1, State: 1, Trait: 1}, F: func(dst, p, u, d []float64) { dst[0] = d[0] }}
	rigid, err := sensitivity.NewAffine(f.Dims(), []float64{0})
	must(t, err)
	m := kedge.Model{Dynamics: f, Settler: atRest{f}, Sensitivity: rigid, Objective: ledge{}, Traits: kedge.Block{Data: []float64{0.5}, Width: 1}, Set: set.Whole{}, Start: []float64{0}}
	for name, spoil := range map[string]func(*kedge.Model){
		"nothing":    func(*kedge.Model) {},
		"a set":      func(m *kedge.Model) { m.Set = refuses{} },
		"a settling": func(m *kedge.Model) { m.Settler = refuses{f} },
	} {
		m := m
		spoil(&m)
		phi, err := steady.New(m)
		must(t, err)
		if _, _, err := bend(problem{m, Premises{Optimum: []float64{1}}}, phi); errors.Is(err, errRefused) != (name != "nothing") {
			t.Errorf("%s refuses, and the curvature says %v", name, err)
		}
	}
}
