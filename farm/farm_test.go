package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// grid is a sweep of 4·steps short cells.
func grid(t testing.TB, steps int) *family.Sweep {
	t.Helper()
	return mustParse(t, gridText(steps))
}

func gridText(steps int) string {
	return fmt.Sprintf("name: grid\nbase: lq2\nset: {iterations: 50, trials: 2}\nover:\n"+
		"  algorithms.composite.step: {from: 0.01, to: 0.3, count: %d, scale: log}\n  hold: [1, 2, 3, 4]\n", steps)
}

func mustParse(t testing.TB, text string) *family.Sweep {
	t.Helper()
	w, err := family.Parse(kind.Standard(), "grid.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// alone is the folder of a sweep that one process has made.
func alone(t testing.TB, w *family.Sweep, files fs.FS) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "alone")
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Sweep(t.Context(), w, c, lab.SweepOptions{Files: files})
	c.Release()
	if err != nil {
		t.Fatal(err)
	}
	return sums(t, dir)
}

// sums are the SHA-256 of all files below a folder.
func sums(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		sum := sha256.Sum256(text)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differing counts the files that two folders have otherwise.
func differing(a, b map[string]string) int { return len(otherwise(a, b)) }

// otherwise are the files that two folders have otherwise.
func otherwise(a, b map[string]string) (names []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	return names
}

// fair is a queue with workers and a collector in this process.
type fair struct {
	t     *testing.T
	queue *Embedded // or
	at    Address   // that of somebody else
	mu    sync.Mutex
	told  []string
}

func newFair(t *testing.T) *fair {
	t.Helper()
	e, err := Serve(filepath.Join(t.TempDir(), "queue"), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Stop(true) })
	return &fair{t: t, queue: e}
}

func (f *fair) address() Address {
	if f.queue == nil {
		return f.at
	}
	return f.queue.Address
}

func (f *fair) tell(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, line)
}

// heard tells whether somebody said something.
func (f *fair) heard(words string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Contains(strings.Join(f.told, "\n"), words)
}

// work starts a worker; the returned function stops it and waits.
func (f *fair) work(o WorkerOptions) (stop func() (int, error)) {
	f.t.Helper()
	o.Kinds, o.Told = kind.Standard(), f.tell
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var n int
	var err error
	go func() {
		n, err = Work(ctx, f.address(), o)
		close(done)
	}()
	var once sync.Once
	stop = func() (int, error) {
		once.Do(cancel)
		<-done
		return n, err
	}
	f.t.Cleanup(func() { stop() })
	return stop
}

// sweep collects a sweep into a folder.
func (f *fair) sweep(ctx context.Context, w *family.Sweep, dir string, o QueueOptions) error {
	f.t.Helper()
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	defer c.Release()
	o.Address, o.Told = f.address(), f.tell
	_, err = Sweep(ctx, w, c, o)
	return err
}

// Workers and a queue give the bytes of one process.
func TestSameBytesAsOneProcess(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "hosts-bytes", Text: "a sweep that workers compute, by an embedded queue: files that one process makes otherwise"})
	w := grid(t, 5)
	want := alone(t, w, nil)
	f := newFair(t)
	for range 3 {
		f.work(WorkerOptions{Workers: 2})
	}
	dir := filepath.Join(t.TempDir(), "grid")
	begun := time.Now()
	if err := f.sweep(t.Context(), w, dir, QueueOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cells in %v", len(w.Cells), time.Since(begun))
	row.Cases(differing(want, sums(t, dir)), len(want))
}

// Signals are for the program: its queue waits for none.
func TestQueuesLeaveSignalsAlone(t *testing.T) {
	e, err := Serve(filepath.Join(t.TempDir(), "queue"), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop(true)
	all := make([]byte, 4<<20)
	if all = all[:runtime.Stack(all, true)]; !bytes.Contains(all, []byte("nats-server")) || bytes.Contains(all, []byte("handleSignals")) {
		t.Error("the queue is not there, or waits for signals")
	}
}
