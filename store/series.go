package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// Strip reads series of one loop, block by block.
type Strip struct {
	Shelf
	Tails  *Tails
	Newest int                          // decision of the loop
	made   map[int]map[string][]float64 // blocks that were not there
}

// Page thins series.
func (g *Strip) Page(ctx context.Context, names []string, from, points int) (*session.SeriesPage, error) {
	return PageOf(names, from, g.Newest, points, func(name string, from int, visit func(k int, v float64)) error { return g.read(ctx, name, from, visit) })
}

// read visits the numbers of a name, block by block; what is not kept, or not sound, is worked out.
func (g *Strip) read(ctx context.Context, name string, from int, visit func(k int, v float64)) error {
	stored, err := g.Stored(ctx, name, (from-1)/perBlock)
	if err != nil {
		return err
	}
	for block := (from - 1) / perBlock; block*perBlock < g.Newest; block++ {
		data, ok := stored[block]
		if ok && data == nil { // no decision of the block has it
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

// Always is a number that every decision has, and so every block that is there.
const Always = "u.0"

// BlockOf is where the numbers of a decision are.
func BlockOf(k int) int { return (k - 1) / perBlock }

// whole is how many blocks have no decision that could still come to something.
func (g *Strip) whole() int { return max(0, g.Newest-1) / perBlock }

// make works a block out of its events, and has it written if all of its decisions have ended.
func (g *Strip) make(ctx context.Context, block int, name string) ([]float64, error) {
	if g.made == nil {
		g.made = map[int]map[string][]float64{}
	}
	if g.made[block] != nil {
		return g.made[block][name], nil
	}
	if block >= g.whole() {
		values, err := g.tail(ctx, block)
		g.made[block] = values
		return values[name], err
	}
	first, last := block*perBlock+1, (block+1)*perBlock
	newest, err := g.NewestIn(ctx, first, last)
	if err != nil {
		return nil, err
	}
	values := map[string][]float64{}
	if err := g.fill(ctx, values, block, first); err != nil {
		return nil, err
	}
	g.made[block] = values
	packed := map[string][]byte{}
	for name, one := range values {
		packed[name] = writeBlock(one)
	}
	g.Keep(ctx, block, packed, first, last, newest)
	return values[name], nil
}

// Complete makes whole blocks that are not there.
func (g *Strip) Complete(ctx context.Context) {
	there, err := g.Blocks(ctx, Always)
	for block := 0; err == nil && ctx.Err() == nil && block < g.whole(); block++ {
		if !there[block] {
			_, err = g.make(ctx, block, Always)
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

// PageOf thins series to buckets of as many decisions as it takes. Read visits the numbers of a name from a decision on.
func PageOf(names []string, from, newest, points int, read func(name string, from int, visit func(k int, v float64)) error) (*session.SeriesPage, error) {
	from, points = max(1, from), max(1, points)
	page := &session.SeriesPage{K: []int{}, Series: map[string]session.Extremes{}}
	width := max(1, (newest-from+points)/points)
	for k := from; k <= newest; k += width {
		page.K = append(page.K, k)
	}
	for _, name := range names {
		least, most := slices.Repeat(session.Sparse{math.NaN()}, len(page.K)), slices.Repeat(session.Sparse{math.NaN()}, len(page.K))
		err := read(name, from, func(k int, v float64) {
			if k < from || k > newest || math.IsNaN(v) {
				return
			}
			at := (k - from) / width
			if !(least[at] <= v) {
				least[at] = v
			}
			if !(most[at] >= v) {
				most[at] = v
			}
		})
		if err != nil {
			return nil, err
		}
		page.Series[name] = session.Extremes{Min: least, Max: most}
	}
	return page, nil
}
