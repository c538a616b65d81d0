package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/problem"
)

// keeper keeps the checkpoint of a run. A nil keeper saves nothing and remembers nothing.
type keeper struct {
	say   func(string) // may be nil
	mu    sync.Mutex   // held while something is said
	dir   *disk.Dir    // the folder of the run
	width int          // of a decision
	pulse atomic.Int64 // grows whenever the trials under way are to be saved
	stop  chan struct{}
	wg    sync.WaitGroup
	once  sync.Once // of the warning that something cannot be saved

	disk    sync.Mutex   // held while one of the following is used
	waiting []wire.State // of finished trials that are not yet on disk
	spent   []string     // the files that these trials had
	parts   int          // files with finished trials

	// What was found.
	resumed  bool
	finished map[place]*folder.Trial
	underway map[place]int // the turns that were taken
}

// openKeeper reads the checkpoint in the folder of a run or begins one. That of another run is a *CheckpointError. One that
// cannot be written is none.
func openKeeper(c Checkpoint, p *problem.Problem) (*keeper, error) {
	if c.In == nil {
		return nil, nil
	}
	k := &keeper{
		say: c.Say, dir: c.In.Root(), width: p.Spec.Dims().Decision,
		stop: make(chan struct{}), finished: map[place]*folder.Trial{}, underway: map[place]int{},
	}
	var err error
	if HasCheckpoint(c.In) {
		if err := k.read(identify(p)); err != nil {
			return nil, err
		}
	} else {
		err = k.begin(identify(p))
	}
	k.warn(err)
	k.wg.Go(func() { k.beat(c.Every) })
	return k, nil
}

// begin makes a checkpoint that holds nothing yet. Files of an earlier one are gone from the disk before they could be taken for its own.
func (k *keeper) begin(id *identity) error {
	err := errors.Join(k.dir.Make(folder.CheckpointDir), k.dir.Sync("."))
	if err == nil {
		err = errors.Join(clearCheckpoint(k.dir), k.sync())
	}
	if err == nil {
		err = k.replace(folder.CheckpointRun, folder.AsJSON(id))
	}
	return err
}

// read reads the checkpoint of an earlier process and removes what that had not finished writing.
func (k *keeper) read(id *identity) error {
	var before identity
	text, err := k.readFile(folder.CheckpointRun)
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil {
		return &CheckpointError{Dir: k.dir.Path("."), Differs: []string{"it cannot be read (" + err.Error() + ")"}}
	}
	if list := id.differs(&before); len(list) > 0 {
		return &CheckpointError{Dir: k.dir.Path("."), Differs: list}
	}
	k.resumed = true
	entries, err := k.dir.List(folder.CheckpointDir)
	for _, e := range entries {
		var damage error
		switch name := e.Name(); {
		case strings.HasPrefix(name, folder.CheckpointDone):
			k.parts++
			damage = k.readDone(name)
		case strings.HasPrefix(name, folder.CheckpointTrial):
			damage = k.readTurns(name)
		case strings.HasPrefix(name, ".") && folder.IsCheckpointFile(name):
			k.warn(k.dir.Remove(inCheckpoint(name)))
		}
		if damage != nil {
			k.lost(e.Name(), damage)
		}
	}
	return err
}

// readDone reads a file with finished trials.
func (k *keeper) readDone(name string) error {
	data, err := k.readFile(name)
	for err == nil && len(data) > 0 {
		at, trial := new(reached), new(folder.Trial)
		if data, err = restore(data, at, trial); err == nil {
			err = kedge.CheckLen("the decision of a saved trial", trial.Decision, k.width)
		}
		if err == nil {
			k.finished[at.place] = trial
		}
	}
	return err
}

// readTurns reads how far the trial of a file is.
func (k *keeper) readTurns(name string) error {
	f, err := k.dir.Open(inCheckpoint(name))
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 256))
	at := new(reached)
	if err == nil {
		_, err = restore(head, at)
	}
	if err == nil {
		k.underway[at.place] = at.turns
	}
	return err
}

