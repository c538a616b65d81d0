package set_test

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// The recommender of the second case study sets 100 prices between 0 and 5 that add up to 250. Its random start adds up to
// 250 but has three prices above the cap.
func ExampleCappedSimplex() {
	q := make([]float64, 100)
	draws := stream.NewNumPy(10)
	for i := range q {
		q[i] = draws.Float64()
	}
	rows.Scale(q, 250/rows.Sum(q))
	above := func(x float64) bool { return x > 5 }
	fmt.Printf("start: largest %.4f, sum %v\n", slices.Max(q), rows.Sum(q))

	prices := set.CappedSimplex{Sum: 250, Upper: 5}
	if err := prices.Project(q); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("price: largest %.4f, sum %v, above the cap: %v\n", slices.Max(q), rows.Sum(q), slices.ContainsFunc(q, above))
	// Output:
	// start: largest 5.0872, sum 250
	// price: largest 5.0000, sum 250, above the cap: false
}

func ExampleSimplex() {
	u := []float64{0.5, 1.5, -2}
	if err := (set.Simplex{Sum: 1}).Project(u); err != nil {
		fmt.Println(err)
	}
	fmt.Println(u)
	// Output: [0 1 0]
}

func ExampleBall() {
	u := []float64{3, 4}
	if err := (set.Ball{Radius: 1}).Project(u); err != nil {
		fmt.Println(err)
	}
	fmt.Println(u)
	// Output: [0.6 0.8]
}

// Decisions with u₁ + u₂ + u₃ = 3 and u₁ = u₃. The third equation is their sum and does no harm.
func ExampleNewAffine() {
	a := []float64{
		1, 1, 1,
		1, 0, -1,
		2, 1, 0,
	}
	plane, err := set.NewAffine(a, []float64{3, 0, 3})
	if err != nil {
		fmt.Println(err)
	}
	u := []float64{6, 0, 0}
	if err := plane.Project(u); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.3f\n", u)

	_, err = set.NewAffine(a, []float64{3, 0, 4})
	fmt.Println(err)
	// Output:
	// [2.000 -1.000 2.000]
	// equation 2 contradicts the others: the set is empty
}

// Shares of a budget for the first three entries, a price between 0 and 5 for the last.
func ExampleProduct() {
	decision := set.Product{Parts: []set.Part{
		{Size: 3, Set: set.Simplex{Sum: 1}},
		{Size: 1, Set: set.Interval{Lower: 0, Upper: 5}},
	}}
	u := []float64{1, 1, 0, 9}
	if err := decision.Project(u); err != nil {
		fmt.Println(err)
	}
	fmt.Println(u)
	fmt.Println(decision.Check(5))
	// Output:
	// [0.5 0.5 0 5]
	// Parts together has 4 entries, want 5
}

// The shares of a budget of 1, the first two not above one half together.
func ExampleIntersection() {
	shares := set.Intersection{Of: []kedge.Set{
		set.HalfSpace{Normal: []float64{1, 1, 0, 0}, Bound: 0.5},
		set.Simplex{Sum: 1},
	}}
	u := []float64{0.6, 0.4, 0, -1}
	if err := shares.Project(u); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f\n", u)
	// Output: [0.3500 0.1500 0.5000 0.0000]
}

// How far a decision is from being feasible.
func ExampleDistance() {
	far, err := set.Distance(set.Ball{Radius: 1}, []float64{3, 4})
	fmt.Println(far, err)
	// Output: 4 <nil>
}
