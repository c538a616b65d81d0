package certify_test

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/set"
)

// People who polarize, and a party whose position has length 1 at most.
func ExampleDerive() {
	c, err := certify.Derive(kedge.Model{
		Dynamics:  dynamics.Polarized{Dim: 3, Lambda: 0.3, Sigma: 0.4},
		Objective: objective.Affinity{},
		Set:       set.Ball{Radius: 1},
		Traits:    kedge.Block{Data: []float64{1, 0, 0}, Width: 3},
	}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []certify.Key{certify.LfP, certify.LhU, certify.Lp, certify.L} {
		x := c.Get(key)
		fmt.Printf("%-6s %.3f  %-8v  %s\n", x.Symbol(), x.Value, x.Known, x.Source())
	}
	// Output:
	// L_f^p  0.709  proof     he2025, contraction
	// L_h^u  1.333  proof     he2025, contraction
	// L_p    1.000  proof     he2025, gradient bias
	// L      6.222  estimate  he2025, gradient bias
}
