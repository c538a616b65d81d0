package fixpoint_test

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/fixpoint"
)

// The plain iteration x ← cos x takes 80 steps to thirteen digits.
func ExampleSolver_Solve() {
	solver := fixpoint.New(1, fixpoint.Settings{})
	x := []float64{0}
	result, err := solver.Solve(func(dst, x []float64) error {
		dst[0] = math.Cos(x[0])
		return nil
	}, x)
	fmt.Printf("%.12f, %d steps, %v\n", x[0], result.Steps, err)
	// Output: 0.739085133215, 8 steps, <nil>
}

// A linear system w = v + Aᵀw, as adjoint sensitivities pose it.
func ExampleSolver_Solve_linear() {
	a := []float64{0, 2, -2, 0} // a quarter turn that doubles: plain iteration would run away
	v := []float64{1, 0}
	w := []float64{0, 0}
	_, err := fixpoint.New(2, fixpoint.Settings{}).Solve(func(dst, w []float64) error {
		dst[0] = v[0] + a[0]*w[0] + a[2]*w[1]
		dst[1] = v[1] + a[1]*w[0] + a[3]*w[1]
		return nil
	}, w)
	fmt.Printf("%.3f %v\n", w, err)
	// Output: [0.200 0.400] <nil>
}
