package sensitivity

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/stream"
)

// What is learned of a small town is what was learned when this was recorded, by every method, form, lag and kind of controls.
func TestLearningIsAsRecorded(t *testing.T) {
	var lines []string
	for k := range 3 * 3 * 3 * 3 {
		c := Learning{Dims: kedge.Dims{Decision: 2, State: 2, Trait: 2}, Method: Regression(k % 3), Form: Form(k / 3 % 3), Lag: Lag(k / 9 % 3), Controls: Controls(k / 27), Memory: 20, Every: 3}
		if k%2 == 1 {
			c.Share, c.Trend, c.Pole, c.Prior, c.Noise, c.Drift = 0.1, 4, 0.7, 2, 0.05, 0.01
		}
		l, err := NewLearned(c)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%d: %v", k, err))
			continue
		}
		r := stream.New(uint64(k), "town")
		w, u := newTown(12, r), make([]float64, 2)
		said := ""
		for turn := range 40 {
			if turn%(1+k%4) == 0 {
				u[0], u[1] = r.Normal(), r.Normal()
			}
			w.answer(u)
			o := w.some(5, r)
			if k%3 == 0 {
				o.W = []float64{1, 2, 0.5, 0, 1}
			}
			if c.Form == Panel {
				o = w.all()
				o.Who = make([]uint64, 12)
				for i := range o.Who {
					o.Who[i] = uint64(i)
				}
			}
			if err := l.Observe(o); err != nil {
				said = err.Error()
				break
			}
			if turn%13 == 12 {
				g := make([]float64, 2)
				err := l.PullRows(g, w.p[:4], u, w.d[:4], []float64{1, -0.5, 0.25, 2})
				said += fmt.Sprintf(" %.9g (%.6g, %.9g, %v)", l.Gain(), l.Trust(), g, err)
			}
		}
		lines = append(lines, fmt.Sprintf("%d:%s", k, said))
	}
	evidence.AsRecorded(t, "testdata/learning.txt", lines)
}

// Products of drawn people are what they were, of all that is known in closed form, by equations and by differences.
func TestProductsAreAsRecorded(t *testing.T) {
	var lines []string
	for k := range 24 {
		r := stream.New(uint64(k), "products")
		m := 2 + r.Intn(5)
		unit := func(size float64) []float64 {
			x := make([]float64, m)
			r.Normals(x)
			sum := 0.0
			for i := range x {
				x[i] *= x[i]
				sum += x[i]
			}
			for i := range x {
				x[i] *= size / sum
			}
			return x
		}
		u := unit(0.9)
		var d, each, v []float64
		for range 3 {
			one := unit(1)
			d, each, v = append(d, one...), append(append(each, one...), 0.3, 0.2+0.1*float64(k%4)), append(v, unit(2)...)
		}
		lambda, sigma := 0.6*r.Float64(), 0.4*r.Float64()
		choice := dynamics.Choice{Dim: m, Lambda1: lambda, Lambda2: 0.3, Epsilon: 0.5}
		polarized := dynamics.Polarized{Dim: m, Lambda: lambda, Sigma: sigma}
		for _, one := range []struct {
			name string
			of   kedge.Sensitivity
			d    []float64
		}{
			{"polarized", &Polarized{Dim: m, Lambda: lambda, Sigma: sigma}, d}, {"floor", &Polarized{Dim: m, Lambda: lambda, Sigma: sigma, Floor: 0.6}, d}, {"choice", &Choice{Dim: m, Lambda1: lambda, Lambda2: 0.3, Epsilon: 0.5}, d}, {"each", &PolarizedEach{Dim: m}, each},
			{"implicit", &Implicit{Dynamics: choice}, d}, {"implicit by steps", &Implicit{Dynamics: choice, Dense: 1, Solver: fixpoint.Settings{Memory: 3}}, d}, {"implicit polarized", &Implicit{Dynamics: polarized}, d},
			{"settled", &Settled{Of: &Polarized{Dim: m, Lambda: lambda, Sigma: sigma}, Settler: choice}, d}, {"differences", &Differences{Settler: choice}, d}, {"turned", &Wrong{Of: &Choice{Dim: m, Lambda1: lambda, Lambda2: 0.3, Epsilon: 0.5}, Scale: 0.5, Degrees: 30}, d},
		} {
			g := make([]float64, m)
			err := one.of.PullRows(g, d, u, one.d, v)
			lines = append(lines, fmt.Sprintf("%s %d: %.9g %.5x %v", one.name, m, g, sha256.Sum256([]byte(fmt.Sprint(g))), err))
		}
	}
	evidence.AsRecorded(t, "testdata/products.txt", lines)
}
