package lab

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
)

const (
	solvedKind  = "lab.Solved/3"
	reachedKind = "lab.Reached/1"
)

// solved is what an offline search found.
type solved struct {
	Best       *optimum.Constrained        `json:",omitempty"` // without constraints it has no multipliers
	Known      problem.Guarantee           // how good the best is
	Rests      []optimum.Rest              `json:",omitempty"`
	Equilibria []optimum.Equilibrium       `json:",omitempty"`
	Shared     []optimum.SharedEquilibrium `json:",omitempty"`
	Failure    string                      `json:",omitempty"` // why there is nothing
}

// decisions are all that were found.
func (s *solved) decisions() (list [][]float64) {
	if s.Best != nil {
		list = append(list, s.Best.Decision)
	}
	return slices.Concat(list,
		lists.Of(s.Rests, func(r optimum.Rest) []float64 { return r.Decision }),
		lists.Of(s.Equilibria, func(e optimum.Equilibrium) []float64 { return e.Decision }),
		lists.Of(s.Shared, func(e optimum.SharedEquilibrium) []float64 { return e.Decision }))
}

func (s *solved) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	said := string(text)
	return wire.Append(b, solvedKind, func(f *wire.Fields) { f.Text(&said) })
}

func (s *solved) UnmarshalBinary(data []byte) error {
	var said string
	if err := wire.Restore(data, solvedKind, func(f *wire.Fields) { f.Text(&said) }); err != nil {
		return err
	}
	var back solved
	if err := json.Unmarshal([]byte(said), &back); err != nil {
		return &wire.Error{Kind: solvedKind, Reason: err.Error()}
	}
	if again, err := json.Marshal(&back); err != nil || string(again) != said {
		return &wire.Error{Kind: solvedKind, Reason: "it was not written like that: keys are unknown, twice or in another order"}
	}
	*s = back
	return nil
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
