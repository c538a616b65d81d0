package farm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// labourer is a worker.
type labourer struct {
	WorkerOptions
	nc   *nats.Conn
	js   jetstream.JetStream
	name string
	host string
	tmp  string // all that it writes is there

	slots    chan struct{}  // one for each cell that may be begun
	couriers sync.WaitGroup // who deliver results

	jobs   map[string]*assignment // by key; the feeder's alone
	looked time.Time              // when the queues were listed; the feeder's alone
	turn   int

	mu      sync.Mutex
	refused map[string]*BuildError // by stream
	at      map[*shift]bool        // cells that it has
	alone   bool                   // one of them must be the only one
	last    time.Time              // when there was something to do
	done    int
}

// Work computes cells of whatever sweeps a queue has until the context is done, or until there was nothing to do for long enough. It returns how many cells
// it has computed.
func Work(ctx context.Context, at Address, o WorkerOptions) (int, error) {
	w := &labourer{WorkerOptions: o, name: nuid.Next(), jobs: map[string]*assignment{}, refused: map[string]*BuildError{}, at: map[*shift]bool{}, last: time.Now()}
	w.fill()
	var err error
	if w.tmp, err = os.MkdirTemp("", "kedge-worker-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(w.tmp)
	if err := w.connect(ctx, at); err != nil {
		return 0, err
	}
	defer w.nc.Close()
	for _, subject := range []string{roll, roll + "." + w.name} {
		sub, err := w.nc.Subscribe(subject, func(m *nats.Msg) {
			if !w.isDead() {
				text, _ := json.Marshal(w.state())
				m.Respond(text)
			}
		})
		if err != nil {
			return 0, err
		}
		defer sub.Unsubscribe()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for ctx.Err() == nil && !w.isIdle() {
		w.feed(ctx, stop)
	}
	for range w.Workers {
		<-w.slots
	}
	for _, a := range w.jobs {
		a.leave()
	}
	w.couriers.Wait()
	return w.done, w.verdict(ctx)
}

func (w *labourer) fill() {
	w.host, _ = os.Hostname()
	if w.Workers < 1 {
		w.Workers = runtime.GOMAXPROCS(0)
	}
	w.Hold = cmp.Or(w.Hold, time.Hour)
	if w.Told == nil {
		w.Told = func(string) {}
	}
	if w.Runner == nil {
		w.Runner = lab.RunCell
	}
	w.slots = make(chan struct{}, w.Workers)
	for range w.Workers {
		w.slots <- struct{}{}
	}
}

// connect waits for the queue as long as the worker may be idle.
func (w *labourer) connect(ctx context.Context, at Address) (err error) {
	if w.Idle > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, w.Idle)
		defer stop()
	}
	w.nc, err = at.call(ctx, "kedge worker "+w.name, true,
		nats.DisconnectErrHandler(func(*nats.Conn, error) { w.Told("the queue is away; cells at work go on") }),
		nats.ReconnectHandler(func(*nats.Conn) { w.Told("the queue is back") }))
	if err == nil {
		w.js, err = jetstream.New(w.nc)
	}
	return err
}

// verdict is how the work ended: a worker that was refused by all sweeps has done nothing, which somebody should know.
func (w *labourer) verdict(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if w.done == 0 {
		for _, stream := range slices.Sorted(maps.Keys(w.refused)) {
			return w.refused[stream]
		}
	}
	return nil
}

func (w *labourer) isIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Idle > 0 && len(w.at) == 0 && time.Since(w.last) > w.Idle
}

// state is what the worker says of itself.
func (w *labourer) state() WorkerState {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := WorkerState{Name: w.name, Host: w.host, Process: os.Getpid(), Build: folder.CurrentBuild().String(), Slots: w.Workers, Done: w.done, At: []AtWork{}}
	for c := range w.at {
		s.At = append(s.At, c.state())
	}
	slices.SortFunc(s.At, func(a, b AtWork) int { return strings.Compare(a.Cell, b.Cell) })
	for _, r := range w.refused {
		s.Refused = append(s.Refused, r.Sweep)
	}
	return s
}

// feed begins as many cells as there are slots free, or waits a little for one of either.
func (w *labourer) feed(ctx context.Context, stop context.CancelCauseFunc) {
	if w.isAlone() || w.isDead() {
		pause(ctx, 100*time.Millisecond)
		return
	}
	free := w.freeSlots(ctx)
	defer func() {
		for range free {
			w.slots <- struct{}{}
		}
	}()
	list, err := w.assignments(ctx)
	if err != nil || len(list) == 0 {
		pause(ctx, time.Second)
		return
	}
	for i, a := range list {
		if free == 0 {
			return
		}
		wait := time.Duration(0)
		if i == len(list)-1 {
			wait = time.Second
		}
		_, err := a.pull(ctx, free, wait, func(m *nats.Msg) {
			free--
			a.taken.Add(1)
			go w.do(ctx, stop, &shift{assignment: a, msg: m, begun: time.Now(), over: make(chan struct{})})
		})
		if err != nil {
			w.retire(err)
			pause(ctx, 100*time.Millisecond)
		}
	}
}

