package farm

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// ordeal is a sweep whose processes are killed while a proxy loses what they say.
type ordeal struct {
	t        *testing.T
	dir      string
	random   *rand.Rand
	settings []string
	all      []*player // the server, the collector and the workers
	roles    []string
	kills    int
}

func newOrdeal(t *testing.T, sweep string, workers int, seed uint64) *ordeal {
	t.Helper()
	dir, begun := t.TempDir(), time.Now()
	file, store := filepath.Join(dir, "grid.yaml"), filepath.Join(dir, "queue")
	if err := os.WriteFile(file, []byte(sweep), 0o644); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	o := &ordeal{t: t, dir: filepath.Join(dir, "grid"), random: rand.New(rand.NewPCG(seed, 0)), roles: []string{"serve", "collect"}}
	for range workers {
		o.roles = append(o.roles, "work")
	}
	o.settings = []string{"KEDGE_TEST_SERVE=" + at, "KEDGE_TEST_STORE=" + store, "KEDGE_TEST_SWEEP=" + file, "KEDGE_TEST_DIR=" + o.dir, "KEDGE_TEST_SLOTS=2",
		"KEDGE_TEST_LEASE=1s", "KEDGE_TEST_LOOK=500ms", "KEDGE_TEST_WAIT=500ms", "TMPDIR=" + dir}
	o.all = []*player{play(t, "serve", o.settings...)}
	url := awaited(t, filepath.Join(store, urlName))
	p := newProxy(t, at, seed)
	o.settings = append(o.settings, "KEDGE_TEST_QUEUE="+strings.Replace(url, at, p.Addr().String(), 1))
	for _, role := range o.roles[1:] {
		o.all = append(o.all, play(t, role, o.settings...))
	}
	t.Cleanup(func() {
		for _, p := range o.all {
			p.Process.Kill()
			p.Wait()
		}
		p.mu.Lock() // it still carries what is under way
		defer p.mu.Unlock()
		t.Logf("%d killed, %d cells, %v; messages %v", o.kills, o.finished(), time.Since(begun).Round(time.Second), p.seen)
	})
	return o
}

// awaited is what a file holds once it is there.
func awaited(t testing.TB, path string) string {
	t.Helper()
	for range 2000 {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
			return strings.TrimSpace(string(text))
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
	return ""
}

// collect waits for the collector to end with a finished sweep, and meanwhile kills somebody now and then, who begins again at once, as often as is said at most.
func (o *ordeal) collect(ctx context.Context, every time.Duration, most int) error {
	last, had := time.Now(), 0
	for {
		ended := make(chan error, 1)
		c := o.all[1]
		go func() { ended <- c.Wait() }()
		for isOut := false; !isOut; {
			select {
			case err := <-ended:
				if err == nil {
					return nil
				}
				if said := c.err.String(); strings.Contains(said, "computed twice") {
					return fmt.Errorf("%w: %s", err, said)
				}
				isOut = true
			case <-ctx.Done():
				c.Process.Kill()
				<-ended
				return fmt.Errorf("%w: %s", ctx.Err(), c.err.String())
			case <-time.After(every / 4):
				has := o.finished()
				if o.kills >= most || time.Since(last) < every || has <= had && time.Since(last) < 10*every { // so that there is progress on a slow machine
					continue
				}
				last, had = time.Now(), has
				i := o.random.IntN(len(o.all))
				o.kills++
				o.all[i].Process.Kill()
				if i != 1 {
					o.all[i].Wait()
					o.all[i] = play(o.t, o.roles[i], o.settings...)
				}
			}
		}
		o.all[1] = play(o.t, "collect", o.settings...)
	}
}

// finished is how many cells are in the folder.
func (o *ordeal) finished() int {
	list, _ := os.ReadDir(filepath.Join(o.dir, "cells"))
	return len(list)
}

// Whoever is killed and whatever is lost on the way, the folder is that of one process.
func TestKillsAndLossesLeaveTheSameBytes(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "hosts-kills", Text: "sweeps by eight workers, a queue and a collector, one of the ten killed every second, behind a proxy that drops 5 % of all messages, repeats 10 %, delays 10 % beyond others and cuts lines: folders that one process makes otherwise",
		Short: "one run of 8 cells with two workers and two kills instead of 98 of 100 cells and 2 of 500"})
	runs, workers, every, most, limit := 1, 2, 300*time.Millisecond, 2, 6*time.Minute
	few, many := gridText(2), gridText(2)
	if evidence.Whole() {
		runs, workers, every, most, limit = 100, 8, time.Second, 100_000, 30*time.Minute
		few, many = gridText(25), gridText(125)
		if cells, _ := strconv.Atoi(os.Getenv("KEDGE_CELLS")); cells > 0 { // of every run, four of a step
			few, many = gridText(cells/4), gridText(cells/4)
		}
	}
	wants := map[string]map[string]string{}
	for _, text := range []string{few, many} {
		wants[text] = alone(t, mustParse(t, text), nil)
	}
	for i := range runs {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			t.Parallel()
			text := few
			if i%50 == 0 {
				text = many
			}
			want := wants[text]
			o := newOrdeal(t, text, workers, uint64(i+1))
			ctx, stop := context.WithTimeout(t.Context(), limit)
			defer stop()
			err := o.collect(ctx, every, most)
			got := map[string]string{}
			if err == nil {
				got = sums(t, o.dir)
			}
			if t.Failed() || err != nil {
				for i, p := range o.all {
					t.Logf("%s: %s", o.roles[i], p.err.String())
				}
			}
			row.Case(err == nil && maps.Equal(got, want), "run %d: %v, these differ: %q", i+1, err, otherwise(got, want))
		})
	}
}
