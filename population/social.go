package population

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

// social shows a crowd its mean.
type social struct {
	crowd *Crowd
	seen  []float64 // (u, p̄)
	parts []float64 // sums of chunks, added up by one fixed tree
	work  func(hand, i int) error
}

func newSocial(c *Crowd) *social {
	s := &social{
		crowd: c, seen: make([]float64, c.dim.Decision+c.dim.State),
		parts: make([]float64, (c.size+chunk-1)/chunk*c.dim.State),
	}
	s.work = s.add
	return s
}

// see returns the decision as the dynamics take it: with the mean of all states.
func (s *social) see(u []float64, c *Crowd, hands int) []float64 {
	width := c.dim.State
	_ = crew.Share(hands, len(s.parts)/width, s.work) // adding up cannot fail
	rows.AddTree(s.parts, width)
	mean := append(s.seen[:0], u...)[len(u) : len(u)+width]
	copy(mean, s.parts)
	rows.Scale(mean, 1/float64(c.size))
	return s.seen
}

// add adds up the states of chunk i.
func (s *social) add(hand, i int) error {
	c := s.crowd
	first, last, width := i*chunk, min((i+1)*chunk, c.size), c.dim.State
	sum := kedge.Row(s.parts, i, width)
	clear(sum)
	p := c.states.View(c.desks[hand].p, first, last)
	for row := range last - first {
		rows.AddScaled(sum, 1, kedge.Row(p, row, width))
	}
	return nil
}
