package population_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// A crowd of two answers a decision and is sampled.
func ExampleCrowd() {
	traits := []float64{1, 0, 0, 1}
	crowd, err := population.New(lag{kedge.Dims{Decision: 2, State: 2, Trait: 2}}, nil, traits, population.Everyone{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, d := make([]float64, 4), make([]float64, 4)
	if err := crowd.Respond(context.Background(), []float64{10, 20}); err != nil {
		fmt.Println(err)
	}
	n, err := crowd.Sample(p, d)
	fmt.Println(n, p, d, err)
	// Output: 2 [11.5 20 10 21.5] [1 0 0 1] <nil>
}

// Of ten people one leaves at every step, and everybody's trait drifts.
func ExampleMotion() {
	law := population.Normal{Deviation: []float64{0}}
	people, err := population.Draw(law, 10, 1, stream.New(1, "people"))
	if err != nil {
		fmt.Println(err)
		return
	}
	traits, err := population.NewMoving(population.Motion{
		Drift:    population.Drift{Rate: []float64{0.5}},
		Churn:    population.Churn{Share: 0.1, Law: law},
		Leavers:  stream.New(1, "leavers"),
		Arrivals: stream.New(1, "people"),
	}, kedge.Block{Data: people, Width: 1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 4 {
		who, err := traits.Advance()
		fmt.Println(who, traits.View(nil, 0, 10), err)
	}
	// Output:
	// [9] [0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0] <nil>
	// [6] [1 1 1 1 1 1 0 1 1 0.5] <nil>
	// [0] [0 1.5 1.5 1.5 1.5 1.5 0.5 1.5 1.5 1] <nil>
	// [0] [0 2 2 2 2 2 1 2 2 1.5] <nil>
}

// The initial states of the polarized case study: a random hemisphere in 20 dimensions.
func ExampleDraw() {
	states, err := population.Draw(population.Cap{Angle: 90}, 1000, 20, stream.New(7, "states"))
	fmt.Println(len(states), err)
	// Output: 20000 <nil>
}

func ExampleReadCSV() {
	table, err := population.ReadCSV(strings.NewReader("left,right\n0.2,0.8\n0.5,oops\n"))
	fmt.Println(table.Rows(), err)
	// Output: 0 table, line 3, column 2: "oops" is not a finite number
}

func ExampleWithReplacement() {
	batch := make([]int, 3)
	err := population.WithReplacement{Source: stream.NewNumPy(7)}.Pick(batch, 1000)
	fmt.Println(batch, err)
	// Output: [175 196 537] <nil>
}

// A large crowd in a third of the memory: states in single precision, traits drawn anew whenever they are needed.
func ExampleGather() {
	const n, dim = 100_000, 20
	traits, err := population.Redraw(population.Cap{Angle: 90}, n, dim, stream.New(7, "traits"))
	if err != nil {
		fmt.Println(err)
		return
	}
	crowd, err := population.Gather(population.Config{
		Dynamics: lag{kedge.Dims{Decision: dim, State: dim, Trait: dim}},
		Traits:   traits,
		Storage:  population.Float32,
		Workers:  2,
	})
	fmt.Println(crowd.Size(), crowd.Bytes()/n, err)
	// Output: 100000 160 <nil>
}
