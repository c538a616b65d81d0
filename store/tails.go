package store

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// Tails are the newest blocks of loops, some of whose decisions have not ended, as they were when somebody last looked: who looks again reads only
// decisions that something has happened to since. The zero value is empty.
type Tails struct {
	mu  sync.Mutex
	all map[string]tail
}

// tail is what the decisions of a block came to up to an event. Its values are never changed.
type tail struct {
	block  int
	until  session.Tip
	values map[string][]float64
}

// mostTails is of how many loops the newest block is kept, some 30 kB each. Beyond that some are worked out whole again.
const mostTails = 256

func (t *Tails) of(loop string) (tail, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.all[loop]
	return found, ok
}

func (t *Tails) put(loop string, new tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[string]tail{}
	}
	if _, known := t.all[loop]; !known && len(t.all) >= mostTails {
		for any := range t.all {
			delete(t.all, any)
			break
		}
	}
	t.all[loop] = new
}

// tail is the newest block.
func (g *Strip) tail(ctx context.Context, block int) (map[string][]float64, error) {
	until, err := g.Last(ctx) // before anything is read: what happens meanwhile is read again next time
	if err != nil {
		return nil, err
	}
	first := block*perBlock + 1
	from, values := first, map[string][]float64{}
	if was, ok := g.Tails.of(until.Loop); ok && was.block == block {
		if from, err = g.Since(ctx, was.until, first, first+perBlock-1); err != nil {
			return nil, err
		}
		values = was.values
	}
	if from < first+perBlock {
		values = maps.Clone(values)
		for name, one := range values {
			values[name] = slices.Clone(one)
			for i := from - first; i < perBlock; i++ {
				values[name][i] = math.NaN()
			}
		}
		if err := g.fill(ctx, values, block, from); err != nil {
			return nil, err
		}
	}
	g.Tails.put(until.Loop, tail{block, until, values})
	return values, nil
}

// fill sets the values of a block from a decision on, also of decisions that came since the newest was asked for.
func (g *Strip) fill(ctx context.Context, values map[string][]float64, block, from int) error {
	first := block*perBlock + 1
	return g.Decisions(ctx, from, first+perBlock-1, func(d *session.Decision) {
		d.Numbers(func(name string, v float64) {
			if values[name] == nil {
				values[name] = slices.Repeat([]float64{math.NaN()}, perBlock)
			}
			values[name][d.K-first] = v
		})
	})
}
