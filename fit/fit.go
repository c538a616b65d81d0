// Package fit finds the unknown numbers of a model from a log of what was deployed and what people did, and says how sure it is of them.
package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
)

// Options say how a fit is done.
type Options struct {
	Starts  int    // further ones, drawn from ranges and priors
	Repeats int    // of the bootstrap by person; 0: none
	Seed    uint64 // of what is drawn
	Workers int    // 0: one

	Unseen Unseen     // what traits are taken to be that no column shows; the regressor is one of formula.Source.RegressTraits then
	Trait  []float64  // where the search for them begins; nil: 0
	Origin bool       // the mean of random traits may depend on where a person stands in his first row
	Laws   []ErrorLaw // of errors, by entry of the state; nil: all are normal. Others go with traits that are known, and without effects of times
	Times  bool       // every time but the first shifts all next states by numbers of its own
}

// Fitted is what a log says of the unknown numbers.
type Fitted struct {
	Unknowns []Unknown
	Value    []float64
	Error    []float64   // standard errors, whatever errors of one person have to do with each other; infinite where the log does not tell
	Cov      []float64   // their squares and products, row by row
	Held     []bool      // at a bound, where errors by derivatives say little
	Spread   []float64   // of the errors of each entry of the state
	Exact    int         // entries of the state that are met exactly
	Loss     float64     // half the sum of squares of errors in units of their spreads, priors included; of random traits and of laws less the log of the likelihood
	Rows     int         // that count
	People   int         // who have such rows
	Tried    int         // starts
	Agreed   int         // of them that came to the same loss, up to a billionth
	Blind    []Blindness // in which the log says nothing
	Draws    []float64   // of the bootstrap, row by row
	Failed   int         // of its repeats that did not come to an end

	Traits    []float64 // of everybody, row by row, where they were to be found; people are numbered as they come in the log
	TraitMean []float64 // of random traits
	TraitCov  []float64
	Shifts    []float64  // of times, in their order, without the first
	Laws      []ErrorLaw // of errors, where not all are normal
	Scale     []float64  // of those laws that have one, by entry of the state; NaN of others
	Excess    []float64  // by how much more errors vary than a law without a scale says: 1 if it is right; NaN of others
	Apart     bool       // standard errors take errors of one person as independent of each other, since people are too few to tell otherwise
	Words     []string   // what of all this is to be taken with care, and why

	origin *origin
}

// Blindness is a way to change unknown numbers that changes no prediction.
type Blindness struct {
	Names []string // of those that take part
	By    []float64
}

func (d Blindness) String() string {
	switch len(d.Names) {
	case 0:
		return "nothing can be told"
	case 1:
		return d.Names[0] + " cannot be told: no prediction depends on it"
	}
	return phrase.Enumerate(d.Names) + " cannot be told apart: the log never moved what would tell"
}

// NoEndError says that no start came to a minimum.
type NoEndError struct{ Starts int }

func (e *NoEndError) Error() string {
	return fmt.Sprintf("none of %d starts came to a minimum: other starts or ranges, or a model with fewer unknowns", e.Starts)
}

// Find fits a model to a log by least squares of what it predicts one step ahead, entries of the state weighted by how large their errors are: the
// most likely numbers where errors are normal and independent from entry to entry. Under other laws of errors the most likely numbers are looked for.
func Find(ctx context.Context, f *formula.Regressor, l Log, unknowns []Unknown, o Options) (*Fitted, error) {
	if err := l.check(f, unknowns, o); err != nil {
		return nil, err
	}
	l.Weight = evened(l.Weight)
	p, err := newSearch(f, l, unknowns, o)
	if err != nil {
		return nil, err
	}
	best, err := p.lowest(ctx)
	if err != nil {
		return nil, err
	}
	out := &Fitted{Unknowns: unknowns, Value: best.Theta[:p.asked], Loss: best.Loss, Spread: p.spread, Rows: p.rows, People: len(p.people), Tried: 1 + o.Starts, Agreed: p.agreed}
	out.origin = &origin{search: p, best: best, excess: make([]float64, p.asked)}
	if err := p.judge(ctx, best, out); err != nil {
		return nil, err
	}
	if o.Repeats > 0 {
		if err := p.bootstrap(ctx, best, out, o); err != nil {
			return nil, err
		}
	}
	return out, p.tell(ctx, best, out)
}

