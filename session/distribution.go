package session

import (
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
	var settled []float64
	if l.live != nil {
		if settled, err = l.plan.Settled(l.live.U, seen.P, seen.D); err != nil {
			return nil, err
		}
	}
	s.Shares, err = shape.Of(shape.Column(seen.P, dim.State, entry), shape.Column(settled, dim.State, entry), bins)
	return s, err
}
