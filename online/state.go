package online

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State     = (*Descent)(nil)
	_ wire.Described = (*Momentum)(nil)
	_ wire.Described = (*Adam)(nil)
)

const (
	descentKind = "online.Descent/3"

	mostTurns = 1 << 53 // that a saved rule has taken
)

// AppendBinary appends the turn, the iterate, what is deployed, the average and what the parts of the rule remember. A part that remembers turns and is no
// wire.State is an error.
func (d *Descent) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, descentKind, d.fields)
}

// UnmarshalBinary makes d, a rule of the same parts, go on where the saved one was. On an error d is unchanged.
func (d *Descent) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, descentKind, d.fields)
}

func (d *Descent) fields(f *wire.Fields) {
	f.Int(&d.k, mostTurns)
	f.Int(&d.deployment, mostTurns)
	f.Int(&d.turn, longest)
	f.Fixed(d.u, d.deployed, d.mean)
	f.Finite("the saved decision", d.u, d.deployed, d.mean)
	parts := d.memory()
	f.Same("parts that remember turns", len(parts))
	for _, part := range parts {
		f.Part("part of the rule", part)
	}
}

// memory lists the parts of the rule that remember turns.
func (d *Descent) memory() []any {
	parts := []any{d.rule.Gradient}
	for _, t := range d.rule.Transforms {
		parts = append(parts, t)
	}
	return slices.DeleteFunc(parts, func(part any) bool { return !remembers(part) })
}

// remembers tells whether a part must be saved, or can be.
func remembers(part any) bool {
	_, commits := part.(Committer)
	return commits || wire.Remembers(part)
}

// grown is a list of numbers that has no length before the first turn.
func grown(f *wire.Fields, what string, x *[]float64) {
	want := len(*x)
	if f.Floats(x); want > 0 && len(*x) != want {
		f.Fail("%s has %d numbers, want %d", what, len(*x), want)
	}
	f.Finite(what, *x)
}

// Describe gives the average.
func (m *Momentum) Describe(f *wire.Fields) {
	grown(f, "the saved average", &m.mean)
	f.Then(func() { m.pending = make([]float64, len(m.mean)) })
}

// Describe gives the averages and how many gradients are in them.
func (a *Adam) Describe(f *wire.Fields) {
	f.Int(&a.count, mostTurns)
	grown(f, "the saved average", &a.mean)
	grown(f, "the saved square", &a.square)
	if n := len(a.mean); n != len(a.square) {
		f.Fail("averages of %d and %d numbers", n, len(a.square))
	}
	f.Then(func() { a.newMean, a.newSquare = make([]float64, len(a.mean)), make([]float64, len(a.mean)) })
}
