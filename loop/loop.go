// Package loop closes the loop: it deploys a decision, lets the population answer, samples it and tells the algorithm, turn
// by turn, and measures on the way how good the decision really is.
package loop

import (
	"context"
	"errors"
	"fmt"
	"math"

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

	Meter    *Meter         // measures; nil when nothing is recorded
	Theory   *Theory        // measures, beside it, what the theory bounds; nil for none. It needs a population that shows its States
	Track    *Track         // the optimum that the meter is to measure against, where it moves; nil where it stays
	Nash     *Nash          // the equilibrium of several decision-makers; nil for a single one
	Judges   []Judge        // of the constraints on the settled population
	Recorder kedge.Recorder // receives what is measured; nil for none
	Every    int            // measure every so many turns, and at the end; 0 means every turn

	// From is the turn to begin with: a restored population and algorithm go on where they were saved, after as many turns.
	From int
	// After is called after every turn when it is not nil, with the number of turns taken since turn 0. Population and
	// algorithm can be saved then. An error ends the run and is returned as it is.
	After func(turns int) error
}

// Judge tells by how much a decision exceeds a constraint on the settled population, as *risk.Settled does.
type Judge interface {
	Excess(u []float64) (float64, error)
}

// crowd is a population whose individuals can all be seen.
type crowd interface{ States() []float64 }

// Run runs the turns. It stops early, with the context's error, when the context ends, which may be in the middle of a turn.
func (l *Loop) Run(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	dim := l.Population.Dims()
	step := kedge.Step{U: make([]float64, dim.Decision)}
	o := kedge.Observation{U: make([]float64, dim.Decision)}
	p, d := make([]float64, l.Batch*dim.State), make([]float64, l.Batch*dim.Trait)
	for k := l.From; k < l.Turns; k++ {
		if err := l.measure(ctx, &step, k); err != nil {
			return err
		}
		o.Round, o.P, o.D = k, p, d
		if err := l.turn(ctx, &o); err != nil {
			return fmt.Errorf("turn %d: %w", k, err)
		}
		if l.After != nil {
			if err := l.After(k + 1); err != nil {
				return err
			}
		}
	}
	return l.measure(ctx, &step, l.Turns)
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
func (l *Loop) turn(ctx context.Context, o *kedge.Observation) error {
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
	o.Loss = l.Objective.EvalRows(nil, nil, o.P, o.U, o.D) / float64(n)
	if err := l.Algorithm.Tell(*o); err != nil {
		return fmt.Errorf("tell: %w", err)
	}
	return nil
}

// recorded tells whether the start of turn k is recorded: every so many turns and after the last.
func (l *Loop) recorded(k int) bool {
	return l.Recorder != nil && (k%max(1, l.Every) == 0 || k == l.Turns)
}

// measure records the start of turn k when it is due.
func (l *Loop) measure(ctx context.Context, s *kedge.Step, k int) error {
	if c, ok := l.Population.(interface{ Prepare() error }); ok && l.recorded(k) {
		if err := c.Prepare(); err != nil {
			return fmt.Errorf("prepare turn %d: %w", k, err)
		}
	}
	if err := l.compare(ctx, s, k); err != nil {
		return fmt.Errorf("compare turn %d with the theory: %w", k, err)
	}
	if !l.recorded(k) {
		return nil
	}
	s.K = k
	if e, ok := l.Algorithm.(kedge.Explorer); ok {
		e.Center(s.U)
	} else {
		l.Algorithm.Ask(s.U)
	}
	s.Metrics.Trust = math.NaN()
	if t, ok := l.Algorithm.(kedge.Truster); ok {
		s.Metrics.Trust = t.Trust()
	}
	if l.Meter != nil {
		if err := l.judge(s, k); err != nil {
			return fmt.Errorf("measure before turn %d: %w", k, err)
		}
	}
	if l.Nash != nil {
		var err error
		if s.Metrics.Nash, err = l.Nash.measure(s.U); err != nil {
			return fmt.Errorf("measure the distance to equilibrium before turn %d: %w", k, err)
		}
	}
	if err := l.weigh(s); err != nil {
		return fmt.Errorf("judge by constraints before turn %d: %w", k, err)
	}
	if err := l.Recorder.Record(s); err != nil {
		return fmt.Errorf("record turn %d: %w", k, err)
	}
	return nil
}

// judge measures the decision of turn k, against the optimum of that turn where it moves.
func (l *Loop) judge(s *kedge.Step, k int) error {
	if l.Track == nil {
		return l.Meter.Measure(&s.Metrics, s.U, l.states())
	}
	best, err := l.Track.at(k)
	if err != nil {
		return err
	}
	l.Meter.aim(*best)
	if err := l.Meter.Measure(&s.Metrics, s.U, l.states()); err != nil {
		return err
	}
	s.Metrics.Tracking = l.Track.follow(k, s.U, l.Meter.loss(&s.Metrics), best)
	return nil
}

// weigh judges the decision by the constraints.
func (l *Loop) weigh(s *kedge.Step) error {
	if len(l.Judges) == 0 {
		return nil
	}
	s.Metrics.Constraints = make([]kedge.Excess, len(l.Judges)) // recorders keep it
	var multipliers []float64
	if a, ok := l.Algorithm.(interface{ Multipliers() []float64 }); ok {
		multipliers = a.Multipliers()
	}
	for j, judge := range l.Judges {
		excess, err := judge.Excess(s.U)
		if err != nil {
			return err
		}
		s.Metrics.Constraints[j] = kedge.Excess{Excess: excess, Multiplier: math.NaN()}
		if multipliers != nil {
			s.Metrics.Constraints[j].Multiplier = multipliers[j]
		}
	}
	return nil
}

// compare lets the theory speak of turn k when it is recorded. A turn before such a one is measured too, for the recursion.
func (l *Loop) compare(ctx context.Context, s *kedge.Step, k int) (err error) {
	if l.Theory == nil || !l.recorded(k) && !l.recorded(k+1) {
		return nil
	}
	l.Algorithm.Ask(l.Theory.deployed)
	s.Metrics.Theory, err = l.Theory.measure(ctx, k, l.recorded(k), k == l.Turns, l.states())
	return err
}

// states returns everybody's state, nil when the population does not show them.
func (l *Loop) states() []float64 {
	if c, ok := l.Population.(crowd); ok {
		return c.States()
	}
	return nil
}
