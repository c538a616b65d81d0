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

func (s *solved) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, solvedKind)
	w.Bytes([]byte(s.what))
	w.Bytes([]byte(s.failure))
	w.Floats(s.Decision)
	w.Int(s.Steps)
	for _, v := range []float64{s.Loss, s.Residual, s.Spread, s.Residue} {
		w.Float(v)
	}
	return w.Finish()
}

func (s *solved) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, solvedKind)
	saved := solved{what: string(r.Bytes()), failure: string(r.Bytes())}
	saved.Decision, saved.Steps = r.SomeFloats(), r.Int(math.MaxInt)
	for _, v := range []*float64{&saved.Loss, &saved.Residual, &saved.Spread, &saved.Residue} {
		*v = r.Float()
	}
	if err := r.Finish(); err != nil {
		return err
	}
	*s = saved
	return nil
}

// finished is a trial of an algorithm that has come to its end.
type finished struct {
	algorithm int
	carried   float64 // what it hands on to the next
	trial     folder.Trial
}

func (f *finished) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, finishedKind)
	w.Int(f.algorithm)
	w.Float(f.carried)
	w.State(&f.trial)
	return w.Finish()
}

func (f *finished) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, finishedKind)
	saved := finished{algorithm: r.Int(math.MaxInt), carried: r.Float()}
	trial := r.Bytes()
	if err := r.Finish(); err != nil {
		return err
	}
	if err := saved.trial.UnmarshalBinary(trial); err != nil {
		return err
	}
	*f = saved
	return nil
}

// place says how far a trial is.
type place struct {
	run              uint64 // the checkpoint that it belongs to
	algorithm, trial int
	turns            int // taken
}

func (p *place) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, placeKind)
	w.Uint64(p.run)
	w.Int(p.algorithm)
	w.Int(p.trial)
	w.Int(p.turns)
	return w.Finish()
}

func (p *place) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, placeKind)
	saved := place{run: r.Uint64(), algorithm: r.Int(math.MaxInt), trial: r.Int(math.MaxInt), turns: r.Int(math.MaxInt)}
	if err := r.Finish(); err != nil {
		return err
	}
	*p = saved
	return nil
}
