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

// Where an exact plan would take too long, two bounds enclose its cost.
func ExampleEntropic() {
	x, y := crowds()
	c, err := transport.Euclidean(x, y, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := transport.Entropic(context.Background(), nil, nil, c, transport.Regularization{Strength: 0.01})
	fmt.Printf("between %.3f and %.3f, %v\n", b.Lower, b.Upper, err)
	// Output: between 1.000 and 1.000, <nil>
}

// Along any direction the crowds are as far apart as the direction goes to the right, 2/π on average.
func ExampleSliced() {
	x, y := crowds()
	s, err := transport.Sliced(x, nil, y, nil, 2, 4000, 1)
	fmt.Printf("%.2f on average, %.2f at most, %v\n", s.Mean, s.Max, err)
	// Output: 0.64 on average, 1.00 at most, <nil>
}
