package loop_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// A party looks for the position that a thousand people like best once they have answered it.
func Example() {
	const lambda, sigma, dim = 0.4, 0.5, 20
	people, err := population.Draw(population.Cap{Angle: 90}, 1000, dim, stream.New(1, "people"))
	check(err)
	f := dynamics.Polarized{Dim: dim, Lambda: lambda, Sigma: sigma}
	crowd, err := population.New(f, nil, people, population.WithReplacement{Source: stream.New(1, "samples")})
	check(err)

	h := &sensitivity.Polarized{Dim: dim, Lambda: lambda, Sigma: sigma}
	party, err := online.Rule{
		Gradient: &online.Composite{Objective: objective.Affinity{}, Sensitivity: h, Dims: f.Dims()},
		Step:     online.Constant(0.01),
		Set:      set.Ball{Radius: 1},
	}.From(people[:dim])
	check(err)

	l := loop.Loop{Population: crowd, Algorithm: party, Objective: objective.Affinity{}, Turns: 1000, Batch: 50}
	check(l.Run(context.Background()))

	u := make([]float64, dim)
	party.Center(u)
	settled, err := steady.New(kedge.Model{Settler: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: dim}})
	check(err)
	loss, err := settled.Value(u)
	check(err)
	fmt.Printf("mean affinity of the settled crowd: %.2f\n", -loss)
	// Output: mean affinity of the settled crowd: 0.48
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
