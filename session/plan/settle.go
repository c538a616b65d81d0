package plan

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Settled are the states in which people end up under a decision; nil where the model does not say.
func (p *Brief) Settled(u, states, traits []float64) ([]float64, error) {
	settler := p.Model.RowSettler()
	if settler == nil || p.Model.Social {
		return nil, nil
	}
	states = slices.Clone(states)
	if _, err := kedge.SettleRowsFrom(settler, states, u, traits); err != nil {
		return nil, fmt.Errorf("where people settle under %v: %w", u, err)
	}
	return states, nil
}

// Guess is what the model of the spec says that people would have done: nobody knows it, and nothing is learned from it.
type Guess struct {
	K        int       `json:"k"`
	Proposed []float64 `json:"proposed"`
	Deployed []float64 `json:"deployed"`
	People   int       `json:"people"`
	Seen     float64   `json:"value"`          // of the people who answered what was deployed
	Value    float64   `json:"guess"`          // of the same people, once they had settled under what is proposed
	Instead  float64   `json:"guess_deployed"` // and under what was deployed
}

// Guess has the people who were seen settle, by the model, under what is proposed and under what was deployed. It is nil if the model does not say where.
func (p *Brief) Guess(k int, proposed []float64, seen kedge.Observation) (*Guess, error) {
	g := &Guess{K: k, Proposed: proposed, Deployed: seen.U, People: len(seen.P) / p.Dims.State, Seen: p.counted(seen)}
	people := seen.P
	for _, one := range []struct {
		u  []float64
		to *float64
	}{{g.Proposed, &g.Value}, {g.Deployed, &g.Instead}} {
		var err error
		if seen.P, err = p.Settled(one.u, people, seen.D); err != nil || seen.P == nil {
			return nil, err
		}
		seen.U = one.u
		*one.to = p.counted(seen)
	}
	if !phrase.Finite(g.Seen) || !phrase.Finite(g.Value) || !phrase.Finite(g.Instead) {
		return nil, nil
	}
	return g, nil
}

// counted is what decisions are judged by, as users count it: the mean over who was seen.
func (p *Brief) counted(seen kedge.Observation) float64 {
	if p.Maximize {
		return -p.Loss(seen)
	}
	return p.Loss(seen)
}
