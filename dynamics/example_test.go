package dynamics_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// An individual whose opinion leans towards the ideology settles closer to it.
func ExamplePolarized() {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	u := []float64{1, 0}     // the ideology
	d := []float64{0.6, 0.8} // the initial opinion
	next, settled := make([]float64, 2), make([]float64, 2)
	f.Next(next, d, u, d)
	r, err := f.Settle(settled, u, d)
	fmt.Printf("after a step %.4f, in the end %.4f, exact to 1e-15: %v, %v\n", next, settled, r.Norm < 1e-15, err)
	fmt.Println("one attractor for all ideologies of length 1:", f.Contracts(1))
	// Output:
	// after a step [0.7474 0.6644], in the end [0.8537 0.5208], exact to 1e-15: true, <nil>
	// one attractor for all ideologies of length 1: true
}

// Someone indifferent to a loud ideology sits on the ridge between loving and hating it.
func Example_unstable() {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.9}
	_, err := f.Settle(make([]float64, 2), []float64{1, 0}, []float64{0, 1})
	if e, ok := errors.AsType[*kedge.UnstableError](err); ok {
		fmt.Printf("a deviation grows by %.1f a step\n", e.Rate)
	}
	// Output: a deviation grows by 1.3 a step
}

// A user drifts towards the cheaper of two items and keeps some of the habit of taking the first.
func ExampleChoice() {
	f := dynamics.Choice{Dim: 2, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 1}
	settled := make([]float64, 2)
	_, err := f.Settle(settled, []float64{2, 1}, []float64{1, 0})
	fmt.Printf("%.3f %v\n", settled, err)
	// Output: [0.543 0.457] <nil>
}

// Demand that answers a price with a lag: p⁺ = ½p − ½u + ½d settles at d − u.
func ExampleNewAffine() {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{-0.5}, []float64{0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	demand := make([]float64, 1)
	if _, err := f.Settle(demand, []float64{0.5}, []float64{2}); err != nil {
		fmt.Println(err)
		return
	}
	gain, _ := f.Gain()
	fmt.Println(demand, gain)
	// Output: [1.5] [-1]
}

// Two people who listen to each other half of the time.
func ExampleNewFriedkinJohnsen() {
	f, err := dynamics.NewFriedkinJohnsen(
		[]float64{0, 1, 1, 0}, // each listens to the other
		[]float64{0.5, 0.5},   // half of the time
		[]float64{0.25, 0.25}, // a quarter goes to the decision, the rest to the initial opinion
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	opinions := make([]float64, 2)
	_, err = f.Settle(opinions, []float64{0, 0}, []float64{1, -1})
	fmt.Printf("%.4f %v\n", opinions, err)
	// Output: [0.1667 -0.1667] <nil>
}

// Dynamics of one's own need a function and their dimensions; the steady state is found by iteration.
func ExampleSettled() {
	saturating := dynamics.Func{
		Size: kedge.Dims{Decision: 1, State: 1, Trait: 1},
		F:    func(dst, p, u, d []float64) { dst[0] = math.Tanh(0.5*p[0] + u[0] + d[0]) },
	}
	h := make([]float64, 1)
	r, err := dynamics.Settled(saturating).Settle(h, []float64{0.3}, []float64{0.1})
	fmt.Printf("%.6f, residual below 1e-13: %v, %v\n", h[0], r.Norm < 1e-13, err)
	// Output: 0.606393, residual below 1e-13: true, <nil>
}
