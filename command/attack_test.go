package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// attack is a number of blows at the real program or at its folders, and how each ended.
type attack struct {
	t    *testing.T
	row  *evidence.Witness
	seed uint64
}

// newAttack begins an attack. KEDGE_TORTURE_SEED repeats one.
func newAttack(t *testing.T, promised evidence.Promise) *attack {
	t.Helper()
	a := &attack{t: t, row: evidence.For(t, promised), seed: uint64(time.Now().UnixNano())}
	fmt.Sscan(os.Getenv("KEDGE_TORTURE_SEED"), &a.seed)
	t.Logf("KEDGE_TORTURE_SEED=%d", a.seed)
	return a
}

// strike gives blows, several at a time where there are lanes, each with random numbers of its own. It ends early when the time of the
// test does, which is no whole attack.
func (a *attack) strike(blows, lanes int, blow func(n int, random *rand.Rand) (ended string, err error)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range lanes {
		all.Go(func() {
			for n := range next {
				ended, err := blow(n, rand.New(rand.NewPCG(a.seed, uint64(n))))
				a.row.Ended(ended)
				a.row.Case(err == nil, "blow %d, %s: %v", n, ended, err)
			}
		})
	}
	end, limited := a.t.Deadline()
	for n := range blows {
		if limited && time.Until(end) < time.Minute {
			if a.t.Logf("no time for more than %d of %d blows: go test takes more with -timeout", n, blows); evidence.Whole() {
				a.t.Fail()
			}
			break
		}
		next <- n
	}
	close(next)
	all.Wait()
}

// users are files that somebody keeps in a folder of results, by name.
func users() map[string]string {
	return map[string]string{"mine.svg": "my figure", "mine.png": "my figure", "notes.txt": "my notes", ".git/config": "my history",
		"cells/notes.txt": "my notes on cells", "cells/.git/config": "my history of cells"}
}

