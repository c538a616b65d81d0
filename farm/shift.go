package farm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	"github.com/nats-io/nuid"
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

	deaf   bool                   // it never acknowledges a cell, in a test
	silent func() bool            // whether it is dead, of a worker that dies in a test
	build  func(*folder.Identity) // makes it one of another build, in a test
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
	dir    string // its files
	cancel *nats.Subscription
	ended  chan struct{} // closed when the sweep was cancelled

	mu    sync.Mutex
	sweep *family.Sweep // nil until somebody wants it
	lease time.Duration
}

// newAssignment takes part in a sweep of this build.
func newAssignment(nc *nats.Conn, key string, meta map[string]string, o WorkerOptions, tmp string) (*assignment, error) {
	q, err := newQueue(nc, key, meta)
	if err != nil {
		return nil, err
	}
	a := &assignment{queue: q, WorkerOptions: o, name: meta[metaName], dir: filepath.Join(tmp, key), ended: make(chan struct{})}
	if meta[metaLayout] != layout {
		return nil, &BuildError{a.name, fmt.Sprintf("its queue is laid out as %.20q, here as %q", meta[metaLayout], layout)}
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
	var once sync.Once
	a.cancel, err = nc.Subscribe(a.subject("cancel"), func(*nats.Msg) { once.Do(func() { close(a.ended) }) })
	return a, err
}

// leave ends taking part.
func (a *assignment) leave() {
	a.cancel.Unsubscribe()
	os.RemoveAll(a.dir)
}

func (a *assignment) isCancelled() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// pull asks for one cell and waits a little for it; nil if there is none. An answer that comes too late is a cell that is lost until its lease ends.
func (a *assignment) pull(ctx context.Context, wait time.Duration) (*nats.Msg, error) {
	request := map[string]any{"batch": 1, "no_wait": true}
	if wait > 0 {
		request = map[string]any{"batch": 1, "expires": wait.Nanoseconds()}
	}
	body, _ := json.Marshal(request)
	ctx, stop := context.WithTimeout(ctx, wait+2*time.Second)
	defer stop()
	inbox := a.nc.NewInbox() // cells come under their own subjects, so that nothing else may come here
	sub, err := a.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := a.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+a.cells()+"."+workers, inbox, body); err != nil {
		return nil, err
	}
	m, err := sub.NextMsgWithContext(ctx)
	switch {
	case err != nil:
		return nil, err
	case m.Header.Get("Status") == "503":
		return nil, nats.ErrNoResponders
	case m.Header.Get("Status") != "" || m.Reply == "":
		return nil, nil
	}
	return m, nil
}

