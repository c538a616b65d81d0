package online

import (
	"math"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State = (*DerivativeFree)(nil)
	_ wire.State = (*OnePoint)(nil)
	_ wire.State = (*TwoPoint)(nil)
	_ wire.State = (*Performative)(nil)
	_ wire.State = (*PlugIn)(nil)
	_ wire.State = (*Recursive)(nil)
)

const (
	derivativeFreeKind = "online.DerivativeFree/1"
	onePointKind       = "online.OnePoint/1"
	twoPointKind       = "online.TwoPoint/1"
	performativeKind   = "online.Performative/1"
	plugInKind         = "online.PlugIn/1"
	recursiveKind      = "online.Recursive/1"
)

// AppendBinary appends the last loss, this turn's direction if there is one already, and the source's state.
func (e *DerivativeFree) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, derivativeFreeKind, e.fields)
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *DerivativeFree) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, derivativeFreeKind, e.fields)
}

func (e *DerivativeFree) fields(f *wire.Fields) {
	if f.Float(&e.previous); math.IsInf(e.previous, 0) { // NaN where there is none yet
		f.Fail("the last loss is %v", e.previous)
	}
	e.direction.fields(f)
}

// AppendBinary appends this turn's direction if there is one already, and the source's state.
func (e *OnePoint) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, onePointKind, e.fields)
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *OnePoint) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, onePointKind, e.fields)
}

// AppendBinary appends which decision is deployed, the first loss, the direction and the source's state.
func (e *TwoPoint) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, twoPointKind, e.fields)
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *TwoPoint) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, twoPointKind, e.fields)
}

func (e *TwoPoint) fields(f *wire.Fields) {
	f.Bool(&e.below)
	if f.Float(&e.above); e.below {
		f.Finite("the first loss", []float64{e.above})
	}
	e.direction.fields(f)
}

// AppendBinary appends the deployments of the window, oldest first, the direction and the source's state.
func (e *Performative) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, performativeKind, e.fields)
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *Performative) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, performativeKind, e.fields)
}

func (e *Performative) fields(f *wire.Fields) {
	f.Int(&e.count, mostTurns)
	for i := max(0, e.count-e.window()+1); i < e.count; i++ {
		f.Fixed(e.decision(i), e.mean(i))
		f.Finite("a deployment of the window", e.decision(i), e.mean(i))
	}
	e.direction.fields(f)
}

// AppendBinary appends what the trials showed, the direction and the source's state.
func (e *PlugIn) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, plugInKind, e.fields) }

// UnmarshalBinary makes e go on where the saved method was. On an error e is unchanged.
func (e *PlugIn) UnmarshalBinary(data []byte) error { return wire.Restore(data, plugInKind, e.fields) }

func (e *PlugIn) fields(f *wire.Fields) {
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
	e.direction.fields(f)
}

// AppendBinary appends the estimate, and who will be seen again.
func (r *Recursive) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, recursiveKind, r.fields)
}

// UnmarshalBinary makes r go on where the saved estimator was. On an error r is unchanged.
func (r *Recursive) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, recursiveKind, r.fields)
}

func (r *Recursive) fields(f *wire.Fields) {
	f.Bool(&r.began)
	f.Fixed(r.average, r.before)
	f.Floats(&r.who)
	f.Finite("what is remembered", r.average, r.before, r.who)
}
