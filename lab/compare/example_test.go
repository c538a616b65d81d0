package compare_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Two methods meet on a problem of which everything is known: the one that is blind to the answer of the crowd ends at the stable
// point, the other at the optimum.
func ExampleRun() {
	text, _ := problem.Case("linear-pricing")
	methods, err := compare.ParseMethods(kind.Standard(), "vanilla,composite")
	if err != nil {
		log.Fatal(err)
	}
	r, err := compare.Run(context.Background(), []compare.Subject{{Name: "linear-pricing", Text: text}}, methods, compare.Terms{})
	if err != nil {
		log.Fatal(err)
	}
	a := r.Problems[0]
	fmt.Printf("stable %.2f, optimal %.2f\n", a.Stable, a.Optimal)
	for _, m := range a.Rows {
		fmt.Printf("%s: %s, value %.2f, after %d deployments\n", m.Method, a.Mark(&m), m.Value.Mean, m.Deployments)
	}
	// Output:
	// stable [2.00], optimal [1.00]
	// vanilla: ✓ stable, value 0.00, after 5000 deployments
	// composite: ✓ optimal, value -0.50, after 5000 deployments
}