// lowest is the least loss, errors being as large as they are.
func (p *search) lowest(ctx context.Context) (*Foothold, error) {
	if x, ok := p.how.(*likely); ok {
		best, err := p.likeliest(ctx, x)
		if err == nil {
			err = x.outside(best.Theta)
		}
		return best, err
	}
	best, err := p.fromAll(ctx)
	if err != nil {
		return nil, err
	}
	return p.weigh(ctx, best)
}

// likeliest begins where errors are least, goes to where the log is likeliest, and takes the last steps by slopes alone: losses are known less well.
func (p *search) likeliest(ctx context.Context, x *likely) (*Foothold, error) {
	begin, err := leastSquares(p.f, p.l, p.unknowns[:p.asked], p.o).fromAll(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		total := p.l.total(p.f)
		for j, v := range begin.Theta {
			p.unknowns[j].Start = v
		}
		for e, at := range x.scale {
			if at >= 0 {
				u := &p.unknowns[at]
				u.Start = min(max(portable.Log(math.Sqrt(begin.Square[e]/total)), u.Lower), u.Upper)
			}
		}
	}
	best, err := p.fromAll(ctx)
	if err != nil {
		return nil, err
	}
	return p.settle(ctx, best)
}

// settle takes steps as long as they become shorter.
func (p *search) settle(ctx context.Context, here *Foothold) (*Foothold, error) {
	here, err := p.at(ctx, here.Theta, nil, p.o.Workers) // the last step of a descent is not looked at
	if err != nil {
		return nil, err
	}
	last := math.Inf(1)
	for range 60 {
		step, predicted, ok := here.step(p.unknowns, p.free(here), 0)
		if !ok || !(predicted < last) || predicted == 0 { // no step gains nothing
			break
		}
		there, err := p.at(ctx, step, nil, p.o.Workers)
		if err != nil {
			return nil, err
		}
		if there.Loss-here.Loss > 1e-12*(1+math.Abs(here.Loss)) {
			break
		}
		here, last = there, predicted
	}
	return here, nil
}

// leastSquares prepares a search over all rows, whosever they are.
func leastSquares(f *formula.Regressor, l Log, unknowns []Unknown, o Options) *search {
	p := &search{f: f, l: l, unknowns: unknowns, asked: len(unknowns), o: o, spread: moves(f, l)}
	p.rows, p.people = l.counting(f)
	x := pooled{f: f, l: l}
	x.many, x.group = l.People()
	p.how = x
	return p
}

// newSearch prepares one for what is unseen.
func newSearch(f *formula.Regressor, l Log, unknowns []Unknown, o Options) (*search, error) {
	p := leastSquares(f, l, unknowns, o)
	if !isNormal(o.Laws) {
		x, scales := newLikely(f, l, o.Laws, p.spread)
		p.how = x
		p.unknowns = append(slices.Clone(unknowns), scales...)
		return p, nil
	}
	if o.Unseen == Known && !o.Times {
		return p, nil
	}
	g, err := newPersons(f, l, o)
	if err != nil {
		return nil, err
	}
	p.unknowns = slices.Concat(unknowns, g.names())
	p.how = fixed{g}
	if o.Unseen == Random {
		x := newRandom(g, o)
		p.how, p.unknowns = x, append(p.unknowns, x.names(p.unknowns, p.spread)...)
	}
	numbers := len(p.unknowns) + int(p.nuisance())
	if p.rows*f.States <= numbers {
		return nil, &InputError{-1, fmt.Sprintf("%d rows say nothing of %d numbers, traits and times among them: longer panels, or fewer effects", p.rows, numbers)}
	}
	return p, nil
}
