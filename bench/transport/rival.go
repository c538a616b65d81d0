package main

import (
	"context"
	_ "embed"

	"github.com/kedge-opt/kedge/internal/bench/rival"
)

//go:embed transport.py
var script string

// pot is a Python that has POT.
func pot(python string) rival.Library {
	return rival.Library{Python: python, Script: script, Lacks: "POT (Debian's python3-pot, or pip install pot)"}
}

// answer is what POT found, and how long it took in seconds.
type answer struct {
	Name                string // and version of POT
	Costs, Solve, Value float64
}

// solve hands an instance over as binary numbers: how many points are on each side, the entries of states and traits, whether there
// are weights, and all of them.
func solve(ctx context.Context, r rival.Library, in instance) (a answer, err error) {
	head := []int64{int64(len(in.p) / in.states), int64(len(in.q) / in.states), int64(in.states), int64(in.trait), int64(len(in.a))}
	err = r.Ask(ctx, &a, head, in.p, in.q, in.d, in.e, in.a, in.b)
	return a, err
}
