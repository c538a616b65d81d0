package steady

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// social evaluates a crowd whose individuals see its mean: given (u, p̄) everybody settles at h(u, p̄, dᵢ), and the mean settles
// where p̄ = mean h(u, p̄, dᵢ). By implicit differentiation of both,
//
//	∇Φ̃ = mean[∂Φ/∂u + ∂ᵤhᵢ (∂Φ/∂p + y)],   y = mean ∂ₘhᵢ (∂Φ/∂p + y),
//
// where ∂ᵤh and ∂ₘh are partial products at a given mean. Everybody's settled state and pull are kept meanwhile.
//
// Where steady states have a closed form the mean is found by accelerated iteration. Otherwise everybody walks at once, step by
// step with the mean, which is cheaper than to settle everybody under one mean after the other.
type social struct {
	of    *Objective
	hands int
	seen  []float64 // (u, p̄)
	start []float64
	y     []float64

	states, pulls []float64 // of everybody
	step          kedge.RowDynamics

	firsts, means, walks, losses, answers sums
	meanStep, answerStep                  func(dst, x []float64) error
	solver                                *fixpoint.Solver
}

func newSocial(of *Objective) *social {
	dim, all := of.Dims(), of.settler.Dims()
	n := of.sums.n
	s := &social{
		of: of, seen: make([]float64, all.Decision), y: make([]float64, dim.State), start: make([]float64, dim.State),
		states: make([]float64, n*dim.State), pulls: make([]float64, n*dim.State),
		step: kedge.Batched(of.settler), solver: fixpoint.New(dim.State, fixpoint.Settings{}),
	}
	s.firsts.init(&of.Until, n, dim.State, s.firstChunk)
	s.walks.init(&of.Until, n, dim.State, s.walkChunk)
	s.means.init(&of.Until, n, dim.State, s.settleChunk)
	s.losses.init(&of.Until, n, dim.Decision, s.judgeChunk)
	s.answers.init(&of.Until, n, all.Decision, s.answerChunk)
	s.meanStep, s.answerStep = s.nextMean, s.nextAnswer
	return s
}

// mean is the part of seen that the crowd's mean has.
func (s *social) mean() []float64 { return s.seen[len(s.seen)-len(s.y):] }

// chunk returns a worker's desk and the states and traits of individuals first … last−1.
func (s *social) chunk(hand, first, last int) (w *desk, p, d []float64) {
	w = &s.of.desks[hand]
	return w, s.states[first*len(s.y) : last*len(s.y)], s.of.model.Traits.View(w.traits, first, last)
}

// settle settles everybody and the mean under u.
func (s *social) settle(u []float64) error {
	dim := s.of.Dims()
	s.hands = crew.Hands(s.of.Workers, s.of.sums.n*dim.State)
	s.of.furnish(s.hands)
	s.of.forget()
	copy(s.seen, u)
	clear(s.start) // and not the mean found last, on which bits would depend
	if done, err := s.walk(); done || err != nil {
		return err
	}
	if _, err := s.solver.Solve(s.meanStep, s.start); err != nil {
		if stop, is := errors.AsType[*fixpoint.StoppedError](err); is {
			err = &kedge.NotConvergedError{What: "the crowd's mean", Residual: stop.Residual, Tolerance: stop.Tolerance, Steps: stop.Steps}
		}
		return err
	}
	return nil
}

const (
	restful  = 1e-13 // relative to max(1, ‖p‖∞), the step that counts as none
	longWalk = 500   // steps
)

// walk lets everybody walk, unless steady states have a closed form: from where they begin, if that is known, else from where they settle
// alone. It tells whether all came to rest.
func (s *social) walk() (done bool, err error) {
	if _, depends := s.of.settler.(kedge.StartedSettler); depends && s.of.model.States != nil {
		_, err = s.firsts.mean(s.mean(), s.hands)
	} else if err = s.nextMean(s.mean(), s.start); s.of.Residual().Steps == 0 {
		return false, err
	}
	if err != nil {
		return false, err
	}
	for range longWalk {
		if moving, err := s.walks.mean(s.mean(), s.hands); moving == 0 || err != nil {
			return true, err
		}
	}
	return false, nil
}

