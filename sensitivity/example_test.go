package sensitivity_test

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/sensitivity"
)

func ExamplePolarized() {
	s := &sensitivity.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	u := []float64{0.6, 0.8}
	p := []float64{1, 0, 0, 1} // two individuals, still at their initial opinions
	v := []float64{0.6, 0.8, 0.6, 0.8}
	gu := make([]float64, 2)
	if err := s.PullRows(gu, p, u, p, v); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f\n", gu)
	// Output: [0.9760 0.7320]
}

// An individual that is indifferent to a strong decision is about to turn to either side.
func ExamplePolarized_split() {
	s := &sensitivity.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	p, u := []float64{1, 0}, []float64{0, 1.2}
	err := s.PullRows(make([]float64, 2), p, u, p, u)
	fmt.Println(err, errors.Is(err, kedge.ErrSingular))
	// Output: individual 0: the steady state is about to split, D is -0.12, want above 1e-06: the linear system is singular to working precision true
}

func ExampleChoice() {
	s := &sensitivity.Choice{Dim: 2, Lambda1: 0.2, Lambda2: 0.4, Epsilon: 1}
	gu := make([]float64, 2)
	if err := s.PullRows(gu, nil, []float64{3, 3}, nil, []float64{1, 0}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(gu) // who raises the price of the first item sells less of it
	// Output: [-0.125 0.125]
}

// Dynamics of one's own need only say how they move and settle.
func ExampleDifferences() {
	f := dynamics.Func{
		Size: kedge.Dims{Decision: 1, State: 1, Trait: 1},
		F:    func(dst, p, u, d []float64) { dst[0] = 0.5*p[0] - 0.5*u[0] + 0.5*d[0] },
	}
	s := &sensitivity.Differences{Settler: dynamics.Settled(f)}
	gu := make([]float64, 1)
	if err := s.PullRows(gu, nil, []float64{0.3}, []float64{2}, []float64{1}); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.6f\n", gu) // demand falls one for one with the price
	// Output: [-1.000000]
}

// The exact ∇ᵤh, whatever state the individual is in.
func ExampleSettled() {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	exact := &sensitivity.Settled{Of: &sensitivity.Implicit{Dynamics: f}, Settler: f}
	u, d := []float64{0.6, 0.8}, []float64{1, 0}
	gu := make([]float64, 2)
	if err := exact.PullRows(gu, []float64{0, 1}, u, d, []float64{0, 1}); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f\n", gu)
	// Output: [0.0989 0.5825]
}
