package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/loop"
)

func (k *keeper) trialFile(p place) string {
	return filepath.Join(k.dir, fmt.Sprintf("%s%d-%d.bin", folder.CheckpointTrial, p.algorithm, p.trial))
}

// requestSaves has the trials under way saved before their next turn.
func (k *keeper) requestSaves() { k.pulse.Add(1) }

// wantsSave tells whether a trial that was saved at the given pulse is to be saved again.
func (k *keeper) wantsSave(pulse *int64) bool {
	if k == nil {
		return false
	}
	before := *pulse
	*pulse = k.pulse.Load()
	return *pulse != before
}

// save saves a trial under way.
func (k *keeper) save(a *attempt) {
	a.at.run = k.id
	err := folder.WriteFile(k.trialFile(a.at), func(w io.Writer) error {
		for _, s := range a.states() {
			if err := write(w, s); err != nil {
				return err
			}
		}
		return nil
	})
	a.saved = a.saved || err == nil
	k.warn(err)
}

// write writes a state, piece by piece if it can, for a crowd may fill the memory.
func write(w io.Writer, s wire.State) error {
	if large, ok := s.(interface{ Save(to io.Writer) error }); ok {
		return large.Save(w)
	}
	b, err := s.AppendBinary(nil)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// states are what the file of a trial holds.
func (a *attempt) states() []wire.State {
	list := []wire.State{&a.at, a.slot, a.trial.Population, a.trial.Algorithm}
	for _, one := range a.tools {
		if s, ok := one.(wire.State); ok {
			list = append(list, s)
		}
	}
	return list
}

// restore brings a trial to where an earlier process saved it, if one did. On an error the trial is spoiled.
func (k *keeper) restore(a *attempt) error {
	if k == nil {
		return nil
	}
	a.pulse = k.pulse.Load()
	if _, a.saved = k.places[a.at]; !a.saved {
		return nil
	}
	path := k.trialFile(a.at)
	data, err := os.ReadFile(path)
	if err == nil {
		err = a.read(data, k.id)
	}
	if err != nil {
		k.tell(fmt.Sprintf("a trial begins again, because %s cannot be used: %v", path, err))
	}
	return err
}

// read reads the file of a trial.
func (a *attempt) read(data []byte, id uint64) error {
	want := a.at
	for _, s := range a.states() {
		_, one, rest, err := wire.Split(data)
		if err != nil {
			return err
		}
		if err := s.UnmarshalBinary(one); err != nil {
			return err
		}
		data = rest
	}
	want.run, want.turns = id, a.at.turns
	if measured := loop.Columns(a.tools); !slices.Equal(a.slot.Columns, measured) {
		return &wire.Error{Kind: placeKind, Reason: "other quantities were measured"}
	}
	if a.at != want || a.slot.Index != want.trial || a.at.turns > a.run.result.Iterations || len(data) > 0 {
		return &wire.Error{Kind: placeKind, Reason: "it is of another run or trial"}
	}
	return nil
}

// finish keeps a trial that has come to its end; a file of its own is needed no longer.
func (k *keeper) finish(a *attempt) {
	if k == nil {
		return
	}
	f := finished{algorithm: a.at.algorithm, carried: a.trial.Carried(), trial: *a.slot}
	record, err := f.AppendBinary(nil)
	if err == nil {
		k.log.add(record)
	}
	if err == nil && a.saved {
		if err = k.log.flush(); err == nil {
			err = folder.Remove(k.dir, filepath.Base(k.trialFile(a.at)))
		}
	}
	k.warn(err)
}