// leave puts the user's files into a folder.
func leave(dir string) error {
	for name, text := range users() {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// untouched wants the user's files as they were.
func untouched(dir string) error {
	for name, text := range users() {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(got) != text {
			return fmt.Errorf("the user's %s is lost: %q, %v", name, got, err)
		}
	}
	return nil
}

// deed is a command that writes a folder.
type deed struct {
	name string
	args func(w *workshop, seed, dir string) []string // of kedge
}

// deeds are commands of every kind, as small as they get.
func deeds() []deed {
	run := []string{"run", "lq2", "--quiet", "--overwrite", "--no-check", "--set", "optimum.starts=1"}
	with := func(args []string, more ...string) []string { return append(slices.Clone(args), more...) }
	return []deed{
		{"run", func(_ *workshop, seed, dir string) []string {
			return with(run, "--iterations", "20", "--trials", "1", "--seed", seed, "--out", dir)
		}},
		{"checkpoint", func(_ *workshop, seed, dir string) []string {
			return with(run, "--iterations", "5000", "--trials", "2", "--checkpoint", "2ms", "--seed", seed, "--out", dir)
		}},
		{"sweep", func(w *workshop, seed, dir string) []string {
			return []string{"sweep", w.path("grid" + seed + ".yaml"), "--quiet", "--overwrite", "--out", dir}
		}},
		{"merge", func(w *workshop, seed, dir string) []string {
			return []string{"merge", "--quiet", "--overwrite", dir, w.path("part1-" + seed), w.path("part2-" + seed)}
		}},
		{"report", func(_ *workshop, _, dir string) []string { return []string{"report", dir} }},
		{"joint", func(w *workshop, seed, dir string) []string {
			return []string{"report", w.path("run-" + seed), w.path("checkpoint-" + seed), "--overwrite", "--out", dir}
		}},
		{"compare", func(_ *workshop, seed, dir string) []string {
			return []string{"compare", "lq2", "--quiet", "--overwrite", "--methods", "vanilla,composite", "--iterations", "100", "--trials", "1", "--points", "3", "--seed", seed, "--out", dir}
		}},
		{"study", func(_ *workshop, seed, dir string) []string {
			return []string{"study", "theorem-3", "--quick", "--trials", "2", "--quiet", "--overwrite", "--seed", seed, "--out", dir}
		}},
	}
}

// needsOld tells whether there must be a result before the deed, which is then its own.
func (d deed) needsOld() bool { return d.name == "report" }

// workshop is where the undisturbed results of all deeds lie, for two seeds.
type workshop struct {
	dir       string
	took      map[string]time.Duration // by deed
	manifests map[string]string        // what they vouch for, by deed and seed
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// undisturbed makes the workshop, once for all attacks.
var undisturbed = sync.OnceValues(func() (*workshop, error) {
	w := &workshop{filepath.Join(program.Dir, "workshop"), map[string]time.Duration{}, map[string]string{}}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	for _, seed := range []string{"1", "2"} {
		text := "base: lq2\nseed: " + seed + "\nset: {iterations: 20, trials: 1}\nover:\n  algorithms.composite.step: [0.1, 0.2]\n  hold: [1, 2]\n"
		if err := os.WriteFile(w.path("grid"+seed+".yaml"), []byte(text), 0o644); err != nil {
			return nil, err
		}
		for _, part := range []string{"1", "2"} {
			out, code := started("sweep", w.path("grid"+seed+".yaml"), "--quiet", "--shard", part+"/2", "--out", w.path("part"+part+"-"+seed))
			if code != 0 {
				return nil, fmt.Errorf("exit code %d: %s", code, out)
			}
		}
		for _, d := range deeds() {
			if err := w.do(d, seed); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
})

// do does a deed without disturbance.
func (w *workshop) do(d deed, seed string) error {
	dir := w.path(d.name + "-" + seed)
	if d.needsOld() {
		if err := os.CopyFS(dir, os.DirFS(w.path("run-"+seed))); err != nil {
			return err
		}
	}
	begun := time.Now()
	if out, code := started(d.args(w, seed, dir)...); code != 0 {
		return fmt.Errorf("%s: exit code %d: %s", d.name, code, out)
	}
	w.took[d.name] = time.Since(begun)
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	w.manifests[d.name+"-"+seed] = string(text)
	return err
}

// workshopOf is the workshop, for a test that can wait for it.
func workshopOf(t *testing.T) *workshop {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program and runs it many times")
	}
	w, err := undisturbed()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// started runs a real kedge to its end and returns what it says and its exit code.
func started(args ...string) (out string, code int) {
	c, said, err := ready(args...)
	if err != nil {
		return err.Error(), -1
	}
	c.Run()
	return said.String(), c.ProcessState.ExitCode()
}

// nothing is what a folder holds without a finished result.
const nothing = "nothing"

// holds says what a reader finds in a folder: the seed of the undisturbed result that it has every byte of, or nothing. The manifest
// vouches for all bytes but those of times.json, which vouches for itself.
func (w *workshop) holds(d deed, dir string) (string, error) {
	found, err := folder.Verify(context.Background(), dir)
	if isNothing(err) {
		return nothing, nil
	}
	if err != nil {
		return "bad", err
	}
	for _, c := range found.Files {
		if c.Problem != "" || c.Note != "" {
			return "bad", fmt.Errorf("%s: %s%s", c.File, c.Problem, c.Note)
		}
	}
	for _, name := range found.Strange {
		if _, ok := users()[name]; !ok && name != ".git" && name != "cells" {
			return "bad", fmt.Errorf("%s is left", name)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	for _, seed := range []string{"1", "2"} {
		if err == nil && string(text) == w.manifests[d.name+"-"+seed] {
			return seed, nil
		}
	}
	return "bad", fmt.Errorf("the manifest is of no undisturbed result (%v):\n%s", err, text)
}

// isNothing tells whether a folder is not there or holds no finished result.
func isNothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, folder.ErrUnfinished)
}

// isTidy wants nothing of kedge's work in a folder that nobody works on.
func isTidy(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".kedge") || strings.HasSuffix(e.Name(), "-draft") || e.Name() == "unfinished.json" || e.Name() == "checkpoint" {
			return fmt.Errorf("%s is left", e.Name())
		}
	}
	return err
}
