package session_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// A command that fails midway, for whatever reason, is sent again: what the service then remembers of the loop is what its log says. Else a killed loop whose resume has
// failed would answer its rule, until the next start.
func TestACommandThatFailsMidwayIsForgotten(t *testing.T) {
	for at, failed := 1, true; failed; at++ {
		h := newHost(t)
		rule := &fate{}
		h.Fleet = session.NewFleet(h.journal, h.clock, func(spec string) (*session.Brief, error) {
			b, err := session.Standard(spec)
			if err == nil {
				b.Rule = frail{b.Rule, rule}
			}
			return b, err
		}, nil)
		failed = false
		rule.at = at
		var what session.Command
		for _, a := range story() {
			h.clock.now = h.clock.now.Add(a.after)
			_, err := h.Do(t.Context(), "shop", "test", a.Command)
			if errors.Is(err, errFate) {
				what = a.Command
				_, err = h.Do(t.Context(), "shop", "test", a.Command)
			}
			if err != nil && !isRefusal(err) {
				t.Errorf("call %d, at %T: %T again: %v", at, what, a.Command, err)
				break
			}
		}
		failed = rule.struck()
		remembers, seq := h.seen("shop")
		again := h.again()
		again.Fleet = session.NewFleet(h.journal, h.clock, session.Standard, nil)
		var says session.Status
		if err := again.Look(t.Context(), "shop", func(l *session.Loop) error { says = l.Status(); return nil }); err != nil || !reflect.DeepEqual(says, remembers) {
			t.Errorf("call %d, at %T: after event %d it remembers\n%+v, the log says\n%+v, %v", at, what, seq, remembers, says, err)
		}
	}
}
