package fit

import (
	"context"
	"fmt"
	"math"
)

// tell adds what was found of traits and times, and in words what follows for the unknowns.
func (p *search) tell(ctx context.Context, best *Foothold, out *Fitted) (err error) {
	usual := moves(p.f, p.l)
	if x, ok := p.how.(*likely); ok {
		x.write(best, p, out)
	}
	for e, s := range p.spread {
		if s <= 2e-12*usual[e] && p.o.Unseen != Random { // the search goes no lower than half of it
			out.Exact++
			out.Words = append(out.Words, fmt.Sprintf("Entry %d of next states is met exactly: standard errors say how it was computed, and nothing of how sure it is.", e))
		}
	}
	switch x := p.how.(type) {
	case fixed:
		out.Shifts = best.Theta[p.asked:]
		lines := float64(out.Rows * p.f.States)
		for e, s := range p.spread {
			out.Spread[e] = s * math.Sqrt(lines/max(1, lines-p.nuisance()-float64(x.shifts)))
		}
		if p.f.Traits == 0 {
			return nil
		}
		out.Traits, err = x.traits(ctx, best.Theta, p.spread)
		each := float64(out.Rows) / float64(out.People)
		out.Words = append(out.Words, fmt.Sprintf("The trait of each of %d people was found from %.3g rows on average. A number that says how much of the last state stays comes out too low for that, "+
			"by about (1 + it)/%.3g, and others that go with it are off too, however many people there are: longer panels, a split-panel jackknife or random traits.", out.People, each, each))
	case *random:
		x.write(best.Theta, out)
		out.Traits, err = x.traits(ctx, best.Theta)
		out.Words = append(out.Words, x.words())
	}
	return err
}
