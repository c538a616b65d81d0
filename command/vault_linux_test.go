package command

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	remote "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
)

// patient is a spec whose deadlines nobody meets, so that only what is told happens.
var patient = strings.Replace(shopSpec, "live: {", "live: {deadlines: {deploy: never, data: never}, ", 1)

// crowd is clients that each drive a loop of their own, and write down what was acknowledged.
type crowd struct {
	*testing.T
	address string
	mu      sync.Mutex
	closes  map[string][]session.Hash // what the rule remembered after every close that was acknowledged
	tells   int
}

func (c *crowd) people(loop string, k, n int) remote.Answers {
	r := rand.New(rand.NewPCG(uint64(len(loop))*1000+uint64(loop[len(loop)-1]), uint64(k*10+n)))
	return remote.Answers{P: [][]float64{{5 + r.Float64(), 4}, {6, 3 + r.Float64()}}, D: [][]float64{{10, 8}, {9, 9}}}
}

// drive has one loop go round until it is told to stop.
func (c *crowd) drive(ctx context.Context, loop string) {
	service := remote.Open("http://" + c.address)
	far := service.Loop(loop)
	if _, err := service.Create(context.Background(), loop, patient, session.Live); err != nil {
		c.Errorf("%s: %v", loop, err)
		return
	}
	for ctx.Err() == nil {
		rule, err := c.round(far)
		if err != nil {
			c.Errorf("%s: %v", loop, err)
			return
		}
		c.mu.Lock()
		c.closes[loop] = append(c.closes[loop], rule)
		c.mu.Unlock()
	}
}

// round is one of a loop; what is not answered is sent again, for longer than any pause of these tests.
func (c *crowd) round(far *remote.Remote) (rule session.Hash, err error) {
	patience, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	a, err := far.Ask(patience)
	if err == nil {
		_, err = far.Deploy(patience, a.K, a.U)
	}
	for n := 0; n < 3 && err == nil; n++ {
		_, err = far.Tell(patience, a.K, fmt.Sprint("b", n), c.people(far.Name, a.K, n))
		c.mu.Lock()
		c.tells++
		c.mu.Unlock()
	}
	if err != nil {
		return rule, err
	}
	closed, err := far.Close(patience, a.K)
	if err != nil {
		return rule, err
	}
	return closed.Rule, nil
}

