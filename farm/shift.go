package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkerOptions say how a worker works. They never change what comes out.
type WorkerOptions struct {
	Kinds   *kind.Catalogue   // what specs can name
	Workers int               // cells that are computed at once; 0 means one a core
	Idle    time.Duration     // after which a worker that has nothing to do ends; 0 means never
	Limit   time.Duration     // that a cell may take; 0 means any
	Hold    time.Duration     // for which a result is kept while the queue is away; 0 means an hour
	Told    func(line string) // what somebody should know; may be nil
	Runner  lab.Runner        // nil means lab.RunCell

	delay  time.Duration                                // that an answer may have, in a test
	deaf   bool                                         // it never acknowledges a cell, in a test
	silent func() bool                                  // whether it is dead, of a worker that dies in a test
	midway func(cell string)                            // called between what delivers a cell and what ends its lease, in a test
	build  func(*folder.Identity)                       // makes it one of another build, in a test
	empty  func(cell string) (kind string, body []byte) // what cells come to, in a test of the queue alone
}

// BuildError says that all sweeps of a queue are of other builds than the worker.
type BuildError struct{ Sweep, Why string }

func (e *BuildError) Error() string {
	return fmt.Sprintf("sweep %s is of another build, of which this worker computes no cell: %s; give all hosts the same program", e.Sweep, e.Why)
}

// HungError says that a cell went on beyond its time and could not be stopped.
type HungError struct{ Cell string }

func (e *HungError) Error() string {
	return fmt.Sprintf("cell %s took longer than it may and does not stop; the worker ends, and another tries the cell", e.Cell)
}

// isDead tells whether the worker plays dead.
func (o *WorkerOptions) isDead() bool { return o.silent != nil && o.silent() }

// assignment is a sweep that a worker computes cells of.
type assignment struct {
	*queue
	WorkerOptions
	name   string
	worker string // who computes
	dir    string // its files
	cancel *nats.Subscription
	ended  chan struct{} // closed when the sweep was cancelled

	hatch *nats.Subscription // where cells come out of the queue: under their own subjects, so that nothing else may come there
	inbox string             // its subject
	out   chan *nats.Msg     // what came
	done  chan *outcome      // to be delivered
	taken sync.WaitGroup     // cells that are not delivered
	lease time.Duration      // of a cell

	mu    sync.Mutex
	sweep *family.Sweep // nil until somebody wants it
}

// newAssignment takes part in a sweep of this build.
func newAssignment(nc *nats.Conn, key string, meta map[string]string, o WorkerOptions, worker, tmp string) (a *assignment, err error) {
	a = &assignment{queue: newQueue(nc, key, meta, o.delay), WorkerOptions: o, name: meta[metaName], worker: worker, ended: make(chan struct{}), inbox: nc.NewInbox(), out: make(chan *nats.Msg, 4*o.Workers+16), done: make(chan *outcome, max(o.Workers, mostBundled))}
	if meta[metaLayout] != layout {
		return nil, &BuildError{a.name, fmt.Sprintf("its queue is laid out as %.20q, here as %q", meta[metaLayout], layout)}
	}
	if a.lease, err = time.ParseDuration(meta[metaLease]); err != nil || a.lease <= 0 {
		return nil, &BuildError{a.name, fmt.Sprintf("its leases take %.20q", meta[metaLease])}
	}
	var id folder.Identity
	if err := errors.Join(json.Unmarshal([]byte(meta[metaBuild]), &id.Build), json.Unmarshal([]byte(meta[metaCode]), &id.Code)); err != nil {
		return nil, &BuildError{a.name, err.Error()}
	}
	mine := folder.CurrentIdentity(nil)
	if o.build != nil {
		o.build(&mine)
	}
	if list := mine.Differs(id); len(list) > 0 || mine.Build != id.Build || mine.Code != id.Code {
		return nil, &BuildError{a.name, strings.Join(list, ", ")}
	}
	if a.dir, err = os.MkdirTemp(tmp, key+"-"); err != nil {
		return nil, err
	}
	var once sync.Once
	if a.cancel, err = nc.Subscribe(a.subject("cancel"), func(*nats.Msg) { once.Do(func() { close(a.ended) }) }); err == nil {
		a.hatch, err = nc.ChanSubscribe(a.inbox, a.out)
	}
	return a, err
}

// leave takes no more cells. Once those that are taken are delivered nothing is left of it.
func (a *assignment) leave() {
	a.cancel.Unsubscribe()
	a.hatch.Unsubscribe()
	go func() {
		a.taken.Wait()
		close(a.done)
		os.RemoveAll(a.dir)
	}()
}

