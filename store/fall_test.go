package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// A command that falls over leaves its loop to others.
func TestALoopOutlivesACommandThatFallsOver(t *testing.T) {
	falls := true
	f := session.NewFleet(store.NewMemory(), server.Wall(), func(spec string) (*session.Brief, error) {
		if falls {
			panic("planned")
		}
		return session.Standard(spec)
	}, nil)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing fell over")
			}
		}()
		f.Do(context.Background(), "shop", "me", session.Create{Spec: "x"})
	}()
	falls = false
	done := make(chan error)
	go func() {
		_, err := f.Do(context.Background(), "shop", "me", session.Create{Spec: "x"})
		done <- err
	}()
	select {
	case err := <-done:
		if !session.IsRefusal(err, session.BadSpec) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the loop is locked")
	}
}
