package transport_test

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/transport"
)

// Two crowds in the plane of whom the second stands one to the right of the first.
func crowds() (x, y []float64) {
	return []float64{0, 0, 0, 1, 0, 2, 0, 3}, []float64{1, 0, 1, 1, 1, 2, 1, 3}
}

// Everybody goes one to the right, and the potentials prove that nothing is cheaper.
func ExampleAssignment() {
	x, y := crowds()
	c, err := transport.Euclidean(x, y, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := transport.Assignment(context.Background(), c)
	fmt.Println(plan.Value, plan.Gap, err)
	// Output: 1 0 <nil>
}
