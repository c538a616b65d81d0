package study

import (
	"errors"
	"iter"
	"math"
	"os"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// fault is what an experiment panics with when it cannot go on: the context has ended, or somebody has changed a case that it is
// about. Run returns the error, so that an experiment is a list of steps.
type fault struct{ error }

func check(err error) {
	if err != nil {
		panic(fault{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// do runs a part of an experiment and returns the error that it stopped with.
func (w *work) do(part func(*work)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(fault)
			if !ok {
				panic(p)
			}
			err = f.error
		}
	}()
	part(w)
	return nil
}

// stream is the randomness of one part of the study, by its content.
func (w *work) stream(name ...string) *stream.Stream {
	return stream.New(w.Seed, append([]string{"study", w.result.Name}, name...)...)
}

// each does n pieces of work on all cores, and stops when the context ends.
func (w *work) each(n int, do func(piece int)) {
	w.total.Add(int64(n))
	check(crew.Share(min(w.Workers, n), n, func(_, piece int) error {
		return w.do(func(*work) {
			check(w.ctx.Err())
			do(piece)
			if done := w.done.Add(1); w.Progress != nil {
				w.Progress(done, w.total.Load())
			}
		})
	}))
}

// measure takes a number of every trial at every place x, the last places first: they take longest, and no core should be left
// alone with one.
func measure[X int | float64](w *work, x []X, trials int, of func(i, t int) float64) []sample {
	list := emptySamples(x, trials)
	w.each(len(x)*trials, func(piece int) {
		i, t := len(x)-1-piece/trials, piece%trials
		list[i].values[t] = of(i, t)
	})
	return list
}

// measureBoth takes two numbers of every trial at every place.
func measureBoth[X int | float64](w *work, x []X, trials int, of func(i, t int) (first, second float64)) (firsts, seconds []sample) {
	seconds = emptySamples(x, trials)
	firsts = measure(w, x, trials, func(i, t int) (first float64) {
		first, seconds[i].values[t] = of(i, t)
		return first
	})
	return firsts, seconds
}

// emptySamples has room for a value a trial at every place.
func emptySamples[X int | float64](x []X, trials int) []sample {
	list := make([]sample, len(x))
	for i, n := range x {
		list[i] = sample{float64(n), make([]float64, trials)}
	}
	return list
}

// problem builds a case with changes laid over it, as YAML. Its seed is made of its content, so that two points of a study
// are independent and neither depends on which others there are.
func (w *work) problem(name, changes string) *problem.Problem {
	src, _ := problem.Case(name)
	s := must(problem.Parse(kind.Standard(), name, src, problem.Merge("study "+w.result.Name, []byte(changes))))
	s.Seed = w.stream(name, changes).Uint64() >> 32
	return must(problem.Build(name, s, os.DirFS(".")))
}

// traitsOf are the traits of everybody and their width.
func traitsOf(p *problem.Problem) (traits []float64, width int) {
	people, width := p.Traits.Size()
	return p.Traits.View(make([]float64, people*width), 0, people), width
}

// jointly returns how W₁ of states and traits is measured between two crowds of everybody, with ‖·‖_P or, without a metric, ‖·‖ for states.
func (w *work) jointly(p *problem.Problem, metric []float64) func(a, b []float64) float64 {
	traits, width := traitsOf(p)
	own, state := must(transport.Euclidean(traits, traits, width)), p.Spec.Dims().State
	return func(a, b []float64) float64 {
		cost, err := transport.Euclidean(a, b, state)
		if metric != nil {
			cost, err = transport.Weighted(metric, a, b, state)
		}
		return must(transport.Assignment(w.ctx, must(transport.Mixed(must(cost, err), own)))).Value
	}
}

// certified certifies the first rule of a problem, on a model that may differ from it.
func (w *work) certified(p *problem.Problem, m kedge.Model) *certify.Certificate {
	rule := p.Spec.Algorithms[0]
	return must(certify.Certify(w.ctx, m, certify.Premises{Step: rule.Step, Batch: rule.Batch, Horizon: p.Spec.Iterations, Tau: 0.05, Seed: p.Spec.Seed}))
}

// show puts the spec of a problem into the result. It is not for pieces of work, which come in any order.
func (w *work) show(p *problem.Problem) { w.result.Spec = string(p.Spec.YAML()) }

// turn is a turn of a trial: its number, its decision and the states that it begins with.
type turn struct {
	k         int
	u, states []float64
}

// turns runs trial t of the first algorithm of a problem, turn by turn.
func (w *work) turns(p *problem.Problem, t int) iter.Seq[turn] {
	return func(yield func(turn) bool) {
		trial, enough := must(p.Trial(0, t, math.NaN())), errors.New("enough was seen")
		l := loop.Loop{
			Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective,
			Turns: p.Spec.Iterations, Batch: trial.Batch, Hold: p.Spec.Hold,
			Recorder: recorder(func(s *kedge.Step) error {
				if yield(turn{s.K, s.U, trial.Population.States()}) {
					return nil
				}
				return enough
			}),
		}
		if err := l.Run(w.ctx); !errors.Is(err, enough) {
			check(err)
		}
	}
}

// recorder is a function that takes down steps.
type recorder func(s *kedge.Step) error

// Record calls the function.
func (r recorder) Record(s *kedge.Step) error { return r(s) }
