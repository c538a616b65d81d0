package farm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unique"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// QueueOptions say how a sweep is handed out. They never change what comes out.
type QueueOptions struct {
	lab.SweepOptions
	Embedded *Embedded         // the queue of this process; nil: that of Address
	Address  Address           // of a server that is there
	Lease    time.Duration     // after which a worker that says nothing has lost its cell; 0 means 30 s
	Look     time.Duration     // how often the queue is compared with the folder; 0 means 10 s
	Told     func(line string) // what somebody should know; may be nil

	delay time.Duration // that an answer may have, in a test
}

// LostPrefix is how the error of a cell begins that was given up because its workers were.
const LostPrefix = "given up: "

// ErrCancelled says that somebody has cancelled the sweep.
var ErrCancelled = errors.New("cancelled by kedge queue cancel; finished cells are kept, and the same command goes on")

// ErrCollected says that another process collects the results of the same sweep.
var ErrCollected = errors.New("another kedge sweep collects this sweep from the queue; end that one first")

// harvest is a sweep whose cells others compute.
type harvest struct {
	QueueOptions
	*queue
	sweep *family.Sweep
	run   *lab.SweepRun
	place map[string]int // of cells, by ID
	dir   string
	hurry chan struct{} // to fill it now

	calm   int          // looks for which the queue need not be listed if results come
	landed atomic.Int64 // results that came since the last look

	mu  sync.Mutex
	who []unique.Handle[string] // from whom cells came, by place
}

// Sweep has workers compute the cells of a sweep that are not finished in a folder that was taken for it, and ends with the bytes of [lab.Sweep]. It stops
// as that does; the workers go on, and the same call collects what they have done.
func Sweep(ctx context.Context, w *family.Sweep, c *folder.Taken, o QueueOptions) (*folder.SweepResult, error) {
	h := &harvest{QueueOptions: o, sweep: w, place: map[string]int{}, dir: c.Dir(), who: make([]unique.Handle[string], len(w.Cells)), hurry: make(chan struct{}, 1)}
	h.fill()
	nc, err := h.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	text := w.YAML()
	h.queue = newQueue(nc, keyOf(text), h.about(text), h.delay)
	h.own = h.Embedded != nil
	if _, err := nc.Request(h.subject("collector"), nil, time.Second); err == nil {
		return nil, ErrCollected
	}
	if err := h.limits(ctx); err != nil {
		return nil, err
	}
	if h.run, err = lab.BeginSweep(ctx, w, c, h.SweepOptions); err != nil {
		return nil, err
	}
	if err := h.gather(ctx); err != nil {
		return nil, err
	}
	r, err := h.run.Conclude(ctx)
	if err == nil {
		if gone := h.remove(context.WithoutCancel(ctx)); gone != nil {
			h.Told("the queue of the sweep could not be removed: " + gone.Error())
		}
	}
	return r, err
}

func (h *harvest) fill() {
	if h.Lease <= 0 {
		h.Lease = 30 * time.Second
	}
	if h.Look <= 0 {
		h.Look = 10 * time.Second
	}
	h.Progress = cmp.Or(h.Progress, new(lab.SweepProgress))
	if h.Told == nil {
		h.Told = func(string) {}
	}
	for i, c := range h.sweep.Cells {
		h.place[c.ID] = i
	}
}

func (h *harvest) connect(ctx context.Context) (*nats.Conn, error) {
	if h.Embedded != nil {
		return h.Embedded.call(ctx)
	}
	return h.Address.call(ctx, "kedge sweep "+h.sweep.Name, false)
}

// about is what workers must know of the sweep before they take a cell.
func (h *harvest) about(text []byte) map[string]string {
	id := folder.CurrentIdentity(nil)
	build, _ := json.Marshal(id.Build)
	code, _ := json.Marshal(id.Code)
	sum := sha256.Sum256(text)
	return map[string]string{
		metaName: h.sweep.Name, metaSweep: hex.EncodeToString(sum[:]), metaBuild: string(build), metaCode: string(code), metaCells: strconv.Itoa(len(h.sweep.Cells)), metaLayout: layout, metaLease: h.Lease.String(),
	}
}

