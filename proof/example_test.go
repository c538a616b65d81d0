package proof_test

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// A search from 0 stops in the shallow well. The proof fails there, hands back the deep one, and succeeds.
func ExampleProve() {
	model, err := formula.Compile(formula.Source{
		Decision: "q", State: "p", Trait: "d",
		Next:     "0.5*p + 0.5*(q + d)",
		Minimize: "-exp(-p^2/2) - 1.5*exp(-(p + 31)^2/6)",
	})
	if err != nil {
		panic(err)
	}
	f, err := model.Landscape(kedge.Block{Data: []float64{0.1, -0.1}, Width: 1}, nil)
	if err != nil {
		panic(err)
	}
	bounds := set.Interval{Lower: -50, Upper: 50}
	found, loss := []float64{0}, -0.9950124791926823
	for {
		p, err := proof.Prove(context.Background(), f, bounds, found, loss, proof.Budget{})
		if err != nil {
			panic(err)
		}
		if !p.IsBetter {
			fmt.Printf("%.4f at %.4f, %v, nothing is better by 1e-9: %v\n", p.Upper, p.Decision, p.Grounds, p.Gap() < 1e-9)
			return
		}
		found, loss = p.Decision, p.Upper
	}
	// Output: -1.4975 at [-31.0000], proven by bounds, nothing is better by 1e-9: true
}
