package dynamics

import (
	"errors"
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Settled returns the steady states of f: f itself when it knows them, otherwise an Iterated.
func Settled(f kedge.Dynamics) kedge.RowSettler {
	if s, ok := f.(kedge.Settler); ok {
		return kedge.BatchedSettler(s)
	}
	return &Iterated{Of: f}
}

// Iterated finds the steady states of any dynamics by iteration: plain steps from the individual's start, then accelerated
// ones from where these led [anderson1965, walker2011].
//
// Acceleration also finds points that repel, and may leap to a point that another start would reach. A point h is therefore
// returned only when two facts were seen:
//
//   - it attracts. A small nudge in a fixed but generic direction is followed through the linearised dynamics. It must
//     shrink ten thousandfold, which proves that no more than that part of it was repelled; or, where the dynamics is slow,
//     still be shrinking after a thousand steps. Otherwise the error is an *kedge.UnstableError.
//   - it is approached. The individual that has walked plainly from its own start must, walking on, halve its distance to
//     h; or, where the dynamics is slow, still be nearing h after a thousand steps. Otherwise the error is an
//     *ElsewhereError.
//
// The facts are evidence, not proof: a nudge exactly along a mode that attracts sees no other. An iteration that finds
// nothing at all ends in a *kedge.NotConvergedError. A failed attempt is repeated from farther along the individual's path,
// up to some five thousand steps, before its error is returned.
//
// The fields must not change after the first use; then an Iterated may be used by many goroutines at once, if Of may.
type Iterated struct {
	Of      kedge.Dynamics
	Start   func(dst, d []float64) // writes the start p₀ of the individual d; nil means d itself if it fits, else 0
	Options fixpoint.Settings

	idle sync.Pool // of *walk
}

// Dims returns the dimensions of Of.
func (s *Iterated) Dims() kedge.Dims { return s.Of.Dims() }

// Next writes f(p, u, d) to dst.
func (s *Iterated) Next(dst, p, u, d []float64) { s.Of.Next(dst, p, u, d) }

// NextRows does Next for every row, by the block form of Of if it has one.
func (s *Iterated) NextRows(dst, p, u, d []float64) { kedge.Batched(s.Of).NextRows(dst, p, u, d) }

// Check returns a *kedge.RangeError for every dimension or option out of range, and the mistakes of Of, joined.
func (s *Iterated) Check() error {
	if s.Of == nil {
		return &MissingError{Arg: "Of", Want: "the dynamics to settle"}
	}
	var inner error
	if c, ok := s.Of.(kedge.CheckedDynamics); ok {
		inner = c.Check()
	}
	o := s.Options
	return errors.Join(inner, checkDims(s.Of.Dims()),
		kedge.CheckRange("Memory", float64(o.Memory), o.Memory >= 0, "Memory ≥ 0"),
		kedge.CheckRange("MaxSteps", float64(o.MaxSteps), o.MaxSteps >= 0, "MaxSteps ≥ 0"),
		kedge.CheckRange("Tolerance", o.Tolerance, o.Tolerance >= 0 && o.Tolerance <= math.MaxFloat64, "0 ≤ Tolerance < ∞"),
	)
}

// Settle writes the steady state that the individual d reaches from its start to dst.
func (s *Iterated) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := s.Check(); err != nil {
		return kedge.Residual{}, err
	}
	if err := checkOne(nil, s.Dims(), dst, u, d); err != nil {
		return kedge.Residual{}, err
	}
	return s.settleAlone(dst, u, d)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (s *Iterated) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	if err := s.Check(); err != nil { // of dynamics that may not be there
		return kedge.Residual{}, err
	}
	return settleRows(nil, s.Dims(), dst, u, d, func(dst, d []float64) (kedge.Residual, error) { return s.settleAlone(dst, u, d) })
}

// SettleFrom settles every row from where it is. An error names the row; the rows before it are already written.
func (s *Iterated) SettleFrom(p, u, d []float64) (kedge.Residual, error) {
	if err := s.Check(); err != nil {
		return kedge.Residual{}, err
	}
	return settleRows(nil, s.Dims(), p, u, d, func(h, d []float64) (kedge.Residual, error) { return s.settle(h, h, u, d) })
}

// settleAlone settles an individual from the start that its trait gives.
func (s *Iterated) settleAlone(dst, u, d []float64) (kedge.Residual, error) {
	start := make([]float64, len(dst))
	s.begin(start, d)
	return s.settle(dst, start, u, d)
}

// settle settles an individual from a start.
func (s *Iterated) settle(dst, start, u, d []float64) (kedge.Residual, error) {
	w := s.borrow(u, d)
	defer s.release(w)
	copy(w.p, start)
	r, err := w.settle()
	if err != nil {
		return kedge.Residual{}, err
	}
	copy(dst, w.h)
	return r, nil
}

// borrow lends the workspace for an individual.
func (s *Iterated) borrow(u, d []float64) *walk {
	w, ok := s.idle.Get().(*walk)
	if !ok {
		w = newWalk(s.Of, s.Options)
	}
	w.u, w.d = u, d
	return w
}

func (s *Iterated) release(w *walk) {
	w.u, w.d = nil, nil
	s.idle.Put(w)
}

// begin writes the start of the individual d to p.
func (s *Iterated) begin(p, d []float64) {
	clear(p)
	switch {
	case s.Start != nil:
		s.Start(p, d)
	case len(p) == len(d):
		copy(p, d)
	}
}

