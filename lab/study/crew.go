package study

import (
	"os"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// stream is the randomness of one part of the study, by its content.
func (w *work) stream(name ...string) *stream.Stream {
	return stream.New(w.Seed, append([]string{"study", w.result.Name}, name...)...)
}

// each does n pieces of work on all cores, and stops when the context ends.
func (w *work) each(n int, do func(piece int) error) error {
	w.total.Add(int64(n))
	return crew.Share(min(w.Workers, n), n, func(_, piece int) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		err := do(piece)
		if done := w.done.Add(1); err == nil && w.Progress != nil {
			w.Progress(done, w.total.Load())
		}
		return err
	})
}

// measure takes a number of every trial at every place x, the last places first: they take longest, and no core should be left
// alone with one.
func (w *work) measure(x []int, trials int, of func(i, t int) (float64, error)) ([]sample, error) {
	list := emptySamples(x, trials)
	return list, w.each(len(x)*trials, func(piece int) (err error) {
		i, t := len(x)-1-piece/trials, piece%trials
		list[i].values[t], err = of(i, t)
		return err
	})
}

// emptySamples has room for a value a trial at every place.
func emptySamples(x []int, trials int) []sample {
	list := make([]sample, len(x))
	for i, n := range x {
		list[i] = sample{float64(n), make([]float64, trials)}
	}
	return list
}

// problem builds a case with changes laid over it, as YAML. Its seed is made of its content, so that two points of a study
// are independent and neither depends on which others there are.
func (w *work) problem(name string, changes ...string) (*problem.Problem, error) {
	src, _ := problem.Case(name)
	seed := w.stream(append([]string{name}, changes...)...).Uint64() >> 32
	over := []problem.Overlay{}
	for _, text := range changes {
		over = append(over, problem.Merge("study "+w.result.Name, []byte(text)))
	}
	s, err := problem.Parse(kind.Standard(), name, src, over...)
	if err != nil {
		return nil, err
	}
	s.Seed = seed
	return problem.Build(name, s, os.DirFS("."))
}

// traitsOf are the traits of everybody and their width.
func traitsOf(p *problem.Problem) (traits []float64, width int) {
	people, width := p.Traits.Size()
	return p.Traits.View(make([]float64, people*width), 0, people), width
}

// show puts the spec of a problem into the result. It is not for pieces of work, which come in any order.
func (w *work) show(p *problem.Problem) { w.result.Spec = string(p.Spec.YAML()) }
