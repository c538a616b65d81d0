package store

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
)

// A saved state that is damaged, or of another log, is skipped: the loop is worked out of its log, says so as an alarm to whoever looks, writes that
// down with its next command, and takes it back once a saved state is sound again.
func TestUnsoundStatesAreSkippedWithAnAlarm(t *testing.T) {
	m, own, clock := remembered(t, withIDs, 30)
	own.Rest() // which saves it
	other, own, _ := remembered(t, strings.Replace(withIDs, "step: 0.05", "step: 0.06", 1), 20)
	own.Rest()
	foreign, err := other.State("shop")
	if err != nil || foreign == nil {
		t.Fatal("no state to take", err)
	}
	for name, spoil := range map[string]func(state []byte) []byte{
		"a bit turned": func(s []byte) []byte { s[len(s)/2] ^= 1; return s },
		"cut off":      func(s []byte) []byte { return s[:len(s)-1] },
		"of another log": func([]byte) []byte {
			l := session.New("shop", session.Standard)
			if err := l.UnmarshalBinary(foreign); err != nil {
				t.Fatal(err)
			}
			return foreign
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := opened(t, t.TempDir())
			copied(t, m, s, "shop")
			state, err := s.State("shop")
			if err != nil || state == nil {
				t.Fatal("no saved state", err)
			}
			spoiled := spoil(bytes.Clone(state))
			if err := s.Append("shop", m.of("shop").events[len(m.of("shop").events)-1].Seq, nil, spoiled)(); err != nil {
				t.Fatal(err)
			}
			before := headOf(t, s)
			h := session.NewFleet(s, clock, session.Standard, nil)
			sees := func(want bool) {
				t.Helper()
				err := h.Look(t.Context(), "shop", func(l *session.Loop) error {
					_, raised := l.Status().Alarms["state-unsound"]
					if carded := strings.Contains(fmt.Sprint(l.Health(clock.now)), "state-unsound"); raised != want || carded != want {
						t.Errorf("the alarm is shown: %t, on a card: %t, want %t", raised, carded, want)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			sees(true)
			if headOf(t, s) != before {
				t.Error("looking wrote something down")
			}
			if err := h.Pass(t.Context()); err != nil { // within a moment, though nobody asks
				t.Fatal(err)
			}
			events, err := s.Newest(t.Context(), "shop", []session.Kind{session.Raised}, 1)
			if err != nil || len(events) != 1 || events[0].Seq != before.Seq+1 || events[0].Actor != "kedge" || !strings.Contains(string(events[0].Body), "state-unsound") {
				t.Fatalf("the log has %v, %v", events, err)
			}
			sees(true)
			a, err := h.Do(t.Context(), "shop", "test", session.Ask{})
			want, _ := session.NewFleet(m, clock, session.Standard, nil).Do(t.Context(), "shop", "test", session.Ask{})
			if err != nil || fmt.Sprint(a.(session.Offer).U) != fmt.Sprint(want.(session.Offer).U) {
				t.Errorf("it decides %v, %v, want %v", a, err, want)
			}
			h.Rest()
			for state = spoiled; bytes.Equal(state, spoiled); time.Sleep(time.Millisecond) { // states are written behind
				if state, err = s.State("shop"); err != nil || t.Context().Err() != nil {
					t.Fatal("no sound state is saved", err)
				}
			}
			h = session.NewFleet(s, clock, session.Standard, nil)
			if _, err := h.Do(t.Context(), "shop", "test", session.Ask{}); err != nil {
				t.Fatal(err)
			}
			sees(false)
			if r, err := replay.Loop(t.Context(), s, "shop", session.Standard); err != nil || r.Events-r.Decided != 2 {
				t.Errorf("replay: %+v, %v", r, err)
			}
		})
	}
}

func headOf(t *testing.T, j session.Journal) session.Tip {
	t.Helper()
	all, err := j.Loops(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}
