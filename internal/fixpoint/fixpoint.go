// Package fixpoint solves x = g(x) by Anderson acceleration [anderson1965, walker2011].
//
// The plain iteration x ← g(x) crawls when g contracts little and fails when it does not contract. Anderson's iteration
// mixes the last few steps so that the residual f(x) = g(x) − x, taken as linear, becomes smallest:
//
//	x⁺ = g(x) − ΔG·γ,  γ = argmin ‖f(x) − ΔF·γ‖,
//
// where the columns of ΔF and ΔG are the differences of successive f and g. On a linear map of n unknowns with memory n it
// ends after n+1 steps, whatever the map's norm.
//
// A mixed step can also mislead. The solver therefore keeps the best point; when the residual stays above the best for
// long, or is no number, it forgets its memory and walks on from the best point by plain steps, twice as many each time. A
// map that contracts in some norm is thus solved as surely as by the plain iteration.
//
// A solver says that x solves the equation, not that the plain iteration would get there: a point may solve it and repel.
package fixpoint

import (
	"cmp"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Settings tune a Solver. The zero value is useful.
type Settings struct {
	Memory    int     // past steps that are mixed, 0 means 5
	MaxSteps  int     // evaluations of g that are allowed, 0 means 10 000
	Tolerance float64 // residual that counts as solved, 0 means 1e-13
}

const (
	dependent = 1e-10 // relative length below which a column adds nothing to the newer ones
	patience  = 4     // times Memory+1 steps without a gain before a restart
	reach     = 1e10  // times the largest residual that a mixed step may lead away from the start
	rounding  = 1e-11 // residual at which restarts without a gain mean that rounding allows no better
	fruitless = 4     // how many such restarts it takes
)

// Solution says how well the returned x solves the equation and what that took.
type Solution struct {
	Residual float64 // ‖g(x) − x‖∞ / max(1, ‖x‖∞), measured at the very x returned
	Steps    int     // evaluations of g
}

// Solver owns the workspace of an accelerated iteration, so that Solve does not allocate. It is not for concurrent use.
type Solver struct {
	options      Settings
	g, f         []float64 // at the current point
	lastG, lastF []float64 // at the point before it
	best, bestG  []float64
	start        []float64
	next, rest   []float64
	dG, dF       []float64 // ring of Memory columns, one a row
	q, w         []float64 // orthonormal combinations of the columns of ΔF, and the same combinations of ΔG

	columns, slot int     // columns held, place of the next one
	residual      float64 // at best
	largest       float64 // largest ‖f‖∞ seen
	mixed         bool    // the current point came from a mixed step
	plain, quota  int     // plain steps still owed, and owed after the next restart
	stall, failed int     // steps, restarts without a gain
}

// New returns a solver for n unknowns. It panics on a negative n and on options that are negative or NaN.
func New(n int, o Settings) *Solver {
	if n < 0 || o.Memory < 0 || o.MaxSteps < 0 || !(o.Tolerance >= 0) {
		panic("fixpoint: negative size or option")
	}
	o.Memory, o.MaxSteps, o.Tolerance = cmp.Or(o.Memory, 5), cmp.Or(o.MaxSteps, 10_000), cmp.Or(o.Tolerance, 1e-13)
	vector := func() []float64 { return make([]float64, n) }
	block := func() []float64 { return make([]float64, n*o.Memory) }
	return &Solver{
		options: o,
		g:       vector(), f: vector(), lastG: vector(), lastF: vector(),
		best: vector(), bestG: vector(), start: vector(), next: vector(), rest: vector(),
		dG: block(), dF: block(), q: block(), w: block(),
	}
}

// Settings returns the settings in force, defaults filled in.
func (s *Solver) Settings() Settings { return s.options }

// Solve moves x to a solution of x = g(x), starting where x is. The function writes g(x) to dst, must not keep or change x,
// and may give up with an error, which Solve returns as it is. When no solution is found the error is a
// *StoppedError. On any error x holds the best point found and the result tells its residual: x as it came and +Inf
// when there is none. Solve panics unless x has n entries.
func (s *Solver) Solve(g func(dst, x []float64) error, x []float64) (Solution, error) {
	if len(x) != len(s.g) {
		panic("fixpoint: x does not have the solver's length")
	}
	if len(x) == 0 {
		return Solution{}, nil
	}
	s.reset(x)
	for step := 1; step <= s.options.MaxSteps; step++ {
		if err := g(s.g, x); err != nil {
			return s.giveUp(x, step), err
		}
		r := s.measure(x)
		if r <= s.options.Tolerance {
			return Solution{Residual: r, Steps: step}, nil
		}
		if why := s.advance(x, r); why != 0 {
			return s.fail(x, step, why)
		}
	}
	return s.fail(x, s.options.MaxSteps, OutOfSteps)
}

func (s *Solver) reset(x []float64) {
	copy(s.start, x)
	s.residual, s.largest = math.Inf(1), 0
	s.columns, s.mixed = 0, false
	s.plain, s.quota = 0, s.options.Memory+1
	s.stall, s.failed = 0, 0
}

// measure sets f and returns the residual of x.
func (s *Solver) measure(x []float64) float64 {
	rows.Sub(s.f, s.g, x)
	m := rows.MaxAbs(s.f)
	if m > s.largest {
		s.largest = m
	}
	return m / max(1, rows.MaxAbs(x))
}

// advance takes the residual r of x into account and moves x on. It returns why the search ends, 0 when it does not.
func (s *Solver) advance(x []float64, r float64) Stop {
	lost := math.IsNaN(r) || math.IsInf(r, 0)
	switch {
	case lost && !s.mixed:
		return NotFinite
	case lost || s.hopeless():
		if s.failed++; s.failed >= fruitless && s.residual <= rounding {
			return Stagnated
		}
		s.restart(x)
		return 0
	}
	if s.residual < math.Inf(1) {
		s.remember()
	}
	s.keep(x, r)
	copy(s.lastG, s.g)
	copy(s.lastF, s.f)
	s.move(x)
	return 0
}

// hopeless tells whether mixing has led astray. Plain steps that are owed are taken without judging them, since a map that
// contracts in one norm may grow for a while in another.
func (s *Solver) hopeless() bool {
	return s.plain == 0 && s.stall > patience*(s.options.Memory+1)
}

// restart steps plainly from the best point, without memory.
func (s *Solver) restart(x []float64) {
	copy(x, s.bestG)
	copy(s.lastG, s.bestG)
	rows.Sub(s.lastF, s.bestG, s.best)
	s.columns, s.stall, s.mixed = 0, 0, false
	s.plain = s.quota
	s.quota *= 2
}

// remember adds the newest differences to the ring.
func (s *Solver) remember() {
	n := len(s.g)
	rows.Sub(s.dF[s.slot*n:(s.slot+1)*n], s.f, s.lastF)
	rows.Sub(s.dG[s.slot*n:(s.slot+1)*n], s.g, s.lastG)
	s.slot = (s.slot + 1) % s.options.Memory
	s.columns = min(s.columns+1, s.options.Memory)
}

func (s *Solver) keep(x []float64, r float64) {
	if r >= s.residual {
		s.stall++
		return
	}
	s.residual, s.stall, s.failed = r, 0, 0
	copy(s.best, x)
	copy(s.bestG, s.g)
	if s.mixed {
		s.quota = s.options.Memory + 1
	}
}

// move takes the mixed step when it is due and can be trusted, else the plain one.
//
// No step leads farther from the start than reach times the largest residual seen: where g(x) = x + c, mixing amplified
// rounding would otherwise leap so far that c vanishes beside x.
func (s *Solver) move(x []float64) {
	if s.plain > 0 {
		s.plain--
		s.mixed = false
		copy(x, s.g)
		return
	}
	s.mixed = s.mix() && rows.Finite(s.next) && rows.Distance(s.next, s.start) <= reach*s.largest
	if s.mixed {
		copy(x, s.next)
	} else {
		copy(x, s.g)
	}
}

// mix writes the Anderson step to next and tells whether it differs from the plain one. The columns of ΔF are made
// orthonormal, newest first, by modified Gram–Schmidt that carries f along as a last column, which solves the least-squares
// problem backward stably [bjorck1967]. Doing to ΔG whatever is done to ΔF spares the triangular system.
func (s *Solver) mix() bool {
	n, used := len(s.g), 0
	copy(s.next, s.g)
	copy(s.rest, s.f)
	for age := range s.columns {
		at := (s.slot - 1 - age + 2*s.options.Memory) % s.options.Memory
		q, w := s.q[used*n:(used+1)*n], s.w[used*n:(used+1)*n]
		copy(q, s.dF[at*n:])
		copy(w, s.dG[at*n:])
		floor := dependent * rows.Norm(q)
		for j := range used {
			project(q, w, s.q[j*n:(j+1)*n], s.w[j*n:(j+1)*n])
		}
		length := rows.Norm(q)
		if !(length > floor) {
			continue
		}
		rows.Scale(q, 1/length)
		rows.Scale(w, 1/length)
		project(s.rest, s.next, q, w)
		used++
	}
	return used > 0
}

// project takes the part along the unit vector q out of v, and the same multiple of w out of its companion.
func project(v, companion, q, w []float64) {
	r := rows.Dot(q, v)
	rows.AddScaled(v, -r, q)
	rows.AddScaled(companion, -r, w)
}

func (s *Solver) giveUp(x []float64, steps int) Solution {
	if s.residual < math.Inf(1) {
		copy(x, s.best)
	} // else it has not moved
	return Solution{Residual: s.residual, Steps: steps}
}

func (s *Solver) fail(x []float64, steps int, why Stop) (Solution, error) {
	r := s.giveUp(x, steps)
	return r, &StoppedError{Residual: r.Residual, Tolerance: s.options.Tolerance, Steps: steps, Why: why}
}
