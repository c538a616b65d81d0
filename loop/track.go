package loop

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Track is an optimum that moves with its population: the target of every recorded turn. It counts the regret of one run.
type Track struct {
	Turns   []int // ascending
	Targets []Target

	last   int // the turn counted last
	regret float64
}

// Resume goes on from a turn up to which the regret has been counted.
func (t *Track) Resume(turn int, regret float64) { t.last, t.regret = turn, regret }

// at returns the target of turn k.
func (t *Track) at(k int) (*Target, error) {
	i, found := slices.BinarySearch(t.Turns, k)
	if !found {
		return nil, fmt.Errorf("the optimum of turn %d is not known", k)
	}
	return &t.Targets[i], nil
}

// follow says how the decision u of turn k, whose loss is known, follows the optimum. Its regret stands for all turns since
// the one that was counted last.
func (t *Track) follow(k int, u []float64, loss float64, best *Target) *kedge.Tracking {
	weight := float64(k - t.last)
	if k == 0 {
		weight = 1
	}
	t.regret += float64(weight * (loss - best.Loss))
	t.last = k
	return &kedge.Tracking{Error: rows.Distance(u, best.Decision), Regret: t.regret}
}
