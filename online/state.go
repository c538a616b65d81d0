package online

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State     = (*Descent)(nil)
	_ wire.Described = (*DerivativeFree)(nil)
	_ wire.Described = (*OnePoint)(nil)
	_ wire.Described = (*TwoPoint)(nil)
	_ wire.Described = (*Performative)(nil)
	_ wire.Described = (*PlugIn)(nil)
	_ wire.Described = (*Recursive)(nil)
	_ wire.Described = (*Learning)(nil)
	_ wire.Described = (*Dither)(nil)
	_ wire.Described = (*Lagrangian)(nil)
	_ wire.Described = (*Fallback)(nil)
	_ wire.Described = (*Momentum)(nil)
	_ wire.Described = (*Adam)(nil)
	_ wire.Described = (*Optimistic)(nil)
)

const (
	descentKind = "online.Descent/4"
	leanKind    = "online.Descent lean/4"

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

// AppendLean appends what AppendBinary does but for what the rule keeps apart (Kept), which takes megabytes where a sensitivity is learned and hardly
// ever changes: for who saves a rule after every turn.
func (d *Descent) AppendLean(b []byte) ([]byte, error) {
	return wire.AppendLean(b, leanKind, d.fields)
}

// UnmarshalLean makes d, a rule of the same parts whose Kept is restored, go on where the saved one was. On an error d is unchanged.
func (d *Descent) UnmarshalLean(data []byte) error {
	return wire.RestoreLean(data, leanKind, d.fields)
}

// Kept returns what the rule keeps apart, as a state of its own; nil where there is nothing. It only grows, and then never changes: a rule that was
// saved earlier goes on with one that was saved later.
func (d *Descent) Kept() wire.State { return d.able.Kept() }

func (d *Descent) fields(f *wire.Fields) {
	f.Int(&d.k, mostTurns)
	f.Int(&d.deployment, mostTurns)
	f.Int(&d.turn, longest)
	f.Bool(&d.missed)
	f.Fixed(d.u, d.deployed, d.mean)
	f.Floats(&d.live)
	f.Finite("the saved decision", d.u, d.deployed, d.mean, d.live)
	if len(d.live) != 0 && len(d.live) != len(d.u) {
		f.Fail("%d entries are deployed, want %d", len(d.live), len(d.u))
	}
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
