package lab

import (
	"io"
	"math"

	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
)

const (
	solvedKind  = "lab.Solved/2"
	reachedKind = "lab.Reached/1"
)

// solved is the answer of an offline search.
type solved struct {
	optimum.Search        // without the single starts
	failure        string // why there is none
}

func (s *solved) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, solvedKind, s.fields) }

func (s *solved) UnmarshalBinary(data []byte) error { return wire.Restore(data, solvedKind, s.fields) }

func (s *solved) fields(f *wire.Fields) {
	f.Text(&s.failure)
	f.Floats(&s.Decision)
	f.Int(&s.Steps, math.MaxInt)
	for _, v := range []*float64{&s.Loss, &s.Residual, &s.Spread, &s.Residue} {
		f.Float(v)
	}
}

// place is which trial of which algorithm.
type place struct{ algorithm, trial int }

// reached says how far a trial is.
type reached struct {
	place
	turns int // taken
}

func (r *reached) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, reachedKind, r.fields)
}

func (r *reached) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, reachedKind, r.fields)
}

func (r *reached) fields(f *wire.Fields) {
	for _, n := range []*int{&r.algorithm, &r.trial, &r.turns} {
		f.Int(n, math.MaxInt)
	}
}

// restore reads states from the frames that data begin with and returns the rest.
func restore(data []byte, states ...wire.State) (rest []byte, err error) {
	for _, s := range states {
		var one []byte
		if _, one, data, err = wire.Split(data); err == nil {
			err = s.UnmarshalBinary(one)
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

// saver is a state that writes itself piece by piece.
type saver interface{ Save(to io.Writer) error }

// write writes a state, piece by piece if it can, for a crowd may fill the memory.
func write(w io.Writer, s wire.State) error {
	if large, ok := s.(saver); ok {
		return large.Save(w)
	}
	b, err := s.AppendBinary(nil)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}
