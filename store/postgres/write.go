package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/kedge-opt/kedge/session"
)

// request is events that wait to be written.
type request struct {
	after  int
	events []session.Event
	blobs  parcels
	drops  [][]byte
	state  []byte
	size   int
	done   chan error
}

// parcels are blobs as they are kept, column by column.
type parcels struct {
	sums, data [][]byte
	bytes      []int64
	packs      []int16
}

// A commit takes what waits, up to so much.
const (
	mostRequests = 256
	mostBytes    = 8 << 20
)

// queue is what waits to be written, by loop. What waits for one loop is written in its order, by one writer at a time.
type queue struct {
	mu      sync.Mutex
	more    *sync.Cond
	waiting map[string][]*request
	ready   []string // loops that something waits for and that no writer is at
	busy    map[string]bool
	ended   bool
}

func (q *queue) init() {
	q.more, q.waiting, q.busy = sync.NewCond(&q.mu), map[string][]*request{}, map[string]bool{}
}

// close ends it once all is written, and tells whether it was ended before.
func (q *queue) close() (was bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	was, q.ended = q.ended, true
	q.more.Broadcast()
	return was
}

func (q *queue) add(loop string, r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return errors.New("the journal is closed")
	}
	if len(q.waiting[loop]) == 0 && !q.busy[loop] {
		q.ready = append(q.ready, loop)
		q.more.Signal()
	}
	q.waiting[loop] = append(q.waiting[loop], r)
	return nil
}

// take takes all that waits, until there is something; nothing once it is ended.
func (q *queue) take() (groups []*group) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 {
		if q.ended {
			return nil
		}
		q.more.Wait()
	}
	taken, size := 0, 0
	for len(q.ready) > 0 && taken < mostRequests && size < mostBytes {
		loop := q.ready[0]
		q.ready = q.ready[1:]
		g := &group{loop: loop}
		for all := q.waiting[loop]; len(g.requests) < len(all) && taken < mostRequests && size < mostBytes; {
			r := all[len(g.requests)]
			if n := len(g.requests); n > 0 && (len(r.drops) > 0 || len(g.requests[n-1].drops) > 0) { // a blob may come and go, in this order
				break
			}
			g.requests, taken, size = append(g.requests, r), taken+1, size+r.size
		}
		q.waiting[loop] = q.waiting[loop][len(g.requests):]
		q.busy[loop] = true
		groups = append(groups, g)
	}
	return groups
}

// free lets loops be written again.
func (q *queue) free(groups []*group) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, g := range groups {
		delete(q.busy, g.loop)
		if len(q.waiting[g.loop]) > 0 {
			q.ready = append(q.ready, g.loop)
			q.more.Signal()
		} else {
			delete(q.waiting, g.loop)
		}
	}
}

// Append queues events. Those of one loop that wait are written in one statement, and those of several in one transaction.
func (j *Database) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	err := j.Health()
	r := &request{after: after, events: events, state: state, size: len(state), done: make(chan error, 1)}
	for i := range events {
		e := &events[i]
		r.size += len(e.Body)
		if e.Blob != nil {
			sum := e.BlobSum()
			pack, data := j.packer.Pack(e.Blob)
			r.blobs.add(sum[:], int64(len(e.Blob)), int16(pack), data)
			r.size += len(data)
		}
		for _, sum := range e.Drops {
			r.drops = append(r.drops, sum[:])
		}
	}
	if err == nil {
		err = j.queue.add(loop, r)
	}
	if err != nil {
		return func() error { return err }
	}
	return func() error { return <-r.done }
}

func (p *parcels) add(sum []byte, bytes int64, pack int16, data []byte) {
	p.sums, p.bytes, p.packs, p.data = append(p.sums, sum), append(p.bytes, bytes), append(p.packs, pack), append(p.data, data)
}

// group is what is written of one loop in one statement.
type group struct {
	loop     string
	requests []*request
	was, now head // before and after
	err      error
}

// write writes what waits, until there is nothing more.
func (j *Database) write() {
	for {
		groups := j.queue.take()
		if groups == nil {
			return
		}
		began := time.Now()
		j.under.Store(began.UnixNano())
		j.commit(groups)
		j.under.Store(0)
		events := 0
		for _, g := range groups {
			for _, r := range g.requests {
				events += len(r.events)
			}
		}
		if observe := j.observe.Load(); observe != nil {
			(*observe)(events, time.Since(began))
		}
		j.queue.free(groups)
		for _, g := range groups {
			for _, r := range g.requests {
				r.done <- g.err
			}
		}
	}
}

// commit writes groups in one transaction. Should one of them be at fault they are written one by one.
func (j *Database) commit(groups []*group) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for _, g := range groups {
		g.err = j.prepare(ctx, g)
	}
	sound := slices.DeleteFunc(slices.Clone(groups), func(g *group) bool { return g.err != nil })
	slices.SortFunc(sound, func(a, b *group) int { return cmp.Compare(a.was.id, b.was.id) }) // the same order on all hosts, so that none waits for one that waits for it
	if len(sound) == 0 {
		return
	}
	err := retried(func() error { return j.send(ctx, sound) })
	var answer *pgconn.PgError
	if errors.As(err, &answer) && len(sound) > 1 {
		for _, g := range sound {
			if err := retried(func() error { return j.send(ctx, []*group{g}) }); err != nil {
				g.err = j.named(err)
			}
		}
	} else if err != nil {
		for _, g := range sound {
			g.err = j.named(err)
		}
	}
	j.note(groups)
}

