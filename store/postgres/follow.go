package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/session"
)

// notice is what hosts tell each other: which loop was written, by whom.
type notice struct {
	By string `json:"by"`
	session.Tip
}

// tell tells other hosts what was written, as much at once as there is.
func (j *Database) tell(ctx context.Context) {
	for {
		all := gather(ctx, j.telling, cap(j.telling))
		if all == nil {
			return
		}
		newest := map[string]session.Tip{}
		for _, t := range all {
			if newest[t.Loop].Seq < t.Seq {
				newest[t.Loop] = t
			}
		}
		var texts []string
		for _, t := range newest {
			if text, err := json.Marshal(notice{j.name, t}); err == nil {
				texts = append(texts, string(text))
			}
		}
		try, cancel := context.WithTimeout(ctx, wait)
		j.pool.Exec(try, `SELECT pg_notify($1, t) FROM unnest($2::text[]) AS t`, j.room, texts) // should that fail, those who watch look for themselves
		cancel()
	}
}

// How often who follows looks although nobody told him: at what is watched, and at all loops.
const (
	glance = 500 * time.Millisecond
	survey = 10 * time.Second
)

// Follow tells of loops that other hosts have written, until ctx ends: when they say so, and now and then of those that are watched, since a host
// may have ended before it could. After the database was lost it begins with all loops.
func (j *Database) Follow(ctx context.Context, watched func() []string, heard func(session.Tip) (taken bool)) {
	known := map[string]int{}
	news := func(t session.Tip) {
		if known[t.Loop] < t.Seq && heard(t) {
			known[t.Loop] = t.Seq
		}
	}
	for ctx.Err() == nil {
		if err := j.listen(ctx, watched, news); err != nil { // whoever writes or reads finds out whether the database is lost
			select {
			case <-ctx.Done():
			case <-time.After(glance):
			}
		}
	}
}

// listen follows until its connection is lost.
func (j *Database) listen(ctx context.Context, watched func() []string, news func(session.Tip)) error {
	c, err := pgx.ConnectConfig(ctx, j.config)
	if err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c.Close(last)
	}()
	if _, err := c.Exec(ctx, `LISTEN `+pgx.Identifier{j.room}.Sanitize()); err != nil {
		return err
	}
	var looked time.Time
	for {
		sql, args := `SELECT name, seq, head FROM loops WHERE name = ANY ($1)`, []any{append(watched(), session.OfServer)}
		if time.Since(looked) > survey {
			sql, args, looked = `SELECT name, seq, head FROM loops WHERE seq > 0`, nil, time.Now()
		}
		if err := look(ctx, c, news, sql, args...); err != nil {
			return err
		}
		if err := j.hear(ctx, c, news); err != nil {
			return err
		}
	}
}

// look looks at heads of loops.
func look(ctx context.Context, c *pgx.Conn, news func(session.Tip), sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, readTip)
	for _, t := range list {
		news(t)
	}
	return err
}

// hear takes what others tell, for a while.
func (j *Database) hear(ctx context.Context, c *pgx.Conn, news func(session.Tip)) error {
	until, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	for {
		n, err := c.WaitForNotification(until)
		if err != nil {
			if ctx.Err() == nil && errors.Is(until.Err(), context.DeadlineExceeded) && !c.IsClosed() {
				return nil
			}
			return err
		}
		var t notice
		if json.Unmarshal([]byte(n.Payload), &t) == nil && t.By != j.name {
			news(t.Tip)
		}
	}
}

// Keeper tells whether this host is the one of all that looks after deadlines; where none is, it becomes so.
func (j *Database) Keeper(ctx context.Context) bool {
	j.house.Lock()
	defer j.house.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if j.keeper != nil {
		if _, err := j.keeper.Exec(ctx, `SELECT 1`); err == nil {
			return true
		}
		j.keeper.Close(ctx)
		j.keeper = nil
	}
	c, err := pgx.ConnectConfig(ctx, j.config)
	if err != nil {
		return false
	}
	var mine bool
	if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(`+lockNumber+`)`, keeping).Scan(&mine); err != nil || !mine {
		c.Close(ctx)
		return false
	}
	j.keeper = c
	return true
}
