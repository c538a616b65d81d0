package served

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store/postgres"
)

// Own is in place of a database where a server is to be started for it.
const Own = "own"

// Clients of a service on PostgreSQL, and connections of those who need no service.
const (
	apart   = 32  // each of a loop of its own
	crowded = 256 // all of one loop
	lines   = 16  // as the service has
)

const (
	tellsApart   = "PostgreSQL: durable tells, 32 clients, own loops"
	tellsCrowded = "PostgreSQL: durable tells, 256 clients, one loop"
)

// database is how many durable tells a second the service takes on PostgreSQL.
func (b Trial) database(ctx context.Context) ([]Rated, error) {
	address := b.Database
	if address == "" || address == Own {
		c, err := cluster.Start(os.TempDir()) // on a disk
		if err != nil {
			return nil, err
		}
		if c == nil {
			const why = "no PostgreSQL in /usr/lib/postgresql; --db names one elsewhere"
			return []Rated{{Name: tellsApart, Beside: "bare autocommit inserts", Bar: "≥ 0.4×", Absent: why}, {Name: tellsCrowded, Beside: "a row lock a tell", Bar: "≥ 8×", Absent: why}}, nil
		}
		defer c.Remove()
		if address, err = c.Database("bench"); err != nil {
			return nil, err
		}
	}
	on := func(rate func(ctx context.Context, address string) (float64, error)) func() (float64, error) {
		return func() (float64, error) { return within(ctx, address, rate) }
	}
	all, err := b.inTurn(on(housed(false, b.apart)), on(b.inserts), on(housed(false, b.choir)), on(b.locks), on(housed(true, b.choir)))
	if err != nil {
		return nil, err
	}
	return []Rated{
		atLeast(tellsApart, "/s", all[0], "bare autocommit inserts of the same bytes", all[1], 0.4),
		atLeast(tellsCrowded, "/s", all[2], "bare inserts of the same bytes under a row lock each", all[3], 8),
		against("the same", "/s", all[2], "the service, were every tell a commit", all[4]),
	}, nil
}

// within measures a rate in a schema that is removed afterwards.
func within(ctx context.Context, address string, measure func(ctx context.Context, address string) (float64, error)) (rate float64, err error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "postgres" && at.Scheme != "postgresql" {
		return 0, errors.New("--db wants an address as postgres://kedge@db/kedge, or own")
	}
	schema := "kedge_bench_" + strings.ToLower(rand.Text()[:12])
	admin, err := pgx.Connect(ctx, address)
	if err != nil {
		return 0, err
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		return 0, err
	}
	defer func() {
		_, failed := admin.Exec(context.WithoutCancel(ctx), "DROP SCHEMA "+schema+" CASCADE")
		err = errors.Join(err, failed)
	}()
	query := at.Query()
	query.Set("search_path", schema)
	at.RawQuery = query.Encode()
	return measure(ctx, at.String())
}

// housed has a rate measured on a service of a database.
func housed(alone bool, measure func(context.Context, *site) (float64, error)) func(ctx context.Context, address string) (float64, error) {
	return func(ctx context.Context, address string) (rate float64, err error) {
		journal, err := postgres.Open(ctx, address)
		if err != nil {
			return 0, err
		}
		s := &site{shut: journal.Close}
		var used session.Journal = journal
		if alone {
			used = &oneByOne{Journal: journal}
		}
		if err := s.serve(used); err != nil {
			return 0, err
		}
		rate, err = measure(ctx, s)
		return rate, errors.Join(err, s.close())
	}
}

// apart is the rate of clients of the service that have a loop each.
func (b Trial) apart(ctx context.Context, s *site) (float64, error) {
	all, err := voices(ctx, s, apart)
	if err != nil {
		return 0, err
	}
	return b.told(ctx, all)
}

// choir has clients tell decisions of one loop, as many batches each as it may have. What it takes to open and end them is not counted.
func (b Trial) choir(ctx context.Context, s *site) (rate float64, err error) {
	c := client.Open(s.address)
	if _, err := c.Create(ctx, "shop", shop(tellDim), session.Live); err != nil {
		return 0, err
	}
	loop, all := c.Loop("shop"), make([]voice, crowded)
	for i := range all {
		if all[i], err = newVoice(ctx, s, loop, i); err != nil {
			return 0, err
		}
	}
	total, spent := int64(0), time.Duration(0)
	for spent < b.Span {
		k, err := all[0].begin(ctx)
		if err != nil {
			return 0, err
		}
		var next, told atomic.Int64
		began := time.Now()
		err = concurrently(ctx, crowded, func(ctx context.Context, i int) error {
			for ctx.Err() == nil && time.Since(began) < b.Span-spent {
				n := next.Add(1)
				if n > session.MostBatches {
					break
				}
				if err := all[i].send(all[i].tell(k, int(n))); err != nil {
					return err
				}
				told.Add(1)
			}
			return nil
		})
		spent, total = spent+time.Since(began), total+told.Load()
		if err == nil {
			_, err = loop.Abandon(ctx, k, "enough")
		}
		if err != nil {
			return 0, err
		}
	}
	return float64(total) / spent.Seconds(), nil
}

// inserts is how many rows of a tell's bytes connections insert, each as its own commit.
func (b Trial) inserts(ctx context.Context, address string) (float64, error) {
	event, people := bareTell()
	return b.bare(ctx, address, apart, apart, func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, insertTell, event, people)
		return err
	})
}

// locks is the same of one loop, whose row is locked by who writes it.
func (b Trial) locks(ctx context.Context, address string) (float64, error) {
	event, people := bareTell()
	return b.bare(ctx, address, crowded, lines, func(ctx context.Context, pool *pgxpool.Pool) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			var seq int64
			if err := tx.QueryRow(ctx, `SELECT seq FROM loops WHERE id = 1 FOR UPDATE`).Scan(&seq); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, insertTell, event, people); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `UPDATE loops SET seq = $1 WHERE id = 1`, seq+1)
			return err
		})
	})
}

const insertTell = `INSERT INTO tells (event, people) VALUES ($1, $2)`

// bare is how often so many clients do something in a second, over so many connections and without a service.
func (b Trial) bare(ctx context.Context, address string, clients, connections int, do func(ctx context.Context, pool *pgxpool.Pool) error) (rate float64, err error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return 0, err
	}
	config.MaxConns, config.MinConns = int32(connections), int32(connections)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	for _, sql := range []string{
		`CREATE TABLE tells (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event bytea NOT NULL, people bytea NOT NULL)`,
		`CREATE TABLE loops (id bigint PRIMARY KEY, seq bigint NOT NULL)`, `INSERT INTO loops VALUES (1, 0)`,
	} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return 0, fmt.Errorf("%s: %w", sql, err)
		}
	}
	var done atomic.Int64
	began := time.Now()
	err = concurrently(ctx, clients, func(ctx context.Context, _ int) error {
		for time.Since(began) < b.Span {
			if err := do(ctx, pool); err != nil {
				return err
			}
			done.Add(1)
		}
		return nil
	})
	return float64(done.Load()) / time.Since(began).Seconds(), err
}
