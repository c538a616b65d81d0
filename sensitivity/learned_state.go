package sensitivity

import (
	"math"

	"github.com/kedge-opt/kedge/internal/wire"
)

var _ wire.Described = (*Learned)(nil)

// Describe gives all that was learned.
func (l *Learned) Describe(f *wire.Fields) {
	p := &l.past
	for _, n := range []*int{&p.turns, &p.seen, &l.fit.count} {
		f.Int(n, math.MaxInt)
	}
	f.Float(&l.fit.weight)
	f.Float(&l.trust)
	fixed := append(l.fit.memory(), p.quick, p.slow, p.trend, p.before, p.mean, p.u, l.gain)
	f.Fixed(fixed...)
	for _, x := range []*[]float64{&p.crowd, &p.p, &p.d, &p.step} {
		f.Floats(x)
	}
	wire.List(f, &p.moved, 8, f.Bool)
	l.check(f)
	f.Finite("what was saved", append(fixed, p.crowd, p.p, p.d, p.step)...)
}

// check refuses what no sensitivity can have saved.
func (l *Learned) check(f *wire.Fields) {
	p := &l.past
	n := len(p.p) / l.config.Dims.State
	if len(p.step) != len(p.p) || len(p.d) != n*l.config.Dims.Trait || len(p.moved) != n || n*l.config.Dims.State != len(p.p) {
		f.Fail("individuals of different numbers")
	}
	if m := len(p.crowd); m != 0 && m != crowded*l.config.Dims.Trait {
		f.Fail("%d entries of remembered traits", m)
	}
	if !(l.trust >= 0 && l.trust <= 1) || !(l.fit.weight >= 0) {
		f.Fail("a trust of %v and a weight of %v", l.trust, l.fit.weight)
	}
}