const (
	firstStroll  = 64   // plain steps before the first attempt, four times as many before every other
	lastStroll   = 4096 // plain steps before the last attempt
	patience     = 1000 // steps for which slow dynamics are watched
	shrunk       = 1e-4 // part of a nudge that may be left of it
	clearlyBelow = 1e-6 // how far below 1 a rate must lie to be beyond the error of its measurement
	near         = 1e-6 // distance from an attracting point at which an individual has arrived
	stillNearing = 5e-5 // part of its distance that an individual must lose in the second half of its patience
)

// walk is the workspace in which one individual is settled.
type walk struct {
	of        kedge.Dynamics
	u, d      []float64
	solver    *fixpoint.Solver
	p, next   []float64 // the individual, walking plainly
	h, image  []float64 // the steady state, and f of it
	nudge     []float64 // deviation from h, of length 1
	beside    []float64 // h, nudged
	step      func(dst, x []float64) error
	tolerance float64
}

func newWalk(of kedge.Dynamics, o fixpoint.Settings) *walk {
	n := of.Dims().State
	v := func() []float64 { return make([]float64, n) }
	w := &walk{of: of, solver: fixpoint.New(n, o), p: v(), next: v(), h: v(), image: v(), nudge: v(), beside: v()}
	w.tolerance = w.solver.Settings().Tolerance
	w.step = func(dst, x []float64) error {
		of.Next(dst, x, w.u, w.d)
		return nil
	}
	return w
}

// settle leaves the steady state reached from p in h. An attempt that fails is repeated from farther along the path, unless
// the individual rests already or has run away.
func (w *walk) settle() (kedge.Residual, error) {
	walked := 0
	for length := firstStroll; ; length *= 4 {
		went := w.stroll(length)
		walked += went
		r, err := w.attempt()
		r.Steps += walked
		if err == nil || went < length || length >= lastStroll {
			return r, err
		}
	}
}

// attempt accelerates from where the individual stands and judges what it finds.
func (w *walk) attempt() (kedge.Residual, error) {
	copy(w.h, w.p)
	found, err := w.solver.Solve(w.step, w.h)
	if err != nil {
		return kedge.Residual{}, explain(err)
	}
	if err := w.attracts(); err != nil {
		return kedge.Residual{}, err
	}
	return kedge.Residual{Norm: found.Residual, Steps: found.Steps}, w.approached()
}

// explain says the solver's failure in the words of the root package.
func explain(err error) error {
	var e *fixpoint.StoppedError
	if !errors.As(err, &e) {
		return err
	}
	return &kedge.NotConvergedError{What: "steady state", Residual: e.Residual, Tolerance: e.Tolerance, Steps: e.Steps}
}

// stroll walks p plainly until it rests or has gone so many steps, and returns how many it went. An individual that runs
// away stops at its last finite point.
func (w *walk) stroll(steps int) int {
	for i := range steps {
		if !w.stride() {
			return i
		}
		moved := rows.Distance(w.next, w.p)
		w.p, w.next = w.next, w.p
		if moved <= w.tolerance {
			return i + 1
		}
	}
	return steps
}

// stride writes the individual's next state to next and tells whether it is finite.
func (w *walk) stride() bool {
	w.of.Next(w.next, w.p, w.u, w.d)
	return rows.Finite(w.next)
}

// attracts follows the nudge v ← (f(h+εv) − f(h))/ε, kept at length 1, and judges by how much it would have shrunk.
func (w *walk) attracts() error {
	w.of.Next(w.image, w.h, w.u, w.d)
	generic(w.nudge)
	left, late := 1.0, 0.0
	for i := range patience {
		length := w.push()
		if left *= length; left <= shrunk {
			return nil
		}
		if i >= patience/2 {
			late += portable.Log(length)
		}
	}
	if rate := portable.Exp(late / (patience / 2)); !(rate < 1-clearlyBelow) {
		return &kedge.UnstableError{Rate: rate}
	}
	return nil
}

// push sends the nudge through the linearised dynamics and returns how long it became. Where f is not finite on one side of
// h, as at the edge of its domain, the other side is taken.
func (w *walk) push() float64 {
	size := math.Sqrt(unit) * max(1, rows.MaxAbs(w.h))
	length := w.differ(size)
	if !(length <= math.MaxFloat64) {
		length = w.differ(-size)
	}
	if length > 0 && length <= math.MaxFloat64 {
		for i, v := range w.next {
			w.nudge[i] = v / length
		}
	}
	return length
}

// differ leaves (f(h + size·v) − f(h))/size in next and returns its length.
func (w *walk) differ(size float64) float64 {
	for i, v := range w.h {
		w.beside[i] = v + float64(size*w.nudge[i])
	}
	w.of.Next(w.next, w.beside, w.u, w.d)
	for i, v := range w.image {
		w.next[i] = (w.next[i] - v) / size
	}
	return rows.Norm(w.next)
}

// approached walks on plainly and watches the distance to h.
func (w *walk) approached() error {
	first := rows.Distance(w.p, w.h)
	if first <= near*max(1, rows.MaxAbs(w.h)) {
		return nil
	}
	half, now := first, first
	for i := range patience {
		if !w.stride() {
			return &ElsewhereError{Distance: math.Inf(1)}
		}
		w.p, w.next = w.next, w.p
		if now = rows.Distance(w.p, w.h); now <= first/2 {
			return nil
		}
		if i == patience/2 {
			half = now
		}
	}
	if now < half*(1-stillNearing) {
		return nil
	}
	return &ElsewhereError{Distance: now}
}

// generic fills v with a fixed direction that no model singles out, at length 1: the numbers of the Lehmer generator
// [park1988].
func generic(v []float64) {
	const modulus = 1<<31 - 1
	state := uint64(20_250_310)
	for i := range v {
		state = state * 48271 % modulus
		v[i] = float64(state)/modulus - 0.5
	}
	rows.Scale(v, 1/rows.Norm(v))
}
