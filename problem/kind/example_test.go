package kind_test

import (
	"fmt"

	"github.com/kedge-opt/kedge/problem/kind"
)

func ExampleCatalogue_MethodOf() {
	m := kind.Standard().MethodOf("two-point").Facts()
	fmt.Println(m.Title, "needs", m.Needs, "and", m.Settles())
	// Output:
	// Two-point feedback needs values and settles at the myopic point, or at the optimum if decisions are held until the crowd has settled
}
