package session

import (
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/kedge-opt/kedge/problem/form"
)

// Compact drops people of decisions that ended longer ago than live.retain.samples says, but never of the newest two.
type Compact struct{}

func (Compact) do(l *Loop) (any, error) {
	if l.seq == 0 {
		return nil, refuse(NotFound, "there is no loop %s", l.name)
	}
	keep := l.plan.Live.Retain
	if keep == form.Never {
		return Compaction{}, nil
	}
	c := Compaction{FromK: l.compacted + 1, ToK: l.compacted}
	var gone []Receipt
	for k := c.FromK; k <= l.k-2; k++ {
		events, err := l.past.Decision(k)
		if err != nil {
			return nil, err
		}
		if ended := events[len(events)-1].At; l.now.Sub(ended) < keep {
			break
		}
		d, err := DecisionOf(events)
		if err != nil {
			return nil, err
		}
		c.ToK, gone = k, append(gone, d.Batches...)
	}
	return l.drop(c, gone)
}

// Erase drops the batches that hold somebody. No history is rewritten.
type Erase struct{ Who uint64 }

func (c Erase) do(l *Loop) (any, error) {
	if l.seq == 0 {
		return nil, refuse(NotFound, "there is no loop %s", l.name)
	}
	var out Compaction
	var gone []Receipt
	for k := 1; k <= l.k; k++ {
		d, err := l.bygone(k)
		if err != nil {
			return nil, err
		}
		for _, r := range d.Batches {
			if has, err := l.holds(r, c.Who); err != nil {
				return nil, err
			} else if has {
				out.Erased, gone = append(out.Erased, r.Content), append(gone, r)
			}
		}
	}
	return l.drop(out, gone)
}

// bygone is a decision as its events tell it, also of a loop that has ended.
func (l *Loop) bygone(k int) (*Decision, error) {
	events, err := l.past.Decision(k)
	if err != nil {
		return nil, err
	}
	return DecisionOf(events)
}

// holds tells whether somebody is in a batch.
func (l *Loop) holds(r Receipt, who uint64) (bool, error) {
	data, err := l.past.Blob(r.Content)
	if err != nil {
		return false, ignoreDropped(err)
	}
	var b Batch
	err = b.Decode(data)
	return slices.Contains(b.Who, who), err
}

// drop lets batches go, unless decisions that keep theirs have the same.
func (l *Loop) drop(c Compaction, gone []Receipt) (any, error) {
	kept := map[Hash]bool{}
	if c.Erased == nil {
		for k := c.ToK + 1; k <= l.k; k++ {
			d, err := l.bygone(k)
			if err != nil {
				return nil, err
			}
			for _, r := range d.Batches {
				kept[r.Content] = true
			}
		}
	}
	var sums []Hash
	for _, r := range gone {
		if kept[r.Content] {
			continue
		}
		kept[r.Content] = true
		if _, err := l.past.Blob(r.Content); !errors.Is(err, ErrDropped) { // one that cannot be read goes as well
			sums = append(sums, r.Content)
			c.Blobs, c.Rows = c.Blobs+1, c.Rows+r.Rows
		}
	}
	if len(sums) == 0 {
		return Compaction{}, nil
	}
	state, err := l.plan.Rule.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	c.State = sha256.Sum256(state)
	if l.kept != (Hash{}) && l.kept != c.State {
		sums = append(sums, l.kept)
	}
	if err := l.emit(Compacted, 0, "", c, state); err != nil {
		return nil, err
	}
	l.out[len(l.out)-1].Drops = sums
	return c, nil
}
