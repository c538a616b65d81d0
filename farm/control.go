package farm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Control looks at a queue, and interferes.
type Control struct {
	nc *nats.Conn
	js jetstream.JetStream
}

// OpenControl connects to a queue.
func OpenControl(ctx context.Context, at Address) (*Control, error) {
	nc, err := at.call(ctx, "kedge queue", false)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	return &Control{nc, js}, err
}

// Close ends the connection.
func (c *Control) Close() { c.nc.Close() }

// State is how the queue stands now.
func (c *Control) State(ctx context.Context) (*QueueState, error) {
	infos, err := queues(ctx, c.js)
	if err != nil {
		return nil, fmt.Errorf("the queue: %w", err)
	}
	s := &QueueState{Sweeps: []QueuedSweep{}}
	for _, info := range infos {
		one, err := c.sweep(ctx, info)
		if err != nil {
			return nil, fmt.Errorf("the queue: %w", err)
		}
		s.Sweeps = append(s.Sweeps, one)
	}
	slices.SortFunc(s.Sweeps, func(a, b QueuedSweep) int { return strings.Compare(a.Name+a.Key, b.Name+b.Key) })
	s.Workers, err = callRoll(ctx, c.nc)
	slices.SortFunc(s.Workers, func(a, b WorkerState) int { return strings.Compare(a.Host+a.Name, b.Host+b.Name) })
	return s, err
}

func (c *Control) sweep(ctx context.Context, info *jetstream.StreamInfo) (QueuedSweep, error) {
	meta := info.Config.Metadata
	q := newQueue(c.nc, keyIn(info), meta, 0)
	cells, _ := strconv.Atoi(meta[metaCells])
	var build folder.Build
	json.Unmarshal([]byte(meta[metaBuild]), &build)
	s := QueuedSweep{Key: q.key, Name: meta[metaName], Cells: cells, Build: build.String()}
	consumer, err := c.js.Consumer(ctx, q.cells(), workers)
	if err != nil {
		return s, err
	}
	at := consumer.CachedInfo()
	s.Waiting, s.Leased, s.Redelivered = int(at.NumPending), at.NumAckPending, at.NumRedelivered
	if results, err := c.js.Stream(ctx, q.results()); err == nil {
		s.Results = int(results.CachedInfo().State.Msgs)
	}
	if sheet, ok := c.ask(q, "collector"); ok {
		s.Done, s.Failed = &sheet.Done, &sheet.Failed
	}
	return s, nil
}

// ask asks the collector of a sweep; false if there is none.
func (c *Control) ask(q *queue, what string) (sheet tallySheet, ok bool) {
	m, err := c.nc.Request(q.subject(what), nil, 2*time.Second)
	return sheet, err == nil && json.Unmarshal(m.Data, &sheet) == nil
}

// NoSweepError says that a queue has no such sweep.
type NoSweepError struct {
	Name string   // that was asked for, "" means any
	Has  []string // those that there are
}

func (e *NoSweepError) Error() string {
	if len(e.Has) == 0 {
		return "the queue has no sweep"
	}
	return fmt.Sprintf("the queue has no sweep %q; it has %s", e.Name, strings.Join(e.Has, ", "))
}

// chosen are the sweeps of a name or a key; without one, all.
func (c *Control) chosen(ctx context.Context, name string) (list []*queue, err error) {
	infos, err := queues(ctx, c.js)
	if err != nil {
		return nil, fmt.Errorf("the queue: %w", err)
	}
	var has []string
	for _, info := range infos {
		meta := info.Config.Metadata
		has = append(has, meta[metaName])
		if name == "" || name == meta[metaName] || name == keyIn(info) {
			list = append(list, newQueue(c.nc, keyIn(info), meta, 0))
		}
	}
	if len(list) == 0 {
		return nil, &NoSweepError{name, has}
	}
	return list, nil
}

// Cancel ends the sweeps of a name, or all: workers drop their cells, collectors end, and nothing is left in the queue. Finished cells stay in their folders.
func (c *Control) Cancel(ctx context.Context, name string) (names []string, err error) {
	list, err := c.chosen(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, q := range list {
		c.ask(q, "cancel") // workers hear it, too
		if err := q.remove(ctx); err != nil {
			return names, fmt.Errorf("the queue: %w", err)
		}
		names = append(names, q.meta[metaName])
	}
	return names, nil
}

// Retry has collectors try cells again that were given up. It returns how many there are, and the sweeps that have no collector to ask.
func (c *Control) Retry(ctx context.Context, name string) (cells int, unasked []string, err error) {
	list, err := c.chosen(ctx, name)
	for _, q := range list {
		if sheet, ok := c.ask(q, "retry"); ok {
			cells += sheet.Failed
		} else {
			unasked = append(unasked, q.meta[metaName])
		}
	}
	return cells, unasked, err
}
