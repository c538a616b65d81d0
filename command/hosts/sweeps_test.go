package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// stderr is what something prints there, without what the queue says.
func stderr(t *testing.T, do func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = was; file.Close() }()
	do()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// outing is a sweep of two cells that others compute.
type outing struct {
	t     *testing.T
	sweep *family.Sweep
	taken *folder.Taken
	run   Sweeper
	end   func(isFinished bool)
}

func newOuting(t *testing.T, f Outing, isQuiet bool) *outing {
	t.Helper()
	w, err := family.Parse(kind.Standard(), "grid.yaml", []byte("name: grid\nbase: lq2\nset: {iterations: 5, trials: 1}\nover:\n  hold: [1, 2]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := folder.KindSweep.Take(filepath.Join(t.TempDir(), "grid"))
	if err != nil {
		t.Fatal(err)
	}
	o := &outing{t: t, sweep: w, taken: c}
	told := func(line string) {
		if !isQuiet {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	if o.run, o.end, err = f.Begin(c, told); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	return o
}

// began runs the sweep; the channel says how it ends.
func (o *outing) began(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := o.run(ctx, o.sweep, o.taken, lab.SweepOptions{})
		ended <- err
	}()
	return ended
}

// A sweep with a queue of its own says how workers find it; one of them computes its cells, says how many, and there are the files of one process.
func TestWorkersComputeASweep(t *testing.T) {
	var alone, served *outing
	if said := stderr(t, func() { alone = newOuting(t, Outing{}, false); alone.end(true) }); said != "" {
		t.Errorf("without others it says %q", said)
	}
	if err := <-alone.began(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, isQuiet := range []bool{true, false} {
		said := stderr(t, func() { served = newOuting(t, Outing{serve: "127.0.0.1:0"}, isQuiet) })
		file := filepath.Join(served.taken.Dir(), ".kedge", "queue", "url")
		address, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := "on every host: kedge worker --queue '" + strings.TrimSpace(string(address)) + "'\nwhere this folder is shared: kedge worker --queue @" + file + "\n"
		if (said == want) == isQuiet || isQuiet && said != "" {
			t.Errorf("quiet: %t, it says %q, want %q", isQuiet, said, want)
		}
		var end exit.Coded
		said = stderr(t, func() {
			ctx, stop := context.WithCancel(t.Context())
			worked, swept := make(chan error), served.began(t.Context())
			waits(t, "@"+file, "1 sweep,")
			go func() {
				_, err := typed(ctx, map[bool]string{true: "worker --quiet", false: "worker"}[isQuiet]+" --queue @"+file)
				worked <- err
			}()
			err = <-swept
			stop()
			if last := <-worked; !errors.As(last, &end) {
				t.Errorf("the worker ends with %v", last)
			}
		})
		if err != nil || end.Code != 130 || strings.HasSuffix(said, "2 cells computed\n") == isQuiet || isQuiet && said != "" {
			t.Errorf("quiet: %t, the sweep ends with %v, the worker with %v and says %q", isQuiet, err, end, said)
		}
		one, err := os.ReadFile(filepath.Join(alone.taken.Dir(), "table.csv"))
		other, err2 := os.ReadFile(filepath.Join(served.taken.Dir(), "table.csv"))
		if err = errors.Join(err, err2); err != nil || string(other) != string(one) {
			t.Errorf("others come to another table: %v", err)
		}
		served.end(true)
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the queue is still there: %v", err)
		}
	}
}

// waits returns once the queue has the sweep.
func waits(t *testing.T, queue, want string) {
	t.Helper()
	for range 500 {
		if out, err := typed(t.Context(), "queue status --queue "+queue); err == nil && strings.Contains(out, want) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the queue never says %q", want)
}

// Sweeps of a queue elsewhere are retried and cancelled by name; of one that nobody collects that is said.
func TestSweepsOfAQueue(t *testing.T) {
	e, err := farm.Serve(t.TempDir(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop(true)
	queue := "@" + e.URLFile
	for _, c := range []struct{ flag, retried, cancelled string }{
		{"", "0 cells to be tried again\n", "cancelled: grid\n"},
		{" --json", "{\n  \"cells\": 0\n}\n", "{\n  \"cancelled\": [\n    \"grid\"\n  ]\n}\n"},
	} {
		o := newOuting(t, Outing{queue: queue}, true)
		ended := o.began(t.Context())
		waits(t, queue, "1 sweep,")
		if out, err := typed(t.Context(), "queue retry grid --queue "+queue+c.flag); err != nil || out != c.retried {
			t.Errorf("retry%s: %q, %v", c.flag, out, err)
		}
		if out, err := typed(t.Context(), "queue cancel grid --queue "+queue+c.flag); err != nil || out != c.cancelled {
			t.Errorf("cancel%s: %q, %v", c.flag, out, err)
		}
		if err := <-ended; !errors.Is(err, farm.ErrCancelled) {
			t.Errorf("cancel%s: the sweep ends with %v", c.flag, err)
		}
		o.end(false)
	}
	o := newOuting(t, Outing{queue: queue}, true)
	ctx, stop := context.WithCancel(t.Context())
	over := o.began(ctx)
	waits(t, queue, "1 sweep,")
	stop()
	<-over
	o.end(false)
	var failed exit.Coded
	if out, err := typed(t.Context(), "queue retry --queue "+queue); !errors.As(err, &failed) || failed.Code != 1 || out != "" || err.Error() != "nobody collects grid: give its kedge sweep again, which tries all cells that are not finished" {
		t.Errorf("retry without a collector: %q, %v", out, err)
	}
}

// A queue that is not there fails the commands with code 1, before they do anything; a sweep whose queue cannot be served is not begun.
func TestQueuesThatAreAway(t *testing.T) {
	for _, line := range []string{"queue status", "queue cancel", "queue retry"} {
		var end exit.Coded
		if out, err := typed(t.Context(), line+" --queue nats://127.0.0.1:1"); !errors.As(err, &end) || end.Code != 1 || out != "" {
			t.Errorf("%s: %q, %v", line, out, err)
		}
	}
	c, err := folder.KindSweep.Take(filepath.Join(t.TempDir(), "grid"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if run, end, err := (&Outing{serve: "nowhere"}).Begin(c, func(string) {}); err == nil || run != nil || end != nil {
		t.Errorf("served on no address: %v", err)
	}
}
