package dynamics_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// nearing goes from p to d by the part 1 − rate of the way, and counts its steps.
type nearing struct {
	rate  float64
	steps *int
}

func (nearing) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }

func (f nearing) Next(dst, p, _, d []float64) {
	*f.steps++
	dst[0] = d[0] + float64(f.rate*(p[0]-d[0]))
}

func (f nearing) NextRows(dst, p, u, d []float64) {
	for i := range p {
		f.Next(dst[i:i+1], p[i:i+1], u, d[i:i+1])
	}
}

// steep is nearing with its slopes.
type steep struct{ nearing }

func (f steep) Pullback(gp, _, _, _, _, v []float64) { gp[0] += f.rate * v[0] }

// By hand: from 0 to 1 step k is (1 − r)rᵏ⁻¹ long, and walking ends with the first below 10⁻¹³. Who would walk for more than twice five hundred steps by the pace of the first 128
// leaps then, ln((1 − r)r¹²⁷/10⁻¹³) > 1000·ln(1/r), the others after five hundred.
func TestWhenWalkersLeap(t *testing.T) {
	for _, x := range []struct {
		rate           float64
		steps, walking int
	}{
		{0.5, 44, 44}, {0.9, 264, 264}, {0.94, 440, 440}, {0.96, 500, 500}, {0.97, 500, 500}, {0.98, 127, 128}, {0.99, 127, 128}, {0.999, 127, 128},
	} {
		steps := 0
		h := []float64{0}
		r, err := dynamics.NewWalked(steep{nearing{x.rate, &steps}}).SettleFrom(h, []float64{0}, []float64{1})
		if err != nil || !(r.Norm <= 1e-13) || !(math.Abs(h[0]-1) <= 2e-13/(1-x.rate)) {
			t.Errorf("rate %v: %v, %+v, %v", x.rate, h, r, err)
		}
		leaps := x.walking >= 500 || x.walking == 128
		if leaps && (r.Steps < x.steps+1 || r.Steps > x.steps+4) || !leaps && r.Steps != x.steps {
			t.Errorf("rate %v: %d steps, want %d", x.rate, r.Steps, x.steps)
		}
		if most := x.walking + 5; !leaps && steps != x.walking || leaps && (steps <= x.walking || steps > most+1000) {
			t.Errorf("rate %v: f was asked %d times, want %d", x.rate, steps, x.walking)
		}
	}
}

// A point attracts where deviations from it shrink, by 10⁻⁶ a step at least: the rate is the slope, by hand. Who does not come nearer is elsewhere.
func TestRatesOfIterated(t *testing.T) {
	for rate, want := range map[float64]bool{-0.5: true, 0.5: true, 0.99: true, 0.99999: true, 1 - 2e-7: false, -1: false, 1.5: false, -1.5: false} {
		steps := 0
		s := &dynamics.Iterated{Of: nearing{rate, &steps}}
		h := []float64{0.25}
		r, err := s.SettleFrom(h, []float64{0}, []float64{1})
		var unstable *kedge.UnstableError
		switch isUnstable := errors.As(err, &unstable); {
		case want && (err != nil || !(r.Norm <= 1e-12) || !(math.Abs(h[0]-1) <= 1e-6)):
			t.Errorf("slope %v: %v, %+v, %v", rate, h, r, err)
		case !want && err == nil, isUnstable && !(math.Abs(unstable.Rate-math.Abs(rate)) <= 1e-6*math.Abs(rate)):
			t.Errorf("slope %v: %v, %+v, %v", rate, h, r, err)
		case want && rate <= 0.99 && steps > 2500, steps > 20_000:
			t.Errorf("slope %v: f was asked %d times", rate, steps)
		}
	}
}
