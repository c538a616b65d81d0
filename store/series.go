package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// perBlock is how many decisions a block of a series has. A block is written once all of them have ended, behind the commits; it can be made
// again from events.
const perBlock = 256

// Series are numbers of the decisions of a loop.
func (s *SQLite) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	g, err := s.graphOf(ctx, loop)
	if err != nil {
		return nil, err
	}
	return PageOf(names, from, g.newest, points, func(name string, from int, visit func(k int, v float64)) error { return g.read(ctx, name, from, visit) })
}

// graph reads series of one loop, block by block.
type graph struct {
	s      *SQLite
	loop   string
	id     int64
	newest int
	there  map[int]bool                 // blocks that were kept; nil: nobody looked
	made   map[int]map[string][]float64 // blocks that were not there
}

func (s *SQLite) graphOf(ctx context.Context, loop string) (*graph, error) {
	g := &graph{s: s, loop: loop}
	err := s.read.QueryRowContext(ctx, `SELECT l.id, `+newestOf+` FROM loops l WHERE l.name = ?`, loop).Scan(&g.id, &g.newest)
	if err != nil {
		return nil, fmt.Errorf("loop %s: %w", loop, err)
	}
	return g, nil
}

// newestOf is the newest decision of a loop l, from the end of an index.
const newestOf = `coalesce((SELECT max(k) FROM events e WHERE e.loop = l.id AND e.k > 0), 0)`

// read visits the numbers of a name, block by block; what is not kept, or not sound, is worked out.
func (g *graph) read(ctx context.Context, name string, from int, visit func(k int, v float64)) error {
	if g.there == nil {
		there, err := g.blocks(ctx)
		if err != nil {
			return err
		}
		g.there = there
	}
	stored, err := g.stored(ctx, name, (from-1)/perBlock)
	if err != nil {
		return err
	}
	for block := (from - 1) / perBlock; block*perBlock < g.newest; block++ {
		values, ok := stored[block]
		if !ok && g.there[block] { // no decision of the block has it
			continue
		}
		if values == nil {
			if values, err = g.make(block, name); err != nil {
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

// blocks tells which are there.
func (g *graph) blocks(ctx context.Context) (map[int]bool, error) {
	found, err := g.s.read.QueryContext(ctx, `SELECT block FROM series WHERE loop = ? AND name = ?`, g.id, always)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	there := map[int]bool{}
	for found.Next() {
		var block int
		if err := found.Scan(&block); err != nil {
			return nil, err
		}
		there[block] = true
	}
	return there, found.Err()
}

// stored returns the blocks that are there; nil for those that are not sound.
func (g *graph) stored(ctx context.Context, name string, from int) (map[int][]float64, error) {
	found, err := g.s.read.QueryContext(ctx, `SELECT block, data FROM series WHERE loop = ? AND name = ? AND block >= ?`, g.id, name, from)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := map[int][]float64{}
	for found.Next() {
		var block int
		var data []byte
		if err := found.Scan(&block, &data); err != nil {
			return nil, err
		}
		all[block] = readBlock(data)
	}
	return all, found.Err()
}

// whole is how many blocks have no decision that could still come to something.
func (g *graph) whole() int { return max(0, g.newest-1) / perBlock }

// make works a block out of its events, and has it written if all of its decisions have ended.
func (g *graph) make(block int, name string) ([]float64, error) {
	if g.made == nil {
		g.made = map[int]map[string][]float64{}
	}
	if g.made[block] == nil {
		all := map[string][]float64{}
		upTo, err := g.newestIn(g.s.read, block)
		if err != nil {
			return nil, err
		}
		err = g.s.decisions(g.loop, block*perBlock+1, min((block+1)*perBlock, g.newest), func(d *session.Decision) {
			d.Numbers(func(name string, v float64) {
				if all[name] == nil {
					all[name] = slices.Repeat([]float64{math.NaN()}, perBlock)
				}
				all[name][d.K-block*perBlock-1] = v
			})
		})
		if err != nil {
			return nil, err
		}
		g.made[block] = all
		if block < g.whole() {
			g.keep(block, all, upTo)
		}
	}
	return g.made[block][name], nil
}

// newestIn is the newest event of the decisions of a block.
func (g *graph) newestIn(db interface {
	QueryRow(query string, args ...any) *sql.Row
}, block int) (seq int, err error) {
	err = db.QueryRow(`SELECT coalesce(max(seq), 0) FROM events WHERE loop = ? AND k > 0 AND k BETWEEN ? AND ?`, g.id, block*perBlock+1, (block+1)*perBlock).Scan(&seq)
	return seq, err
}

// keep writes a block of events up to one, unless there are newer ones by now. What is not kept is worked out again the next time.
func (g *graph) keep(block int, all map[string][]float64, upTo int) {
	g.s.alter(func(tx *sql.Tx) error {
		if now, err := g.newestIn(tx, block); err != nil || now != upTo {
			return err
		}
		for name, values := range all {
			if _, err := tx.Exec(`INSERT OR REPLACE INTO series (loop, name, block, data) VALUES (?, ?, ?, ?)`, g.id, name, block, writeBlock(values)); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeBlock is a block as it is kept, with a sum: SQLite does not notice a bit that turned.
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