// firstChunk puts individuals where they begin and adds that to part[1:].
func (s *social) firstChunk(part []float64, hand, first, last int) error {
	_, p, _ := s.chunk(hand, first, last)
	if at := s.of.model.States.View(p, first, last); &at[0] != &p[0] {
		copy(p, at)
	}
	for i := range last - first {
		rows.AddScaled(part[1:], 1, kedge.Row(p, i, len(s.y)))
	}
	return nil
}

// walkChunk takes a step and adds who still moves to part[0] and the new states to part[1:].
func (s *social) walkChunk(part []float64, hand, first, last int) error {
	w, p, d := s.chunk(hand, first, last)
	width, next := len(s.y), w.pull[:len(p)]
	s.step.NextRows(next, p, s.seen, d)
	for i := range last - first {
		was, is := kedge.Row(p, i, width), kedge.Row(next, i, width)
		if !(rows.Farthest(is, was) <= restful*max(1, rows.MaxAbs(is))) {
			part[0]++
		}
		rows.AddScaled(part[1:], 1, is)
	}
	copy(p, next)
	return nil
}

// nextMean writes the mean of those who settle under a mean.
func (s *social) nextMean(dst, mean []float64) error {
	copy(s.mean(), mean)
	_, err := s.means.mean(dst, s.hands)
	return err
}

func (s *social) settleChunk(part []float64, hand, first, last int) error {
	w, p, d := s.chunk(hand, first, last)
	res, err := s.of.settle(p, s.seen, d, first, last)
	if err != nil {
		return err
	}
	w.worst = w.worst.Worst(res)
	for i := range last - first {
		rows.AddScaled(part[1:], 1, kedge.Row(p, i, len(s.y)))
	}
	return nil
}

// eval is what Objective.eval is to a crowd that does not see itself.
func (s *social) eval(g []float64, t task) (float64, error) {
	if err := s.settle(t.u); err != nil {
		return 0, err
	}
	if copy(t.states, s.states); t.settle {
		return 0, nil
	}
	s.of.task = t
	defer func() { s.of.task = task{} }()
	loss, err := s.losses.mean(g, s.hands)
	if err != nil || !t.total {
		return loss, err
	}
	clear(s.y)
	if _, err := s.solver.Solve(s.answerStep, s.y); err != nil {
		return 0, fmt.Errorf("the answer of the crowd's mean: %w", err)
	}
	sum := s.answers.parts[1:]
	for i := range g {
		g[i] += sum[i] / float64(s.of.sums.n)
	}
	return loss, nil
}

func (s *social) judgeChunk(part []float64, hand, first, last int) error {
	_, p, d := s.chunk(hand, first, last)
	s.of.losses(part, s.pulls[first*len(s.y):last*len(s.y)], p, d, first, nil)
	return nil
}

// nextAnswer writes mean ∂ₘhᵢ (∂Φ/∂p + y); the products for u are in the same sums.
func (s *social) nextAnswer(dst, y []float64) error {
	copy(s.y, y)
	total, err := s.answers.add(len(s.seen), s.hands)
	if err != nil {
		return err
	}
	copy(dst, total[1+len(s.seen)-len(y):])
	rows.Scale(dst, 1/float64(s.of.sums.n))
	return nil
}

func (s *social) answerChunk(part []float64, hand, first, last int) error {
	w, p, d := s.chunk(hand, first, last)
	width, v := len(s.y), w.pull[:len(p)]
	for i, x := range s.pulls[first*width : last*width] {
		v[i] = x + s.y[i%width]
	}
	return s.of.model.Sensitivity.PullRows(part[1:], p, s.seen, d, v)
}

// Mean writes the mean state of the settled population to dst.
func (s *Objective) Mean(dst, u []float64) error {
	dim, n := s.Dims(), s.sums.n
	if err := errors.Join(kedge.CheckVector("u", u, dim.Decision), kedge.CheckLen("dst", dst, dim.State)); err != nil {
		return err
	}
	if s.social != nil {
		err := s.social.settle(u)
		copy(dst, s.social.mean())
		return err
	}
	all := make([]float64, n*dim.State)
	if err := s.Settle(all, u); err != nil {
		return err
	}
	for i, w := range s.model.Weights {
		rows.Scale(kedge.Row(all, i, dim.State), w)
	}
	rows.AddTree(all, dim.State)
	copy(dst, all)
	rows.Scale(dst, 1/float64(n))
	return nil
}
