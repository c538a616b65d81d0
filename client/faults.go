package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Faults are what a network does to messages, to try whether somebody minds.
type Faults struct {
	Drop    float64 // share of messages that are lost, or whose replies are
	Repeat  float64 // share that arrive twice
	Reorder float64 // share before which an earlier one arrives again
}

// ParseFaults reads a text such as drop=0.05,repeat=0.1,reorder; a word without a number is one message in ten.
func ParseFaults(text string) (f Faults, err error) {
	shares := map[string]*float64{"drop": &f.Drop, "repeat": &f.Repeat, "reorder": &f.Reorder}
	for word := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(strings.TrimSpace(word), "=")
		share := 0.1
		if given {
			if share, err = strconv.ParseFloat(value, 64); err != nil || !(share >= 0 && share < 1) {
				return f, fmt.Errorf("%s: %q is no share from 0 to below 1", name, value)
			}
		}
		of := shares[name]
		if of == nil {
			return f, fmt.Errorf("%q is none of drop, repeat and reorder", name)
		}
		*of = share
	}
	return f, nil
}

// Through sends messages by another transport, with faults drawn from a seed.
func (f Faults) Through(next http.RoundTripper, seed uint64) http.RoundTripper {
	return &unreliable{Faults: f, next: next, draw: rand.New(rand.NewPCG(seed, 0))}
}

// unreliable loses, repeats and reorders messages.
type unreliable struct {
	Faults
	next http.RoundTripper

	mu   sync.Mutex
	draw *rand.Rand
	past []func(context.Context) *http.Request // messages of late, to arrive again
}

// errLost is what a message comes to that got lost.
var errLost = errors.New("the message was lost, as asked for")

// remembered is how many messages may arrive again.
const remembered = 16

func (t *unreliable) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	own := r.Clone(r.Context())
	fresh := func(ctx context.Context) *http.Request {
		again := own.Clone(ctx)
		again.Body = io.NopCloser(bytes.NewReader(body))
		return again
	}
	t.mu.Lock()
	lost, late, twice := t.draw.Float64() < t.Drop, t.draw.IntN(2) == 0, t.draw.Float64() < t.Repeat
	var old func(context.Context) *http.Request
	if len(t.past) > 0 && t.draw.Float64() < t.Reorder {
		old = t.past[t.draw.IntN(len(t.past))]
	}
	if t.past = append(t.past, fresh); len(t.past) > remembered {
		t.past = t.past[1:]
	}
	t.mu.Unlock()
	if old != nil {
		t.forget(old(r.Context()))
	}
	if twice {
		t.forget(fresh(r.Context()))
	}
	if lost && !late { // it never arrives
		return nil, errLost
	}
	reply, err := t.next.RoundTrip(fresh(r.Context()))
	if lost && err == nil { // it arrives, and its reply does not
		reply.Body.Close()
		return nil, errLost
	}
	return reply, err
}

// forget sends a message whose reply nobody waits for.
func (t *unreliable) forget(r *http.Request) {
	if reply, err := t.next.RoundTrip(r); err == nil {
		io.Copy(io.Discard, reply.Body)
		reply.Body.Close()
	}
}
