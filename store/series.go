package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// perBlock is how many decisions a block of a series has. A block is written once all of them have ended, behind the commits; it can be made
// again from events.
const perBlock = 256

// Shelf is where blocks of the series of one loop are kept, and the events that they are made of.
type Shelf interface {
	// Blocks tells which are there of a name.
	Blocks(ctx context.Context, name string) (map[int]bool, error)
	// Stored are the blocks of a name from one on.
	Stored(ctx context.Context, name string, from int) (map[int][]byte, error)
	// NewestIn is the newest event of some decisions, 0 for none.
	NewestIn(ctx context.Context, first, last int) (seq int, err error)
	// Decisions visits decisions in their order.
	Decisions(ctx context.Context, first, last int, visit func(*session.Decision)) error
	// Keep writes a block of decisions by its names, unless the newest event of those is another by now. What is not kept is worked out again.
	Keep(ctx context.Context, block int, all map[string][]byte, first, last, newest int)
}

// Strip reads series of one loop, block by block.
type Strip struct {
	Shelf
	Newest int                          // decision of the loop
	there  map[int]bool                 // blocks that were kept; nil: nobody looked
	made   map[int]map[string][]float64 // blocks that were not there
}

// Page thins series.
func (g *Strip) Page(ctx context.Context, names []string, from, points int) (*session.SeriesPage, error) {
	return PageOf(names, from, g.Newest, points, func(name string, from int, visit func(k int, v float64)) error { return g.read(ctx, name, from, visit) })
}

// read visits the numbers of a name, block by block; what is not kept, or not sound, is worked out.
func (g *Strip) read(ctx context.Context, name string, from int, visit func(k int, v float64)) error {
	if g.there == nil {
		there, err := g.Blocks(ctx, always)
		if err != nil {
			return err
		}
		g.there = there
	}
	stored, err := g.Stored(ctx, name, (from-1)/perBlock)
	if err != nil {
		return err
	}
	for block := (from - 1) / perBlock; block*perBlock < g.Newest; block++ {
		data, ok := stored[block]
		if !ok && g.there[block] { // no decision of the block has it
			continue
		}
		values := readBlock(data)
		if values == nil {
			if values, err = g.make(ctx, block, name); err != nil {
				return err
			}
		}
		for i, v := range values {
			visit(block*perBlock+i+1, v)
		}
	}
	return nil
}

// always is a number that every decision has.
const always = "u.0"

// BlockOf is where the numbers of a decision are.
func BlockOf(k int) int { return (k - 1) / perBlock }

// whole is how many blocks have no decision that could still come to something.
func (g *Strip) whole() int { return max(0, g.Newest-1) / perBlock }

// make works a block out of its events, and has it written if all of its decisions have ended.
func (g *Strip) make(ctx context.Context, block int, name string) ([]float64, error) {
	if g.made == nil {
		g.made = map[int]map[string][]float64{}
	}
	if g.made[block] == nil {
		all, first, last := map[string][]float64{}, block*perBlock+1, (block+1)*perBlock
		newest, err := g.NewestIn(ctx, first, last)
		if err != nil {
			return nil, err
		}
		err = g.Decisions(ctx, first, min(last, g.Newest), func(d *session.Decision) {
			d.Numbers(func(name string, v float64) {
				if all[name] == nil {
					all[name] = slices.Repeat([]float64{math.NaN()}, perBlock)
				}
				all[name][d.K-first] = v
			})
		})
		if err != nil {
			return nil, err
		}
		g.made[block] = all
		if block < g.whole() {
			packed := map[string][]byte{}
			for name, values := range all {
				packed[name] = writeBlock(values)
			}
			g.Keep(ctx, block, packed, first, last, newest)
		}
	}
	return g.made[block][name], nil
}

// Complete makes whole blocks that are not there.
func (g *Strip) Complete(ctx context.Context) {
	there, err := g.Blocks(ctx, always)
	for block := 0; err == nil && ctx.Err() == nil && block < g.whole(); block++ {
		if !there[block] {
			_, err = g.make(ctx, block, always)
			clear(g.made)
		}
	}
}

// writeBlock is a block as it is kept, with a sum: a database may not notice a bit that turned.
func writeBlock(values []float64) []byte {
	b := make([]byte, 0, 8*len(values)+8)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:8]...)
}

// readBlock reads a block; nil: it is not sound.
func readBlock(b []byte) []float64 {
	if len(b) != 8*perBlock+8 {
		return nil
	}
	if sum := sha256.Sum256(b[:8*perBlock]); string(sum[:8]) != string(b[8*perBlock:]) {
		return nil
	}
	values := make([]float64, perBlock)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return values
}