// gather hands cells out and takes results in until there is none left.
func (h *harvest) gather(ctx context.Context) error {
	if len(h.run.Left()) == 0 {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	subs, err := h.answer(stop)
	defer func() {
		for _, s := range subs {
			s.Unsubscribe()
		}
	}()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	all.Go(func() { h.replenish(ctx, stop) })
	all.Go(func() { h.intake(ctx, stop) })
	all.Go(func() { h.watch(ctx) })
	all.Wait()
	if err := context.Cause(ctx); !errors.Is(err, errComplete) {
		return err
	}
	return nil
}

// errComplete ends the gathering: every cell has come or has failed.
var errComplete = errors.New("complete")

func (h *harvest) isComplete() bool {
	done, failed := h.run.Count()
	return done+failed >= len(h.run.Left())
}

// answer answers those who ask for the sweep.
func (h *harvest) answer(stop context.CancelCauseFunc) (subs []*nats.Subscription, err error) {
	for kind, do := range map[string]func() any{
		"collector": func() any {
			s := h.Progress.State()
			return tallySheet{s.Kept + s.Done, s.Failed}
		},
		"cancel": func() any { stop(ErrCancelled); return tallySheet{} },
		"retry": func() any {
			ids := h.run.Forgive(func(died string) bool { return strings.HasPrefix(died, LostPrefix) })
			for _, id := range ids {
				h.forget(context.Background(), h.subject("try", id))
			}
			select {
			case h.hurry <- struct{}{}:
			default:
			}
			return tallySheet{Failed: len(ids)}
		},
	} {
		sub, err := h.nc.Subscribe(h.subject(kind), func(m *nats.Msg) {
			text, _ := json.Marshal(do())
			m.Respond(text)
		})
		if err != nil {
			return subs, err
		}
		subs = append(subs, sub)
	}
	return subs, nil
}

// replenish compares the queue with the folder, again and again, and publishes what is in neither.
func (h *harvest) replenish(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(h.Look)
	defer tick.Stop()
	for said := ""; ; {
		err := h.refill(ctx)
		if wrong := new(SettingsError); errors.As(err, &wrong) {
			stop(err)
		}
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			h.Told("the queue does not answer and is asked again: " + said)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-h.hurry:
			h.calm = 0
		}
	}
}

func (h *harvest) refill(ctx context.Context) error {
	if err := h.make(ctx, h.Lease); err != nil {
		return err
	}
	if err := h.supply(ctx); err != nil {
		return err
	}
	if h.landed.Swap(0) > 0 && h.calm > 0 {
		h.calm--
		return nil
	}
	// The order matters: a result is sent before its cell is acknowledged, and kept before it is acknowledged itself.
	there, err := h.inside(ctx, h.cells(), h.results())
	if err != nil {
		return err
	}
	n := 0
	for _, c := range h.run.Left() {
		finished, died := h.run.Fate(c.ID)
		if finished || died != "" || there[c.ID] {
			continue
		}
		n++
		m := &nats.Msg{Subject: h.subject("cell", c.ID), Data: []byte(strconv.Itoa(c.Index()))}
		if n%window == 0 { // whose answer says that those before it were heard
			err = h.send(ctx, m, "")
		} else {
			err = h.nc.PublishMsg(m)
		}
		if err != nil {
			return err
		}
	}
	h.calm = mostCalm
	return within(ctx, h.wait, h.nc.FlushWithContext)
}

const (
	window   = 1024 // cells that are published without waiting; what was not taken is missing at the next look
	mostCalm = 10   // looks at which the queue is not listed while results come
)

