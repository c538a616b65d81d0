package session

import (
	"math"
	"testing"
	"time"
)

// speechless is a command whose reply cannot be written down.
type speechless struct{}

func (speechless) do(*Loop) (any, error) { return math.NaN(), nil }

// blank is a past in which nothing has happened.
type blank struct{ Past }

func (blank) Find(int, string) (*Event, error) { return nil, nil }

// What is to be carried out once needs a reply that can be given again.
func TestRepliesThatCannotBeRepeated(t *testing.T) {
	l, now := New("shop", Standard), time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
	if _, _, err := l.Do(now, "test", Create{Spec: narrow, Mode: Live, Epoch: "e"}, blank{}); err != nil {
		t.Fatal(err)
	}
	if reply, events, err := l.Do(now, "test", Once{Word: "w", Of: speechless{}}, blank{}); err == nil || len(events) > 0 {
		t.Errorf("%v, %d events", reply, len(events))
	}
}