// ready fetches the sweep and its files, once.
func (a *assignment) ready(ctx context.Context) (*family.Sweep, time.Duration, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sweep != nil {
		return a.sweep, a.lease, nil
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	c, err := a.js.Consumer(ctx, a.cells(), workers)
	if err != nil {
		return nil, 0, err
	}
	text, err := a.find(ctx, a.meta[metaSweep], problem.MaxSize)
	if err != nil {
		return nil, 0, err
	}
	w, err := family.Open(a.Kinds, folder.SweepFile, text)
	if err != nil {
		return nil, 0, err
	}
	w.Name = a.meta[metaName]
	for name, sum := range w.Inputs {
		if err := a.fetchInput(ctx, name, sum); err != nil {
			return nil, 0, err
		}
	}
	a.sweep, a.lease = w, c.CachedInfo().Config.AckWait
	return a.sweep, a.lease, nil
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// shift is a cell that a worker has.
type shift struct {
	*assignment
	msg        *nats.Msg
	begun      time.Time
	turns      lab.Progress
	delivering atomic.Bool
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

// attempts is what the queue knows of a cell that was tried before.
type attempts struct {
	Tries int    `json:"tries"`
	Why   string `json:"why"`
}

// tries is how often the cell was begun after its first time, and why that was not the end.
func (c *shift) tries(ctx context.Context) (n int, why string, err error) {
	ctx, stop := context.WithTimeout(ctx, c.wait)
	defer stop()
	s, err := c.js.Stream(ctx, c.data())
	if err != nil {
		return 0, "", err
	}
	m, err := s.GetLastMsgForSubject(ctx, c.subject("try", c.cell()))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	var t attempts
	err = json.Unmarshal(m.Data, &t)
	return t.Tries, t.Why, err
}

// note writes down how often the cell was begun.
func (c *shift) note(ctx context.Context, tries int, why string) error {
	text, err := json.Marshal(attempts{tries, why})
	if err != nil {
		return err
	}
	return c.send(ctx, &nats.Msg{Subject: c.subject("try", c.cell()), Data: text}, "")
}

// giveBack lets somebody else have the cell.
func (c *shift) giveBack(after time.Duration) {
	if c.isDead() {
		return
	}
	c.nc.Publish(c.msg.Reply, fmt.Appendf(nil, "-NAK {\"delay\": %d}", after.Nanoseconds()))
	c.nc.FlushTimeout(time.Second)
}

// renew keeps the lease until the returned function is called.
func (c *shift) renew(lease time.Duration) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(max(lease/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if !c.isDead() {
					c.nc.Publish(c.msg.Reply, []byte("+WPI"))
				}
			}
		}
	}()
	return func() { close(done) }
}

// errGone says that a sweep was cancelled, or is over.
var errGone = errors.New("its sweep is over")

// work computes the cell and delivers what came out. The cell of a worker that is stopped is given back, and the try does not count.
func (c *shift) work(ctx context.Context, who string, tries int) error {
	w, lease, err := c.ready(ctx)
	if err != nil {
		c.giveBack(5 * time.Second)
		return err
	}
	stop := c.renew(lease)
	defer stop()
	kind, body, err := c.compute(ctx, w)
	switch large := new(problem.MemoryError); {
	case ctx.Err() != nil:
		if tries > 0 {
			c.note(context.WithoutCancel(ctx), tries-1, "its worker was stopped")
		}
		c.giveBack(0)
		return ctx.Err()
	case errors.As(err, &large): // another host may have more
		c.note(ctx, max(1, tries), err.Error())
		c.giveBack(5 * time.Second)
		return err
	case err != nil:
		return err
	}
	return c.deliver(ctx, who, kind, body)
}

// compute is what came out of the cell: its files, or what it died of. An error is not the cell's own.
func (c *shift) compute(ctx context.Context, w *family.Sweep) (kind string, body []byte, err error) {
	index, err := strconv.Atoi(string(c.msg.Data))
	if err != nil {
		return "", nil, err
	}
	cell, err := w.At(index)
	if err == nil && cell.ID != c.cell() {
		err = fmt.Errorf("the queue has it as number %d, which is %s", index, cell.ID)
	}
	if err != nil {
		return "", nil, err
	}
	result, err := c.run(ctx, lab.CellJob{
		Sweep: c.name, Cell: cell, Spec: w.Spec(cell), Files: os.DirFS(c.dir), Workers: max(1, runtime.GOMAXPROCS(0)/c.Workers), Progress: &c.turns,
	})
	if err == nil && result.Partial {
		err = errors.New("stopped")
	}
	var large *problem.MemoryError
	var hung *HungError
	switch {
	case ctx.Err() != nil, errors.As(err, &large), errors.As(err, &hung), errors.Is(err, errGone), errors.Is(err, context.DeadlineExceeded):
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
		timer := time.AfterFunc(c.Limit, func() { stop(context.DeadlineExceeded) })
		defer timer.Stop()
	}
	type outcome struct {
		result *folder.Result
		err    error
	}
	out := make(chan outcome, 1)
	go func() {
		r, err := c.Runner(ctx, job)
		out <- outcome{r, err}
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

// deliver sends a result until it is there and then acknowledges the cell. While the queue is away it is kept.
func (c *shift) deliver(ctx context.Context, who, kind string, body []byte) error {
	if c.isDead() {
		return errGone
	}
	c.delivering.Store(true)
	attempt, until := nuid.Next(), time.Now().Add(c.Hold)
	for {
		err := c.hand(ctx, who, kind, attempt, body)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			c.giveBack(0)
			return ctx.Err()
		}
		if time.Now().After(until) || c.isOver(ctx) {
			return fmt.Errorf("its result could not be delivered: %w", err)
		}
		pause(ctx, 250*time.Millisecond)
	}
	c.acknowledge(ctx)
	return nil
}

// isOver tells whether the queue of the sweep is gone while its server is there.
func (c *shift) isOver(ctx context.Context) bool {
	for range 20 {
		err := within(ctx, c.wait, func(ctx context.Context) error { _, err := c.js.Stream(ctx, c.results()); return err })
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return false
		}
		pause(ctx, 500*time.Millisecond) // whoever begins it again fills it anew
	}
	return true
}

// hand sends a result once.
func (c *shift) hand(ctx context.Context, who, kind, attempt string, body []byte) error {
	m := &nats.Msg{Subject: c.subject("done", c.cell()), Header: nats.Header{headAttempt: {attempt}, headWorker: {who}, headKind: {kind}}}
	if m.Data = body; len(body) > partSize {
		head, err := c.sendParts(ctx, c.subject("part", c.cell(), attempt), body)
		if err != nil {
			return err
		}
		text, err := json.Marshal(head)
		if err != nil {
			return err
		}
		m.Header.Set(headParcel, string(text))
		m.Data = nil
	}
	sum := sha256.Sum256(body)
	return c.send(ctx, m, attempt+hex.EncodeToString(sum[:4]))
}

// acknowledge tells the queue that the cell is done, and wants to hear that it knows. Without that the cell comes again, which does no harm.
func (c *shift) acknowledge(ctx context.Context) {
	for range 3 {
		if c.deaf {
			return
		}
		err := within(ctx, time.Second, func(ctx context.Context) error {
			_, err := c.nc.RequestWithContext(ctx, c.msg.Reply, []byte("+ACK"))
			return err
		})
		if err == nil || ctx.Err() != nil {
			return
		}
	}
}
