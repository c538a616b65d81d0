package farm

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/nats-io/nats.go"
)

// wrongBit turns the last bit of a result's last value.
func wrongBit(r *folder.Result) {
	t := &r.Runs[0].Trials[0]
	t.Decision[0] = math.Float64frombits(math.Float64bits(t.Decision[0]) ^ 1)
}

// dies is a worker that is gone without a word, as by SIGKILL: it neither renews its lease nor gives its cells back.
func (f *fair) dies(o WorkerOptions, on string, died *atomic.Int64) {
	f.t.Helper()
	run := o.Runner
	if run == nil {
		run = lab.RunCell
	}
	dead := make(chan struct{})
	var once sync.Once
	o.silent = func() bool {
		select {
		case <-dead:
			return true
		default:
			return false
		}
	}
	o.Runner = func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		if job.Cell.ID == on {
			once.Do(func() { close(dead); died.Add(1) })
		}
		if o.silent() {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return run(ctx, job)
	}
	f.work(o)
}

// A cell that kills its workers is given up after seven of them, and everybody else is finished, those that shared all its workers too.
func TestPoisonedCellIsGivenUp(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "hosts-poison", Text: "workers that a poisoned cell kills before it is given up; other cells that are not finished, or not as one process has them", Short: "none of it"})
	if !evidence.Whole() {
		t.Skip("takes ten seconds: KEDGE_TORTURE=1")
	}
	w := grid(t, 3)
	poison := w.Cells[5].ID
	f := newFair(t)
	var died atomic.Int64
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	defer stop()
	dir := filepath.Join(t.TempDir(), "grid")
	for range 9 {
		f.dies(WorkerOptions{Workers: 2, delay: 100 * time.Millisecond}, poison, &died)
	}
	if err := f.sweep(ctx, w, dir, QueueOptions{Lease: 300 * time.Millisecond, Look: 300 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	row.AtMost("workers", float64(died.Load()), 7)
	r, err := folder.OpenSweep(t.Context(), dir, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	got, want := sums(t, filepath.Join(dir, "cells")), alone(t, w, nil)
	for _, c := range r.Cells {
		switch {
		case c.ID == poison:
			row.Case(strings.HasPrefix(c.Err, LostPrefix), "the poisoned cell: %q", c.Err)
		default:
			name := filepath.Join(c.ID, "manifest.json")
			row.Case(c.Err == "" && got[name] == want[filepath.Join("cells", name)], "cell %s: %q", c.ID, c.Err)
		}
	}
}

// A worker whose results have one wrong bit is found as soon as somebody else computes one of its cells.
func TestWrongBitIsFound(t *testing.T) {
	t.Parallel()
	row := evidence.For(t, evidence.Promise{Name: "hosts-bit", Text: "a worker with a wrong last bit whose cell is handed out again: not found, or the second copy not kept"})
	w := grid(t, 2)
	f := newFair(t)
	slow := func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		if job.Cell.ID == w.Cells[7].ID { // so that the sweep does not end before a lease does
			pause(ctx, 20*time.Second)
		}
		return lab.RunCell(ctx, job)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	spoilt := make(chan struct{})
	var once sync.Once
	f.work(WorkerOptions{Workers: 1, deaf: true, Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		r, err := slow(ctx, job)
		if err == nil {
			wrongBit(r)
			once.Do(func() { close(spoilt) })
		}
		return r, err
	}})
	go func() { // who computes all before the other has begun finds nothing
		select {
		case <-spoilt:
			f.work(WorkerOptions{Workers: 2, Runner: slow})
		case <-ctx.Done():
		}
	}()
	dir := filepath.Join(t.TempDir(), "grid")
	err := f.sweep(ctx, w, dir, QueueOptions{Lease: 300 * time.Millisecond, Look: 300 * time.Millisecond})
	var differs *folder.DiffersError
	if row.Case(errors.As(err, &differs), "the sweep ended with %v", err); differs == nil {
		return
	}
	kept, err := os.ReadDir(differs.Where)
	row.Case(err == nil && len(kept) == len(folder.CellNames()) && strings.Contains(differs.Error(), differs.Cell), "%v: %v", differs, err)
}

// A worker of another build computes nothing and says why.
func TestForeignBuildComputesNothing(t *testing.T) {
	t.Parallel()
	row := evidence.For(t, evidence.Promise{Name: "hosts-build", Text: "cells that a worker of another build computes"})
	f := newFair(t)
	w := grid(t, 2)
	stop := f.work(WorkerOptions{Workers: 1, Idle: 3 * time.Second, build: func(id *folder.Identity) { id.Code.Go = "go0" }})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		for !f.heard("the version of Go was") && ctx.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
	}()
	if err := f.sweep(ctx, w, filepath.Join(t.TempDir(), "grid"), QueueOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the sweep ended with %v", err)
	}
	n, err := stop()
	row.AtMost("", float64(n), 0)
	if !f.heard("the version of Go was") {
		t.Errorf("it said %q, and ended with %v", f.told, err)
	}
}

