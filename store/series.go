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

// perBlock is how many decisions a block of a series has. A block is written once all of them have ended; it can be made again from events.
const perBlock = 256

// Series are numbers of the decisions of a loop.
func (s *SQLite) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	var id int64
	var newest int
	err := s.read.QueryRowContext(ctx, `SELECT l.id, coalesce(max(e.k), 0) FROM loops l JOIN events e ON e.loop = l.id WHERE l.name = ?`, loop).Scan(&id, &newest)
	if err != nil {
		return nil, fmt.Errorf("loop %s: %w", loop, err)
	}
	g := &graph{s: s, loop: loop, id: id, newest: newest}
	return pageOf(names, from, newest, points, func(name string, from int, visit func(k int, v float64)) error { return g.read(ctx, name, from, visit) })
}

// graph reads series of one loop, block by block.
type graph struct {
	s      *SQLite
	loop   string
	id     int64
	newest int
	made   map[int]map[string][]float64 // blocks that were not there
}

// read visits the numbers of a name, block by block; what is not kept, or not sound, is worked out.
func (g *graph) read(ctx context.Context, name string, from int, visit func(k int, v float64)) error {
	stored, err := g.stored(ctx, name, (from-1)/perBlock)
	if err != nil {
		return err
	}
	for block := (from - 1) / perBlock; block*perBlock < g.newest; block++ {
		values, ok := stored[block]
		if !ok {
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

// stored returns the blocks that are there and sound.
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
		if values, sound := readBlock(data); sound {
			all[block] = values
		}
	}
	return all, found.Err()
}

// make works a block out of its events, and has it written if all of its decisions have ended.
func (g *graph) make(block int, name string) ([]float64, error) {
	if g.made == nil {
		g.made = map[int]map[string][]float64{}
	}
	if g.made[block] == nil {
		all := map[string][]float64{}
		err := g.s.decisions(g.loop, block*perBlock+1, min((block+1)*perBlock, g.newest), func(d *session.Decision) {
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
		if (block+1)*perBlock < g.newest {
			g.keep(block, all)
		}
	}
	return g.made[block][name], nil
}

// keep writes a block. Should that fail it is worked out again the next time.
func (g *graph) keep(block int, all map[string][]float64) {
	g.s.alter(func(tx *sql.Tx) error {
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

func readBlock(b []byte) (values []float64, sound bool) {
	if len(b) != 8*perBlock+8 {
		return nil, false
	}
	if sum := sha256.Sum256(b[:8*perBlock]); string(sum[:8]) != string(b[8*perBlock:]) {
		return nil, false
	}
	values = make([]float64, perBlock)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return values, true
}
