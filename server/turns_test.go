package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// arrivals lets requests of keys come one after the other while all places are taken, then gives places free one by one, and returns who was
// called, in order, and who was turned away.
func arrivals(t *testing.T, room int, keys string) (called, refused string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1, room)
		if err := turns.enter(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		for _, key := range strings.Split(keys, "") {
			go func() {
				err := turns.enter(t.Context(), key)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					refused += key
				} else {
					called += key
				}
			}()
			synctest.Wait()
		}
		for range keys {
			turns.leave()
			synctest.Wait()
		}
	})
	return called, refused
}

func TestKeysTakeTurns(t *testing.T) {
	for _, c := range []struct {
		name            string
		room            int
		keys            string
		called, refused string
	}{
		{"in order", 9, "aaa", "aaa", ""},
		{"a flood before a few", 9, "aaaaabb", "ababaaa", ""},
		{"three keys", 9, "aaabbbccc", "abcabcabc", ""},
		{"a full room makes room for who waits least", 4, "aaaab", "abaa", "a"},
		{"and refuses who waits most", 4, "aaaaa", "aaaa", "a"},
		{"lines as long as one's own stay", 4, "aabba", "abab", "a"},
	} {
		if called, refused := arrivals(t, c.room, c.keys); called != c.called || refused != c.refused {
			t.Errorf("%s: %s come and %q are called, %q refused; want %q and %q", c.name, c.keys, called, refused, c.called, c.refused)
		}
	}
}

// Who gives up leaves no place behind that is never free again, whatever comes at the same moment.
func TestGivingUpKeepsNoPlace(t *testing.T) {
	const atWork = 3
	turns := newTurns(atWork, 20)
	var all sync.WaitGroup
	for n := range 400 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%7)*100*time.Microsecond)
			defer cancel()
			if turns.enter(ctx, fmt.Sprint("key ", n%5)) == nil {
				time.Sleep(50 * time.Microsecond)
				turns.leave()
			}
		})
	}
	all.Wait()
	if turns.free != atWork || turns.waiting != 0 || len(turns.lines) != 0 || len(turns.order) != 0 {
		t.Errorf("%d places are free and %d wait in %d lines %v, want %d and none", turns.free, turns.waiting, len(turns.lines), turns.order, atWork)
	}
}

// Who gives up at the very moment at which a place is given to him hands it on.
func TestGivingUpAtTheLastMomentKeepsNoPlace(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			turns := newTurns(1, 1)
			ctx, giveUp := context.WithCancel(t.Context())
			if err := turns.enter(ctx, "first"); err != nil {
				t.Fatal(err)
			}
			go func() {
				if turns.enter(ctx, "second") == nil {
					turns.leave()
				}
			}()
			synctest.Wait()
			giveUp() // and before the other knows
			turns.leave()
			synctest.Wait()
			if turns.free != 1 || turns.waiting != 0 {
				t.Fatalf("%d places are free and %d wait, want 1 and none", turns.free, turns.waiting)
			}
		})
	}
}

// Quotas fill as time passes, up to what may be sent at once; bytes are paid for afterwards.
func TestQuotas(t *testing.T) {
	q, limits := quotas{keys: map[string]*quota{}}, &Allowance{KeyRate: 10, KeyBytes: 1000}
	now := time.Unix(1e9, 0)
	send := func(key string, times int) (taken int) {
		for range times {
			if q.spend(key, now, limits) == 0 {
				taken++
			}
		}
		return taken
	}
	if got := send("a", 100); got != 20 {
		t.Errorf("%d requests at once, want 20", got)
	}
	if got := send("b", 5); got != 5 {
		t.Errorf("another key: %d of 5", got)
	}
	if wait := q.spend("a", now, limits); wait != 100*time.Millisecond {
		t.Errorf("the next one after %v, want 100ms", wait)
	}
	now = now.Add(500 * time.Millisecond)
	if got := send("a", 100); got != 5 {
		t.Errorf("%d requests half a second later, want 5", got)
	}
	now = now.Add(time.Hour)
	if got := send("a", 100); got != 20 {
		t.Errorf("%d requests an hour later, want 20", got)
	}
	now = now.Add(time.Hour)
	q.spend("a", now, limits)
	q.sent("a", 4999)
	if wait := q.spend("a", now, limits); wait != 3*time.Second {
		t.Errorf("after 4999 of 2000 bytes: %v, want 3s", wait)
	}
	now = now.Add(3 * time.Second)
	if wait := q.spend("a", now, limits); wait != 0 {
		t.Errorf("3 s later: %v", wait)
	}
	if errors.Is(problem(tooMany, ""), context.Canceled) || !problem(tooMany, "").Retryable {
		t.Error("it is worth while to try again")
	}
}
