package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// request is events that wait to be written.
type request struct {
	after  int
	events []session.Event
	blobs  []wrapped
	drops  [][]byte
	leaves session.Tip // a loop that goes with them; without a name: none
	state  []byte
	size   int
	done   chan error
}

// parts tells whether what waits before it and after it must be written by other statements: a blob may come and go, in this order.
func (r *request) parts() bool { return len(r.drops) > 0 || r.leaves.Loop != "" }

// wrapped is a blob as it is kept.
type wrapped struct {
	sum, data []byte
	bytes     int64
	pack      int16
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
		return errClosed
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
			if n := len(g.requests); n > 0 && (r.parts() || g.requests[n-1].parts()) {
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

// Append queues events. All that wait are written in one transaction.
func (j *Database) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	err := j.Health()
	r := &request{after: after, events: events, state: state, size: len(state), done: make(chan error, 1)}
	for i := range events {
		e := &events[i]
		r.size += len(e.Body)
		if e.Blob != nil {
			sum := e.BlobSum()
			pack, data := j.packer.Pack(e.Blob)
			r.blobs = append(r.blobs, wrapped{sum[:], data, int64(len(e.Blob)), int16(pack)})
			r.size += len(data)
		}
		for _, sum := range e.Drops {
			r.drops = append(r.drops, sum[:])
		}
		if e.Removes.Loop != "" {
			r.leaves = e.Removes
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
		events := 0
		for _, g := range groups {
			for _, r := range g.requests {
				events += len(r.events)
			}
		}
		j.Timed(events, func() { j.commit(groups) })
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
	if _, is := errors.AsType[*pgconn.PgError](err); is && len(sound) > 1 {
		for _, g := range sound {
			if err := retried(func() error { return j.send(ctx, []*group{g}) }); err != nil {
				g.err = j.named(ctx, err)
			}
		}
	} else if err != nil {
		for _, g := range sound {
			g.err = j.named(ctx, err)
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
		for _, r := range g.requests {
			j.drawing.Takes(g.loop, r.events)
			delete(j.heads, r.leaves.Loop)
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
			return j.named(ctx, err)
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

// How groups are written: each loop is brought to its new head where its old one is still there, and the rest happens to those that got there. The
// heads of all are theirs alone, since they are hashes of what is written.
const (
	compare = `UPDATE loops SET seq = $4, head = $5 WHERE id = $1 AND seq = $2 AND head = $3`
	insert  = `INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash)
		SELECT l.id, e.seq, e.at, e.kind, e.actor, e.k, nullif(e.ref, ''), e.body, e.hash
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bytea[], $10::bytea[]) AS e (loop, seq, at, kind, actor, k, ref, body, hash)
		JOIN loops l ON l.id = e.loop WHERE l.head = ANY ($1::bytea[])`
	remove = `WITH both_of AS (SELECT s.id AS server, g.id AS gone FROM loops s, loops g WHERE s.id = $1 AND s.seq = $2 AND s.head = $3 AND g.name = $6 AND g.seq = $7 AND g.head = $8 FOR UPDATE),
		e AS (DELETE FROM events USING both_of WHERE events.loop = gone), b AS (DELETE FROM blobs USING both_of WHERE blobs.loop = gone),
		s AS (DELETE FROM states USING both_of WHERE states.loop = gone), r AS (DELETE FROM series USING both_of WHERE series.loop = gone), l AS (DELETE FROM loops USING both_of WHERE loops.id = gone)
		UPDATE loops SET seq = $4, head = $5 FROM both_of WHERE loops.id = server` // in place of compare
	blobs = `INSERT INTO blobs (loop, sum, bytes, pack, data)
		SELECT p.* FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::smallint[], $6::bytea[]) AS p (loop, sum, bytes, pack, data)
		JOIN loops l ON l.id = p.loop WHERE l.head = ANY ($1::bytea[]) ON CONFLICT DO NOTHING`
	drop    = `DELETE FROM blobs USING loops l WHERE l.id = $2 AND l.head = $1 AND blobs.loop = l.id AND blobs.sum = ANY ($3::bytea[])`
	outdate = `DELETE FROM series USING loops l WHERE l.id = $2 AND l.head = $1 AND series.loop = l.id AND series.block = $3`
	state   = `INSERT INTO states (loop, state) SELECT id, $3::bytea FROM loops WHERE id = $2 AND head = $1 ON CONFLICT (loop) DO UPDATE SET state = excluded.state`
)

// send writes groups in one transaction. Of one that another host was first at nothing is written.
func (j *Database) send(ctx context.Context, groups []*group) error {
	var b pgx.Batch
	var c cargo
	for _, g := range groups {
		args := []any{g.was.id, g.was.seq, g.was.hash, g.now.seq, g.now.hash}
		if gone := g.requests[0].leaves; gone.Loop != "" {
			b.Queue(remove, append(args, gone.Loop, gone.Seq, gone.Hash[:])...).Exec(g.moved)
		} else if g.now.seq > g.was.seq {
			b.Queue(compare, args...).Exec(g.moved)
		}
		c.add(&b, g)
	}
	c.put(&b)
	return j.pool.SendBatch(ctx, &b).Close()
}

// moved tells whether a loop could be brought to its new head, or was where its state is of.
func (g *group) moved(done pgconn.CommandTag) error {
	if g.err = nil; done.RowsAffected() == 0 {
		g.err = session.ErrConflict
	}
	return nil
}

// cargo is what groups write, column by column.
type cargo struct {
	heads                                [][]byte
	loops, seqs, ats, ks, blobsOf, sizes []int64
	kinds, actors, refs                  []string
	bodies, hashes, sums, data           [][]byte
	packs                                []int16
}

// add takes what a group writes. What few of them have is a statement of its own.
func (c *cargo) add(b *pgx.Batch, g *group) {
	c.heads = append(c.heads, g.now.hash)
	var drops [][]byte
	var newest []byte
	for _, r := range g.requests {
		for i := range r.events {
			e := &r.events[i]
			c.loops, c.seqs, c.ats, c.ks = append(c.loops, g.now.id), append(c.seqs, int64(e.Seq)), append(c.ats, e.At.UnixMicro()), append(c.ks, int64(e.K))
			c.kinds, c.actors, c.refs = append(c.kinds, string(e.Kind)), append(c.actors, e.Actor), append(c.refs, e.Ref)
			c.bodies, c.hashes = append(c.bodies, e.Body), append(c.hashes, e.Hash[:])
			if e.Kind == session.DeployedLate { // after its block may have been made
				b.Queue(outdate, g.now.hash, g.now.id, store.BlockOf(e.K))
			}
		}
		for _, p := range r.blobs {
			c.blobsOf, c.sums, c.sizes, c.packs, c.data = append(c.blobsOf, g.now.id), append(c.sums, p.sum), append(c.sizes, p.bytes), append(c.packs, p.pack), append(c.data, p.data)
		}
		drops = append(drops, r.drops...)
		if r.state != nil {
			newest = r.state
		}
	}
	if len(drops) > 0 {
		b.Queue(drop, g.now.hash, g.now.id, drops)
	}
	if newest != nil {
		q := b.Queue(state, g.now.hash, g.now.id, newest)
		if g.now.seq == g.was.seq {
			q.Exec(g.moved)
		}
	}
}

// put adds the statements of all groups together.
func (c *cargo) put(b *pgx.Batch) {
	if len(c.seqs) > 0 {
		b.Queue(insert, c.heads, c.loops, c.seqs, c.ats, c.kinds, c.actors, c.ks, c.refs, c.bodies, c.hashes)
	}
	if len(c.sums) > 0 {
		b.Queue(blobs, c.heads, c.blobsOf, c.sums, c.sizes, c.packs, c.data)
	}
}
