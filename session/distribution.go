package session

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/transport"
)

// Distribution is how an entry of people's states is distributed: as they answered, and as the model says they settle under what is live.
type Distribution struct {
	K       int       `json:"k"`
	Entry   int       `json:"entry"`
	Name    string    `json:"name,omitempty"`
	Unit    string    `json:"unit,omitempty"`
	People  int       `json:"people"`
	Edges   []float64 `json:"edges"`             // of the bins, one more than there are
	Now     []float64 `json:"now"`               // shares of people
	Settled []float64 `json:"settled,omitempty"` // none if the model does not say where people settle
	W1      *float64  `json:"w1,omitempty"`      // how far the one is from the other
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
	now := column(seen.P, dim.State, entry)
	settled, err := l.settled(seen.P, seen.D)
	if err != nil {
		return nil, err
	}
	low, high := slices.Min(now), slices.Max(now)
	var then []float64
	if settled != nil {
		then = column(settled, dim.State, entry)
		low, high = min(low, slices.Min(then)), max(high, slices.Max(then))
		w, err := transport.Line(now, nil, then, nil)
		if err != nil {
			return nil, err
		}
		s.W1 = &w
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	for i := range bins + 1 {
		s.Edges = append(s.Edges, low+float64((high-low)*float64(i))/float64(bins))
	}
	s.Now = histogram(now, low, high, bins)
	if then != nil {
		s.Settled = histogram(then, low, high, bins)
	}
	return s, nil
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

// column is one entry of every row.
func column(x []float64, width, entry int) []float64 {
	list := make([]float64, len(x)/width)
	for i := range list {
		list[i] = x[i*width+entry]
	}
	return list
}

// histogram is the share of numbers in each of some bins of equal width.
func histogram(x []float64, low, high float64, bins int) []float64 {
	list := make([]float64, bins)
	for _, v := range x {
		at := int(float64(bins) * ((v - low) / (high - low)))
		list[max(0, min(bins-1, at))] += 1 / float64(len(x))
	}
	return list
}
