package game_test

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// Two shops, demand p = 2 − ½u₁ − ½u₂ and Φⱼ = −uⱼp + ½uⱼ²: each follows its own gradient, and both end at 4/5.
func ExampleNewPlay() {
	dims := kedge.Dims{Decision: 2, State: 1, Trait: 1}
	left, _ := objective.NewQuadratic(dims, []float64{1, 0, 0, 0}, []float64{-1, 0}, nil, nil, nil)
	right, _ := objective.NewQuadratic(dims, []float64{0, 0, 0, 1}, []float64{0, -1}, nil, nil, nil)
	answer, _ := sensitivity.NewAffine(dims, []float64{-0.5, -0.5})

	players := []game.Player{{Name: "left", Size: 1, Objective: left}, {Name: "right", Size: 1, Objective: right}}
	play, _ := game.NewPlay(dims, players, answer, game.Simultaneous)
	shops := set.Product{Parts: []set.Part{{Size: 1, Set: set.Interval{Upper: 3}}, {Size: 1, Set: set.Interval{Upper: 3}}}}
	rule, _ := online.Rule{Gradient: play, Step: online.Constant(0.1), Set: shops}.From([]float64{0, 3})

	u := make([]float64, 2)
	for k := range 300 {
		rule.Ask(u)
		demand := 2 - u[0]/2 - u[1]/2
		if err := rule.Tell(kedge.Observation{Round: k, U: u, P: []float64{demand}, D: []float64{2}}); err != nil {
			fmt.Println(err)
		}
	}
	rule.Ask(u)
	fmt.Printf("%.4f\n", u)
	// Output: [0.8000 0.8000]
}
