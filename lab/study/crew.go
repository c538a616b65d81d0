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

// show puts the spec of a problem into the result. It is not for pieces of work, which come in any order.
func (w *work) show(p *problem.Problem) { w.result.Spec = string(p.Spec.YAML()) }
