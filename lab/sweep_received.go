package lab

import (
	"context"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/family"
)

// Left are the cells that were not finished when the sweep began, those of its shard.
func (r *SweepRun) Left() []family.Cell { return r.cells }

// Receive keeps a cell that another process has computed, as [folder.SweepFolder.Accept] does. A cell that is there already must have the same bytes.
func (r *SweepRun) Receive(place int, files map[string][]byte) error {
	c := r.sweep.Cells[place]
	isThere, died := r.Fate(c.ID)
	summary, err := r.folder.Accept(place, func() string { return string(r.sweep.Spec(c).YAML()) }, files, isThere)
	if err != nil || isThere {
		return err
	}
	r.mu.Lock()
	r.done[c.ID] = true
	delete(r.failed, c.ID)
	r.mu.Unlock()
	if died != "" {
		r.Progress.revive()
	}
	r.Progress.leave(folder.CellResult{ID: c.ID, Values: c.Values, Numbers: c.Numbers, Summary: summary})
	return nil
}

// Fail notes what a cell died of that another process has tried. One that somebody else has finished cannot die, nor of two things.
func (r *SweepRun) Fail(place int, died string) error {
	c := r.sweep.Cells[place]
	r.mu.Lock()
	isThere, before := r.done[c.ID] || r.folder.Finished(c.ID), r.failed[c.ID]
	if !isThere && before == "" {
		r.failed[c.ID] = died
	}
	r.mu.Unlock()
	switch {
	case isThere:
		return &folder.DiffersError{Cell: c.ID, What: "failed once: " + died}
	case before != "" && before != died:
		return &folder.DiffersError{Cell: c.ID, What: "failed in two ways: " + before + "; " + died}
	case before == "":
		r.Progress.leave(folder.CellResult{ID: c.ID, Values: c.Values, Numbers: c.Numbers, Err: died})
	}
	return nil
}

// Forgive takes back what cells died of, where it is of a kind, so that they can be tried again. It returns their IDs.
func (r *SweepRun) Forgive(is func(died string) bool) (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, died := range r.failed {
		if is(died) {
			delete(r.failed, id)
			ids = append(ids, id)
			r.Progress.revive()
		}
	}
	return ids
}

// Fate tells whether a cell is finished and, if not, what it died of; neither of one that is still to come.
func (r *SweepRun) Fate(id string) (finished bool, died string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[id] || r.folder.Finished(id), r.failed[id]
}

// Count is how many cells were received and have failed since the sweep began.
func (r *SweepRun) Count() (done, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.done), len(r.failed)
}

// Conclude writes what came out of all cells and seals the folder.
func (r *SweepRun) Conclude(ctx context.Context) (*folder.SweepResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.folder.Finish(r.failed, r.Prune, r.Report)
}
