// Package store keeps the events of loops: in memory, or in an SQLite database that outlives a power cut.
package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// InMemory is a journal for as long as the program runs.
type InMemory struct {
	mu    sync.RWMutex
	loops map[string]*shelf
}

var _ session.Journal = (*InMemory)(nil)

type shelf struct {
	events []session.Event
	blobs  map[session.Hash][]byte
	state  []byte
}

// NewMemory is an empty one.
func NewMemory() *InMemory { return &InMemory{loops: map[string]*shelf{}} }

// Append appends at once.
func (m *InMemory) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.loops[loop]
	if s == nil {
		s = &shelf{blobs: map[session.Hash][]byte{}}
	}
	isAnothers := len(s.events) != after || after > 0 && len(events) > 0 && events[0].Follow(loop, after, s.events[after-1].Hash) != nil
	if isAnothers || slices.ContainsFunc(events, func(e session.Event) bool { return e.Removes.Loop != "" && m.tip(e.Removes.Loop) != e.Removes }) {
		return func() error { return session.ErrConflict }
	}
	m.loops[loop] = s
	for _, e := range events {
		if e.Blob != nil {
			s.blobs[e.BlobSum()] = e.Blob
		}
		for _, sum := range e.Drops {
			delete(s.blobs, sum)
		}
		delete(m.loops, e.Removes.Loop)
		s.events = append(s.events, e.Kept())
	}
	if state != nil {
		s.state = state
	}
	return func() error { return nil }
}

// tip is the newest event of a loop; 0: there is none.
func (m *InMemory) tip(loop string) session.Tip {
	t := session.Tip{Loop: loop}
	if s := m.loops[loop]; s != nil && len(s.events) > 0 {
		t.Seq = len(s.events)
		t.Hash = s.events[t.Seq-1].Hash
	}
	return t
}

func (m *InMemory) of(loop string) shelf {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if s := m.loops[loop]; s != nil {
		return *s
	}
	return shelf{}
}

// Read visits the events of a loop after some event.
func (m *InMemory) Read(_ context.Context, loop string, after int, visit func(session.Event) error) error {
	s := m.of(loop)
	for _, e := range s.events[min(after, len(s.events)):] {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// Decision returns the events of a decision.
func (m *InMemory) Decision(loop string, k int) (list []session.Event, err error) {
	for _, e := range m.of(loop).events {
		if e.K == k {
			list = append(list, e)
		}
	}
	return list, nil
}

// Find returns the event that has a ref.
func (m *InMemory) Find(loop string, k int, ref string) (*session.Event, error) {
	for _, e := range m.of(loop).events {
		if e.K == k && e.Ref == ref {
			return &e, nil
		}
	}
	return nil, nil
}

// Blob returns a blob of a loop.
func (m *InMemory) Blob(loop string, sum session.Hash) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if s := m.loops[loop]; s != nil && s.blobs[sum] != nil {
		return s.blobs[sum], nil
	}
	return nil, NoBlob(loop, sum)
}

// NoBlob says that a loop lacks a blob.
func NoBlob(loop string, sum session.Hash) error {
	return fmt.Errorf("loop %s has no blob %s: %w", loop, sum, session.ErrDropped)
}

// State returns the newest state.
func (m *InMemory) State(loop string) ([]byte, error) { return m.of(loop).state, nil }

// Loops are the heads of all loops.
func (m *InMemory) Loops(context.Context) (list []session.Tip, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(m.loops)) {
		if tip := m.tip(name); tip.Seq > 0 {
			list = append(list, tip)
		}
	}
	return list, nil
}

// Series are numbers of the decisions of a loop.
func (m *InMemory) Series(_ context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	all := map[string]map[int]float64{}
	newest, err := m.DecisionAt(loop, math.MaxInt)
	for k := 1; k <= newest && err == nil; k++ {
		events, _ := m.Decision(loop, k)
		var d *session.Decision
		if d, err = session.DecisionOf(events); err == nil {
			d.Numbers(func(name string, v float64) {
				if all[name] == nil {
					all[name] = map[int]float64{}
				}
				all[name][k] = v
			})
		}
	}
	if err != nil {
		return nil, err
	}
	return PageOf(names, from, newest, points, func(name string, _ int, visit func(k int, v float64)) error {
		for k, v := range all[name] {
			visit(k, v)
		}
		return nil
	})
}

// Newest returns the newest events of some kinds.
func (m *InMemory) Newest(_ context.Context, loop string, kinds []session.Kind, most int) (list []session.Event, err error) {
	for _, e := range m.of(loop).events {
		if slices.Contains(kinds, e.Kind) {
			list = append(list, e)
		}
	}
	return list[max(0, len(list)-most):], nil
}

// DecisionAt is the newest decision when an event happened.
func (m *InMemory) DecisionAt(loop string, seq int) (k int, err error) {
	for _, e := range m.of(loop).events {
		if e.Seq <= seq && (e.Kind == session.Opened || e.Kind == session.Proposed) {
			k = e.K
		}
	}
	return k, nil
}
