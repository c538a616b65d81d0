// Package loop closes the loop: it deploys a decision, lets the population answer, samples it and tells the algorithm, turn
// by turn, and measures on the way how good the decision really is.
package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
)

// Loop is one algorithm against one population. Without a Recorder a turn allocates nothing.
type Loop struct {
	Population kedge.Population
	Algorithm  kedge.Algorithm
	Objective  kedge.RowObjective // judges the sample, for Observation.Loss

	Turns int
	Batch int // individuals sampled a turn
	Hold  int // steps of the population a decision; 0 means 1

	Instruments []kedge.Instrument // what is measured, in the order of the columns
	Recorder    kedge.Recorder     // receives it; nil for none
	Every       int                // measure every so many turns, and at the end; 0 means every turn

	// From is the turn to begin with: a restored population and algorithm go on where they were saved, after as many turns.
	From int
	// After is called after every turn when it is not nil, with the number of turns taken since turn 0. Population and
	// algorithm can be saved then. An error ends the run and is returned as it is.
	After func(turns int) error
}

// Run runs the turns. It stops early, with the context's error, when the context ends, which may be in the middle of a turn.
func (l *Loop) Run(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	dim := l.Population.Dims()
	see := l.view()
	o := kedge.Observation{U: make([]float64, dim.Decision)}
	p, d := make([]float64, l.Batch*dim.State), make([]float64, l.Batch*dim.Trait)
	known, _ := l.Population.(kedge.KnownCrowd)
	for k := l.From; k < l.Turns; k++ {
		if err := see.measure(ctx, k); err != nil {
			return err
		}
		o.Round, o.P, o.D = k, p, d
		if err := l.turn(ctx, &o, known); err != nil {
			return fmt.Errorf("turn %d: %w", k, err)
		}
		if err := see.look(o); err != nil {
			return fmt.Errorf("look at turn %d: %w", k, err)
		}
		if l.After != nil {
			if err := l.After(k + 1); err != nil {
				return err
			}
		}
	}
	return see.measure(ctx, l.Turns)
}

func (l *Loop) check() error {
	if l.Population == nil || l.Algorithm == nil || l.Objective == nil {
		return errors.New("loop: a population, an algorithm and an objective are needed")
	}
	if l.Turns < 0 || l.Batch < 1 || l.Hold < 0 || l.Every < 0 {
		return fmt.Errorf("loop: turns %d, batch %d, hold %d and every %d must not be negative, and batch at least 1",
			l.Turns, l.Batch, l.Hold, l.Every)
	}
	if l.From < 0 || l.From > l.Turns {
		return fmt.Errorf("loop: cannot begin with turn %d of %d", l.From, l.Turns)
	}
	return nil
}

// turn deploys a decision, lets the population answer and tells the algorithm what a sample of it shows.
func (l *Loop) turn(ctx context.Context, o *kedge.Observation, known kedge.KnownCrowd) error {
	l.Algorithm.Ask(o.U)
	for range max(1, l.Hold) {
		if err := l.Population.Respond(ctx, o.U); err != nil {
			return fmt.Errorf("respond: %w", err)
		}
	}
	n, err := l.Population.Sample(o.P, o.D)
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	dim := l.Population.Dims()
	o.P, o.D = o.P[:n*dim.State], o.D[:n*dim.Trait]
	if known != nil {
		o.Who = known.Sampled(o.Who[:0])
	}
	o.Loss = l.Objective.EvalRows(nil, nil, o.P, o.U, o.D) / float64(n)
	if err := l.Algorithm.Tell(*o); err != nil {
		return fmt.Errorf("tell: %w", err)
	}
	return nil
}
