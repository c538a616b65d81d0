package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// ofOld tells which loops of a journal can be asked in the epoch that a backup has them in.
func ofOld(t *testing.T, j session.Journal) (old []string) {
	t.Helper()
	all, err := j.Loops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := session.NewFleet(j, wall{}, session.Standard, nil)
	for _, one := range all {
		if err := h.Look(t.Context(), one.Loop, func(l *session.Loop) error {
			if l.Status().Epoch == "first" {
				old = append(old, one.Loop)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return old
}

// twoCopied is a backup of two loops.
func twoCopied(t *testing.T) (file string) {
	t.Helper()
	s := opened(t, t.TempDir())
	h := session.NewFleet(s, wall{}, session.Standard, nil)
	for _, name := range []string{"shop", "store"} {
		for _, c := range []session.Command{session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}, session.Ask{}} {
			if _, err := h.Do(t.Context(), name, "test", c); err != nil {
				t.Fatal(err)
			}
		}
	}
	file = filepath.Join(t.TempDir(), "two.kedge")
	if _, err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	return file
}

// A restore that is cut short at any moment leaves no loop that goes on in the epoch of the backup, where decisions of before would be mistaken for those that are
// given out again. The folder can then be restored into once more.
func TestARestoreThatIsCutShortLeavesNoOldEpoch(t *testing.T) {
	file, into := twoCopied(t), filepath.Join(t.TempDir(), "data")
	var shots []string // of the folder, as a restore that is killed there leaves it
	_, err := Restore(t.Context(), file, into, wall{}, func(spec string) (*session.Brief, error) {
		shot := t.TempDir()
		shots = append(shots, shot)
		if err := os.CopyFS(shot, os.DirFS(into)); err != nil {
			t.Error(err)
		}
		return session.Standard(spec)
	})
	if err != nil || len(shots) < 2 {
		t.Fatalf("%d moments, %v", len(shots), err)
	}
	for i, shot := range shots {
		if _, err := Restore(t.Context(), file, shot, wall{}, session.Standard); err != nil {
			t.Errorf("once more after moment %d: %v", i, err)
		}
	}
	for i, dir := range append(shots, into) {
		s := opened(t, dir)
		if old := ofOld(t, s); len(old) > 0 {
			t.Errorf("at moment %d of %d %v go on in the old epoch", i, len(shots), old)
		}
		if all, err := s.Loops(t.Context()); err != nil || len(all) != 2 || s.dir.Has(restoring) {
			t.Errorf("moment %d: %d loops, %v", i, len(all), err)
		}
	}
}

// stepwise is a database of which somebody looks at each commit.
type stepwise struct {
	*SQLite
	look func()
}

func (s *stepwise) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	committed := s.SQLite.Append(loop, after, events, state)
	return func() error {
		err := committed()
		s.look()
		return err
	}
}

// While a database is filled with a backup, servers of it find no loop in the epoch of the backup.
func TestADatabaseThatIsFilledShowsNoOldEpoch(t *testing.T) {
	to, looked := &stepwise{SQLite: opened(t, t.TempDir())}, 0
	to.look = func() {
		if old := ofOld(t, to.SQLite); len(old) > 0 {
			t.Errorf("after commit %d %v go on in the old epoch", looked, old)
		}
		looked++
	}
	if _, err := Fill(t.Context(), twoCopied(t), to, wall{}, session.Standard); err != nil || looked == 0 {
		t.Errorf("%d commits, %v", looked, err)
	}
}
