package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// slow is a journal whose commits of one kind of event end when they are let.
type slow struct {
	*InMemory
	kind session.Kind
	let  chan error
}

func (s *slow) Append(loop string, after int, events []session.Event, state []byte) func() error {
	wait := s.InMemory.Append(loop, after, events, state)
	if events[len(events)-1].Kind != s.kind {
		return wait
	}
	return func() error { return errors.Join(wait(), <-s.let) }
}

// An ask waits until what it answers is on the disk, and for nothing else: neither it nor a tell that reads its people stands behind a commit
// of other people.
func TestAsksWaitForTheirDecisionAlone(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		slow  session.Kind
		begin func(h *session.Fleet) error
		waits bool
	}{
		{session.Told, func(h *session.Fleet) error {
			_, err := h.Do(ctx, "shop", "test", session.Tell{K: 1, ID: "am", Batch: session.Batch{P: []float64{5, 5}, D: []float64{9, 9}}})
			return err
		}, false},
		{session.Deployed, func(h *session.Fleet) error {
			_, err := h.Do(ctx, "shop", "test", session.Deploy{K: 1, U: []float64{1, 2}})
			return err
		}, true},
		{session.Opened, func(h *session.Fleet) error { _, err := h.Do(ctx, "shop", "test", session.Ask{}); return err }, true},
	} {
		t.Run(string(c.slow), func(t *testing.T) {
			s := &slow{InMemory: NewMemory(), kind: c.slow, let: make(chan error)}
			h := session.NewFleet(s, wall{}, session.Standard, nil)
			if _, err := h.Do(ctx, "shop", "test", session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}); err != nil {
				t.Fatal(err)
			}
			if c.slow != session.Opened {
				if _, err := h.Do(ctx, "shop", "test", session.Ask{}); err != nil {
					t.Fatal(err)
				}
			}
			begun := make(chan error, 1)
			go func() { begun <- c.begin(h) }()
			for seq := 0; seq == 0 || seq == 1 && c.slow == session.Opened || seq == 2 && c.slow != session.Opened; { // until it is queued
				tips, _ := s.Loops(ctx)
				seq = tips[0].Seq
				time.Sleep(time.Millisecond)
			}
			if _, err := h.Dims(ctx, "shop"); err != nil {
				t.Error(err)
			}
			asked := make(chan error, 1)
			go func() { _, err := h.Do(ctx, "shop", "test", session.Ask{}); asked <- err }()
			var early bool
			select {
			case err := <-asked:
				early = true
				if err != nil {
					t.Error(err)
				}
			case <-time.After(50 * time.Millisecond):
			}
			if early == c.waits {
				t.Errorf("an ask waits: %v, want %v", !early, c.waits)
			}
			close(s.let)
			if err := <-begun; err != nil {
				t.Error(err)
			}
			if !early {
				if err := <-asked; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Blobs come back as they were, packed or not, and a few bytes are not packed.
func TestSmallBlobsAreNotPacked(t *testing.T) {
	s := opened(t, t.TempDir())
	c := &chain{loop: "a"}
	for n, size := range []int{1, leastPacked - 1, leastPacked, 10 * leastPacked} {
		blob := bytes.Repeat([]byte{byte(n)}, size)
		after := c.seq
		if err := s.Append("a", after, []session.Event{c.told(n, blob)}, nil)(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Blob("a", sumOf(blob)); err != nil || !bytes.Equal(got, blob) {
			t.Errorf("%d bytes come back as %d, %v", size, len(got), err)
		}
		var pack int
		if err := s.peek.QueryRow(`SELECT pack FROM blobs WHERE bytes = ?`, size).Scan(&pack); err != nil || (pack == zipped) != (size >= leastPacked) {
			t.Errorf("%s: pack %d, %v", fmt.Sprint(size, " bytes"), pack, err)
		}
	}
}