// A worker that dies when a result is sent and its cell is not acknowledged has the cell computed again; had it acknowledged first, the cell would be in the
// queue no more and not in the folder. The collector looks only when it begins, so that nobody else makes good for it.
func TestADeathWhileDeliveringLosesNothing(t *testing.T) {
	t.Parallel()
	w, f := grid(t, 2), newFair(t)
	dead := make(chan struct{})
	var once sync.Once
	f.work(WorkerOptions{Workers: 1, midway: func(string) { once.Do(func() { close(dead) }) }, silent: func() bool {
		select {
		case <-dead:
			return true
		default:
			return false
		}
	}})
	go func() {
		<-dead
		f.work(WorkerOptions{Workers: 2, delay: 500 * time.Millisecond})
	}()
	dir := filepath.Join(t.TempDir(), "grid")
	ctx, stop := context.WithTimeout(t.Context(), 45*time.Second)
	defer stop()
	if err := f.sweep(ctx, w, dir, QueueOptions{Lease: 300 * time.Millisecond, Look: time.Hour}); err != nil {
		t.Fatalf("the sweep ended with %v: a cell is lost", err)
	}
	if names := otherwise(alone(t, w, nil), sums(t, dir)); len(names) > 0 {
		t.Errorf("one process makes %q otherwise", names)
	}
}

// A lease that ends counts against a cell where its worker is gone, and not where messages were lost and the worker is there.
func TestOnlyLostWorkersCount(t *testing.T) {
	t.Parallel()
	f := newFair(t)
	nc, err := f.address().call(t.Context(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	q := newQueue(nc, "0123456789ab", nil, 300*time.Millisecond)
	err = q.make(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for worker, reply := range map[string]string{"lives": `{"at": [{"sweep": "0123456789ab", "cell": "c"}]}`, "idle": `{"at": [{"sweep": "0123456789ab", "cell": "d"}]}`} {
		sub, err := nc.Subscribe(roll+"."+worker, func(m *nats.Msg) { m.Respond([]byte(reply)) })
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Unsubscribe()
	}
	c := &shift{assignment: &assignment{queue: q, worker: "me"}, msg: &nats.Msg{Subject: q.subject("cell", "c")}}
	if got, err := c.past(t.Context()); err != nil || got.Tries != 1 {
		t.Errorf("a cell that nobody has written down: %+v, %v", got, err)
	}
	for workers, want := range map[string]int{"": 3, "me": 3, "lives": 3, "idle": 3, "gone": 4, "gone me lives idle": 4, "gone lost": 5} {
		if err := c.note(t.Context(), attempts{3, "it rained", strings.Fields(workers)}); err != nil {
			t.Fatal(err)
		}
		got, err := c.past(t.Context())
		if err != nil || got.Tries != want || (got.Why == lostWorker) != (want > 3) || strings.Contains(workers, "lives") != slices.Equal(got.Workers, []string{"lives"}) {
			t.Errorf("workers %q: %+v, %v, want %d tries", workers, got, err, want)
		}
	}
}