// note keeps the heads of what was written, and has other hosts told.
func (j *Database) note(groups []*group) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, g := range groups {
		if g.err != nil {
			delete(j.heads, g.loop)
			continue
		}
		if j.heads[g.loop] = g.now; g.now.seq == g.was.seq {
			continue
		}
		select {
		case j.telling <- session.Tip{Loop: g.loop, Seq: g.now.seq, Hash: session.Hash(g.now.hash)}:
		default: // who watches looks for himself now and then
		}
	}
}

// prepare finds where a loop is, makes it if it is new, and checks that what is to be written follows.
func (j *Database) prepare(ctx context.Context, g *group) error {
	j.mu.Lock()
	h, known := j.heads[g.loop]
	j.mu.Unlock()
	first := g.requests[0].after
	if !known || h.seq != first {
		var err error
		if h, err = j.headOf(ctx, g.loop, first == 0); err != nil {
			return j.named(err)
		}
	}
	if h.seq != first {
		return session.ErrConflict
	}
	g.was, g.now = h, h
	for _, r := range g.requests {
		if r.after != g.now.seq {
			return session.ErrConflict
		}
		for i := range r.events {
			var prev session.Hash
			copy(prev[:], g.now.hash)
			if err := r.events[i].Follow(g.loop, g.now.seq, prev); err != nil && g.now.seq == first { // it follows another's
				return session.ErrConflict
			} else if err != nil {
				return err
			}
			g.now.seq, g.now.hash = r.events[i].Seq, slices.Clone(r.events[i].Hash[:])
		}
	}
	return nil
}

// headOf reads where a loop is; one that is new is made, without events.
func (j *Database) headOf(ctx context.Context, loop string, makes bool) (h head, err error) {
	const find = `SELECT id, seq, head FROM loops WHERE name = $1`
	err = j.pool.QueryRow(ctx, find, loop).Scan(&h.id, &h.seq, &h.hash)
	if errors.Is(err, pgx.ErrNoRows) && makes {
		if _, err := j.pool.Exec(ctx, `INSERT INTO loops (name) VALUES ($1) ON CONFLICT DO NOTHING`, loop); err != nil {
			return h, err
		}
		err = j.pool.QueryRow(ctx, find, loop).Scan(&h.id, &h.seq, &h.hash)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return h, session.ErrConflict
	}
	return h, err
}

const (
	compare = `WITH l AS (UPDATE loops SET seq = $4, head = $5 WHERE id = $1 AND seq = $2 AND head = $3 RETURNING id)`
	insert  = ` INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash)
		SELECT l.id, e.seq, e.at, e.kind, e.actor, e.k, nullif(e.ref, ''), e.body, e.hash
		FROM l, unnest($6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::bytea[], $13::bytea[]) AS e (seq, at, kind, actor, k, ref, body, hash)`
	blobs = `, b AS (INSERT INTO blobs (loop, sum, bytes, pack, data)
		SELECT l.id, p.* FROM l, unnest($14::bytea[], $15::bigint[], $16::smallint[], $17::bytea[]) AS p ON CONFLICT DO NOTHING),
		d AS (DELETE FROM blobs USING l WHERE blobs.loop = l.id AND blobs.sum = ANY ($18::bytea[])),
		s AS (INSERT INTO states (loop, state) SELECT l.id, $19::bytea FROM l WHERE $19::bytea IS NOT NULL ON CONFLICT (loop) DO UPDATE SET state = excluded.state)`
	state = `INSERT INTO states (loop, state) SELECT id, $4::bytea FROM loops WHERE id = $1 AND seq = $2 AND head = $3 ON CONFLICT (loop) DO UPDATE SET state = excluded.state`
)

// send writes groups in one transaction, each in one statement that writes nothing if another host was first.
func (j *Database) send(ctx context.Context, groups []*group) error {
	var b pgx.Batch
	for _, g := range groups {
		g.put(&b)
	}
	results := j.pool.SendBatch(ctx, &b)
	for _, g := range groups {
		done, err := results.Exec()
		if err != nil {
			results.Close()
			return err
		}
		if g.err = nil; done.RowsAffected() == 0 {
			g.err = session.ErrConflict
		}
	}
	return results.Close()
}

// put adds the statement of a group.
func (g *group) put(b *pgx.Batch) {
	var seqs, ats, ks []int64
	var kinds, actors, refs []string
	var bodies, hashes, drops [][]byte
	var p parcels
	var newest []byte
	for _, r := range g.requests {
		for i := range r.events {
			e := &r.events[i]
			seqs, ats, ks = append(seqs, int64(e.Seq)), append(ats, e.At.UnixMicro()), append(ks, int64(e.K))
			kinds, actors, refs = append(kinds, string(e.Kind)), append(actors, e.Actor), append(refs, e.Ref)
			bodies, hashes = append(bodies, e.Body), append(hashes, e.Hash[:])
		}
		for i := range r.blobs.sums {
			p.add(r.blobs.sums[i], r.blobs.bytes[i], r.blobs.packs[i], r.blobs.data[i])
		}
		drops = append(drops, r.drops...)
		if r.state != nil {
			newest = r.state
		}
	}
	args := []any{g.was.id, g.was.seq, g.was.hash}
	if len(seqs) == 0 {
		b.Queue(state, append(args, newest)...)
		return
	}
	args = append(args, g.now.seq, g.now.hash, seqs, ats, kinds, actors, ks, refs, bodies, hashes)
	if len(p.sums) == 0 && len(drops) == 0 && newest == nil {
		b.Queue(compare+insert, args...)
		return
	}
	b.Queue(compare+blobs+insert, append(args, p.sums, p.bytes, p.packs, p.data, drops, newest)...)
}
