package dynamics

import (
	"errors"
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
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
	return s.settle(dst, u, d)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (s *Iterated) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	if err := s.Check(); err != nil { // of dynamics that may not be there
		return kedge.Residual{}, err
	}
	return settleRows(nil, s.Dims(), dst, u, d, func(dst, d []float64) (kedge.Residual, error) { return s.settle(dst, u, d) })
}

func (s *Iterated) settle(dst, u, d []float64) (kedge.Residual, error) {
	w, ok := s.idle.Get().(*walk)
	if !ok {
		w = newWalk(s.Of, s.Options)
	}
	defer s.idle.Put(w)
	w.u, w.d = u, d
	defer func() { w.u, w.d = nil, nil }()
	s.begin(w.p, d)
	r, err := w.settle()
	if err != nil {
		return kedge.Residual{}, err
	}
	copy(dst, w.h)
	return r, nil
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
