package lab_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
)

// repeats is how often coverage is measured: 500 times with KEDGE_TORTURE, where its standard error is 1 %, else just often enough to see
// intervals that are far too short.
func repeats() int {
	if os.Getenv("KEDGE_TORTURE") != "" {
		return 500
	}
	return 8
}

// covers wants a share of repeats that is the confidence of intervals within 2 %; where they are few, half of them.
func covers(t *testing.T, what string, held int) {
	t.Helper()
	share := float64(held) / float64(repeats())
	t.Logf("%s: the interval holds in %.1f %% of %d cases", what, 100*share, repeats())
	if repeats() < 500 && share < 0.5 || repeats() == 500 && math.Abs(share-folder.Confidence) > 0.02 {
		t.Errorf("%s: the interval holds in %.1f %% of the cases, want 95 %% ± 2 %%", what, 100*share)
	}
}

// shop has a closed form: settled demand is d − Bu, so the mean reward (d̄ − Bu)·(u − c) is best where (B + Bᵀ)u = d̄ + Bᵀc.
const shop = `
iterations: 1
model:
  decision: u[2]
  state: p[2]
  trait: d[2]
  let: {B: [[2, 0.5], [0, 1]], c: [1, 2]}
  next: 0.5*p + 0.5*(d - B @ u)
  maximize: dot(p, u - c)
population: {size: 60, law: normal, mean: [10, 8], deviation: [2, 3]}
algorithms: [{name: composite, kind: composite, step: 0.01, batch: 10}]
record: {paths: 0}
optimum: {starts: 1}
`

// ticket has none: people buy with chance 1/(1 + exp(u − w)), w normal.
const ticket = `
iterations: 1
model: {decision: u, state: p, trait: w, next: 0.5*p + 0.5*sigmoid(w - u), maximize: u*p, subject to: 0 <= u <= 10}
population: {size: 80, law: normal, mean: [3], deviation: 1.5}
algorithms: [{name: composite, kind: composite, step: 0.01, batch: 10}]
record: {paths: 0}
optimum: {starts: 2}
`

// An interval that a run prints holds the optimum of the law that its people are drawn from in 95 % of the runs, and the value's interval
// the optimal value.
func TestIntervalsHoldTheOptimumOfAll(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand small runs on one goroutine")
	}
	price, reward := bestTicket()
	for _, c := range []struct {
		name, spec string
		decision   []float64
		value      float64
	}{
		// (B + Bᵀ)u = (4, 0.5; 0.5, 2)u = (10, 8) + Bᵀ(1, 2) = (12, 10.5), and what that earns: (d̄ − Bu)·(u − c).
		{"shop", shop, []float64{18.75 / 7.75, 36.0 / 7.75}, shopValue(18.75/7.75, 36.0/7.75)},
		{"ticket", ticket, []float64{price}, reward},
	} {
		t.Run(c.name, func(t *testing.T) {
			held, heldValue := make([]int, len(c.decision)), 0
			for seed := range repeats() {
				p := parsed(t, c.spec, fmt.Sprintf("seed=%d", seed+1))
				best, s := sampled(t, p)
				if seed == 0 { // a run prints the same
					printed := execute(t, p, lab.Options{Workers: 1}).Optimum.Sampling
					half := folder.StudentHalf(s.Decision[0], s.People, folder.Confidence)
					if got := (printed.High[0] - printed.Low[0]) / 2; math.Abs(got-half) > 1e-6*half {
						t.Errorf("a run prints ± %g, want %g", got, half)
					}
				}
				holds := func(found, deviation, want float64) bool {
					return math.Abs(found-want) <= folder.StudentHalf(deviation, s.People, folder.Confidence)
				}
				for i, want := range c.decision {
					if holds(best.Decision[i], s.Decision[i], want) {
						held[i]++
					}
				}
				if holds(-best.Loss, s.Loss, c.value) {
					heldValue++
				}
			}
			for i, n := range held {
				covers(t, fmt.Sprintf("entry %d", i), n)
			}
			covers(t, "value", heldValue)
		})
	}
}

// sampled finds the optimum of a problem and its sampling errors, without a proof, which takes most of the time of a run.
func sampled(t *testing.T, p *problem.Problem) (*optimum.Search, *optimum.SamplingErrors) {
	t.Helper()
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	best, err := optimum.Find(t.Context(), f, p.Set, [][]float64{p.Start}, p.Effort())
	if err != nil {
		t.Fatal(err)
	}
	s, err := optimum.SamplingOf(t.Context(), p.Model, p.Set, best.Decision)
	if err != nil {
		t.Fatal(err)
	}
	return best, s
}

func shopValue(u, v float64) float64 {
	return (10-2*u-0.5*v)*(u-1) + (8-v)*(v-2)
}

// bestTicket is the best price and what it earns, by Simpson's rule over twelve deviations and a search that halves.
func bestTicket() (price, reward float64) {
	earned := func(u float64) float64 {
		const n = 4000
		sum, mass := 0.0, 0.0
		for i := range n + 1 {
			weight := []float64{2, 4}[i%2]
			if i == 0 || i == n {
				weight = 1
			}
			z := -6 + 12*float64(i)/n
			density := weight * portable.Exp(-z*z/2)
			sum += density * u / (1 + portable.Exp(u-3-1.5*z))
			mass += density
		}
		return sum / mass
	}
	low, high := 0.0, 10.0
	for high-low > 1e-7 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if earned(a) < earned(b) {
			low = a
		} else {
			high = b
		}
	}
	return low, earned(low)
}

// The interval of a method's decision over trials holds the expected decision: gradients are affine in decision and sample here, so that it
// is where the rule ends that sees everybody.
func TestIntervalsOfTrialsHoldTheExpectedDecision(t *testing.T) {
	small := []string{"iterations=30", "population.size=40", "record.every=30"}
	exact := execute(t, parsed(t, shop, append(small, "algorithms.composite.batch=40", "population.sampling=without-replacement")...), lab.Options{})
	const trials = 6
	r := execute(t, parsed(t, shop, append(small, fmt.Sprintf("trials=%d", trials*repeats()))...), lab.Options{})
	held := [2]int{}
	for k := range repeats() {
		run := r.Runs[0]
		run.Trials = run.Trials[trials*k : trials*(k+1)]
		for i, e := range r.Decisions(&run) {
			if want := exact.Runs[0].Trials[0].Decision[i]; *e.Low <= want && want <= *e.High {
				held[i]++
			}
		}
	}
	for i, n := range held {
		covers(t, fmt.Sprintf("entry %d", i), n)
	}
}

func parsed(t *testing.T, spec string, set ...string) *problem.Problem {
	t.Helper()
	var over []problem.Overlay
	for _, s := range set {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(nil, "x.yaml", []byte(spec), over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("x", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
