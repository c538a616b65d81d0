package online_test

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// A price u for which demand settles at 2 − u, half of the way a turn, and the loss u² − up. Retraining finds the stable price 2/3.
// Two-point feedback sees losses alone; holding every price for twelve turns it finds the optimal one, ½.
func Example() {
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 1}
	f, _ := dynamics.NewAffine(dim, []float64{0.5}, []float64{-0.5}, []float64{0.5})
	loss, _ := objective.NewQuadratic(dim, []float64{2}, []float64{-1}, nil, nil, nil)
	prices := set.Box{Lower: []float64{0}, Upper: []float64{2}}
	feedback, _ := online.NewTwoPoint(1, 0.1, stream.New(1, "directions"))
	for _, rule := range []online.Rule{
		{Gradient: online.NewRetrain(loss, dim, prices), Step: online.Constant(1), Set: prices},
		{Gradient: feedback, Step: online.Constant(0.1), Set: prices, Wait: online.Hold(12)},
	} {
		buyers, _ := population.New(f, nil, []float64{1, 3}, population.Everyone{})
		seller, _ := rule.From([]float64{1})
		o := kedge.Observation{U: make([]float64, 1), P: make([]float64, 2), D: make([]float64, 2)}
		for range 2000 {
			seller.Ask(o.U)
			_ = buyers.Respond(context.Background(), o.U)
			_, _ = buyers.Sample(o.P, o.D)
			o.Loss = loss.EvalRows(nil, nil, o.P, o.U, o.D) / 2
			_ = seller.Tell(o)
		}
		seller.Center(o.U)
		fmt.Printf("%.3f\n", o.U[0])
	}
	// Output:
	// 0.667
	// 0.500
}
