package problem_test

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A case, changed as --set would change it.
func ExampleParse() {
	src, _ := problem.Case("polarized")
	s, err := problem.Parse(kind.Standard(), "polarized", src,
		problem.Assign("dynamics.lambda=0.3"),
		problem.Assign("algorithms.composite.step=0.01"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Population.Size, s.Dynamics.Of.(*kind.PolarizedDynamics).Lambda, s.Algorithms[1].Step, s.Dims())
	// Output: 1000 0.3 0.01 {20 20 20}
}

// All mistakes are reported together, each with its place.
func ExampleParse_mistakes() {
	_, err := problem.Parse(kind.Standard(), "hedge.yaml", []byte(`
iterations: 100
population: {size: 1, dim: 3, law: proportions}
dynamics: {kind: choice, lambda1: 0.2, lamda2: 0.5, epsilon: 1}
objective: {kind: revenue}
set: {kind: capped-simplex, sum: 9, upper: [1, 2]}
algorithms: [{name: composite, step: -1}]
`), problem.Assign("hold=0"))
	fmt.Println(err)
	// Output:
	// hedge.yaml:4: unknown key dynamics.lamda2, did you mean lambda2?
	// hedge.yaml:6: set.upper has 2 entries, the decision has 3
	// hedge.yaml:7: algorithms.composite.step is -1, want a number above 0
	// --set hold=0: hold is 0, want a whole number from 1 to 2147483647
}

// A mistake can be taken apart, for an editor or a web form.
func ExampleAssign() {
	src, _ := problem.Case("choice")
	_, err := problem.Parse(kind.Standard(), "choice", src, problem.Assign("seed=-1").As("--seed -1"))
	var e *form.Mistake
	if errors.As(err, &e) {
		fmt.Printf("%s | %s | %s\n", e.File, e.Path, e.Msg)
	}
	// Output: --seed -1 | seed | seed is -1, want a whole number from 0 to 18446744073709551615
}

// The published variant of a case is an overlay.
func ExampleMerge() {
	src, _ := problem.Case("choice")
	published, _ := problem.Case("choice.published")
	s, err := problem.Parse(kind.Standard(), "choice", src, problem.Merge("choice.published", published))
	if err != nil {
		fmt.Println(err)
		return
	}
	set := s.Set.(*kind.CappedSimplexSet)
	fmt.Println(s.Seed, s.Generator, set.Sum, set.Upper.All)
	// Output: 10 numpy 250 +Inf
}

// The spec as it runs, every default written out.
func ExampleSpec_YAML() {
	s, err := problem.Parse(kind.Standard(), "small.yaml", []byte(`
iterations: 100
population: {size: 10, dim: 2, law: sphere}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms: [{name: vanilla, step: 0.005}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", s.YAML())
	// Output:
	// seed: 1
	// iterations: 100
	// trials: 1
	// hold: 1
	// generator: kedge
	// population:
	//   size: 10
	//   dim: 2
	//   law: sphere
	//   states: same
	//   sampling: with-replacement
	//   storage: float64
	//   traits: stored
	// dynamics:
	//   kind: polarized
	//   lambda: 0.4
	//   sigma: 0.5
	// objective:
	//   kind: affinity
	// set:
	//   kind: ball
	//   radius: 1
	//   center: 0
	// start:
	//   law: zero
	// algorithms:
	//   - name: vanilla
	//     kind: vanilla
	//     step: 0.005
	//     schedule: constant
	//     batch: 10
	//     clip: .inf
	//     momentum: 0
	//     hold: 1
	//     trials: 1
	// record:
	//   every: 1
	//   w1: none
	//   rollout: 0
	//   gradient: false
	//   paths: 40
	//   theory: false
	//   transport: 0
	// optimum:
	//   starts: 20
	//   tolerance: 1e-10
}
