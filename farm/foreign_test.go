package farm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A server that is there serves as well as one of kedge's own: results larger than a message, and files that specs name.
func TestServerThatIsThere(t *testing.T) {
	t.Parallel()
	f := &fair{t: t, at: foreign(t, nil)}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte("0.6,0.8\n0,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := "name: grid\nbase: polarized\nset: {iterations: 12000, trials: 1, optimum.starts: 1, record.every: 1, population: {size: 2, dim: 2, law: file, file: people.csv}}\nover:\n  hold: [1, 2]\n"
	files := os.DirFS(dir)
	w, err := family.ParseOf(kind.Standard(), "grid.yaml", []byte(text), family.Sources{Sum: func(name string) (string, error) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		return headOf(text).Sum, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.work(WorkerOptions{Workers: 2, Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		r, err := lab.RunCell(ctx, job)
		if err == nil {
			all, _ := r.CellFiles()
			archive, _ := pack(all)
			if len(archive) <= partSize {
				t.Errorf("a result of %d bytes fits into a message", len(archive))
			}
		}
		return r, err
	}})
	got := filepath.Join(t.TempDir(), "grid")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := f.sweep(ctx, w, got, QueueOptions{SweepOptions: lab.SweepOptions{Files: files}}); err != nil {
		t.Fatal(err)
	}
	if n := differing(alone(t, w, files), sums(t, got)); n > 0 {
		t.Errorf("%d files differ from those of one process", n)
	}
}

// A cell that takes longer than it may is tried by others, and the reason is kept.
func TestCellsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	w, f := grid(t, 2), newFair(t)
	slow := w.Cells[1].ID
	f.work(WorkerOptions{Workers: 2, Limit: 200 * time.Millisecond, delay: time.Second, Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		if job.Cell.ID == slow {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, errEmpty
	}})
	dir := filepath.Join(t.TempDir(), "grid")
	if err := f.sweep(t.Context(), w, dir, QueueOptions{Lease: time.Second, Look: time.Second}); err != nil {
		t.Fatal(err)
	}
	r, err := folder.OpenSweep(t.Context(), dir, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		if late := strings.HasPrefix(c.Err, LostPrefix) && strings.Contains(c.Err, "took longer than it may, 200ms"); late != (c.ID == slow) {
			t.Errorf("cell %s died of %q", c.ID, c.Err)
		}
	}
}

// Somebody can have cells tried again that were given up, see how a sweep stands, and cancel it.
func TestControl(t *testing.T) {
	t.Parallel()
	w, f := grid(t, 2), newFair(t)
	lost, last := w.Cells[0].ID, w.Cells[1].ID
	var mu sync.Mutex
	times, release := map[string]int{}, make(chan struct{})
	f.work(WorkerOptions{Workers: 4, empty: func(cell string) (string, []byte) {
		mu.Lock()
		times[cell]++
		n := times[cell]
		mu.Unlock()
		switch {
		case cell == lost && n == 1:
			return kindLost, []byte("its host was")
		case cell == last && n == 1:
			<-release
		}
		return kindError, []byte(errEmpty.Error())
	}})
	dir, ended := filepath.Join(t.TempDir(), "grid"), make(chan error, 1)
	go func() { ended <- f.sweep(t.Context(), w, dir, QueueOptions{}) }()
	c, err := OpenControl(t.Context(), f.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	await := func(what string, is func(QueuedSweep) bool) {
		t.Helper()
		for range 300 {
			if s, err := c.State(t.Context()); err == nil && len(s.Sweeps) == 1 && is(s.Sweeps[0]) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("%s does not happen", what)
	}
	await("that seven have failed", func(q QueuedSweep) bool { return q.Failed != nil && *q.Failed == 7 && q.Leased == 1 })
	if n, unasked, err := c.Retry(t.Context(), "grid"); n != 1 || len(unasked) > 0 || err != nil {
		t.Errorf("retried %d, unasked %v, %v", n, unasked, err)
	}
	await("the second try", func(QueuedSweep) bool { mu.Lock(); defer mu.Unlock(); return times[lost] == 2 })
	if _, err := c.Cancel(t.Context(), "other"); !errors.As(err, new(*NoSweepError)) {
		t.Errorf("a sweep that is not there: %v", err)
	}
	if names, err := c.Cancel(t.Context(), "grid"); err != nil || len(names) != 1 {
		t.Errorf("cancelled %v, %v", names, err)
	}
	if err := <-ended; !errors.Is(err, ErrCancelled) {
		t.Errorf("the sweep ended with %v", err)
	}
	if s, err := c.State(t.Context()); err != nil || len(s.Sweeps) != 0 {
		t.Errorf("left are %+v, %v", s, err)
	}
	close(release)
}
