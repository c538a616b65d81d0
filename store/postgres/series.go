package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Series are numbers of the decisions of a loop.
func (j *Database) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	g, err := j.graphOf(ctx, loop)
	if err != nil {
		return nil, err
	}
	return g.Page(ctx, names, from, points)
}

// drawer is where a loop of the database has its blocks.
type drawer struct {
	*Database
	loop string
	id   int64
}

func (j *Database) graphOf(ctx context.Context, loop string) (*store.Strip, error) {
	own, newest := drawer{Database: j, loop: loop}, 0
	found, err := j.one(ctx, []any{&own.id, &newest}, `SELECT l.id, coalesce((SELECT max(e.k) FROM events e WHERE e.loop = l.id AND e.k > 0), 0) FROM loops l WHERE l.name = $1`, loop)
	if err == nil && !found {
		err = fmt.Errorf("there is no loop %s", loop)
	}
	return &store.Strip{Shelf: own, Tails: &j.tails, Newest: newest}, err
}

// Blocks tells which are there.
func (f drawer) Blocks(ctx context.Context, name string) (map[int]bool, error) {
	list, err := rows(ctx, f.Database, pgx.RowTo[int], `SELECT block FROM series WHERE loop = $1 AND name = $2`, f.id, name)
	there := map[int]bool{}
	for _, block := range list {
		there[block] = true
	}
	return there, err
}

// storedBlock is one as it is kept.
type storedBlock struct {
	Block int
	Data  []byte
}

// Stored returns the blocks that are there.
func (f drawer) Stored(ctx context.Context, name string, from int) (map[int][]byte, error) {
	list, err := rows(ctx, f.Database, pgx.RowToStructByPos[storedBlock], `SELECT a.block, s.data FROM series a LEFT JOIN series s ON s.loop = a.loop AND s.name = $2 AND s.block = a.block
		WHERE a.loop = $1 AND a.name = $3 AND a.block >= $4`, f.id, name, store.Always, from)
	all := map[int][]byte{}
	for _, b := range list {
		all[b.Block] = b.Data
	}
	return all, err
}

// NewestIn is the newest event of decisions.
func (f drawer) NewestIn(ctx context.Context, first, last int) (seq int, err error) {
	_, err = f.one(ctx, []any{&seq}, newestIn, f.id, first, last)
	return seq, err
}

const newestIn = `SELECT coalesce(max(seq), 0) FROM events WHERE loop = $1 AND k > 0 AND k BETWEEN $2 AND $3`

// Last is the newest event.
func (f drawer) Last(ctx context.Context) (session.Tip, error) {
	is, sum := session.Tip{Loop: f.loop}, []byte{}
	_, err := f.one(ctx, []any{&is.Seq, &sum}, `SELECT seq, hash FROM events WHERE loop = $1 ORDER BY seq DESC LIMIT 1`, f.id)
	copy(is.Hash[:], sum)
	return is, err
}

// Since is the first decision that something happened to.
func (f drawer) Since(ctx context.Context, event session.Tip, first, last int) (k int, err error) {
	_, err = f.one(ctx, []any{&k}, `SELECT CASE WHEN EXISTS (SELECT FROM events WHERE loop = $1 AND seq = $2 AND hash = $3)
		THEN coalesce((SELECT min(k) FROM events WHERE loop = $1 AND seq > $2 AND k BETWEEN $4 AND $5), $5 + 1) ELSE $4 END`, f.id, event.Seq, event.Hash[:], first, last)
	return k, err
}

// Decisions visits decisions.
func (f drawer) Decisions(ctx context.Context, first, last int, visit func(*session.Decision)) error {
	list, err := f.query(ctx, columns+` AND e.k > 0 AND e.k BETWEEN $2 AND $3 ORDER BY e.k, e.seq`, f.loop, first, last)
	if err != nil {
		return err
	}
	return store.Grouped(visit, func(add func(session.Event) error) error {
		for _, e := range list {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Keep writes a block. Who appends waits meanwhile, and removes it if it is about a decision of it.
func (f drawer) Keep(ctx context.Context, number int, all map[string][]byte, first, last, newest int) {
	if f.looks {
		return
	}
	var names []string
	var data [][]byte
	for name, one := range all {
		names, data = append(names, name), append(data, one)
	}
	var b pgx.Batch
	b.Queue(`SELECT FROM loops WHERE id = $1 FOR UPDATE`, f.id)
	b.Queue(`INSERT INTO series (loop, name, block, data) SELECT $1, s.name, $5, s.data FROM unnest($6::text[], $7::bytea[]) AS s (name, data)
		WHERE (`+newestIn+`) = $4 ON CONFLICT (loop, name, block) DO UPDATE SET data = excluded.data`, f.id, first, last, newest, number, names, data)
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	f.pool.SendBatch(ctx, &b).Close() // what fails is worked out again
}