func (a *assignment) isCancelled() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// pull asks for some cells and hands them on as they come, which may take a little; it returns how many came. What comes later is for the next who asks.
func (a *assignment) pull(ctx context.Context, most int, wait time.Duration, take func(*nats.Msg)) (n int, err error) {
	isCell := func(m *nats.Msg) bool { return m.Reply != "" && m.Header.Get("Status") == "" }
	for n < most && len(a.out) > 0 {
		if m := <-a.out; isCell(m) {
			take(m)
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	request := fmt.Appendf(nil, `{"batch":%d,"no_wait":true}`, most)
	if wait > 0 {
		request = fmt.Appendf(nil, `{"batch":%d,"expires":%d}`, most, wait.Nanoseconds())
	}
	if err := a.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+a.cells()+"."+workers, a.inbox, request); err != nil {
		return 0, err
	}
	timer := time.NewTimer(wait + min(a.wait, 2*time.Second))
	defer timer.Stop()
	for n < most {
		select {
		case m := <-a.out:
			switch {
			case isCell(m):
				take(m)
				n++
			case m.Header.Get("Status") == "503":
				return n, nats.ErrNoResponders
			default:
				return n, nil
			}
		case <-ctx.Done():
			return n, ctx.Err()
		case <-timer.C:
			return n, nats.ErrTimeout
		}
	}
	return n, nil
}

// ready fetches the sweep and its files, once.
func (a *assignment) ready(ctx context.Context) (*family.Sweep, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sweep != nil {
		return a.sweep, nil
	}
	text, err := a.find(ctx, a.meta[metaSweep], problem.MaxSize)
	if err != nil {
		return nil, err
	}
	w, err := family.Open(a.Kinds, folder.SweepFile, text)
	if err != nil {
		return nil, err
	}
	w.Name = a.meta[metaName]
	for name, sum := range w.Inputs {
		if err := a.fetchInput(ctx, name, sum); err != nil {
			return nil, err
		}
	}
	a.sweep = w
	return w, nil
}

// mostInput is how large a file may be that specs name.
const mostInput = 4 << 30

// fetchInput puts a file that specs name where the worker keeps them. One that the sweep's host has not is missing here as well.
func (a *assignment) fetchInput(ctx context.Context, name, sum string) error {
	if !fs.ValidPath(name) || !filepath.IsLocal(name) {
		return fmt.Errorf("the sweep names %.100q, which is no file below its folder", name)
	}
	text, err := a.find(ctx, sum, mostInput)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	path := filepath.Join(a.dir, filepath.FromSlash(name))
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600))
}

// shift is a cell that a worker has.
type shift struct {
	*assignment
	msg        *nats.Msg
	begun      time.Time
	over       chan struct{} // closed when it is delivered, or somebody else's
	turns      lab.Progress
	delivering atomic.Bool
	noted      uint64 // the number of what is written down of its past
}

func (c *shift) cell() string { return c.msg.Subject[strings.LastIndexByte(c.msg.Subject, '.')+1:] }

func (c *shift) state() AtWork {
	phase := "computing"
	if c.delivering.Load() {
		phase = "delivering"
	}
	return AtWork{c.key, c.cell(), c.turns.Done.Load(), c.turns.Total.Load(), time.Since(c.begun).Seconds(), phase}
}

// deliveries is how often the cell was handed out.
func (c *shift) deliveries() uint64 {
	meta, err := c.msg.Metadata()
	if err != nil {
		return 1
	}
	return meta.NumDelivered
}

// attempts is what the queue knows of a cell that was handed out before.
type attempts struct {
	Tries   int      `json:"tries"`             // that came to nothing
	Why     string   `json:"why"`               // the last of them did
	Workers []string `json:"workers,omitempty"` // who have begun it since: several where leases were lost
}

// with is the same with one more who has begun it.
func (t attempts) with(worker string) attempts {
	t.Workers = append(slices.Clone(t.Workers[max(0, len(t.Workers)-mostAmong):]), worker)
	return t
}

// past is how often the cell was begun in vain. A lease that was lost says little, since messages are lost and hosts are slow: a try came to nothing where
// its worker is gone, or has said so. Who was the first to have the cell is not written down; that one is taken for gone.
func (c *shift) past(ctx context.Context) (attempts, error) {
	text, number, err := c.last(ctx, c.subject("try", c.cell()))
	c.noted = number
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return attempts{Tries: 1, Why: lostWorker}, nil
	}
	var was attempts
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	t := attempts{Tries: was.Tries, Why: was.Why}
	for _, worker := range was.Workers {
		if err != nil || worker == c.worker {
			continue
		}
		switch state, silent := c.whois(ctx, worker); {
		case ctx.Err() != nil:
			err = ctx.Err()
		case silent == nil && state.has(c.key, c.cell()):
			t.Workers = append(t.Workers, worker)
		case silent == nil: // it has given it up
		case errors.Is(silent, nats.ErrNoResponders), errors.Is(silent, nats.ErrTimeout), errors.Is(silent, context.DeadlineExceeded):
			t.Tries, t.Why = t.Tries+1, lostWorker
		default:
			err = silent
		}
	}
	return t, err
}

const lostWorker = "its worker was lost"

// note writes down how the cell stands, unless somebody else has done so since it was read.
func (c *shift) note(ctx context.Context, t attempts) error {
	text, _ := json.Marshal(t)
	return patiently(ctx, c.wait, func(ctx context.Context) error {
		ack, err := c.js.Publish(ctx, c.subject("try", c.cell()), text, jetstream.WithRetryAttempts(0), jetstream.WithExpectLastSequencePerSubject(c.noted))
		if err == nil {
			c.noted = ack.Sequence
		}
		return err
	})
}

