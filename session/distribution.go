package session

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session/shape"
)

// Distribution is how an entry of people's states is distributed: as they answered, and as the model says they settle under what is live.
type Distribution struct {
	K      int    `json:"k"`
	Entry  int    `json:"entry"`
	Name   string `json:"name,omitempty"`
	Unit   string `json:"unit,omitempty"`
	People int    `json:"people"`
	shape.Shares
}

// Distribution looks at the people who answered a decision.
func (l *Loop) Distribution(d *Decision, entry, bins int, past Past) (*Distribution, error) {
	dim := l.plan.Dims
	if entry < 0 || entry >= dim.State {
		return nil, refuse(OutsideRange, "entry is %d; states have the entries 0 to %d", entry, dim.State-1)
	}
	if d.Deployed == nil {
		return nil, d.refuse(NotDeployed, "decision %d is not deployed, so that nobody has answered it", d.K)
	}
	l.past = past
	seen, _, err := l.gather(d)
	if err != nil {
		return nil, err
	}
	n := len(seen.P) / dim.State
	if n == 0 {
		return nil, d.refuse(Incomplete, "nobody has answered decision %d yet", d.K)
	}
	s := &Distribution{K: d.K, Entry: entry, People: n}
	if names := l.plan.Names.State; entry < len(names) {
		s.Name, s.Unit = names[entry].Name, names[entry].Unit
	}
	settled, err := l.settled(seen.P, seen.D)
	if err != nil {
		return nil, err
	}
	s.Shares, err = shape.Of(shape.Column(seen.P, dim.State, entry), shape.Column(settled, dim.State, entry), bins)
	return s, err
}

// settled are the states in which people end up under what is live; nil where the model does not say.
func (l *Loop) settled(states, traits []float64) ([]float64, error) {
	m := l.plan.Model
	settler := m.RowSettler()
	if settler == nil || m.Social || l.live == nil {
		return nil, nil
	}
	states = slices.Clone(states)
	if _, err := kedge.SettleRowsFrom(settler, states, l.live.U, traits); err != nil {
		return nil, fmt.Errorf("where people settle under decision %d: %w", l.live.K, err)
	}
	return states, nil
}
