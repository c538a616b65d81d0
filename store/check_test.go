package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
)

// lived is a folder with a loop that had some decisions.
func lived(t *testing.T, decisions int) string {
	t.Helper()
	dir, m := t.TempDir(), NewMemory()
	h := session.NewFleet(m, wall{}, session.Standard, nil)
	do := func(c session.Command) any {
		t.Helper()
		reply, err := h.Do(context.Background(), "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
	for n := range decisions {
		a := do(session.Ask{}).(session.Offer)
		do(session.Deploy{K: a.K, U: a.U})
		do(session.Tell{K: a.K, ID: "all", Batch: session.Batch{P: []float64{5, float64(n)}, D: []float64{9, 9}}})
		do(session.Close{K: a.K})
	}
	s := opened(t, dir)
	copied(t, m, s, "shop")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copied writes all of a loop to another journal.
func copied(t *testing.T, from, to session.Journal, loop string) {
	t.Helper()
	var all []session.Event
	err := from.Read(context.Background(), loop, 0, func(e session.Event) error {
		names, _, err := e.Blobs()
		for _, sum := range names {
			e.Blob, err = from.Blob(loop, sum)
		}
		all = append(all, e)
		return err
	})
	if err == nil {
		state, _ := from.State(loop)
		err = to.Append(loop, 0, all, state)()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A backup is checked before it is called good; what is restored goes on in another epoch.
func TestBackupAndRestore(t *testing.T) {
	ctx := context.Background()
	dir := lived(t, 5)
	s := opened(t, dir)
	file := filepath.Join(t.TempDir(), "backup.kedge")
	c, err := s.Backup(ctx, file)
	if err != nil || c.Loops != 1 || c.Events != 1+4*5 || c.Blobs != 5 {
		t.Fatalf("backup of %+v, %v", c, err)
	}
	if _, err := s.Backup(ctx, file); !errors.Is(err, os.ErrExist) {
		t.Errorf("a backup over another: %v", err)
	}
	again := filepath.Join(t.TempDir(), "data")
	if _, err := Restore(ctx, file, again, wall{}, session.Standard); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(ctx, file, again, wall{}, session.Standard); err == nil {
		t.Error("a restore replaced loops")
	}
	r := opened(t, again)
	h := session.NewFleet(r, wall{}, session.Standard, nil)
	if _, err := h.Do(ctx, "shop", "test", session.Deploy{K: 5, Epoch: "first", U: []float64{1, 1}}); !session.IsRefusal(err, session.StaleEpoch) {
		t.Errorf("a message of the old epoch: %v", err)
	}
	if n, err := replay.Loop(ctx, r, "shop", session.Standard); err != nil || n.Events != 1+4*5+1 || n.Decided != n.Events || n.Closes != 5 {
		t.Errorf("replayed %+v, %v", n, err)
	}
}

// A bit that turns in what a loop is made of is found, with its event; replay notices a rule that decides otherwise.
func TestDamageIsFound(t *testing.T) {
	ctx := context.Background()
	for name, harm := range map[string]string{
		"a body":    `UPDATE events SET body = CAST(replace(body, '"off":0', '"off":1') AS BLOB) WHERE seq = 7`,
		"a person":  `UPDATE blobs SET pack = 1 - pack WHERE pos = 2`,
		"an order":  `UPDATE events SET seq = CASE seq WHEN 8 THEN -9 ELSE -8 END WHERE seq IN (8, 9); UPDATE events SET seq = -seq WHERE seq < 0`,
		"an event":  `DELETE FROM events WHERE seq = 10`,
		"the first": `DELETE FROM events WHERE seq = 1`,
	} {
		s := opened(t, lived(t, 4))
		if _, err := Check(ctx, s); err != nil {
			t.Fatal(err)
		}
		if n, err := s.write.Exec(harm); err != nil {
			t.Fatal(name, err)
		} else if rows, _ := n.RowsAffected(); rows == 0 {
			t.Fatalf("%s: nothing was harmed", name)
		}
		var broken *session.ChainError
		if _, err := Check(ctx, s); !errors.As(err, &broken) || broken.Loop != "shop" {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
	s := opened(t, lived(t, 4))
	other := func(spec string) (*session.Brief, error) {
		return session.Standard(fmt.Sprintf("%s\nhold: 1\n", replaceStep(spec)))
	}
	var broken *session.ChainError
	if _, err := replay.Loop(ctx, s, "shop", other); !errors.As(err, &broken) {
		t.Errorf("another rule replays: %v", err)
	}
}

// replaceStep is the spec of a rule with half the step.
func replaceStep(spec string) string { return strings.Replace(spec, "step: 0.05", "step: 0.025", 1) }

// grows is a journal that gets another event while it is checked.
type grows struct {
	session.Journal
	add func()
}

func (g grows) Loops(ctx context.Context) ([]session.Tip, error) {
	heads, err := g.Journal.Loops(ctx)
	g.add()
	return heads, err
}

// A journal in use is sound, too: what comes while it is checked is no fault, and what is lost meanwhile is one.
func TestCheckOfAJournalInUse(t *testing.T) {
	c, m := &chain{loop: "shop"}, NewMemory()
	add := func() {
		n := c.seq
		if err := m.Append("shop", n, []session.Event{c.told(n, []byte{byte(n)})}, nil)(); err != nil {
			t.Fatal(err)
		}
	}
	add()
	if got, err := Check(t.Context(), grows{m, add}); err != nil || got.Events != 2 || got.Blobs != 2 {
		t.Errorf("checked %+v, %v", got, err)
	}
	lose := func() { m.loops["shop"].events = m.loops["shop"].events[:1] }
	var broken *session.ChainError
	if _, err := Check(t.Context(), grows{m, lose}); !errors.As(err, &broken) {
		t.Errorf("a lost event: %v", err)
	}
}
