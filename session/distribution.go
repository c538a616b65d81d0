package session

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session/guard"
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
	First  []float64 `json:"first,omitempty"`  // shares of who answered at first, by a trait whose mix is watched
	Chance *float64  `json:"chance,omitempty"` // that two samples of one crowd differ so much from each other
}

// Aspect is what is looked at of people.
type Aspect struct {
	Trait bool // of their traits, else of their states
	Entry int
	Bins  int
	U     []float64 // the decision that they settle under; nil: what is live
}

// Distribution looks at the people who answered a decision.
func (l *Loop) Distribution(d *Decision, of Aspect, past Past) (*Distribution, error) {
	dim, entry := l.plan.Dims, of.Entry
	what, width, names := "states", dim.State, l.plan.Names.State
	if of.Trait {
		what, width, names = "traits", dim.Trait, l.plan.Names.Trait
	}
	if entry < 0 || entry >= width {
		return nil, refuse(OutsideRange, "entry is %d; %s have the entries 0 to %d", entry, what, width-1)
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
	called := kedge.CalledAt(names, entry)
	s := &Distribution{K: d.K, Entry: entry, Name: called.Name, Unit: called.Unit, People: n}
	if of.Trait {
		return s, l.mixture(s, seen, of.Bins)
	}
	if of.U == nil && l.live != nil {
		of.U = l.live.U
	}
	var settled []float64
	if of.U != nil {
		if settled, err = l.plan.Settled(of.U, seen.P, seen.D); err != nil {
			return nil, err
		}
	}
	s.Shares, err = shape.Of(guard.Column(seen.P, dim.State, entry), guard.Column(settled, dim.State, entry), of.Bins)
	return s, err
}

// mixture looks at a trait, beside who answered at first where that is watched.
func (l *Loop) mixture(s *Distribution, seen kedge.Observation, bins int) (err error) {
	x := guard.Column(seen.D, l.plan.Dims.Trait, s.Entry)
	if s.Shares, err = shape.Of(x, nil, bins); err != nil || l.guard == nil {
		return err
	}
	if m := l.guard.Mixture(seen, s.Entry); m != nil {
		s.Edges, s.Now, s.First, s.Chance = m.Edges, m.Now, m.First, &m.Chance
	}
	return nil
}
