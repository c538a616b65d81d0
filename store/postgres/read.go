package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

const columns = `SELECT e.seq, e.at, e.kind, e.actor, e.k, coalesce(e.ref, ''), e.body, e.hash FROM events e JOIN loops l ON l.id = e.loop WHERE l.name = $1`

// Pages in which events are read. No connection is held while they are visited: who visits may want another.
const (
	pageEvents = 1024
	firstPage  = 64
)

// Read visits the events of a loop.
func (j *Database) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	for most := firstPage; ; most = pageEvents {
		page, err := j.query(ctx, columns+` AND e.seq > $2 ORDER BY e.seq LIMIT $3`, loop, after, most)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := visit(e); err != nil {
				return err
			}
			after = e.Seq
		}
		if len(page) < most {
			return nil
		}
	}
}

// Decision returns the events of a decision.
func (j *Database) Decision(loop string, k int) ([]session.Event, error) {
	return j.query(context.Background(), columns+` AND e.k = $2 AND e.k > 0 ORDER BY e.seq`, loop, k)
}

// Find returns the event that has a ref.
func (j *Database) Find(loop string, k int, ref string) (*session.Event, error) {
	list, err := j.query(context.Background(), columns+` AND e.k = $2 AND e.ref = $3`, loop, k, ref)
	if len(list) == 0 {
		return nil, err
	}
	return &list[0], err
}

// Newest returns the newest events of some kinds.
func (j *Database) Newest(ctx context.Context, loop string, kinds []session.Kind, most int) ([]session.Event, error) {
	list, err := j.query(ctx, columns+` AND e.kind = ANY ($2) ORDER BY e.seq DESC LIMIT $3`, loop, kinds, most)
	slices.Reverse(list)
	return list, err
}

// DecisionAt is the newest decision when an event happened.
func (j *Database) DecisionAt(loop string, seq int) (k int, err error) {
	_, err = j.one(context.Background(), []any{&k}, `SELECT e.k FROM events e JOIN loops l ON l.id = e.loop WHERE l.name = $1 AND e.seq <= $2 AND e.kind IN ('opened', 'proposed') ORDER BY e.seq DESC LIMIT 1`, loop, seq)
	return k, err
}

// Blob returns a blob of a loop.
func (j *Database) Blob(loop string, sum session.Hash) (data []byte, err error) {
	var pack int
	found, err := j.one(context.Background(), []any{&pack, &data}, `SELECT pack, data FROM blobs b JOIN loops l ON l.id = b.loop WHERE l.name = $1 AND b.sum = $2`, loop, sum[:])
	if err == nil && !found {
		return nil, store.NoBlob(loop, sum)
	}
	if err != nil {
		return nil, err
	}
	if data, err = j.packer.Unpack(pack, data, nil); err != nil {
		return nil, fmt.Errorf("blob %s of loop %s is damaged: %w", sum, loop, err)
	}
	return data, nil
}

// State returns the newest state.
func (j *Database) State(loop string) (state []byte, err error) {
	_, err = j.one(context.Background(), []any{&state}, `SELECT state FROM states s JOIN loops l ON l.id = s.loop WHERE l.name = $1`, loop)
	return state, err
}

// Loops are the heads of all loops.
func (j *Database) Loops(ctx context.Context) ([]session.Tip, error) {
	return j.tips(ctx, `SELECT name, seq, head FROM loops WHERE seq > 0 ORDER BY name COLLATE "C"`)
}

// tips reads heads of loops.
func (j *Database) tips(ctx context.Context, sql string, args ...any) ([]session.Tip, error) {
	return rows(ctx, j, readTip, sql, args...)
}

// rows reads all that a statement finds.
func rows[T any](who context.Context, j *Database, read pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	ctx, cancel := context.WithTimeout(who, wait)
	defer cancel()
	err = retried(func() error {
		found, err := j.pool.Query(ctx, sql, args...)
		if err == nil {
			list, err = pgx.CollectRows(found, read)
		}
		return err
	})
	if err != nil && who.Err() != nil { // whoever asked has no more time: of the database that says nothing
		return list, who.Err()
	}
	return list, j.named(ctx, err)
}

func readTip(row pgx.CollectableRow) (t session.Tip, err error) {
	var sum []byte
	err = row.Scan(&t.Loop, &t.Seq, &sum)
	copy(t.Hash[:], sum)
	return t, err
}

// one reads a row, and tells whether there is one.
func (j *Database) one(who context.Context, to []any, sql string, args ...any) (found bool, err error) {
	ctx, cancel := context.WithTimeout(who, wait)
	defer cancel()
	switch err := retried(func() error { return j.pool.QueryRow(ctx, sql, args...).Scan(to...) }); {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil && who.Err() != nil:
		return false, who.Err()
	case err != nil:
		return false, j.named(ctx, err)
	}
	return true, nil
}

// query reads events.
func (j *Database) query(ctx context.Context, sql string, args ...any) ([]session.Event, error) {
	return rows(ctx, j, readEvent, sql, args...)
}

func readEvent(row pgx.CollectableRow) (e session.Event, err error) {
	var at int64
	var body, sum []byte
	if err := row.Scan(&e.Seq, &at, &e.Kind, &e.Actor, &e.K, &e.Ref, &body, &sum); err != nil {
		return e, err
	}
	e.Body, e.At = body, time.UnixMicro(at).UTC()
	if copy(e.Hash[:], sum) != len(e.Hash) {
		return e, fmt.Errorf("event %d has a hash of %d bytes", e.Seq, len(sum))
	}
	return e, nil
}

// question is somebody who wants to know the newest event of a loop.
type question struct {
	loop   string
	answer chan reply
}

type reply struct {
	tip session.Tip
	err error
}

// Tip asks for the newest event of a loop. All who ask meanwhile are answered by one statement.
func (j *Database) Tip(loop string) (wait func() (session.Tip, error)) {
	if err := j.Health(); err != nil {
		return func() (session.Tip, error) { return session.Tip{}, err }
	}
	q := question{loop, make(chan reply, 1)}
	select {
	case j.asking <- q:
	default:
		go func() {
			select {
			case j.asking <- q:
			case <-j.closed:
			}
		}()
	}
	return func() (session.Tip, error) {
		select {
		case r := <-q.answer:
			return r.tip, r.err
		case <-j.closed:
			return session.Tip{}, errClosed
		}
	}
}

// answer answers questions until the journal is closed.
func (j *Database) answer(ctx context.Context) {
	for {
		all := gather(ctx, j.asking, mostRequests)
		if all == nil {
			return
		}
		tips, err := j.newest(ctx, all)
		for _, q := range all {
			q.answer <- reply{tips[q.loop], err}
		}
	}
}

// gather waits until something comes, and takes all that is there, up to so much; nil: ctx has ended.
func gather[T any](ctx context.Context, from <-chan T, most int) (all []T) {
	select {
	case <-ctx.Done():
		return nil
	case one := <-from:
		all = append(all, one)
	}
	for len(all) < most {
		select {
		case one := <-from:
			all = append(all, one)
		default:
			return all
		}
	}
	return all
}

// newest finds the newest events of the loops of some questions.
func (j *Database) newest(ctx context.Context, all []question) (map[string]session.Tip, error) {
	names := lists.Of(all, func(q question) string { return q.loop })
	slices.Sort(names)
	list, err := j.tips(ctx, `SELECT name, seq, head FROM loops WHERE name = ANY ($1)`, slices.Compact(names))
	tips := map[string]session.Tip{}
	for _, t := range list {
		tips[t.Loop] = t
	}
	return tips, err
}
