package lab

import (
	"slices"
	"sync"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/family"
)

// SweepProgress is how far a sweep is. It may be read at any time.
type SweepProgress struct {
	mu    sync.Mutex
	state SweepState
}

// SweepState is how far a sweep is at one moment.
type SweepState struct {
	Kept    int                 // cells that were finished before
	Total   int                 // cells to run now
	Done    int                 // of these, finished
	Failed  int                 // of these, failed
	Running []RunningCell       // in the order they were begun
	Last    []folder.CellResult // that came to an end, the latest last
}

// RunningCell is a cell at work.
type RunningCell struct {
	ID     string
	Values []string
	Turns  *Progress
	Host   string // where it is computed, "" in this process
}

// mostLast is how many cells a state remembers that came to an end.
const mostLast = 100

// State returns how far the sweep is now.
func (p *SweepProgress) State() SweepState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Running, s.Last = slices.Clone(s.Running), slices.Clone(s.Last)
	return s
}

func (p *SweepProgress) begin(kept, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = SweepState{Kept: kept, Total: total}
}

// enter notes that a cell is begun and returns where it counts its turns.
func (p *SweepProgress) enter(c family.Cell) *Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := new(Progress)
	p.state.Running = append(p.state.Running, RunningCell{ID: c.ID, Values: c.Values, Turns: turns})
	return turns
}

// leave notes that a cell has come to an end.
func (p *SweepProgress) leave(c folder.CellResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.state
	s.Running = slices.DeleteFunc(s.Running, func(r RunningCell) bool { return r.ID == c.ID })
	s.Last = append(s.Last, c)
	if extra := len(s.Last) - mostLast; extra > 0 {
		s.Last = slices.Delete(s.Last, 0, extra)
	}
	if c.Err != "" {
		s.Failed++
		return
	}
	s.Done++
}

// revive notes that a cell that had failed is to be tried again, or was finished by somebody else.
func (p *SweepProgress) revive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Failed--
}

// Elsewhere says which cells are at work in other processes.
func (p *SweepProgress) Elsewhere(running []RunningCell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Running = running
}
