package fork_test

import (
	"context"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/fork"
	"github.com/kedge-opt/kedge/store"
)

// late is a loop in a database of which some people answered so late that a fork of it is written in parts.
func late(t *testing.T) (*session.Fleet, *clock) {
	t.Helper()
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	c := &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	h := session.NewFleet(j, c, session.Standard, nil)
	for _, command := range []session.Command{
		session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}, session.Ask{}, session.Approve{K: 1}, session.Deploy{K: 1, U: []float64{3, 3}}, session.Abandon{K: 1, Reason: "rain"},
		session.Ask{}, session.Tell{K: 1, ID: "late", Batch: crowd(1, 2)}, session.Abandon{K: 2, Reason: "rain"}, session.Ask{}, session.Deploy{K: 3, U: []float64{3, 3}},
	} {
		if _, err := h.Do(t.Context(), "shop", "test", command); err != nil {
			t.Fatalf("%T: %v", command, err)
		}
	}
	return h, c
}

// A fork is whole and in the shadow, or not there: also where who asked for it has hung up, and where time passes over the part of it that is there, as it does once a
// second. Else a loop would be left that is live and has no end.
func TestForksAreWholeOrNotThere(t *testing.T) {
	for name, meanwhile := range map[string]func(h *session.Fleet, hangUp func()) error{
		"hung up":     func(_ *session.Fleet, hangUp func()) error { hangUp(); time.Sleep(100 * time.Millisecond); return nil },
		"time passes": func(h *session.Fleet, _ func()) error { return h.Pass(t.Context()) },
	} {
		h, c := late(t)
		c.now = c.now.Add(48 * time.Hour)
		ctx, hangUp := context.WithCancel(t.Context())
		defer hangUp()
		edits := 0
		_, err := fork.Fork(ctx, h, session.Forking{Of: "shop", AtK: 3}, "what-if", func(spec string) (string, error) {
			if edits++; edits == 2 { // the first looks whether it can be
				return spec, meanwhile(h, hangUp)
			}
			return spec, nil
		})
		var mode session.Mode
		look := h.Look(t.Context(), "what-if", func(l *session.Loop) error { mode = l.Status().Mode; return nil })
		if err == nil && mode != session.Shadow || err != nil && !session.IsRefusal(look, session.NotFound) || edits != 2 {
			t.Errorf("%s: %v after %d edits, and the fork is %s, %v", name, err, edits, mode, look)
		}
	}
}

// A service that is killed while it forks leaves no part of the fork, which would be live: who starts it again finds the fork whole, or not there.
func TestNoPartOfAForkIsLeft(t *testing.T) {
	h, c := late(t)
	j, _, _ := h.Parts()
	edits := 0
	_, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 3}, "what-if", func(spec string) (string, error) {
		edits++
		again := session.NewFleet(j, c, session.Standard, nil)
		if err := again.Look(t.Context(), "what-if", func(l *session.Loop) error { t.Errorf("at edit %d it is %s", edits, l.Status().Mode); return nil }); !session.IsRefusal(err, session.NotFound) {
			t.Errorf("at edit %d: %v", edits, err)
		}
		return spec, nil
	})
	if err != nil || edits != 2 {
		t.Errorf("%d edits, %v", edits, err)
	}
}
