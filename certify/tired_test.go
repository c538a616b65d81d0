package certify

import (
	"context"
	"errors"
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
			_, err := Certify(context.Background(), p.Model, p.Premises)
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
