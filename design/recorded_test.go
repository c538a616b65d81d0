package design

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// What small experiments are planned to be is what it was when it was last looked at: of few turns, under budgets and limits that bind and that do not.
func TestTimetablesAreAsRecorded(t *testing.T) {
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, evidence.Rounded(fmt.Sprintf(format, args...))...)
	}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 9))
		e := trial(t)
		e.Turns, e.Change, e.Budget, e.Starts, e.Seed = 1+r.IntN(4), 0.2+r.Float64(), 3*r.Float64(), r.IntN(3), seed
		if seed%4 == 1 {
			e.Budget = 1e6
		}
		if seed%4 == 2 {
			e.Drawn, e.Cov, e.Weight = []int{0, 3}, []float64{0.02, 0.005, 0.005, 0.03}, []float64{1, 0.2, 0.2, 2}
		}
		if seed%3 == 1 {
			e.Slope = []float64{0.1, -0.2}
		}
		people := 1 + r.IntN(4)
		e.States, e.Traits = e.States[:2*people], e.Traits[:2*people]
		got, err := e.Plan(t.Context())
		say("%d: %d turns, change %v, budget %v, %d people\n  %+v %v\n  %v", seed, e.Turns, e.Change, e.Budget, people, got, err, Worth(e.Weight, e.Cov))
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 10))
		k, n, count := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(6)
		var draws, decisions [][]float64
		for range count {
			a, b := make([]float64, k), make([]float64, n)
			for j := range a {
				a[j] = r.NormFloat64()
			}
			for j := range b {
				b[j] = a[0]*float64(j+1) + 0.1*r.NormFloat64()
			}
			draws, decisions = append(draws, a), append(decisions, b)
		}
		if seed == 3 {
			for i := range draws {
				draws[i][0] = 1
			}
		}
		if seed == 5 {
			decisions = decisions[1:]
		}
		curve := make([]float64, n*n)
		for i := range n {
			curve[i*n+i] = float64(1 + i)
		}
		weight, cov, err := Weigh(draws, decisions, curve)
		say("%d draws of %d for %d: %v %v %v", count, k, n, weight, cov, err)
		if err == nil {
			say("  worth %v", Worth(weight, cov))
		}
	}
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}
