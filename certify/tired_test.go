package certify

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// weary settles people, answers for them and projects decisions so many times.
type weary struct {
	kedge.RowSettler
	kedge.Sensitivity
	set  kedge.Set
	left *int
}

func (w weary) call() error {
	if *w.left--; *w.left == -1 { // once: what is not told then is never told
		return errRefused
	}
	return nil
}

func (w weary) Settle(dst, u, d []float64) (r kedge.Residual, err error) {
	if err := w.call(); err != nil {
		return r, err
	}
	return w.RowSettler.Settle(dst, u, d)
}

func (w weary) SettleRows(dst, u, d []float64) (r kedge.Residual, err error) {
	if err := w.call(); err != nil {
		return r, err
	}
	return w.RowSettler.SettleRows(dst, u, d)
}

func (w weary) PullRows(gu, p, u, d, v []float64) error {
	if err := w.call(); err != nil {
		return err
	}
	return w.Sensitivity.PullRows(gu, p, u, d, v)
}

func (w weary) Project(u []float64) error {
	if err := w.call(); err != nil {
		return err
	}
	return w.set.Project(u)
}

// Whatever a certificate needs of a population may fail at any time, and is told: of LQ2 as it is, and of LQ2 of which nothing is known but what it does.
func TestCertificatesTellErrors(t *testing.T) {
	for name, known := range map[string]bool{"closed forms": true, "samples": false} {
		p := lq2(t)
		f := p.Dynamics.(*dynamics.Affine)
		gain, err := f.Gain()
		must(t, err)
		h, err := sensitivity.NewAffine(f.Dims(), gain)
		must(t, err)
		left := 0
		w := weary{f, h, set.Ball{Radius: 3}, &left}
		p.Settler, p.Sensitivity, p.Set = w, w, struct{ kedge.Set }{w}
		if !known {
			p.Dynamics = unnamed{f, w}
		}
		p.Start, p.Optimum, p.Step, p.Batch, p.Horizon, p.Tau, p.AtState = []float64{0, 0}, []float64{0.1, 0.1}, 0.1, 2, 100, 0.05, true
		certify := func(calls int) error {
			left = calls
			_, err := Certify(t.Context(), p.Model, p.Premises)
			return err
		}
		if err := certify(1 << 40); err != nil {
			t.Fatal(name, err)
		}
		calls := 1<<40 - left
		if calls < 50 {
			t.Errorf("%s: %d calls", name, calls)
		}
		for n := 0; n < calls; n += 1 + n/16 {
			if err := certify(n); !errors.Is(err, errRefused) {
				t.Errorf("%s: after %d of %d calls: %v", name, n, calls, err)
			}
		}
	}
}

// patient is a context that ends when it has been asked so many times.
type patient struct {
	context.Context
	left int
}

func (p *patient) Err() error {
	if p.left--; p.left < 0 {
		return errRefused
	}
	return nil
}

// Whenever a certificate is called off it says so: before the halves of the crowd are matched, and while they are.
func TestCertificatesAreCalledOff(t *testing.T) {
	p := problem{polarizedModel(0.3, 0.4), Premises{Step: 5e-3, Batch: 2, Horizon: 80, Tau: 0.05}}
	p.Sensitivity, p.Start, p.Traits = &sensitivity.Polarized{Dim: 3, Lambda: 0.3, Sigma: 0.4}, []float64{1, 0, 0}, alternating(4, []float64{1, 0, 0}, []float64{0, 1, 0})
	for sampled, least := range map[bool]int{true: 3, false: 1} {
		p.Sampled = sampled
		ctx := &patient{t.Context(), 1 << 30}
		if c, err := Certify(ctx, p.Model, p.Premises); err != nil || (c.Generalization != nil) != sampled {
			t.Fatal(c, err)
		}
		asked := 1<<30 - ctx.left
		if asked < least {
			t.Errorf("sampled %t: it asks %d times", sampled, asked)
		}
		for n := range asked {
			if c, err := Certify(&patient{t.Context(), n}, p.Model, p.Premises); c != nil || !errors.Is(err, errRefused) {
				t.Errorf("sampled %t, called off after %d of %d questions: %v", sampled, n, asked, err)
			}
		}
	}
}

// What a certificate is not of is said by an error of its own, wherever that is found.
func TestErrorsOfParts(t *testing.T) {
	p := published(t, 0.3, 0.4)
	c, err := p.Premises.Derive(p.Model)
	must(t, err)
	p.States = kedge.Block{Data: p.Traits.(kedge.Block).Data[:999*20], Width: 20}
	var dim *kedge.DimError
	if _, err := c.Certify(t.Context(), p.Model, p.Premises); !errors.As(err, &dim) || dim.Got != 999*20 || dim.Want != 20000 {
		t.Errorf("a first state too few: %v", err)
	}
	p.Traits = alternating(4, []float64{1, 0}, []float64{0, math.NaN()})
	var odd *kedge.NotFiniteError
	if _, err := generalize(t.Context(), p, c); !errors.As(err, &odd) {
		t.Errorf("traits that are no numbers: %v", err)
	}
	var stuck *kedge.NotConvergedError
	for _, q := range [][]float64{nil, {2, 0, 0, 3}} { // what grows has no metric in which it contracts
		if _, _, err := weightedMetric([]float64{1.5, 0, 0, 0.5}, q, 2); !errors.As(err, &stuck) {
			t.Errorf("what grows with Q = %v: %v", q, err)
		}
	}
}
