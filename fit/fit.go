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
}

// Fitted is what a log says of the unknown numbers.
type Fitted struct {
	Unknowns []Unknown
	Value    []float64
	Error    []float64 // standard errors, whatever errors of one person have to do with each other; infinite where the log does not tell
	Cov      []float64 // their squares and products, row by row
	Held     []bool    // at a bound, where errors by derivatives say little
	Spread   []float64 // of the errors of each entry of the state
	Loss     float64   // half the sum of squares of errors in units of their spreads, priors included
	Rows     int
	People   int
	Tried    int         // starts
	Agreed   int         // of them that came to the same loss, up to a billionth
	Blind    []Blindness // in which the log says nothing
	Draws    []float64   // of the bootstrap, row by row
	Failed   int         // of its repeats that did not come to an end
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
	if err := l.check(f, unknowns); err != nil {
		return nil, err
	}
	p := newSearch(f, l, unknowns, o)
	best, err := p.fromAll(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.weigh(ctx, best); err != nil {
		return nil, err
	}
	out := &Fitted{Unknowns: unknowns, Value: best.theta, Loss: best.loss, Spread: p.spread, Rows: l.rows(f), Tried: p.tried, Agreed: p.agreed}
	if err := p.judge(ctx, out); err != nil {
		return nil, err
	}
	if o.Repeats > 0 {
		if err := p.bootstrap(ctx, out, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}
