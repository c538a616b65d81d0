package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/kedge-opt/kedge/session"
)

// Series are numbers of the decisions of a loop.
func (s *SQLite) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	g, err := s.graphOf(ctx, loop)
	if err != nil {
		return nil, err
	}
	return g.Page(ctx, names, from, points)
}

// rack is where a loop of SQLite has its blocks.
type rack struct {
	s    *SQLite
	loop string
	id   int64
}

func (s *SQLite) graphOf(ctx context.Context, loop string) (*Strip, error) {
	own, newest := rack{s: s, loop: loop}, 0
	err := s.read.QueryRowContext(ctx, `SELECT l.id, `+newestOf+` FROM loops l WHERE l.name = ?`, loop).Scan(&own.id, &newest)
	if err != nil {
		return nil, fmt.Errorf("loop %s: %w", loop, err)
	}
	return &Strip{Shelf: own, Tails: &s.tails, Newest: newest}, nil
}

// newestOf is the newest decision of a loop l, from the end of an index.
const newestOf = `coalesce((SELECT max(k) FROM events e WHERE e.loop = l.id AND e.k > 0), 0)`

// Blocks tells which are there.
func (f rack) Blocks(ctx context.Context, name string) (map[int]bool, error) {
	there := map[int]bool{}
	err := each(ctx, f.s.read, func(row *sql.Rows) error {
		var block int
		err := row.Scan(&block)
		there[block] = true
		return err
	}, `SELECT block FROM series WHERE loop = ? AND name = ?`, f.id, name)
	return there, err
}

// Stored returns the blocks that are there.
func (f rack) Stored(ctx context.Context, name string, from int) (map[int][]byte, error) {
	all := map[int][]byte{}
	err := each(ctx, f.s.read, func(row *sql.Rows) error {
		var block int
		var data []byte
		err := row.Scan(&block, &data)
		all[block] = data
		return err
	}, `SELECT a.block, s.data FROM series a LEFT JOIN series s ON s.loop = a.loop AND s.name = ? AND s.block = a.block
		WHERE a.loop = ? AND a.name = ? AND a.block >= ?`, name, f.id, Always, from)
	return all, err
}

// NewestIn is the newest event of decisions.
func (f rack) NewestIn(ctx context.Context, first, last int) (seq int, err error) {
	return f.newestIn(ctx, f.s.read, first, last)
}

func (f rack) newestIn(ctx context.Context, db querier, first, last int) (seq int, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM events WHERE loop = ? AND k > 0 AND k BETWEEN ? AND ?`, f.id, first, last).Scan(&seq)
	return seq, err
}

// Last is the newest event.
func (f rack) Last(ctx context.Context) (session.Tip, error) {
	is, sum := session.Tip{Loop: f.loop}, []byte{}
	err := f.s.read.QueryRowContext(ctx, `SELECT seq, hash FROM events WHERE loop = ? ORDER BY seq DESC LIMIT 1`, f.id).Scan(&is.Seq, &sum)
	copy(is.Hash[:], sum)
	return is, err
}

// Since is the first decision that something happened to.
func (f rack) Since(ctx context.Context, event session.Tip, first, last int) (k int, err error) {
	err = f.s.read.QueryRowContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM events WHERE loop = ?1 AND seq = ?2 AND hash = ?3)
		THEN coalesce((SELECT min(k) FROM events WHERE loop = ?1 AND seq > ?2 AND k BETWEEN ?4 AND ?5), ?5 + 1) ELSE ?4 END`, f.id, event.Seq, event.Hash[:], first, last).Scan(&k)
	return k, err
}

// Decisions visits decisions.
func (f rack) Decisions(_ context.Context, first, last int, visit func(*session.Decision)) error {
	return f.s.decisions(f.loop, first, last, visit)
}

// Keep writes a block, whoever stops waiting: an error in the writer's transaction would end writing for good.
func (f rack) Keep(ctx context.Context, block int, all map[string][]byte, first, last, newest int) {
	ctx = context.WithoutCancel(ctx)
	f.s.alter(func(tx *sql.Tx) error {
		if now, err := f.newestIn(ctx, tx, first, last); err != nil || now != newest {
			return err
		}
		for name, data := range all {
			if _, err := tx.Exec(`INSERT OR REPLACE INTO series (loop, name, block, data) VALUES (?, ?, ?, ?)`, f.id, name, block, data); err != nil {
				return err
			}
		}
		return nil
	})
}
