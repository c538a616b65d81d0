package lab

import (
	"math"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
)

const (
	solvedKind   = "lab.Solved/1"
	finishedKind = "lab.Finished/1"
	placeKind    = "lab.Place/1"
)

// solved is the answer of an offline search, or why there is none.
type solved struct {
	optimum.Search        // without the single starts
	what           string // was sought
	failure        string
}

func (s *solved) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, solvedKind, s.fields) }

func (s *solved) UnmarshalBinary(data []byte) error { return wire.Restore(data, solvedKind, s.fields) }

func (s *solved) fields(f *wire.Fields) {
	f.Text(&s.what)
	f.Text(&s.failure)
	f.Floats(&s.Decision)
	f.Int(&s.Steps, math.MaxInt)
	for _, v := range []*float64{&s.Loss, &s.Residual, &s.Spread, &s.Residue} {
		f.Float(v)
	}
}

// finished is a trial of an algorithm that has come to its end.
type finished struct {
	algorithm int
	carried   float64 // what it hands on to the next
	trial     folder.Trial
}

func (e *finished) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, finishedKind, e.fields)
}

func (e *finished) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, finishedKind, e.fields)
}

func (e *finished) fields(f *wire.Fields) {
	f.Int(&e.algorithm, math.MaxInt)
	f.Float(&e.carried)
	f.Part("trial", &e.trial)
}

// place says how far a trial is.
type place struct {
	run              uint64 // the checkpoint that it belongs to
	algorithm, trial int
	turns            int // taken
}

func (p *place) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, placeKind, p.fields) }

func (p *place) UnmarshalBinary(data []byte) error { return wire.Restore(data, placeKind, p.fields) }

func (p *place) fields(f *wire.Fields) {
	f.Uint64(&p.run)
	for _, n := range []*int{&p.algorithm, &p.trial, &p.turns} {
		f.Int(n, math.MaxInt)
	}
}
