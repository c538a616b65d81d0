package store

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"math/rand/v2"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/outage"
	"github.com/kedge-opt/kedge/session"
)

// tellers is where a child of this test tells, until somebody ends it; it writes down whom it was told of.
const tellers = "KEDGE_STORE_TELLERS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(migrating); dir != "" {
		migrateChild(dir)
	}
	if dir := os.Getenv(tellers); dir != "" {
		tell(dir, os.Getenv("KEDGE_STORE_STRENGTH"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tell has eight loops grow, and prints the events that were acknowledged.
func tell(dir, strength string) {
	s, err := open(dir, strength)
	if err != nil {
		fmt.Println("cannot open:", err)
		return
	}
	heads, _ := s.Loops(context.Background())
	var all sync.WaitGroup
	var mu sync.Mutex
	for n := range 8 {
		c := &chain{loop: fmt.Sprint("loop-", n)}
		for _, h := range heads {
			if h.Loop == c.loop {
				c.seq, c.hash = h.Seq, h.Hash
			}
		}
		all.Go(func() {
			for {
				after := c.seq
				if s.Append(c.loop, after, []session.Event{c.next(1, "", []byte(fmt.Sprint(c.loop, c.seq)))}, nil)() != nil {
					return
				}
				mu.Lock()
				fmt.Println("told", c.loop, c.seq)
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

// outages cuts the power of who tells, again and again, and counts acknowledged events that are gone and loops whose chain is broken.
func outages(t *testing.T, cuts int, strength string) (told, lost, broken int) {
	d, err := outage.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(d.Close)
	dir := filepath.Join(d.Dir, "data")
	random, kept := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	for range cuts {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), tellers+"="+dir, "KEDGE_STORE_STRENGTH="+strength)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		newest := map[string]int{}
		done, begun := make(chan struct{}), make(chan struct{}, 1)
		go func() {
			defer close(done)
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var loop string
				var seq int
				if n, _ := fmt.Sscanf(lines.Text(), "told %s %d", &loop, &seq); n == 2 {
					mu.Lock()
					newest[loop] = seq
					mu.Unlock()
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			}
		}()
		select {
		case <-begun:
		case <-done:
			t.Fatal("nothing was ever acknowledged")
		}
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		// A sync that is under way while the file system is shut down may say that it succeeded, which no disk without power does: what counts
		// was acknowledged before.
		mu.Lock()
		before := maps.Clone(newest)
		mu.Unlock()
		if err := d.Cut(); err != nil {
			t.Fatal(err)
		}
		c.Process.Kill()
		<-done
		c.Wait()
		if err := d.Restore(); err != nil {
			t.Fatal(err)
		}
		for loop, seq := range before {
			told += seq - kept[loop]
		}
		gone, faults := audit(t, dir, strength, before, kept)
		lost, broken = lost+gone, broken+faults
	}
	return told, lost, broken
}

// audit reads everything back, and notes how many events there are.
func audit(t *testing.T, dir, strength string, newest, kept map[string]int) (lost, broken int) {
	s, err := open(dir, strength)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for loop, told := range newest {
		seq, hash := 0, session.Hash{}
		err := s.Read(context.Background(), loop, 0, func(e session.Event) error {
			err := e.Follow(loop, seq, hash)
			seq, hash = e.Seq, e.Hash
			return err
		})
		if err != nil {
			broken++
		}
		lost += max(0, told-seq)
		kept[loop] = seq
	}
	return lost, broken
}

// What was acknowledged outlives a power cut. The twin asks the database for less, and loses some.
func TestAcknowledgedEventsOutlivePowerCuts(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-power", Text: "the disk of the service loses its power 1,000 times: events that were acknowledged and are lost, or do not follow from those before them", Needs: "root and a loop device", Short: "12 cuts"})
	cuts := 12
	if evidence.Whole() {
		cuts = 1000
	}
	told, lost, broken := outages(t, cuts, "FULL")
	t.Logf("%d cuts: %d events acknowledged, %d lost, %d chains broken", cuts, told, lost, broken)
	row.Cases(lost+broken, told)
	twinTold, twinLost := 0, 0
	for n := 0; n < 5 && twinLost == 0; n++ { // a cut may come just after a sync
		told, lost, _ := outages(t, min(cuts/3, 20), "NORMAL")
		twinTold, twinLost = twinTold+told, twinLost+lost
	}
	t.Logf("with synchronous NORMAL: %d of %d lost", twinLost, twinTold)
	if twinLost == 0 {
		t.Error("a database that does not sync loses nothing: the cuts do not cut")
	}
}
