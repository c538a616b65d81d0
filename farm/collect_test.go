package farm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// onceTold calls something when somebody has said something.
func (b *bench) onceTold(call func()) {
	defer call()
	for range 1000 {
		if b.mu.Lock(); len(b.told) > 0 {
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
}

// inLanes are the results that wait for those who write them, sorted.
func (b *bench) inLanes(lanes []chan arrival) []string {
	t := b.t
	t.Helper()
	var got []string
	by := map[string]int{}
	for i, lane := range lanes {
		close(lane)
		for one := range lane {
			got = append(got, fmt.Sprintf("%d %s %s of %d", b.h.place[one.Cell], one.body, one.from.Headers().Get(headWorker), one.from.open.Load()))
			if before, known := by[one.Cell]; known && before != i {
				t.Errorf("cell %s is written by %d and by %d", one.Cell, before, i)
			}
			by[one.Cell] = i
		}
	}
	slices.Sort(got)
	return got
}

// What comes is handed to those who write it, all results of a cell to the same one; what cannot be read is thrown away with a word.
func TestResultsAreSpread(t *testing.T) {
	b := newBench(t)
	lanes := make([]chan arrival, writers)
	for i := range lanes {
		lanes[i] = make(chan arrival, 16)
	}
	var list []*outcome
	for _, place := range []int{0, 1, 2} {
		c, _ := b.shift(place, 1)
		list = append(list, newOutcome(c, kindError, []byte{byte('a' + place)}))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, err := range []error{
		b.a.hand(ctx, "x", list), b.a.hand(ctx, "y", list[1:2]),
		b.h.send(ctx, &nats.Msg{Subject: b.h.subject("done", "z"), Header: nats.Header{headWorker: {"eve"}, headResults: {"["}}}, ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	go b.onceTold(stop)
	if err := b.h.fetch(ctx, lanes); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	got := b.inLanes(lanes)
	if want := []string{"0 a me of 3", "1 b me of 1", "1 b me of 3", "2 c me of 3"}; !slices.Equal(got, want) || !b.heard("what worker eve sent is thrown away: its head cannot be read") {
		t.Errorf("%q, said %q", got, b.told)
	}
	for range 2000 { // what was thrown away does not come again, and the others do
		if b.state(b.h.results()).Msgs == 2 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := b.state(b.h.results()).Msgs; n != 2 {
		t.Errorf("%d messages are there, want 2", n)
	}
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.h.fetch(t.Context(), lanes); !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("a queue that is gone: %v", err)
	}
}

// reasons are files that cannot be read, each time for the next of some reasons; whoever reads asks for another round.
type reasons struct {
	list  []error
	hurry chan struct{}
}

func (r *reasons) Open(string) (fs.File, error)            { return nil, fs.ErrInvalid }
func (r *reasons) Stat(string) (info fs.FileInfo, _ error) { return info, nil }

func (r *reasons) ReadFile(string) ([]byte, error) {
	err := r.list[0]
	r.list = r.list[1:]
	r.hurry <- struct{}{}
	return nil, err
}

// last are files after which the line is cut.
type last struct {
	reasons
	cut func()
}

func (l *last) ReadFile(string) ([]byte, error) { l.cut(); return []byte("1,2\n"), nil }

// A file that cannot be offered is told.
func TestFilesThatCannotBeOffered(t *testing.T) {
	b := newBench(t)
	b.h.wait, b.h.sweep.Inputs = 50*time.Millisecond, map[string]string{"a.csv": "x"}
	b.h.Files = &last{cut: b.h.nc.Close}
	if err := b.h.supply(t.Context()); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error(err)
	}
}

// Why a queue cannot be filled is told when the reason is another than before, and what is wrong with its settings ends the sweep.
func TestQueuesAreFilledAgain(t *testing.T) {
	b := newBench(t)
	wrong := &SettingsError{"max_store", "it is small"}
	b.h.Look, b.h.calm, b.h.sweep.Inputs = time.Hour, 7, map[string]string{"a.csv": "x"}
	files := &reasons{hurry: b.h.hurry}
	for _, why := range []string{"a", "a", "b", "b", "b", "a"} {
		files.list = append(files.list, errors.New(why))
	}
	files.list = append(files.list, fmt.Errorf("in the end: %w", wrong))
	b.h.Files = files
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	b.h.replenish(ctx, stop)
	const say = "the queue does not answer and is asked again: "
	if want := []string{say + "a", say + "b", say + "a"}; !slices.Equal(b.told, want) || !errors.Is(context.Cause(ctx), wrong) || len(files.list) > 0 || b.h.calm != 0 {
		t.Errorf("said %q, want %q; ended by %v with %d reasons left, calm %d", b.told, want, context.Cause(ctx), len(files.list), b.h.calm)
	}
}

// Who collects sees who is at work on its own cells elsewhere.
func TestWhoIsWatched(t *testing.T) {
	b := newBench(t)
	cells := b.h.sweep.Cells
	said := fmt.Sprintf(`{"name": "w", "host": "h", "at": [{"sweep": %[1]q, "cell": %[3]q, "turns": 4, "of": 9}, {"sweep": %[1]q, "cell": %[2]q, "turns": 3, "of": 8}, {"sweep": "other", "cell": %[2]q}, {"sweep": %[1]q, "cell": "other"}]}`, b.h.key, cells[0].ID, cells[1].ID)
	sub, err := b.h.nc.Subscribe(roll, func(m *nats.Msg) { m.Respond([]byte(said)) })
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.h.watch(ctx)
	var got []string
	for range 1000 {
		for _, r := range b.h.Progress.State().Running {
			got = append(got, fmt.Sprint(b.h.place[r.ID], r.Values, r.Turns.Done.Load(), r.Turns.Total.Load(), r.Host))
		}
		if len(got) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	want := []string{fmt.Sprint(0, cells[0].Values, 3, 8, "h"), fmt.Sprint(1, cells[1].Values, 4, 9, "h")}
	if cells[0].ID > cells[1].ID {
		slices.Reverse(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