// undisturbed is what the rule remembers after every close of a loop that nobody kills.
func (c *crowd) undisturbed(loop string, closes int) (all []session.Hash) {
	h := session.NewFleet(store.NewMemory(), wallClock{}, session.Standard, nil)
	do := func(command session.Command) any {
		reply, err := h.Do(c.Context(), loop, "test", command)
		if err != nil {
			c.Fatal(err)
		}
		return reply
	}
	do(session.Create{Spec: patient, Mode: session.Live, Epoch: "e"})
	for range closes {
		a := do(session.Ask{}).(session.Offer)
		do(session.Deploy{K: a.K, U: a.U})
		for n := range 3 {
			p := c.people(loop, a.K, n)
			do(session.Tell{K: a.K, ID: fmt.Sprint("b", n), Batch: session.Batch{P: append(p.P[0], p.P[1]...), D: append(p.D[0], p.D[1]...)}})
		}
		all = append(all, do(session.Close{K: a.K}).(session.Closing).Rule)
	}
	return all
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// copy is a backup that was called good, with what had been acknowledged before it began.
type checkedCopy struct {
	file   string
	closes map[string]int
}

// backups makes them until it is told to stop.
func (c *crowd) backups(ctx context.Context) (all []checkedCopy) {
	for ctx.Err() == nil {
		before := map[string]int{}
		c.mu.Lock()
		for loop, list := range c.closes {
			before[loop] = len(list)
		}
		c.mu.Unlock()
		if made, err := remote.Open("http://" + c.address).Backup(ctx); err == nil && made.Checked {
			all = append(all, checkedCopy{made.File, before})
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return all
}

// Killed again and again under load the service loses nothing, does nothing twice, comes to what it comes to undisturbed, and every backup that it
// called good has all that was acknowledged before it began.
func TestKilledServicesLoseNothing(t *testing.T) {
	kept := evidence.For(t, evidence.Promise{Name: "service-kills", Text: "`kedge serve` killed -9 1,000 times under 8 clients that repeat what is not answered: closes after which the rule remembers something else than undisturbed, decisions without their three batches, once each, chains that do not verify or replay", Short: "3 kills"})
	copies := evidence.For(t, evidence.Promise{Name: "service-backups", Text: "backups called good that were made meanwhile: not restored, or without a close that was acknowledged before they began", Short: "3 kills"})
	kills := 3
	if evidence.Whole() {
		kills = 1000
	}
	s := newServing(t)
	c := &crowd{T: t, address: s.address, closes: map[string][]session.Hash{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() { c.drive(ctx, fmt.Sprint("loop-", n)) })
	}
	var made []checkedCopy
	all.Go(func() { made = c.backups(ctx) })
	random := rand.New(rand.NewPCG(5, 6))
	for range kills {
		time.Sleep(time.Duration(100+random.IntN(200)) * time.Millisecond)
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.start()
	}
	time.Sleep(300 * time.Millisecond)
	stop()
	all.Wait()
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	t.Logf("%d kills, %d tells acknowledged, %d backups", kills, c.tells, len(made))
	c.compare(kept, s.data)
	c.restore(copies, s.data, made)
}

// compare looks at what the folder holds in the end.
func (c *crowd) compare(row *evidence.Witness, data string) {
	found, err := store.Verify(c.Context(), data)
	row.Case(err == nil && found.Events > 0, "%+v, %v", found, err)
	j, _, done, err := store.Reading(c.Context(), data)
	if err != nil {
		c.Fatal(err)
	}
	defer done()
	for loop, closes := range c.closes {
		for i, want := range c.undisturbed(loop, len(closes)) {
			row.Case(want == closes[i], "%s: decision %d came to something else", loop, i+1)
			events, err := j.Decision(loop, i+1)
			batches := 0
			for _, e := range events {
				if e.Kind == session.Told {
					batches++
				}
			}
			row.Case(err == nil && batches == 3, "%s: decision %d has %d batches, %v", loop, i+1, batches, err)
		}
		_, err := replay.Loop(c.Context(), j, loop, session.Standard)
		row.Case(err == nil, "%v", err)
	}
}

// restore looks at what the backups hold.
func (c *crowd) restore(row *evidence.Witness, data string, made []checkedCopy) {
	if len(made) > 300 {
		made = made[len(made)-300:]
	}
	row.Case(len(made) > 0, "no backup was made")
	for _, b := range made {
		dir := filepath.Join(c.TempDir(), "restored")
		_, err := store.Restore(c.Context(), filepath.Join(data, b.file), dir, wallClock{}, session.Standard)
		if err == nil {
			err = b.holds(c.Context(), dir)
		}
		row.Case(err == nil, "%s: %v", b.file, err)
		os.RemoveAll(dir)
	}
}

func (b checkedCopy) holds(ctx context.Context, dir string) error {
	j, _, done, err := store.Reading(ctx, dir)
	if err != nil {
		return err
	}
	defer done()
	for loop, want := range b.closes {
		events, err := j.Decision(loop, max(1, want))
		if err != nil {
			return err
		}
		closed := want == 0
		for _, e := range events {
			closed = closed || e.Kind == session.Closed
		}
		if !closed {
			return fmt.Errorf("%s has not closed decision %d", loop, want)
		}
	}
	return nil
}

// A sync that fails once ends the service: nothing is acknowledged after it, it ends with exit code 1, and all that was acknowledged is there.
func TestServicesEndWhenASyncFails(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-eio", Text: "a sync of `kedge serve` fails once (EIO): tells acknowledged after it, another exit code than 1, acknowledged ones lost", Needs: "strace, allowed to attach"})
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("skipped: ", err)
	}
	s := newServing(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	service := remote.Open("http://" + s.address)
	if _, err := service.Create(ctx, "shop", patient, session.Live); err != nil {
		t.Fatal(err)
	}
	loop, c := service.Loop("shop"), &crowd{T: t}
	a, err := loop.Ask(ctx)
	if err == nil {
		_, err = loop.Deploy(ctx, a.K, a.U)
	}
	if err == nil {
		_, err = loop.Tell(ctx, 1, "before", c.people("shop", 1, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
	spy := exec.Command("strace", "-f", "-o", filepath.Join(t.TempDir(), "trace"), "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=1", "-p", fmt.Sprint(s.cmd.Process.Pid))
	if err := spy.Start(); err != nil {
		t.Skip("skipped: ", err)
	}
	defer func() { spy.Process.Kill(); spy.Wait() }()
	if !attached(s.cmd.Process.Pid) {
		t.Skip("skipped: strace may not attach")
	}
	once, stop := context.WithTimeout(ctx, 300*time.Millisecond) // no repeats by a service that is gone
	defer stop()
	_, err = loop.Tell(once, 1, "lost", c.people("shop", 1, 1))
	row.Case(err != nil, "a tell whose sync failed was acknowledged")
	again, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	_, err = loop.Tell(again, 1, "after", c.people("shop", 1, 2))
	row.Case(err != nil, "a tell after a failed sync was acknowledged")
	var ended *exec.ExitError
	patience := time.AfterFunc(time.Minute, func() { s.cmd.Process.Kill() }) // with a service that goes on
	err = s.cmd.Wait()
	patience.Stop()
	row.Case(errors.As(err, &ended) && ended.ExitCode() == 1, "the service ended with %v", err)
	s.start()
	d, err := loop.Decision(ctx, 1)
	row.Case(err == nil && len(d.Batches) > 0 && d.Batches[len(d.Batches)-1].ID != "after", "%+v, %v", d.Batches, err)
	found := false
	for _, b := range d.Batches {
		found = found || b.ID == "before"
	}
	row.Case(found, "what was acknowledged is gone")
}

// attached waits until somebody traces a process.
func attached(pid int) bool {
	for range 100 {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for _, line := range strings.Split(string(text), "\n") {
			if who, is := strings.CutPrefix(line, "TracerPid:"); is && strings.TrimSpace(who) != "0" {
				time.Sleep(50 * time.Millisecond) // the other threads
				return true
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// A service that is stopped for a while, or whose database another program holds, loses nothing and does nothing twice, and goes on by itself.
func TestPausedServicesGoOn(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-pauses", Text: "`kedge serve` stopped for 30 s, and its database held by another program for 10 s, under 8 clients that repeat what is not answered: closes after which the rule remembers something else than undisturbed, decisions without their batches, chains that do not verify", Short: "0.5 s and 1 s"})
	stopped, held := 500*time.Millisecond, time.Second
	if evidence.Whole() {
		stopped, held = 30*time.Second, 10*time.Second
	}
	s := newServing(t)
	c := &crowd{T: t, address: s.address, closes: map[string][]session.Hash{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() { c.drive(ctx, fmt.Sprint("loop-", n)) })
	}
	time.Sleep(300 * time.Millisecond)
	s.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(stopped)
	s.cmd.Process.Signal(syscall.SIGCONT)
	time.Sleep(100 * time.Millisecond)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "kedge.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(held)
	tx.Rollback()
	db.Close()
	before := c.total()
	for since := time.Now(); c.total() == before && time.Since(since) < 5*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	row.Case(c.total() > before, "it did not go on within 5 s")
	stop()
	all.Wait()
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	c.compare(row, s.data)
}

func (c *crowd) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tells
}
