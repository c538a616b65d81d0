package kedge

// The optional abilities of nouns. Whoever can use one asks for it once, when it is put together, never every turn.

// TimedSet is a Set that depends on when a decision is made: it changes with the turns, or holds what is within reach of the
// decision before. Like every Set it holds no state; who decides keeps the turn and the decision. Project is for the first one.
type TimedSet interface {
	Set
	// ProjectAt moves u to the nearest point of the set of a turn, as the decision that follows last. On an error u is unchanged.
	ProjectAt(u []float64, turn int, last []float64) error
}

// Timed returns s as a TimedSet: s itself when it is one, otherwise a set that is the same at any time.
func Timed(s Set) TimedSet {
	if t, ok := s.(TimedSet); ok {
		return t
	}
	return timeless{s}
}

type timeless struct{ Set }

func (s timeless) ProjectAt(u []float64, _ int, _ []float64) error { return s.Project(u) }

// StartedSettler is a RowSettler whose steady states may depend on where individuals begin.
type StartedSettler interface {
	RowSettler
	// SettleFrom settles every row of p from where it is; the residual is the worst of the block.
	SettleFrom(p, u, d []float64) (Residual, error)
}

// SettleRowsFrom settles individuals where they get from their first states: dst holds those, and the settled ones afterwards. A settler
// that knows one steady state an individual ignores them.
func SettleRowsFrom(s RowSettler, dst, u, d []float64) (Residual, error) {
	if from, ok := s.(StartedSettler); ok {
		return from.SettleFrom(dst, u, d)
	}
	return s.SettleRows(dst, u, d)
}

// CheckedSet is a Set that can tell whether it is a non-empty set of n-vectors.
type CheckedSet interface {
	Set
	Check(n int) error
}

// CheckedObjective is an Objective that can tell whether it judges individuals of the given dimensions.
type CheckedObjective interface {
	Objective
	Check(dim Dims) error
}

// CheckedDynamics are Dynamics that can tell whether their parameters are in range.
type CheckedDynamics interface {
	Dynamics
	Check() error
}

// TileDynamics are Dynamics of a state as long as the trait that can move people in tiles of eight: entry j of individual i stands at i/8·8m + 8j + i%8, for m
// entries each. They give the bits of NextRows and AlignRows, or give up. Of those that can be compared, equal ones are the same.
type TileDynamics interface {
	RowDynamics
	Aligner
	// Tiles tells whether that is faster here than moving rows.
	Tiles() bool
	// AlignsTraits tells whether traits, one a row, can be aligned in tiles, and AlignsUnder whether they can under u.
	AlignsTraits(d []float64) bool
	AlignsUnder(u []float64) bool
	// NextTiles writes f(p, u, d) to the tiles of dst. It is false where anything is out of the ordinary, also where a state might not be finite: rows do
	// those. The content of dst is then unspecified.
	NextTiles(dst, p, u, d []float64) bool
	// AlignTiles does that and writes h(u, dᵢ)ᵀu to pu, which has an entry for everybody in the tiles. Each may be false.
	AlignTiles(dst, pu, p, u, d []float64) (moved, aligned bool, worst Residual)
}

// ForesightedCrowd is a crowd that can judge a decision which it is about to answer, in the same pass as its answer.
type ForesightedCrowd interface {
	// Foresee begins the decision u, and tells whether the crowd can judge it.
	Foresee(u []float64) bool
	// AlignPeople writes h(u, dᵢ)ᵀu of individuals from the given one on to pu, with the bits of AlignRows. It is false where it cannot tell. Goroutines may ask for
	// different people at once.
	AlignPeople(pu []float64, first int) (Residual, bool)
}

// VisibleCrowd is a Population that shows where everybody is, one individual a row; nil where it cannot be seen just now.
type VisibleCrowd interface {
	Population
	States() []float64
}

// KnownCrowd is a Population that can tell who was sampled.
type KnownCrowd interface {
	Population
	// Sampled appends the numbers of those whom Sample showed last; nothing where nobody is to know.
	Sampled(dst []uint64) []uint64
}

// PreparedCrowd is a Population that changes by itself between turns: people come and go, and their traits drift.
type PreparedCrowd interface {
	Population
	// Prepare lets the time before the next turn pass; again it does nothing until somebody has responded.
	Prepare() error
}

// Payer is an Algorithm that keeps constraints by multipliers: what it would pay for a lower bound, one a constraint.
type Payer interface {
	Algorithm
	Multipliers() []float64
}

// Truster is whatever learns and tells how far it relies on that.
type Truster interface {
	// Trust is from 0, not at all, to 1; NaN where nothing is learned.
	Trust() float64
}
