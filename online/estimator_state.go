package online

import (
	"math"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.Described = (*DerivativeFree)(nil)
	_ wire.Described = (*OnePoint)(nil)
	_ wire.Described = (*TwoPoint)(nil)
	_ wire.Described = (*Performative)(nil)
	_ wire.Described = (*PlugIn)(nil)
	_ wire.Described = (*Recursive)(nil)
)

// Describe gives the last loss, this turn's direction if there is one already, and the source's state.
func (e *DerivativeFree) Describe(f *wire.Fields) {
	if f.Float(&e.previous); math.IsInf(e.previous, 0) { // NaN where there is none yet
		f.Fail("the last loss is %v", e.previous)
	}
	e.direction.Describe(f)
}

// Describe gives which decision is deployed, the first loss, the direction and the source's state.
func (e *TwoPoint) Describe(f *wire.Fields) {
	f.Bool(&e.below)
	if f.Float(&e.above); e.below {
		f.Finite("the first loss", []float64{e.above})
	}
	e.direction.Describe(f)
}

// Describe gives the deployments of the window, oldest first, the direction and the source's state.
func (e *Performative) Describe(f *wire.Fields) {
	f.Int(&e.count, mostTurns)
	for i := max(0, e.count-e.window()+1); i < e.count; i++ {
		f.Fixed(e.decision(i), e.mean(i))
		f.Finite("a deployment of the window", e.decision(i), e.mean(i))
	}
	e.direction.Describe(f)
}

// Describe gives what the trials showed, the direction and the source's state.
func (e *PlugIn) Describe(f *wire.Fields) {
	f.Bool(&e.done)
	f.Ints(&e.sizes, math.MaxInt32)
	f.Floats(&e.decisions)
	f.Floats(&e.p)
	f.Floats(&e.d)
	f.Finite("what was seen in trials", e.decisions, e.p, e.d)
	trials, total := len(e.sizes), 0
	for _, n := range e.sizes[:min(trials, e.trials)] {
		total += n
	}
	if trials > e.trials || len(e.decisions) != trials*e.dims.Decision || len(e.p) != total*e.dims.State || len(e.d) != total*e.dims.Trait {
		f.Fail("%d trials of %d do not fit %d decisions, %d states and %d traits", trials, e.trials, len(e.decisions), len(e.p), len(e.d))
	}
	e.direction.Describe(f)
}

// Describe gives the estimate, and who will be seen again.
func (r *Recursive) Describe(f *wire.Fields) {
	f.Bool(&r.began)
	f.Fixed(r.average, r.before)
	f.Floats(&r.who)
	f.Finite("what is remembered", r.average, r.before, r.who)
}