// freeSlots takes all slots that are free, and waits a little for one.
func (w *labourer) freeSlots(ctx context.Context) (n int) {
	select {
	case <-w.slots:
		n++
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
	for {
		select {
		case <-w.slots:
			n++
		default:
			return n
		}
	}
}

func (w *labourer) isAlone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alone
}

// assignments are the sweeps that the worker can compute cells of, another first every time. They are listed anew now and then.
func (w *labourer) assignments(ctx context.Context) ([]*assignment, error) {
	if len(w.jobs) == 0 || time.Since(w.looked) > 5*time.Second {
		if time.Since(w.looked) < time.Second {
			return nil, nil
		}
		w.looked = time.Now()
		if err := w.list(ctx); err != nil {
			return nil, err
		}
	}
	var list []*assignment
	for _, key := range slices.Sorted(maps.Keys(w.jobs)) {
		if a := w.jobs[key]; a.isCancelled() {
			delete(w.jobs, key)
			a.leave()
		} else {
			list = append(list, a)
		}
	}
	if len(list) > 1 {
		w.turn++
		k := w.turn % len(list)
		list = append(list[k:len(list):len(list)], list[:k]...)
	}
	return list, nil
}

// list looks which sweeps there are.
func (w *labourer) list(whole context.Context) error {
	infos, err := answered(whole, cmp.Or(w.delay, usualWait), func(ctx context.Context) ([]*jetstream.StreamInfo, error) { return queues(ctx, w.js) })
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, info := range infos {
		key := keyIn(info)
		there[key] = true
		if w.jobs[key] != nil || w.isRefused(key) {
			continue
		}
		a, err := newAssignment(w.nc, key, info.Config.Metadata, w.WorkerOptions, w.name, w.tmp)
		var other *BuildError
		switch {
		case errors.As(err, &other):
			w.refuse(key, other)
		case err == nil:
			w.jobs[key] = a
			w.couriers.Go(func() { a.deliverAll(whole) })
			w.Told(fmt.Sprintf("works for sweep %s (%s cells)", a.name, info.Config.Metadata[metaCells]))
		}
	}
	for key, a := range w.jobs {
		if !there[key] {
			delete(w.jobs, key)
			a.leave()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.refused, func(key string, _ *BuildError) bool { return !there[key] })
	return nil
}

func (w *labourer) isRefused(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused[key] != nil
}

func (w *labourer) refuse(key string, why *BuildError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused[key] = why
	w.Told(why.Error())
}

// retire has the sweeps listed anew when the queue of one is gone.
func (w *labourer) retire(err error) {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
		w.looked = time.Time{}
	}
}

// enter notes that a cell is begun. It is false where the cell cannot be begun now: it, or another, must be alone.
func (w *labourer) enter(c *shift, alone bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alone || alone && len(w.at) > 0 {
		return false
	}
	w.alone = alone
	w.at[c] = true
	return true
}

// leave notes that a cell is over: it is delivered, or somebody else's.
func (w *labourer) leave(c *shift, isDone bool) {
	close(c.over)
	c.taken.Done()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.at[c] {
		return
	}
	delete(w.at, c)
	w.last = time.Now()
	if isDone {
		w.done++
	}
}

// Tries of a cell: so many among others, so many alone on a worker, and when all of them came to nothing it is given up.
const (
	mostAmong = 5
	mostAlone = 2
)

// do computes a cell in a slot and has delivered what came out.
func (w *labourer) do(ctx context.Context, stop context.CancelCauseFunc, c *shift) {
	c.renew()
	o, err := w.attempt(ctx, c)
	if o != nil && len(o.body) > partSize { // which only so many may keep in memory
		err = c.deliver(ctx, []*outcome{o})
		w.leave(c, err == nil)
	} else if o != nil {
		o.end = func(isDelivered bool) { w.leave(c, isDelivered) }
		c.done <- o
	} else {
		w.leave(c, false)
	}
	if hung := new(HungError); errors.As(err, &hung) {
		stop(err)
	} else if err != nil && ctx.Err() == nil {
		w.Told(fmt.Sprintf("cell %s: %v", c.cell(), err))
	}
	w.slots <- struct{}{}
}

// attempt is what a cell comes to: its result, that nobody comes back from it, or nil where somebody else is to try it.
func (w *labourer) attempt(ctx context.Context, c *shift) (*outcome, error) {
	var past attempts
	isAgain := c.deliveries() > 1
	if isAgain {
		var err error
		if past, err = c.past(ctx); err != nil {
			c.giveBack(time.Second)
			return nil, nil
		}
	}
	if past.Tries >= mostAmong+mostAlone {
		return newOutcome(c, kindLost, fmt.Appendf(nil, "tried %d times, at last alone on a worker; in the end: %s", past.Tries, past.Why)), nil
	}
	if past.Tries+len(past.Workers) >= mostAmong+mostAlone { // who have it are to be the last
		c.giveBack(time.Second)
		return nil, nil
	}
	alone := past.Tries >= mostAmong
	if !w.enter(c, alone) {
		c.giveBack(time.Second)
		return nil, nil
	}
	if alone {
		defer w.unite()
	}
	if isAgain {
		if err := c.note(ctx, past.with(c.worker)); err != nil {
			c.giveBack(time.Second)
			return nil, nil
		}
	}
	return c.work(ctx, past)
}

// unite lets other cells begin again beside those of the worker.
func (w *labourer) unite() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alone = false
}
