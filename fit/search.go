package fit

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/mat"
)

// evaluator is how a log judges a place of a search.
type evaluator interface {
	// at sums up; weight is how often everybody counts, nil: once.
	at(ctx context.Context, theta, spread, weight []float64, workers int) (*Foothold, error)
	// scores are a factor R of the information RᵀR of the log, and what each person adds to the slope of the loss, with its sign turned.
	// Normal equations of the place that hold no prior may stand for the factor; nil: there are none.
	scores(ctx context.Context, theta, spread, normal []float64, workers int) (factor, scores *mat.Dense, err error)
}

// search looks for the least loss of a log.
type search struct {
	f        *formula.Regressor
	l        Log
	how      evaluator
	unknowns []Unknown // with what is unknown besides, behind the user's
	asked    int       // how many are the user's
	o        Options
	spread   []float64 // of errors, by entry of the state
	rows     int       // that count
	people   []int     // who have such rows, by number
	pinned   []int     // unknowns that stay where they are
	kept     *kept     // of the last place that all of a long log was looked at
	agreed   int       // starts that came to the same loss
}

// nuisance is how many numbers were found of people, beside the unknowns of a search.
func (p *search) nuisance() float64 {
	if p.o.Unseen != Fixed {
		return 0
	}
	return float64(len(p.people) * p.f.Traits)
}

// at evaluates a place, with what is known beforehand.
func (p *search) at(ctx context.Context, theta, weight []float64, workers int) (*Foothold, error) {
	out, err := p.how.at(ctx, theta, p.spread, weight, workers)
	if err != nil {
		return nil, err
	}
	out.Know(p.unknowns)
	return out, nil
}

// fromAll takes the best of all starts.
func (p *search) fromAll(ctx context.Context) (best *Foothold, err error) {
	best, p.agreed, err = lowest(p.unknowns, p.asked, p.o, func(theta []float64) (*Foothold, error) { return p.from(ctx, theta) })
	return best, err
}

// many rows are those of a log of which a part tells first roughly where to look, and least are those of the shortest part.
const many, part, least = 1 << 16, 16, 1 << 12

// from descends from a start: in a long log first over every 16th chunk of rows, of these in a longer one over every 16th, and then from there over all.
func (p *search) from(ctx context.Context, theta []float64) (*Foothold, error) {
	x, ok := p.how.(pooled)
	if ok && x.l.rows(p.f) >= many {
		if end, err := p.roughly(ctx, x.some(part), theta); err != nil {
			return nil, err
		} else if end != nil {
			if out, err := p.whole(ctx, end.Theta); out != nil || err != nil {
				return out, err
			}
		}
	}
	return p.descend(ctx, theta, nil, p.o.Workers, firstly)
}

// roughly descends over a part of the log; nil: to no minimum.
func (p *search) roughly(ctx context.Context, x pooled, theta []float64) (*Foothold, error) {
	rough := *p
	if n := x.l.rows(p.f) / part; n >= least && n >= 100*len(theta) {
		if end, err := p.roughly(ctx, x.some(part), theta); err != nil {
			return nil, err
		} else if end != nil {
			theta = end.Theta
		}
	}
	rough.how = x
	return rough.descend(ctx, theta, nil, p.o.Workers, loosely)
}

// whole descends over all of a long log from near the best, and keeps what people add there. A last step of a tenth of a standard error needs no look:
// what it misses is far smaller.
func (p *search) whole(ctx context.Context, theta []float64) (*Foothold, error) {
	x, ok := p.how.(pooled)
	if !ok || p.l.rows(p.f) < many {
		return p.descend(ctx, theta, nil, p.o.Workers, firstly)
	}
	if p.kept == nil {
		p.kept = x.keep()
	}
	if p.kept != nil {
		p.kept.begun = false
	}
	firm := *p
	x.kept = p.kept
	firm.how = x
	return firm.descend(ctx, theta, nil, p.o.Workers, gait{1e-9, 1e-21, 0.01 / float64(p.l.rows(p.f)), 300})
}

// gait is how a descent begins and when it ends: the damping, what a step must be expected to gain, beside the loss, to be taken, and to be looked at, and how many steps there are at most.
type gait struct {
	damping, gain, look float64
	turns               int
}

var (
	firstly = gait{1e-3, 1e-21, 1e-15, 300}
	loosely = gait{1e-3, 1e-8, 1e-8, 300} // to where a whole log goes on
	nearby  = gait{1e-6, 1e-12, 1e-9, 30}
)

// descend goes down by Levenberg's and Marquardt's method within the bounds; nil: it came to no minimum.
func (p *search) descend(ctx context.Context, theta, weight []float64, workers int, g gait) (*Foothold, error) {
	here, err := p.at(ctx, theta, weight, workers)
	if err != nil || math.IsInf(here.Loss, 0) {
		return nil, err
	}
	damping, grow := g.damping, 2.0
	for range g.turns {
		step, predicted, ok := here.step(p.unknowns, p.free(here), damping)
		size := 1 + math.Abs(here.Loss)
		switch {
		case !ok && damping <= 1e15: // too little of it for what the log does not tell
			damping = max(float64(damping*10), 1e-12)
			continue
		case step == nil || predicted <= g.gain*size && damping <= 1:
			return here, nil
		case predicted <= g.look*math.Abs(here.Loss) && damping <= 1e-3: // less than the loss is known by: slopes know better
			here.Theta, here.Loss = step, here.Loss-predicted
			return here, nil
		}
		there, err := p.at(ctx, step, weight, workers)
		if err != nil {
			return nil, err
		}
		gain := here.Loss - there.Loss
		if predicted <= 1e-15*size {
			if gain >= -1e-13*size && damping <= 1 {
				return there, nil
			}
			return here, nil
		}
		if !(gain > 0) {
			if damping > 1e15 {
				return here, nil
			}
			damping *= grow
			grow *= 2
			continue
		}
		ratio := gain / predicted
		damping *= max(1.0/3, 1-cubed(float64(2*ratio)-1))
		damping, grow = max(damping, 1e-15), 2
		here = there
	}
	return nil, nil
}

// free are the unknowns that nothing holds.
func (p *search) free(here *Foothold) []int { return here.Free(p.unknowns, p.pinned...) }

// weigh measures how large errors of each entry are, and goes on from there until that changes nothing.
func (p *search) weigh(ctx context.Context, best *Foothold) (*Foothold, error) {
	if p.o.Unseen == Random { // they are among what is unknown
		return best, nil
	}
	total := p.l.total(p.f)
	if len(p.spread) == 1 && !slices.ContainsFunc(p.unknowns, func(u Unknown) bool { return u.Deviation > 0 }) {
		spread := max(math.Sqrt(best.Square[0]/total), 1e-12*p.spread[0])
		by := p.spread[0] / spread // with one unit for all, and without priors, the place stays the best
		best.scale(by * by)
		p.spread[0] = spread
		return best, nil
	}
	for range 50 {
		change := 0.0
		for e, s := range best.Square {
			spread := max(math.Sqrt(s/total), 1e-12*p.spread[e]) // of a log without errors
			change = max(change, math.Abs(spread/p.spread[e]-1))
			p.spread[e] = spread
		}
		end, err := p.whole(ctx, best.Theta)
		if err != nil {
			return nil, err
		}
		if end == nil {
			return nil, &NoEndError{1 + p.o.Starts}
		}
		best = end
		if change < 1e-9 || len(p.spread) == 1 {
			return best, nil
		}
	}
	return best, nil
}
