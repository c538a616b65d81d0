package objective_test

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
)

func ExampleAffinity() {
	u := []float64{1, 2}
	p := []float64{0.6, 0.8, 1, 0} // two individuals
	gu := make([]float64, 2)
	loss := objective.Affinity{}.EvalRows(nil, gu, p, u, nil)
	fmt.Println(loss, gu)
	// Output: -3.2 [-1.6 -0.8]
}

func ExampleRevenue() {
	p, u := []float64{0.5, 0.5}, []float64{3, 1}
	for _, sign := range []objective.EntropySign{objective.AsPrinted, objective.Diverse} {
		fmt.Printf("%.4f\n", objective.Revenue{Entropy: 1, Sign: sign}.Eval(nil, nil, p, u, nil))
	}
	// Output:
	// -1.3069
	// -2.6931
}

func ExampleNewQuadratic() {
	// A price u for a demand p: Φ = −up + ½u².
	q, err := objective.NewQuadratic(kedge.Dims{Decision: 1, State: 1}, []float64{1}, []float64{-1}, nil, nil, nil)
	if err != nil {
		panic(err)
	}
	gp, gu := []float64{0}, []float64{0}
	fmt.Println(q.Eval(gp, gu, []float64{3}, []float64{2}, nil), gp, gu)
	// Output: -4 [-2] [-1]
}

func ExampleLogistic() {
	// Two features, an intercept, and the label as the whole trait.
	l := objective.Logistic{Features: 2, Trait: 1, Ridge: 0.1}
	fmt.Printf("%.4f\n", l.Eval(nil, nil, []float64{1, -1}, []float64{2, 1, 0.5}, []float64{1}))
	fmt.Println(l.Check(kedge.Dims{Decision: 4, State: 2, Trait: 1}))
	// Output:
	// 0.4514
	// Features is 2, want the length of the decision, or one less
}

func ExampleSum() {
	// Affinity for half the weight, and a penalty of one's own that judges one individual at a time.
	dim := kedge.Dims{Decision: 2, State: 2}
	loss := objective.Sum{
		&objective.Weighted{Weight: 0.5, Of: objective.Affinity{}},
		kedge.BatchedObjective(effort{}, dim),
	}
	fmt.Println(loss.EvalRows(nil, nil, []float64{0.5, 0.5, 1, 0}, []float64{1, 1}, nil))
	// Output: 1
}

// effort is ½‖u‖².
type effort struct{}

func (effort) Eval(_, gu, _, u, _ []float64) float64 {
	sum := 0.0
	for i, v := range u {
		sum += v * v / 2
		if gu != nil {
			gu[i] += v
		}
	}
	return sum
}
