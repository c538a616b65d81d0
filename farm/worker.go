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

	mu      sync.Mutex
	jobs    map[string]*assignment // by key
	refused map[string]*BuildError // by stream
	looked  time.Time              // when the queues were listed
	busy    int                    // cells that it has
	alone   bool                   // one of them must be the only one
	at      map[*shift]bool
	last    time.Time // when there was something to do
	done    int
	turn    int
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
	sub, err := w.nc.Subscribe(roll, func(m *nats.Msg) {
		text, _ := json.Marshal(w.state())
		m.Respond(text)
	})
	if err != nil {
		return 0, err
	}
	defer sub.Unsubscribe()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for range w.Workers {
		all.Go(func() {
			for ctx.Err() == nil && !w.isIdle() {
				if err := w.once(ctx); err != nil {
					stop(err)
				}
			}
		})
	}
	all.Wait()
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
	return w.Idle > 0 && w.busy == 0 && time.Since(w.last) > w.Idle
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

// once takes a cell and computes it, or waits a little for one.
func (w *labourer) once(ctx context.Context) error {
	if w.isAlone() || w.isDead() {
		pause(ctx, 100*time.Millisecond)
		return nil
	}
	list, err := w.assignments(ctx)
	if err != nil || len(list) == 0 {
		pause(ctx, time.Second)
		return nil
	}
	for i, a := range list {
		wait := time.Duration(0)
		if i == len(list)-1 {
			wait = time.Second
		}
		m, err := a.pull(ctx, wait)
		if err != nil {
			w.retire(err)
			pause(ctx, 100*time.Millisecond)
		}
		if m != nil {
			return w.do(ctx, &shift{assignment: a, msg: m, begun: time.Now()})
		}
	}
	return nil
}

func (w *labourer) isAlone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alone
}

// assignments are the sweeps that the worker can compute cells of, another first every time. They are listed anew now and then.
func (w *labourer) assignments(ctx context.Context) ([]*assignment, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
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
func (w *labourer) list(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	infos, err := queues(ctx, w.js)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, info := range infos {
		key := keyIn(info)
		there[key] = true
		if w.jobs[key] != nil || w.refused[key] != nil {
			continue
		}
		a, err := newAssignment(w.nc, key, info.Config.Metadata, w.WorkerOptions, w.tmp)
		var other *BuildError
		switch {
		case errors.As(err, &other):
			w.refused[key] = other
			w.Told(other.Error())
		case err == nil:
			w.jobs[key] = a
			w.Told(fmt.Sprintf("works for sweep %s (%s cells)", a.name, info.Config.Metadata[metaCells]))
		}
	}
	for key, a := range w.jobs {
		if !there[key] {
			delete(w.jobs, key)
			a.leave()
		}
	}
	maps.DeleteFunc(w.refused, func(key string, _ *BuildError) bool { return !there[key] })
	return nil
}

// retire has the sweeps listed anew when the queue of one is gone.
func (w *labourer) retire(err error) {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.looked = time.Time{}
	}
}

// enter notes that a cell is begun. It is false where the cell cannot be begun now: it, or another, must be alone.
func (w *labourer) enter(c *shift, alone bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alone || alone && w.busy > 0 {
		return false
	}
	w.busy++
	w.alone = alone
	w.at[c] = true
	w.last = time.Now()
	return true
}

func (w *labourer) exit(c *shift, isDone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	w.alone = false
	delete(w.at, c)
	w.last = time.Now()
	if isDone {
		w.done++
	}
}

// Tries that a cell has beyond its first: as many, the last of them alone on its worker, and then it is given up.
const mostTries = 5

// do computes a cell and delivers its result. The error is one that ends the worker.
func (w *labourer) do(ctx context.Context, c *shift) error {
	tries := 0
	if c.deliveries() > 1 {
		var why string
		var err error
		if tries, why, err = c.tries(ctx); err != nil {
			c.giveBack(time.Second)
			return nil
		}
		if tries >= mostTries {
			return w.giveUp(ctx, c, tries, why)
		}
		tries++
	}
	if !w.enter(c, tries == mostTries) {
		c.giveBack(time.Second)
		return nil
	}
	isDone := false
	defer func() { w.exit(c, isDone) }()
	if tries > 0 {
		if err := c.note(ctx, tries, "its worker was lost"); err != nil {
			c.giveBack(time.Second)
			return nil
		}
	}
	err := c.work(ctx, w.name, tries)
	isDone = err == nil
	if hung := new(HungError); errors.As(err, &hung) {
		return err
	}
	if err != nil && ctx.Err() == nil {
		w.Told(fmt.Sprintf("cell %s: %v", c.cell(), err))
	}
	return nil
}

// giveUp reports a cell that nobody comes back from.
func (w *labourer) giveUp(ctx context.Context, c *shift, tries int, why string) error {
	text := fmt.Sprintf("tried %d times or more, the last time alone on a worker; in the end: %s", tries, why)
	if err := c.deliver(ctx, w.name, kindLost, []byte(text)); err != nil {
		c.giveBack(time.Second)
	}
	return nil
}
