package lab

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/problem"
)

// keeper keeps the checkpoint of a run. A nil keeper saves nothing and remembers nothing.
type keeper struct {
	say   func(string) // may be nil
	mu    sync.Mutex   // held while something is said
	dir   string       // of the checkpoint
	id    uint64
	width int // of a decision
	log   *logbook
	lock  *folder.Lock // nil if the folder cannot be written
	pulse atomic.Int64 // grows whenever the trials under way are to be saved
	stop  chan struct{}
	wg    sync.WaitGroup
	once  sync.Once // of the warning that something cannot be saved

	// What was found.
	resumed  bool
	answers  map[string]*solved
	finished []finished
	places   map[place]int // the turns that trials under way have taken
}

// openKeeper reads the checkpoint in the folder of a run or begins one. That of another run is a *CheckpointError. One that
// cannot be written is none.
func openKeeper(c Checkpoint, p *problem.Problem) (*keeper, error) {
	if c.Dir == "" {
		return nil, nil
	}
	id := identify(p)
	first, err := id.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(first)
	k := &keeper{
		say: c.Say, dir: filepath.Join(c.Dir, folder.CheckpointDir), id: binary.LittleEndian.Uint64(sum[:]), width: p.Spec.Dims().Decision,
		stop: make(chan struct{}), answers: map[string]*solved{}, places: map[place]int{},
	}
	if err := k.open(c.Dir, id, first); err != nil {
		return nil, err
	}
	k.wg.Go(func() { k.beat(c.Every) })
	return k, nil
}

// open reads the checkpoint in the folder of a run, or begins one.
func (k *keeper) open(dir string, id *identity, first []byte) error {
	err := folder.KindRun.Usable(dir)
	if err != nil {
		return err
	}
	k.log = &logbook{path: filepath.Join(k.dir, folder.CheckpointLog)}
	if err = os.MkdirAll(k.dir, 0o755); err == nil {
		k.lock, err = folder.Acquire(k.dir)
	}
	switch {
	case errors.Is(err, folder.ErrInUse):
		return err
	case err == nil && HasCheckpoint(dir):
		if err := k.read(dir, id); err != nil {
			k.lock.Release()
			return err
		}
	case err == nil:
		if err = clearCheckpoint(k.dir); err == nil {
			k.log, err = beginLog(k.log.path, first)
		}
	}
	k.warn(err)
	return nil
}

// read reads the checkpoint of an earlier process.
func (k *keeper) read(dir string, id *identity) error {
	log, records, damage := readLog(filepath.Join(k.dir, folder.CheckpointLog))
	if log == nil {
		return damage
	}
	var before identity
	err := damage
	if len(records) > 0 {
		err = before.UnmarshalBinary(records[0].data)
	}
	if err != nil {
		return &CheckpointError{Dir: dir, Differs: []string{"it cannot be read (" + err.Error() + ")"}}
	}
	if list := id.differs(&before); len(list) > 0 {
		return &CheckpointError{Dir: dir, Differs: list}
	}
	k.log, k.resumed = log, true
	if e := (*wire.Error)(nil); errors.As(damage, &e) && e.Torn {
		damage = nil // a process was killed while it wrote
	}
	for _, one := range records[1:] {
		damage = errors.Join(damage, k.remember(one))
	}
	if damage != nil {
		k.tell(fmt.Sprintf("part of the checkpoint cannot be used and is computed again: %v", damage))
	}
	return k.look()
}

// remember takes a record of the log.
func (k *keeper) remember(one frame) error {
	if one.kind == solvedKind {
		s := new(solved)
		err := s.UnmarshalBinary(one.data)
		if err == nil && s.failure == "" {
			err = kedge.CheckLen("the saved "+s.what, s.Decision, k.width)
		}
		if err == nil {
			k.answers[s.what] = s
		}
		return err
	}
	var f finished
	err := f.UnmarshalBinary(one.data)
	if err == nil {
		err = kedge.CheckLen("the decision of a saved trial", f.trial.Decision, k.width)
	}
	if err == nil {
		k.finished = append(k.finished, f)
	}
	return err
}

// look finds the trials under way and removes what a process that was killed had not finished writing.
func (k *keeper) look() error {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, folder.CheckpointTrial):
			p, err := k.readPlace(filepath.Join(k.dir, name))
			if err != nil {
				k.tell(fmt.Sprintf("%s cannot be used: %v", name, err))
				continue
			}
			k.places[place{algorithm: p.algorithm, trial: p.trial}] = p.turns
		case strings.HasPrefix(name, ".") && name != folder.LockFile && folder.IsCheckpointFile(name):
			k.warn(folder.Remove(k.dir, name))
		}
	}
	return nil
}

// readPlace reads the beginning of a trial's file.
func (k *keeper) readPlace(path string) (p place, err error) {
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return p, err
	}
	_, first, _, err := wire.Split(head)
	if err == nil {
		err = p.UnmarshalBinary(first)
	}
	if err == nil && (p.run != k.id || k.trialFile(p) != path) {
		err = &wire.Error{Kind: placeKind, Reason: "it is of another run or trial"}
	}
	return p, err
}

// beat tells the trials every so often that they are to be saved, and saves those that ended in between.
func (k *keeper) beat(every time.Duration) {
	if every <= 0 {
		every = 30 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.requestSaves()
			k.warn(k.log.flush())
		case <-k.stop:
			return
		}
	}
}

// close ends the checkpoint with everything on disk.
func (k *keeper) close() {
	if k == nil {
		return
	}
	close(k.stop)
	k.wg.Wait()
	k.warn(k.log.flush())
	if k.lock != nil {
		k.lock.Release()
	}
}

// tell tells the user something.
func (k *keeper) tell(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.say != nil {
		k.say(line)
	}
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
	if s := k.answers[what]; s != nil {
		return s, nil
	}
	s, err := find()
	if err != nil {
		return nil, err
	}
	s.what = what
	record, err := s.AppendBinary(nil)
	if err == nil {
		k.log.add(record)
		err = k.log.flush()
	}
	k.warn(err)
	return s, nil
}
