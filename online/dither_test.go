package online_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// still estimates nothing.
type still struct{}

func (still) Estimate([]float64, kedge.Observation) error { return nil }

// Perturbations are as long as their definition says, Size·2^(−turn/HalfLife), for Hold turns in one direction and for as many in the opposite one, then in
// another; what is deployed stays in the set.
func TestDithersAreAsLongAsTheySay(t *testing.T) {
	d, err := online.NewDither(still{}, 3, online.Dithering{Size: 0.25, HalfLife: 4, Hold: 2}, set.Whole{}, stream.New(7))
	if err != nil {
		t.Fatal(err)
	}
	var way []float64
	for turn := range 12 {
		u := []float64{1, 2, 3}
		d.Perturb(u)
		rows.AddScaled(u, -1, []float64{1, 2, 3})
		want := 0.25 * math.Pow(2, -float64(turn)/4)
		if got := rows.Norm(u); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("turn %d: a perturbation of %v, want %v", turn, got, want)
		}
		rows.Scale(u, 1/want)
		sign := []float64{1, 1, -1, -1}[turn%4]
		if turn%4 == 0 {
			if way != nil && !(math.Abs(rows.Dot(way, u)) <= 0.9999) {
				t.Errorf("turn %d goes the way of those before, %v", turn, u)
			}
			way = u
		}
		if got := rows.Dot(way, u); !(math.Abs(got-sign) <= 1e-13) {
			t.Errorf("turn %d goes %v of the way, want %v", turn, got, sign)
		}
		d.Commit(kedge.Observation{})
	}
	tight, err := online.NewDither(still{}, 3, online.Dithering{Size: 5}, set.Interval{Lower: 0, Upper: 1}, stream.New(7))
	if err != nil {
		t.Fatal(err)
	}
	u := []float64{0.5, 0.5, 0.5}
	if tight.Perturb(u); rows.MaxAbs(u) > 1 || min(u[0], u[1], u[2]) < 0 || rows.Distance(u, []float64{0.5, 0.5, 0.5}) == 0 {
		t.Errorf("deployed is %v, want another decision of the set", u)
	}
}

// barred is a set that nothing can be projected onto.
type barred struct{ set.Whole }

func (barred) Project([]float64) error { return errBarred }

var errBarred = errors.New("barred")

// A first decision that cannot be projected, or deployed, is refused with the reason.
func TestFirstDecisionsThatCannotBe(t *testing.T) {
	for _, r := range []online.Rule{
		{Gradient: still{}, Step: online.Constant(1), Set: barred{}},
		{Gradient: still{}, Step: online.Constant(1), Set: set.Whole{}, Deploy: barred{}},
	} {
		if _, err := r.From([]float64{1}); !errors.Is(err, errBarred) {
			t.Errorf("%+v: %v, want %v", r, err, errBarred)
		}
	}
}
