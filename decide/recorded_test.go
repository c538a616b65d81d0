package decide

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/set"
)

// What is decided over a few draws is what was decided when it was last looked at: by every rule, in sets with and without gaps, with draws that have no answer.
func TestRulingsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	rules := []Rule{{Kind: Mean}, {Kind: Regret}, {CVaR, 0.1}, {CVaR, 0.5}, {CVaR, 1}}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 8))
		q := drawnMatter(t, r, rules[int(seed)%len(rules)])
		told := 0
		q.Progress = func(done, total int) { told += done*100 + total }
		got, err := Over(t.Context(), q)
		lines = append(lines, fmt.Sprintf("%d: %d draws, %+v", seed, len(q.Worlds), q.Rule))
		if err != nil {
			lines = append(lines, evidence.Rounded("  "+err.Error())...)
			continue
		}
		search := *got.Search
		out := *got
		out.Search = nil
		lines = append(lines, evidence.Rounded(fmt.Sprintf("  %+v\n  %d searches, %d here, %d basins, %v missed, %d walls, residue %v, loss %v, told %d", out, len(search.Found), search.Here, search.Basins, search.Missed, search.Walls, search.Residue, search.Loss, told))...)
	}
	for _, text := range []string{"mean", "regret", "cvar", "cvar 0", "cvar 1", "cvar 1.1", "cvar 0.1", "cvar x", "mean 1", "", "cvar 0.1 2"} {
		rule, err := ParseRule(text)
		lines = append(lines, fmt.Sprint(text, " → ", rule, " ", err))
	}
	for _, n := range []int{0, 1, 2, 5, 20, 100, 1000, 100000} {
		lines = append(lines, evidence.Rounded(fmt.Sprint("reaches of ", n, ": ", Reaches(n)))...)
	}
	_, err := Over(t.Context(), Matter{})
	lines = append(lines, err.Error())
	evidence.AsRecorded(t, "testdata/recorded.txt", lines)
}

// Where losses are no paraboloids the search takes as many steps as it took, and comes to the same: by every rule, from inside and from the rim.
func TestBentRulingsAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	rules := []Rule{{Kind: Mean}, {Kind: Regret}, {CVaR, 0.1}, {CVaR, 0.5}}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 9))
		q := Matter{Rule: rules[seed%4], Plug: []float64{float64(seed/4%2) * r.Float64(), 2 * r.Float64()}, Set: set.Box{Lower: []float64{0, 0}, Upper: []float64{20, 1 + 19*float64(seed/8)}}}
		maximizes := []string{"dot(p, q) - dot(q, q)^2/20", "q[0]*p[0]/(1 + q[0]^2) + q[1]*p[1]/(1 + q[1]^2/4)"}[seed%3/2]
		for range 6 + r.IntN(6) {
			q.Worlds = append(q.Worlds, shopThat(t, maximizes, 0.5, [4]float64{1 + 0.3*r.NormFloat64(), -0.2, 0.2 * r.NormFloat64(), 0.9}, []float64{4 + r.NormFloat64(), 5}))
		}
		if err := q.Set.Project(q.Plug); err != nil {
			t.Fatal(err)
		}
		got, err := Over(t.Context(), q)
		if err != nil {
			lines = append(lines, evidence.Rounded(fmt.Sprint(seed, " ", err))...)
			continue
		}
		lines = append(lines, evidence.Rounded(fmt.Sprintf("%d %v: %v, loss %v, mean %v, regret %v, most %v at %d, tail %v; plug %v", seed, q.Rule, got.Search.Decision, got.Search.Loss, got.Robust.Mean, got.Robust.Regret, got.Robust.Most, got.Robust.MostAt, got.Robust.Tail, got.Plug.Regret))...)
		for _, p := range got.Search.Found {
			lines = append(lines, evidence.Rounded(fmt.Sprintf("  %d steps to %v", p.Steps, p.Loss))...)
		}
	}
	evidence.AsRecorded(t, "testdata/bent.txt", lines)
}

// drawnMatter is a matter of a few draws, of which some have no answer.
func drawnMatter(t *testing.T, r *rand.Rand, rule Rule) (q Matter) {
	traits := make([]float64, 2*(1+r.IntN(4)))
	for i := range traits {
		traits[i] = 4 + r.NormFloat64()
	}
	lost := r.IntN(4)
	for i := range 2 + r.IntN(24) {
		q.Worlds = append(q.Worlds, drawnWorld(t, r, traits, lost, i))
	}
	q.Rule, q.Plug = rule, []float64{1 + r.Float64(), 1 + 2*r.Float64()}
	q.Set = []kedge.Set{
		set.Box{Lower: []float64{0, 0}, Upper: []float64{20, 20}}, set.Box{Lower: []float64{0, 0}, Upper: []float64{1.5, 2}}, set.Ball{Center: []float64{1, 1}, Radius: 1},
	}[r.IntN(3)]
	if err := q.Set.Project(q.Plug); err != nil {
		t.Fatal(err)
	}
	if r.IntN(3) == 0 {
		q.Beside = [][]float64{{1, 1}, {0, 2}}
	}
	if r.IntN(3) == 0 {
		q.Starts = [][]float64{{0.5, 0.5}}
	}
	return q
}

// drawnWorld is a shop, by chance or by its number one in which nobody settles, or none at all.
func drawnWorld(t *testing.T, r *rand.Rand, traits []float64, lost, i int) World {
	habit := 0.7 + 0.2*r.Float64()
	if lost == 1 && i%3 == 1 {
		habit = 1.1
	}
	if lost == 2 && i%4 == 2 || lost == 3 && r.IntN(2) == 0 {
		return World{Err: errors.New("there is no such world")}
	}
	return shop(t, habit, [4]float64{1.2 + 0.3*r.NormFloat64(), -0.2 + 0.2*r.NormFloat64(), -0.3 + 0.2*r.NormFloat64(), 0.9 + 0.2*r.NormFloat64()}, traits)
}