// beat tells the trials every so often that they are to be saved, and saves what was finished in between.
func (k *keeper) beat(every time.Duration) {
	tick := time.Tick(cmp.Or(max(0, every), 30*time.Second))
	for {
		select {
		case <-tick:
			k.requestSaves()
			k.flush()
		case <-k.stop:
			return
		}
	}
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

// close ends the checkpoint with everything on disk.
func (k *keeper) close() {
	if k == nil {
		return
	}
	close(k.stop)
	k.wg.Wait()
	k.flush()
}

// finish lets a trial that has come to its end, and may have a file of its own, wait for the next flush.
func (k *keeper) finish(file string, at reached, trial folder.Trial) {
	if k == nil {
		return
	}
	k.disk.Lock()
	defer k.disk.Unlock()
	k.waiting, k.spent = append(k.waiting, &at, &trial), append(k.spent, file)
}

// flush puts the trials that wait for it on disk, after which files of their own are needed no longer.
func (k *keeper) flush() {
	k.disk.Lock()
	defer k.disk.Unlock()
	if len(k.waiting) == 0 {
		return
	}
	err := k.write(fmt.Sprintf("%s%d.bin", folder.CheckpointDone, k.parts+1), k.waiting...)
	if err == nil {
		err = k.removeSpent()
		k.waiting, k.spent, k.parts = nil, nil, k.parts+1
	}
	k.warn(err)
}

// sync puts the names of the checkpoint's files on disk.
func (k *keeper) sync() error { return k.dir.Sync(folder.CheckpointDir) }

func (k *keeper) readFile(name string) ([]byte, error) {
	f, err := k.dir.Open(inCheckpoint(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// removeSpent removes the files that the trials had which are finished.
func (k *keeper) removeSpent() (err error) {
	for _, name := range k.spent {
		err = errors.Join(err, k.dir.Remove(inCheckpoint(name)))
	}
	return err
}

// replace writes a file of the checkpoint that is there whole or not at all, and on disk when it returns.
func (k *keeper) replace(name string, write func(io.Writer) error) error {
	err := k.dir.Replace(inCheckpoint(name), write)
	if err == nil {
		err = k.sync()
	}
	return err
}

// write writes a file of states.
func (k *keeper) write(name string, states ...wire.State) error {
	return k.replace(name, func(w io.Writer) error {
		for _, s := range states {
			if err := write(w, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// tell tells the user something.
func (k *keeper) tell(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.say != nil {
		k.say(line)
	}
}

// lost says that a file of the checkpoint is of no use.
func (k *keeper) lost(name string, err error) {
	k.tell(fmt.Sprintf("part of the checkpoint cannot be used and is computed again: %s: %v", name, err))
}

// warn says once that something cannot be saved; the run is worth more than its checkpoint.
func (k *keeper) warn(err error) {
	if err != nil {
		k.once.Do(func() {
			k.tell(fmt.Sprintf("cannot save a checkpoint: %v; the run goes on, but what is not saved is lost when it is stopped", err))
		})
	}
}

// recall returns the answer of an earlier process, or finds it and keeps it.
func (k *keeper) recall(what string, find func() (*solved, error)) (*solved, error) {
	if k == nil {
		return find()
	}
	name, saved := folder.CheckpointAnswer+strings.ReplaceAll(what, " ", "-")+".bin", new(solved)
	data, err := k.readFile(name)
	if err == nil {
		if err = k.check(saved, data); err == nil {
			return saved, nil
		}
		k.lost(name, err)
	}
	s, err := find()
	if err == nil {
		k.warn(k.write(name, s))
	}
	return s, err
}

// check reads a saved answer.
func (k *keeper) check(s *solved, data []byte) error {
	_, err := restore(data, s)
	for _, u := range s.decisions() {
		err = errors.Join(err, kedge.CheckLen("the saved decision", u, k.width))
	}
	return err
}
