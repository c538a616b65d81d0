package risk_test

import (
	"fmt"

	"github.com/kedge-opt/kedge/risk"
)

// Of ten losses the worst fifth are 9 and 10; four exceed 6.
func Example() {
	losses := []float64{4, 9, 1, 7, 3, 10, 2, 8, 5, 6}
	weights := make([]float64, len(losses))
	fmt.Printf("mean %.1f\n", risk.Mean{}.Weigh(weights, losses))
	fmt.Printf("of the worst fifth %.1f\n", risk.CVaR{Level: 0.8}.Weigh(weights, losses))
	fmt.Printf("share above 6.5 %.1f\n", risk.Chance{Limit: 6.5, Width: 0.01}.Weigh(weights, losses))
	// Output:
	// mean 5.5
	// of the worst fifth 9.5
	// share above 6.5 0.4
}
