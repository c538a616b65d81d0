package store

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// A deployment is being written when an exchange is refused half way, so that the loop must be read again. Whoever looks from then on sees the deployment, once that
// was acknowledged: a loop that is read again too early would lack it for as long as nobody writes.
func TestALoopIsReadAgainWithAllThatIsBeingWritten(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	j := opened(t, dir)
	defer j.Close()
	h := session.NewFleet(j, wall{}, session.Standard, nil)
	for _, c := range []session.Command{session.Create{Spec: shop, Mode: session.Live, Epoch: "e"}, session.Ask{}} {
		if _, err := h.Do(ctx, "shop", "test", c); err != nil {
			t.Fatal(err)
		}
	}
	state := func() (is session.Stage) {
		if err := h.Look(ctx, "shop", func(l *session.Loop) error { is = l.Status().State; return nil }); err != nil {
			t.Error(err)
		}
		return is
	}
	other, err := sql.Open("sqlite", filepath.Join(dir, database))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil { // so that commits take a while
		t.Fatal(err)
	}
	var busy sync.WaitGroup
	begin := func(do func()) {
		busy.Go(do)
		time.Sleep(200 * time.Millisecond)
	}
	begin(func() {
		if _, err := h.Do(ctx, "shop", "test", session.Deploy{K: 1, U: []float64{3, 4}}); err != nil {
			t.Error(err)
		}
	})
	begin(func() {
		x := session.Exchange{K: 1, Tell: &session.Tell{ID: "am", Batch: session.Batch{P: []float64{5, 1}, D: []float64{9, 9}}}, Close: &session.Close{}}
		x.Close.Expect.Rows = 100
		if _, err := h.Do(ctx, "shop", "test", x); !session.IsRefusal(err, session.Incomplete) {
			t.Errorf("the exchange: %v", err)
		}
	})
	begin(func() { state() })
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	busy.Wait()
	if is := state(); is != session.IsDeployed {
		t.Errorf("decision 1 is shown as %s, and its deployment was acknowledged", is)
	}
}

// People who are erased while a backup is made are on the disk no longer once it is made: their file stays for the copy alone.
func TestWhoIsErasedDuringABackupIsGoneAfterIt(t *testing.T) {
	s := opened(t, t.TempDir())
	h := session.NewFleet(s, wall{}, session.Standard, nil)
	b := session.Batch{P: make([]float64, 2*mostInside/8), D: make([]float64, 2*mostInside/8), Who: make([]uint64, mostInside/8)}
	for i, turned := range noise(1, len(b.P)) { // which cannot be packed
		b.P[i], b.D[i], b.Who[i/2] = float64(turned)/7, float64(turned)/11, uint64(i)
	}
	for _, c := range []session.Command{session.Create{Spec: withIDs, Mode: session.Live, Epoch: "e"}, session.Ask{}, session.Tell{K: 1, ID: "am", Batch: b}} {
		if _, err := h.Do(t.Context(), "shop", "test", c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	files := func() int {
		t.Helper()
		list, err := s.dir.List(blobFolder)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	s.copying.Add(1) // another backup is under way
	if _, err := h.Do(t.Context(), "shop", "test", session.Erase{Who: 1}); err != nil || files() != 1 {
		t.Errorf("%d files, %v", files(), err)
	}
	s.copying.Add(-1)
	if _, err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy"+BackupEnding)); err != nil {
		t.Fatal(err)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files of who was erased are still on the disk", n)
	}
}

// What is to be there once, as the reply to an Idempotency-Key, and is there already is refused by itself: what is written in the same commit is there, and the
// journal writes on.
func TestWhatIsThereOnceIsRefusedByItself(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	a, b := &chain{loop: "a"}, &chain{loop: "b"}
	if err := s.Append("a", 0, []session.Event{a.next(0, "i/word", nil)}, nil)(); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", filepath.Join(dir, database))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil { // so that all wait for one commit
		t.Fatal(err)
	}
	begins := s.Append("c", 0, []session.Event{(&chain{loop: "c"}).next(0, "", nil)}, nil)
	time.Sleep(100 * time.Millisecond)
	again := s.Append("a", 1, []session.Event{a.next(0, "", nil), a.next(0, "i/word", nil)}, nil)
	with := s.Append("b", 0, []session.Event{b.next(0, "i/word", nil)}, nil)
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := again(); err != session.ErrConflict {
		t.Errorf("a ref that is taken: %v", err)
	}
	for _, err := range []error{begins(), with(), s.Health()} {
		if err != nil {
			t.Error(err)
		}
	}
	tips, err := s.Loops(t.Context())
	if err != nil || len(tips) != 3 || tips[0].Seq != 1 {
		t.Errorf("%v, %v", tips, err)
	}
}
