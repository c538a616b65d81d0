package session

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Compacted is the kind of an event with which people were dropped.
const Compacted Kind = "compacted"

// Compaction says whose answers are gone. Events name batches by their hash, so no link of the chain breaks. What the rule remembers is kept
// as a blob: whoever decides everything again goes on from there.
type Compaction struct {
	FromK  int    `json:"from_k,omitempty"` // decisions all of whose batches are gone
	ToK    int    `json:"to_k,omitempty"`
	Erased []Hash `json:"erased,omitempty"` // batches that held somebody who is to be forgotten
	Blobs  int    `json:"blobs"`
	Rows   int    `json:"rows"`
	State  Hash   `json:"state"` // of the rule
}

// covers tells whether a blob of a decision is gone by it. Decision 0 is none: an older state of the rule.
func (c *Compaction) covers(k int, sum Hash) bool {
	return k == 0 && sum != c.State || k > 0 && k >= c.FromK && k <= c.ToK || slices.Contains(c.Erased, sum)
}

// Blobs are those that an event names. Covers, unless it is nil, tells which blobs of earlier events are gone by it.
func (e *Event) Blobs() (names []Hash, covers func(k int, sum Hash) bool, err error) {
	switch e.Kind {
	case Told, ToldLate:
		var r struct { // no more of a receipt: this is asked of every batch of a journal
			Content Hash `json:"content"`
		}
		err := json.Unmarshal(e.Body, &r)
		return []Hash{r.Content}, nil, err
	case Compacted:
		var c Compaction
		err := json.Unmarshal(e.Body, &c)
		return []Hash{c.State}, c.covers, err
	}
	return nil, nil, nil
}

// compact folds a compaction into the loop.
func (l *Loop) compact(e *Event, c *Compaction) error {
	l.compacted, l.kept = max(l.compacted, c.ToK), c.State
	if len(c.Erased) > 0 {
		l.forget()
	}
	if l.current != nil {
		for i := range l.current.Batches {
			if r := &l.current.Batches[i]; slices.Contains(c.Erased, r.Content) {
				r.Erased = true
			}
		}
	}
	if !l.blind {
		return nil
	}
	data, err := l.past.Blob(c.State)
	if err != nil {
		return ignoreDropped(err) // a later one has it
	}
	if sha256.Sum256(data) != c.State {
		return &ChainError{l.name, e.Seq, "the state of the rule is not what was kept"}
	}
	l.blind = false
	return l.plan.Rule.UnmarshalBinary(data)
}

// Blind tells whether people that the rule learned from are gone, so that nobody knows what it remembers until an event says so.
func (l *Loop) Blind() bool { return l.blind }

// Whole refuses a loop whose rule is not known: people that it learned from are gone, and nothing says so.
func (l *Loop) Whole() error {
	if l.blind {
		return fmt.Errorf("the people of decision %d are gone, and no event says that they were dropped", l.lost)
	}
	return nil
}

func ignoreDropped(err error) error {
	if errors.Is(err, ErrDropped) {
		return nil
	}
	return err
}
