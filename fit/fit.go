// Package fit finds the unknown numbers of a model from a log of what was deployed and what people did, and says how sure it is of them.
package fit

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/formula"
)

// Options say how a fit is done.
type Options struct {
	Starts  int    // further ones, drawn from ranges and priors
	Repeats int    // of the bootstrap by person; 0: none
	Seed    uint64 // of what is drawn
	Workers int    // 0: one

	Unseen Unseen    // what traits are taken to be that no column shows; the regressor is one of formula.Source.RegressTraits then
	Trait  []float64 // where the search for them begins; nil: 0
	Origin bool      // the mean of random traits may depend on where a person stands in his first row
	Times  bool      // every time but the first shifts all next states by numbers of its own
}

// Fitted is what a log says of the unknown numbers.
type Fitted struct {
	Unknowns []Unknown
	Value    []float64
	Error    []float64 // standard errors, whatever errors of one person have to do with each other; infinite where the log does not tell
	Cov      []float64 // their squares and products, row by row
	Held     []bool    // at a bound, where errors by derivatives say little
	Spread   []float64 // of the errors of each entry of the state
	Loss     float64   // half the sum of squares of errors in units of their spreads, priors included; of random traits less the log of the likelihood
	Rows     int
	People   int
	Tried    int         // starts
	Agreed   int         // of them that came to the same loss, up to a billionth
	Blind    []Blindness // in which the log says nothing
	Draws    []float64   // of the bootstrap, row by row
	Failed   int         // of its repeats that did not come to an end

	Traits    []float64 // of everybody, row by row, where they were to be found; people are numbered as they come in the log
	TraitMean []float64 // of random traits
	TraitCov  []float64
	Shifts    []float64 // of times, in their order, without the first
	Words     []string  // what of all this is to be taken with care, and why

	origin *origin
}

// Blindness is a way to change unknown numbers that changes no prediction.
type Blindness struct {
	Names []string // of those that take part
	By    []float64
}

func (d Blindness) String() string {
	switch last := len(d.Names) - 1; last {
	case -1:
		return "nothing can be told"
	case 0:
		return d.Names[0] + " cannot be told: no prediction depends on it"
	default:
		text := d.Names[0]
		for _, name := range d.Names[1:last] {
			text += ", " + name
		}
		return fmt.Sprintf("%s and %s cannot be told apart: the log never moved what would tell", text, d.Names[last])
	}
}

// NoEndError says that no start came to a minimum.
type NoEndError struct{ Starts int }

func (e *NoEndError) Error() string {
	return fmt.Sprintf("none of %d starts came to a minimum: other starts or ranges, or a model with fewer unknowns", e.Starts)
}

// Find fits a model to a log by least squares of what it predicts one step ahead, entries of the state weighted by how large their errors are: the
// most likely numbers where errors are normal and independent from entry to entry.
func Find(ctx context.Context, f *formula.Regressor, l Log, unknowns []Unknown, o Options) (*Fitted, error) {
	if err := l.check(f, unknowns, o); err != nil {
		return nil, err
	}
	p, err := newSearch(f, l, unknowns, o)
	if err != nil {
		return nil, err
	}
	best, err := p.fromAll(ctx)
	if err != nil {
		return nil, err
	}
	if best, err = p.weigh(ctx, best); err != nil {
		return nil, err
	}
	out := &Fitted{Unknowns: unknowns, Value: best.theta[:p.asked], Loss: best.loss, Spread: p.spread, Rows: l.rows(f), People: p.people, Tried: p.tried, Agreed: p.agreed}
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

// newSearch prepares one for what is unseen.
func newSearch(f *formula.Regressor, l Log, unknowns []Unknown, o Options) (*search, error) {
	p := &search{f: f, l: l, unknowns: unknowns, asked: len(unknowns), o: o, spread: moves(f, l)}
	if o.Unseen == Known && !o.Times {
		x := pooled{f: f, l: l}
		x.many, x.group = l.people()
		p.how, p.people = x, x.many
		return p, nil
	}
	g, err := newPersons(f, l, o)
	if err != nil {
		return nil, err
	}
	p.people = g.count()
	p.unknowns = append(append([]Unknown(nil), unknowns...), g.names()...)
	p.how = fixed{g}
	if o.Unseen == Random {
		x := newRandom(g, o)
		p.how, p.unknowns = x, append(p.unknowns, x.names(p.unknowns, p.spread)...)
	}
	if have, want := l.rows(f)*f.States, len(p.unknowns)+int(p.nuisance()); have <= want {
		return nil, &InputError{-1, fmt.Sprintf("%d rows say nothing of %d numbers, traits and times among them: longer panels, or fewer effects", l.rows(f), want)}
	}
	return p, nil
}