// withdraw writes down that a cell that was handed out before is no longer at this worker, whose end then says nothing about it.
func (c *shift) withdraw(ctx context.Context, past attempts) {
	if past.Tries > 0 {
		within(context.WithoutCancel(ctx), c.wait, func(ctx context.Context) error { return c.note(ctx, past) })
	}
}

// giveBack lets somebody else have the cell.
func (c *shift) giveBack(after time.Duration) {
	if c.isDead() {
		return
	}
	c.nc.Publish(c.msg.Reply, fmt.Appendf(nil, "-NAK {\"delay\": %d}", after.Nanoseconds()))
	c.nc.FlushTimeout(time.Second)
}

// renew keeps the lease until the cell is over.
func (c *shift) renew() {
	go func() {
		tick := time.NewTicker(max(c.lease/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-c.over:
				return
			case <-tick.C:
				if !c.isDead() {
					c.nc.Publish(c.msg.Reply, []byte("+WPI"))
				}
			}
		}
	}()
}

// errLate says that a cell took longer than it may.
var errLate = errors.New("took longer than it may")

// errGone says that a sweep was cancelled, or is over.
var errGone = errors.New("its sweep is over")

// work computes the cell; nil if nothing is to be delivered. The cell of a worker that is stopped is given back, and the try does not count.
func (c *shift) work(ctx context.Context, past attempts) (*outcome, error) {
	w, err := c.ready(ctx)
	if err != nil {
		c.withdraw(ctx, past)
		c.giveBack(c.wait)
		return nil, err
	}
	kind, body, err := c.compute(ctx, w)
	switch large := new(problem.MemoryError); {
	case ctx.Err() != nil:
		c.withdraw(ctx, past)
		c.giveBack(0)
		return nil, ctx.Err()
	case errors.As(err, &large), errors.Is(err, errLate): // another host may have more memory, or be quicker
		c.note(ctx, attempts{past.Tries + 1, err.Error(), past.Workers})
		c.giveBack(c.wait / 10)
		return nil, err
	case err != nil:
		return nil, err
	}
	return newOutcome(c, kind, body), nil
}

// compute is what came out of the cell: its files, or what it died of. An error is not the cell's own.
func (c *shift) compute(ctx context.Context, w *family.Sweep) (kind string, body []byte, err error) {
	if c.empty != nil {
		kind, body = c.empty(c.cell())
		return kind, body, nil
	}
	index, err := strconv.Atoi(string(c.msg.Data))
	if err != nil {
		return "", nil, err
	}
	cell, spec, err := w.At(index)
	if err == nil && cell.ID != c.cell() {
		err = fmt.Errorf("the queue has it as number %d, which is %s", index, cell.ID)
	}
	if err != nil {
		return "", nil, err
	}
	result, err := c.run(ctx, lab.CellJob{
		Sweep: c.name, Cell: cell, Spec: spec, Files: os.DirFS(c.dir), Workers: max(1, runtime.GOMAXPROCS(0)/c.Workers), Progress: &c.turns,
	})
	if err == nil && result.Partial {
		err = errors.New("stopped")
	}
	var large *problem.MemoryError
	var hung *HungError
	switch {
	case ctx.Err() != nil, errors.As(err, &large), errors.As(err, &hung), errors.Is(err, errGone), errors.Is(err, errLate):
		return "", nil, err
	case err != nil:
		return kindError, []byte(err.Error()), nil
	}
	files, err := result.CellFiles()
	if err == nil {
		body, err = pack(files)
	}
	if err == nil && len(body) > mostResult {
		err = fmt.Errorf("its result has %d bytes, the queue takes at most %d", len(body), mostResult)
	}
	return kindCell, body, err
}

// run runs a cell until its time is over or its sweep is cancelled. One that does not stop then ends the worker.
func (c *shift) run(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.Limit > 0 {
		timer := time.AfterFunc(c.Limit, func() { stop(fmt.Errorf("%w, %v", errLate, c.Limit)) })
		defer timer.Stop()
	}
	type ending struct {
		result *folder.Result
		err    error
	}
	out := make(chan ending, 1)
	go func() {
		r, err := c.Runner(ctx, job)
		out <- ending{r, err}
	}()
	select {
	case o := <-out:
		return o.result, o.err
	case <-c.ended:
		stop(errGone)
	case <-ctx.Done():
	}
	select {
	case <-out:
		return nil, context.Cause(ctx)
	case <-time.After(10 * time.Second):
		return nil, &HungError{c.cell()}
	}
}

// acknowledge tells the queue that the cell is done. Where that is lost the cell comes again, which does no harm.
func (c *shift) acknowledge() {
	if !c.deaf && !c.isDead() {
		c.nc.Publish(c.msg.Reply, []byte("+ACK"))
	}
}

// outcome is a cell that was computed, and what came out.
type outcome struct {
	*shift
	kind string
	body []byte
	end  func(isDelivered bool) // called once, when it is delivered or lost
}

func newOutcome(c *shift, kind string, body []byte) *outcome {
	c.delivering.Store(true)
	return &outcome{shift: c, kind: kind, body: body}
}
