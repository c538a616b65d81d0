package steady

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Lag tells how far a crowd that has answered a decision u is from the crowd settled under it, and how far that leads gradients
// astray. With pᵢ the state after the answer and hᵢ = h(u, dᵢ),
//
//	V = mean ‖pᵢ − hᵢ‖_P                                                                      [he2025, coupling bound]
//	e = mean [∇ᵤΦ(pᵢ) − ∇ᵤΦ(hᵢ) + ∇ᵤh(u, dᵢ)(∇ₚΦ(pᵢ) − ∇ₚΦ(hᵢ))]                              [he2025, gradient bias]
//
// e is the error of the composite gradient that samples the crowd as it is and knows ∇ᵤh exactly. It owns its workspace: one
// goroutine at a time.
type Lag struct {
	kedge.Model                 // with dynamics, a settler, an objective, a sensitivity and traits
	Steps             int       // that the crowd takes under a decision; 0 means 1
	Weight            []float64 // P, row by row; nil means the identity
	Workers           int       // as in Objective
	Answered, Settled []float64 // where to leave everybody's pᵢ and hᵢ; nil for nowhere

	dim     kedge.Dims
	moves   kedge.RowDynamics
	settler kedge.RowSettler
	judge   kedge.RowObjective
	sums    sums
	stalls  []stall // one a worker
	u       []float64
	states  []float64
}

// stall is where one worker compares a chunk.
type stall struct {
	now, next, settled []float64
	pull, pullSettled  []float64 // ∂Φ/∂p of the two
	gradient           []float64 // ∂Φ/∂u of the settled
	diff               []float64 // of two states
	traits             []float64 // room to look at traits
}

// Measure returns V of the crowd that is in the given states before it answers u, and writes e to bias. A state may have more
// entries than the model knows; only the leading ones are read.
func (l *Lag) Measure(bias, u, states []float64) (float64, error) {
	if err := l.prepare(); err != nil {
		return 0, err
	}
	dim, n := l.dim, l.sums.n
	if err := errors.Join(kedge.CheckLen("bias", bias, dim.Decision), checkAsk(nil, u, dim), l.checkStates(states)); err != nil {
		return 0, err
	}
	hands := crew.Hands(l.Workers, n*dim.State)
	l.furnish(hands)
	l.u, l.states = u, states
	defer func() { l.u, l.states = nil, nil }()
	return l.sums.mean(bias, hands)
}

// Everybody returns a copy of all traits, one individual a row.
func (l *Lag) Everybody() ([]float64, error) {
	if err := l.prepare(); err != nil {
		return nil, err
	}
	n, width := l.Traits.Size()
	all := make([]float64, n*width)
	copy(all, l.Traits.View(all, 0, n))
	return all, nil
}

// prepare checks the model and makes room for its sums, once.
func (l *Lag) prepare() error {
	if l.moves != nil {
		return nil
	}
	l.settler, l.judge = l.RowSettler(), l.RowObjective()
	if l.settler == nil || l.judge == nil || l.Sensitivity == nil || l.Social || l.Weights != nil {
		return errors.New("steady: a lag needs the dynamics, settler and sensitivity of individuals that do not see their mean and count alike, and an objective")
	}
	dim := l.Dims()
	err := kedge.CheckRows("traits", l.Traits, dim.Trait)
	if l.Weight != nil {
		err = errors.Join(err, kedge.CheckVector("P", l.Weight, dim.State*dim.State))
	}
	if err != nil {
		return err
	}
	l.dim, l.moves = dim, l.RowDynamics()
	n, _ := l.Traits.Size()
	l.sums.init(nil, n, dim.Decision, l.evalChunk)
	return nil
}

// checkStates wants as many states as there are traits, and room for them where they are to be left.
func (l *Lag) checkStates(states []float64) error {
	n, width := l.sums.n, l.dim.State
	if len(states)%n != 0 || len(states) < n*width {
		return &kedge.DimError{Arg: "states", Got: len(states), Want: n * width}
	}
	var err error
	for _, dst := range [][]float64{l.Answered, l.Settled} {
		if dst != nil {
			err = errors.Join(err, kedge.CheckLen("room for states", dst, n*width))
		}
	}
	return err
}

// furnish makes room for workers.
func (l *Lag) furnish(workers int) {
	dim := l.dim
	entries := min(l.sums.n, chunk) * dim.State
	for len(l.stalls) < workers {
		block := func() []float64 { return make([]float64, entries) }
		l.stalls = append(l.stalls, stall{
			now: block(), next: block(), settled: block(), pull: block(), pullSettled: block(),
			gradient: make([]float64, dim.Decision), diff: make([]float64, dim.State), traits: room(l.Traits),
		})
	}
}

// evalChunk adds the distances of individuals first … last−1 to part[0] and their part of e to part[1:].
func (l *Lag) evalChunk(part []float64, hand, first, last int) error {
	w := &l.stalls[hand]
	d := l.Traits.View(w.traits, first, last)
	p := l.answer(w, d, first, last)
	h := w.settled[:len(p)]
	if _, err := settleFrom(l.settler, l.States, h, l.u, d, first, last); err != nil {
		return err
	}
	l.leave(p, h, first)
	part[0] = l.distances(p, h, w.diff)
	return l.bias(part[1:], p, h, d, w)
}

// answer lets individuals first … last−1 answer the decision and returns where they are then.
func (l *Lag) answer(w *stall, d []float64, first, last int) []float64 {
	width, from := l.dim.State, len(l.states)/l.sums.n
	p, next := w.now[:(last-first)*width], w.next[:(last-first)*width]
	for i := range last - first {
		copy(kedge.Row(p, i, width), kedge.Row(l.states, first+i, from))
	}
	for range max(1, l.Steps) {
		l.moves.NextRows(next, p, l.u, d)
		p, next = next, p
	}
	return p
}

// leave keeps states where they are wanted.
func (l *Lag) leave(p, h []float64, first int) {
	at := first * l.dim.State
	if l.Answered != nil {
		copy(l.Answered[at:], p)
	}
	if l.Settled != nil {
		copy(l.Settled[at:], h)
	}
}

// distances returns Σ ‖pᵢ − hᵢ‖_P.
func (l *Lag) distances(p, h, diff []float64) float64 {
	total, width := 0.0, len(diff)
	for i := range len(p) / width {
		x, y := kedge.Row(p, i, width), kedge.Row(h, i, width)
		if l.Weight == nil {
			total += rows.Distance(x, y)
			continue
		}
		rows.Sub(diff, x, y)
		total += dense.Weighted(l.Weight, diff)
	}
	return total
}

// bias adds the part of individuals at p that will be at h to e.
func (l *Lag) bias(e, p, h, d []float64, w *stall) error {
	at, settled := w.pull[:len(p)], w.pullSettled[:len(p)]
	clear(at)
	clear(settled)
	clear(w.gradient)
	l.judge.EvalRows(at, e, p, l.u, d)
	l.judge.EvalRows(settled, w.gradient, h, l.u, d)
	rows.AddScaled(e, -1, w.gradient)
	rows.AddScaled(at, -1, settled)
	return l.Sensitivity.PullRows(e, h, l.u, d, at)
}
