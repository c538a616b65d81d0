package study

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// witness sees a trial turn by turn: the decision of turn k and the states that the turn begins with.
type witness func(k int, u, states []float64) error

// follow runs trial t of the first algorithm of a problem before a witness.
func (w *work) follow(p *problem.Problem, t int, see witness) error {
	trial, err := p.Trial(0, t, math.NaN())
	if err != nil {
		return err
	}
	l := loop.Loop{
		Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective,
		Turns: p.Spec.Iterations, Batch: trial.Batch, Hold: p.Spec.Hold,
		Recorder: recorder(func(s *kedge.Step) error { return see(s.K, s.U, trial.Population.States()) }),
	}
	return l.Run(w.ctx)
}

// recorder is a function that takes down steps.
type recorder func(s *kedge.Step) error

// Record calls the function.
func (r recorder) Record(s *kedge.Step) error { return r(s) }
