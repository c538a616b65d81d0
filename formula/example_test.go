package formula_test

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
)

// Demand that follows a price slowly: half of yesterday's, the rest what the buyer would want at this price.
func ExampleCompile() {
	m, err := formula.Compile(formula.Source{
		Decision: "price", State: "demand", Trait: "wealth",
		Let:      []formula.Binding{{Name: "habit", Expr: "0.5"}, {Name: "cost", Expr: "0.2"}},
		Next:     "habit*demand + (1 - habit)*exp(-price/wealth)",
		Maximize: "(price - cost)*demand",
		Subject:  []string{"0 <= price <= 5"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	price, wealth := []float64{1}, []float64{2}
	demand := make([]float64, 1)
	m.Dynamics().Next(demand, []float64{1}, price, wealth)
	fmt.Printf("tomorrow %.4f\n", demand)

	// Affine in the state: the steady state is exact.
	_, err = m.Dynamics().(kedge.Settler).Settle(demand, price, wealth)
	fmt.Printf("settled  %.4f %v\n", demand, err)

	slope := make([]float64, 1)
	loss := m.Objective().Eval(nil, slope, demand, price, wealth)
	err = m.Sensitivity().PullRows(slope, demand, price, wealth, []float64{-(price[0] - 0.2)})
	fmt.Printf("loss %.4f, its slope in the price %.4f %v\n", loss, slope, err)
	fmt.Println(m.Constraints())
	// Output:
	// tomorrow [0.8033]
	// settled  [0.6065] <nil>
	// loss -0.4852, its slope in the price [-0.3639] <nil>
	// [{[0] [5]}]
}

// Every mistake has its field, line and column.
func ExampleError() {
	_, err := formula.Compile(formula.Source{
		Decision: "q[19]", State: "p[20]",
		Next:     "normalize(p + sigma*dot(p, q)*p)",
		Minimize: "p",
		Subject:  []string{"norm(q) >= 1"},
	})
	fmt.Println(err)
	// Output:
	// model.next:1:15: unknown name sigma; known are p, q
	// model.next:1:21: dot(p, q): p has 20 entries, q has 19
	// model.minimize:1:1: the objective has 20 entries, want a scalar; sum(…), mean(…), dot(…) and norm(…) make one
	// model.subject to:1:1: norm(q) >= 1: not convex; decisions between two feasible ones might not be feasible
}

// Numbers may come from anywhere, such as a file.
func ExampleValue() {
	m, err := formula.Compile(formula.Source{
		Decision: "u[2]", State: "p[2]", Trait: "d[2]",
		Let:  []formula.Binding{{Name: "W", Data: &formula.Value{Shape: []int{2, 2}, Data: []float64{0, 1, 0.5, 0.5}}}},
		Next: "0.8*(W @ p) + 0.1*d + 0.1*u",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	h := make([]float64, 2)
	r, err := m.Dynamics().(kedge.Settler).Settle(h, []float64{1, 0}, []float64{1, -1})
	fmt.Printf("%.4f, residual below 1e-14: %v, %v\n", h, r.Norm < 1e-14, err)
	// Output: [0.1429 -0.0714], residual below 1e-14: true, <nil>
}