// inside lists the cells of which streams have messages, one stream after the other.
func (h *harvest) inside(ctx context.Context, streams ...string) (map[string]bool, error) {
	all := map[string]bool{}
	for _, stream := range streams {
		if err := patiently(ctx, 4*h.wait, func(ctx context.Context) error {
			s, err := h.js.Stream(ctx, stream)
			if err != nil || s.CachedInfo().State.Msgs == 0 {
				return err
			}
			info, err := s.Info(ctx, jetstream.WithSubjectFilter(">"))
			if err != nil {
				return err
			}
			for subject := range info.State.Subjects {
				for _, id := range cellsOf(subject) {
					all[id] = true
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// supply offers the sweep and its files to workers.
func (h *harvest) supply(ctx context.Context) error {
	if err := h.offer(ctx, h.sweep.YAML()); err != nil {
		return err
	}
	for name := range h.sweep.Inputs {
		if _, err := fs.Stat(h.Files, name); err != nil {
			continue // the cells that name it will say so
		}
		text, err := fs.ReadFile(h.Files, name)
		if err != nil {
			return err
		}
		if err := h.offer(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// writers is how many cells are written at once: most of the time goes into waiting for the disk, which takes many together as it takes one.
const writers = 64

// bundle is a message with results of several cells. The queue may forget it when all of them are kept, or thrown away.
type bundle struct {
	jetstream.Msg
	open   atomic.Int64 // results that are not
	isHeld atomic.Bool  // one of them must come again
}

// finish ends one of its results.
func (b *bundle) finish(isHeld bool) {
	if isHeld {
		b.isHeld.Store(true)
	}
	if b.open.Add(-1) == 0 && !b.isHeld.Load() {
		b.Ack()
	}
}

// arrival is a result of a bundle.
type arrival struct {
	result
	from *bundle
	body []byte
}

// intake takes results in as they come, those of one cell one after another.
func (h *harvest) intake(ctx context.Context, stop context.CancelCauseFunc) {
	var all sync.WaitGroup
	lanes := make([]chan arrival, writers)
	for i := range lanes {
		lanes[i] = make(chan arrival, 16)
		all.Go(func() {
			for one := range lanes[i] {
				isHeld, err := h.take(ctx, one)
				if err != nil {
					stop(err)
				}
				if one.from.finish(isHeld); h.isComplete() {
					stop(errComplete)
				}
			}
		})
	}
	for ctx.Err() == nil {
		if err := h.fetch(ctx, lanes); err != nil {
			pause(ctx, 200*time.Millisecond)
		}
	}
	for _, lane := range lanes {
		close(lane)
	}
	all.Wait()
}

// fetch hands on a batch of results.
func (h *harvest) fetch(ctx context.Context, lanes []chan arrival) error {
	var c jetstream.Consumer
	err := within(ctx, h.wait, func(ctx context.Context) (err error) {
		c, err = h.js.Consumer(ctx, h.results(), collector)
		return err
	})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		batch, err := c.Fetch(writers, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return err
		}
		for m := range batch.Messages() {
			if !h.spread(ctx, m, lanes) {
				return nil
			}
		}
		if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
			return err
		}
	}
	return nil
}

// spread hands the results of a message to those who write them; false when it is too late.
func (h *harvest) spread(ctx context.Context, m jetstream.Msg, lanes []chan arrival) bool {
	list, bodies, err := unbundle(m.Subject(), m.Headers().Get(headResults), m.Data())
	if err != nil {
		h.Told(fmt.Sprintf("what worker %s sent is thrown away: %v", m.Headers().Get(headWorker), err))
		m.Ack()
		return true
	}
	from := &bundle{Msg: m}
	from.open.Store(int64(len(list)))
	for i, r := range list {
		hash := fnv.New32a()
		hash.Write([]byte(r.Cell))
		select {
		case lanes[hash.Sum32()%writers] <- arrival{r, from, bodies[i]}:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// take takes one result in, or has it come again. The error is one that ends the sweep.
func (h *harvest) take(ctx context.Context, one arrival) (isHeld bool, err error) {
	if ctx.Err() != nil {
		return true, nil
	}
	place, known := h.place[one.Cell]
	if !known {
		return false, nil
	}
	who := one.from.Headers().Get(headWorker)
	err = h.keep(ctx, place, one)
	var unsound *folder.UnsoundError
	switch differs := new(folder.DiffersError); {
	case errors.As(err, &differs):
		differs.Who = h.twice(place, who)
		return true, err
	case errors.As(err, &unsound), errors.Is(err, errSpoilt), errors.Is(err, folder.ErrOtherIdentity), errors.Is(err, jetstream.ErrMsgNotFound):
		h.Told(fmt.Sprintf("what worker %s sent is thrown away: %v", who, err))
	case ctx.Err() != nil, isSilence(err):
		return true, nil
	case err != nil:
		return true, err
	}
	h.landed.Add(1)
	h.cameFrom(place, who)
	return false, nil
}

// cameFrom notes who computed a cell.
func (h *harvest) cameFrom(place int, who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.who[place] = unique.Make(who)
}

// twice says who computed a cell that came twice.
func (h *harvest) twice(place int, second string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if first := h.who[place]; first != (unique.Handle[string]{}) {
		return fmt.Sprintf("%s, the first time by %s", second, first.Value())
	}
	return second
}

// keep puts a result into the folder.
func (h *harvest) keep(ctx context.Context, place int, one arrival) error {
	id, body := one.Cell, one.body
	finished, died := h.run.Fate(id)
	switch kind := one.Kind; {
	case kind == kindLost && (finished || died != ""), kind == kindError && strings.HasPrefix(died, LostPrefix):
		return nil // somebody was quicker
	case kind == kindLost:
		return h.run.Fail(place, LostPrefix+string(body))
	case kind == kindError:
		return h.run.Fail(place, string(body))
	case kind != kindCell:
		return &folder.UnsoundError{Cell: id, Why: fmt.Sprintf("its kind is %.20q", kind)}
	}
	isApart := one.Parcel != nil
	if isApart && !strings.HasPrefix(one.Under, h.subject("part", id)+".") {
		return &folder.UnsoundError{Cell: id, Why: "its bytes are where no cell's are"}
	}
	if isApart {
		if err := within(ctx, time.Minute, func(ctx context.Context) (err error) {
			body, err = h.fetchParts(ctx, one.Under, *one.Parcel, mostResult)
			return err
		}); err != nil {
			return err
		}
	}
	files, err := unpack(body)
	if err != nil {
		return &folder.UnsoundError{Cell: id, Why: err.Error()}
	}
	err = h.run.Receive(place, files)
	if differs := new(folder.DiffersError); errors.As(err, &differs) {
		differs.Where, _ = h.setAside(id, files)
	}
	if err == nil && isApart {
		h.forget(ctx, one.Under+".*")
	}
	return err
}

// forget removes parts from the queue; those that stay go with it.
func (h *harvest) forget(ctx context.Context, subject string) {
	within(ctx, h.wait, func(ctx context.Context) error {
		s, err := h.js.Stream(ctx, h.data())
		if err != nil {
			return err
		}
		return s.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
}

// setAside keeps the files of a cell beside the folder, which has others.
func (h *harvest) setAside(id string, files map[string][]byte) (string, error) {
	dir := filepath.Join(h.dir+"-differs", id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range files {
		err := folder.WriteFile(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(text))
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// watch notes which cells are at work elsewhere, for whoever looks at the progress.
func (h *harvest) watch(ctx context.Context) {
	for ctx.Err() == nil {
		list, _ := callRoll(ctx, h.nc)
		var running []lab.RunningCell
		for _, w := range list {
			for _, at := range w.At {
				place, known := h.place[at.Cell]
				if at.Sweep != h.key || !known {
					continue
				}
				turns := new(lab.Progress)
				turns.Done.Store(at.Turns)
				turns.Total.Store(at.Of)
				running = append(running, lab.RunningCell{ID: at.Cell, Values: h.sweep.Cells[place].Values, Turns: turns, Host: w.Host})
			}
		}
		slices.SortFunc(running, func(a, b lab.RunningCell) int { return strings.Compare(a.ID, b.ID) })
		h.Progress.Elsewhere(running)
		pause(ctx, 2*time.Second)
	}
}
