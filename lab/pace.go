package lab

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// Pace is how fast a problem runs here, measured on its first turns.
type Pace struct {
	turns   []float64 // by algorithm, seconds of a turn
	measure float64   // seconds of a measurement
}

// errEnough ends the turns that are measured.
var errEnough = errors.New("enough turns")

// NewPace lets every algorithm take turns for so long, and measures the first decision once. It tells nothing of the search for the optimum.
func NewPace(ctx context.Context, p *problem.Problem, each time.Duration) (*Pace, error) {
	pace := &Pace{}
	f, err := p.Steady()
	if err != nil {
		return nil, err
	}
	f.Until = ctx
	begun := time.Now()
	if _, err := f.Value(p.Start); err != nil {
		return nil, err
	}
	pace.measure = time.Since(begun).Seconds()
	for i := range p.Spec.Algorithms {
		t, err := p.Trial(i, 0, 0)
		if err != nil {
			return nil, err
		}
		turns, begun := 0, time.Now()
		l := loop.Loop{
			Population: t.Population, Algorithm: t.Algorithm, Objective: t.Objective, Turns: p.Spec.Iterations, Batch: t.Batch, Hold: p.Spec.Hold,
			After: func(done int) error {
				if turns = done; time.Since(begun) > each {
					return errEnough
				}
				return nil
			},
		}
		if err := l.Run(ctx); err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		pace.turns = append(pace.turns, time.Since(begun).Seconds()/float64(max(1, turns)))
	}
	return pace, nil
}

// Seconds estimates how long the trials of a spec take that has the algorithms of the problem, for so many workers; below 1, one a core.
func (p *Pace) Seconds(s *problem.Spec, workers int) float64 {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	sum, trials := 0.0, 0.0
	for i, a := range s.Algorithms {
		if i < len(p.turns) {
			sum += float64(a.Trials) * (float64(s.Iterations)*p.turns[i] + measuredTurns(s)*p.measure)
			trials += float64(a.Trials)
		}
	}
	return sum / max(1, min(float64(workers), trials))
}
