package lab

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// Pace is how fast a problem runs here, measured on its first turns and settled values, with what is known of how many it takes.
type Pace struct {
	workers int
	turns   []float64 // by algorithm, seconds of a turn
	measure float64   // seconds of a measurement
	search  float64   // seconds of the search for the optimum and the stable point
}

// errEnough ends the turns that are measured.
var errEnough = errors.New("enough turns")

// NewPace lets the algorithms take turns for so long together, each one at least, and judges a few decisions. Workers below 1 are one a core.
func NewPace(ctx context.Context, p *problem.Problem, workers int, moment time.Duration) (*Pace, error) {
	workers = crew.Workers(workers)
	defer runtime.GC() // what was measured shall not add to the memory of what follows
	pace, met := &Pace{workers: workers}, [][]float64{p.Start}
	for i := range p.Spec.Algorithms {
		turn, last, err := turnOf(ctx, p, i, workers, moment/time.Duration(len(p.Spec.Algorithms)))
		if err != nil {
			return nil, err
		}
		pace.turns, met = append(pace.turns, turn), append(met, last)
	}
	f, err := p.Steady()
	if err != nil {
		return nil, err
	}
	f.Until, f.Workers = ctx, workers
	judge := f.Gradient
	if p.Sensitivity == nil {
		judge = f.Partial
	}
	value, gradient, err := judging(f.Value, judge, met, moment)
	if err != nil {
		return nil, err
	}
	pace.measure, pace.search = measurement(p.Spec, value, gradient), float64(gradient*searchLength(p))
	return pace, nil
}

// turnOf measures the turns of an algorithm, in its first trial, and returns the decision that it comes to.
func turnOf(ctx context.Context, p *problem.Problem, algorithm, workers int, moment time.Duration) (seconds float64, last []float64, err error) {
	t, err := p.Trial(algorithm, 0, math.NaN())
	if err != nil {
		return 0, nil, err
	}
	t.Population.Workers = max(1, workers/int(jobsOf(p.Spec)))
	turns, begun := 0, time.Now()
	l := loop.Loop{
		Population: t.Population, Algorithm: t.Algorithm, Objective: t.Objective, Turns: p.Spec.Iterations, Batch: t.Batch, Hold: p.Spec.Hold,
		After: func(done int) error {
			if turns = done; time.Since(begun) > moment {
				return errEnough
			}
			return nil
		},
	}
	if err := l.Run(ctx); err != nil && !errors.Is(err, errEnough) {
		return 0, nil, err
	}
	seconds = time.Since(begun).Seconds() / float64(max(1, turns))
	last = make([]float64, len(p.Start))
	t.Algorithm.Ask(last)
	return seconds, last, nil
}

// judging measures how long a settled value and a gradient take, on average over decisions under which people settle, of which the first is
// judged however long it takes.
func judging(value func(u []float64) (float64, error), gradient func(g, u []float64) (float64, error), decisions [][]float64, moment time.Duration) (v, g float64, err error) {
	slope, n, begun := make([]float64, len(decisions[0])), 0.0, time.Now()
	for _, u := range decisions {
		if n > 0 && time.Since(begun) > moment/2 {
			break
		}
		at := time.Now()
		_, no := value(u)
		between := time.Now()
		if no == nil {
			_, no = gradient(slope, u)
		}
		if no != nil {
			err = no
			continue
		}
		v, g, n = v+between.Sub(at).Seconds(), g+time.Since(between).Seconds(), n+1
	}
	if n == 0 {
		return 0, 0, err
	}
	return v / n, g / n, nil
}

// measurement is what a measured turn costs, given what a settled value and a gradient do.
func measurement(s *problem.Spec, value, gradient float64) float64 {
	seconds := float64(value * float64(1+len(s.Constraints)))
	if s.Record.Gradient {
		seconds += float64(gradient)
	}
	if s.Record.Theory {
		seconds += float64(4 * gradient) // of the turn itself and of the one before it
	}
	return seconds
}

// searchLength is about how many settled gradients it takes to find what a run is measured against. It was counted on the cases and
// examples, of which none took more than twice or less than half: 70 to 280 for the stable point, 20 to 30 for every start besides what is
// looked at all over the set, 30 for every measured turn of an optimum that moves, and some thousands for every player.
func searchLength(p *problem.Problem) float64 {
	const rest, start, turn, player = 100, 25, 30, 6000
	e := p.Effort()
	n := float64(float64(e.Screen+start*(e.Starts+2)) * float64(1+2*len(p.Spec.Constraints)))
	if p.Moves() || p.Changes() {
		n += float64(turn * measuredTurns(p.Spec))
	}
	return n + rest + float64(player*float64(len(p.Spec.Players)))
}

// Seconds estimates how long a run of a spec takes that has the algorithms of the problem, on the workers that it was measured for, with so
// many trials for every one of the spec.
func (p *Pace) Seconds(s *problem.Spec, times float64) float64 {
	sum := 0.0
	for i, a := range s.Algorithms {
		if i < len(p.turns) {
			sum += float64(times * float64(a.Trials) * (float64(float64(s.Iterations)*p.turns[i]) + float64(measuredTurns(s)*p.measure)))
		}
	}
	return p.search + sum/min(float64(p.workers), times*jobsOf(s))
}
