package session_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// attempt carries out a command on the shop, in which a rule may fall over.
func (h *host) attempt(c session.Command) (err error) {
	defer func() {
		if fell := recover(); fell != nil {
			err = fell.(error)
		}
	}()
	_, err = h.Do(h.Context(), "shop", "test", c)
	return err
}

// agrees checks that what a host remembers of the shop is what its log says.
func (h *host) agrees(when string) {
	h.Helper()
	status := func(f *session.Fleet) (s session.Status) {
		if err := f.Look(h.Context(), "shop", func(l *session.Loop) error { s = l.Status(); return nil }); err != nil && !missing(err) {
			h.Errorf("%s: %v", when, err)
		}
		return s
	}
	remembers, says := status(h.Fleet), status(session.NewFleet(h.journal, h.clock, session.Standard, nil))
	if !reflect.DeepEqual(says, remembers) {
		h.Errorf("%s it remembers\n%+v, the log says\n%+v", when, remembers, says)
	}
}

// What the service remembers of a loop whose command fails midway, for whatever reason, is what its log says, and is so once it was sent again. Else a killed loop whose
// resume has failed would answer its rule, until the next start.
func TestACommandThatFailsMidwayIsForgotten(t *testing.T) {
	for step, panics := range map[int]bool{1: false, 2: true} { // of calls that fall over every other one is enough
		for at, failed := 1, true; failed; at += step {
			h := newHost(t)
			rule := &fate{at: at, panics: panics}
			h.Fleet = session.NewFleet(h.journal, h.clock, func(spec string) (*session.Brief, error) {
				b, err := session.Standard(spec)
				if err == nil {
					b.Rule = frail{b.Rule, rule}
				}
				return b, err
			}, nil)
			for _, a := range story() {
				h.clock.now = h.clock.now.Add(a.after)
				err := h.attempt(a.Command)
				if errors.Is(err, errFate) {
					h.agrees(fmt.Sprintf("call %d has failed, at %T:", at, a.Command))
					err = h.attempt(a.Command)
				}
				if err != nil && !isRefusal(err) {
					t.Errorf("after call %d has failed, %T: %v", at, a.Command, err)
					break
				}
			}
			failed = rule.struck()
			h.agrees(fmt.Sprintf("call %d has failed: at the end", at))
		}
	}
}
