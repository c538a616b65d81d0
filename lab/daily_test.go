package lab_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
)

// best is where f is largest between low and high: a grid, then golden sections of the two cells around its best point.
func best(f func(x float64) float64, low, high float64) float64 {
	const cells = 60
	width := (high - low) / cells
	at := 0
	for i := range cells + 1 {
		if f(low+float64(float64(i)*width)) > f(low+float64(float64(at)*width)) {
			at = i
		}
	}
	a, b := max(low, low+float64(float64(at-1)*width)), min(high, low+float64(float64(at+1)*width))
	ratio := (math.Sqrt(5) - 1) / 2
	for range 60 {
		if x, y := b-ratio*(b-a), a+ratio*(b-a); f(x) > f(y) {
			b = y
		} else {
			a = x
		}
	}
	return (a + b) / 2
}

// daily runs an example with few turns, and returns it with the traits of its people.
func daily(t *testing.T, name string) (r *folder.Result, traits []float64, people int) {
	t.Helper()
	if testing.Short() {
		t.Skip("brute force is long and on one goroutine")
	}
	file := "../examples/" + name + "/" + name + ".yaml"
	p := construct(t, file, example(t, file), overlays(nil, []string{"iterations=100", "trials=1", "record.every=100"})[1:]...)
	r, err := lab.Execute(context.Background(), p, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, traits = p.First(p.Some(p.Individuals()))
	return r, traits, p.Individuals()
}

// near compares a decision with what it should be.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// Settled riders take need·exp(−touchy·price) rides, so that each price has a problem of its own; who takes the rides for given earns
// the more the dearer they are, up to what is allowed.
func TestSurgePrices(t *testing.T) {
	r, traits, people := daily(t, "surge")
	var want []float64
	for window, drivers := range []float64{2, 3} {
		want = append(want, best(func(price float64) (sum float64) {
			for i := range people {
				touchy := 0.15
				if 10*i >= 6*people {
					touchy = 0.4
				}
				need := traits[i*len(traits)/people+window]
				sum += need * math.Exp(-touchy*price) * (price - drivers)
			}
			return sum
		}, 0, 12))
	}
	near(t, "optimum", r.Optimum.Decision, want, 1e-6)
	near(t, "stable point", r.Stable.Decision, []float64{12, 12}, 1e-9)
}

// Readers are followed week by week until their list has settled, for every frequency that is tried.
func TestNewsletterFrequency(t *testing.T) {
	r, traits, people := daily(t, "newsletter")
	settle := func(touchy, mails float64) (here, tired float64) {
		here = 1
		quit := 0.02 * math.Exp(touchy*mails)
		for range 1500 {
			here, tired = here-here*quit+0.02, 0.9*tired+0.1*mails
		}
		return here, tired
	}
	want := best(func(mails float64) (sum float64) {
		for i := range people {
			here, tired := settle(traits[i], mails)
			sum += here*math.Log(1+mails)*(1-0.1*tired) - 0.05*mails
		}
		return sum
	}, 0, 7)
	near(t, "optimum", r.Optimum.Decision, []float64{want}, 1e-6)

	// Retraining rests where another mail is not worth writing for those who are there.
	low, high := 0.0, 7.0
	for range 50 {
		mails, slope := (low+high)/2, 0.0
		for i := range people {
			here, tired := settle(traits[i], mails)
			slope += here/(1+mails)*(1-0.1*tired) - 0.05
		}
		if slope > 0 {
			low = mails
		} else {
			high = mails
		}
	}
	near(t, "stable point", r.Stable.Decision, []float64{low}, 1e-6)
}
