//go:build unix

package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// Killed at a random moment, every command leaves the old result or the new one, or nothing finished where there was none, and the same
// command again ends with the bytes of one that was left alone. Files of the user stay.
func TestKillsOfEveryCommand(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "kills", Short: "18 kills",
		Text: "`kill -9` at a random moment of run, run with checkpoint, sweep, merge, report, compare, study, plot, half of them while results are written or moved: neither old nor new, other bytes once the command is repeated, a file of the user lost"})
	w := workshopOf(t)
	root := t.TempDir()
	blows := 18
	if evidence.Whole() {
		blows = 500
	}
	all := deeds()
	a.strike(blows, 2, func(n int, random *rand.Rand) (string, error) {
		dir := filepath.Join(root, fmt.Sprint(n))
		defer os.RemoveAll(dir)
		if n%(len(all)+1) == len(all) {
			return w.killPlot(dir, random)
		}
		d := all[n%(len(all)+1)]
		return w.fell(d, dir, random, func() error { return nil }, func(c *writer) error {
			moment(c, dir, w.took[d.name], random)
			c.cmd.Process.Kill()
			c.wait()
			return nil
		})
	})
}

// moment waits for a moment at which a command is worth being stopped: any, or while it writes what it has computed, or moves that to its
// place.
func moment(c *writer, dir string, took time.Duration, random *rand.Rand) {
	sign, longest := "", took*5/4
	switch random.IntN(4) {
	case 0:
		sign, longest = ".kedge/new", 40*time.Millisecond
	case 1:
		sign, longest = ".kedge/commit", 5*time.Millisecond
	}
	for end := c.begun.Add(2 * took); sign != "" && time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(sign))); err == nil {
			break
		}
	}
	time.Sleep(time.Duration(random.Int64N(int64(longest))))
}

// fell stops a deed, with an earlier result or without, and looks what is left and what comes of it. What it calls at rest is done before
// the deed begins.
func (w *workshop) fell(d deed, dir string, random *rand.Rand, rest func() error, stop func(c *writer) error) (ended string, err error) {
	before := nothing
	if d.needsOld() || random.IntN(2) == 0 {
		before = "1"
		if err := w.fill(d, dir); err != nil {
			return "bad", err
		}
	}
	after := "2"
	if d.needsOld() {
		after = before
	}
	if err := rest(); err != nil {
		return "bad", err
	}
	c, err := w.begin(d, "2", dir)
	if err == nil {
		err = stop(c)
	}
	if err != nil {
		return "bad", err
	}
	got := unseen
	if c.code() == 0 || random.IntN(4) > 0 { // otherwise the next writer is the first who sees it
		got, err = w.holds(d, dir)
	}
	switch {
	case err != nil:
		return "bad", fmt.Errorf("%s: %w", d.name, err)
	case c.code() == 0 && got != after, got != unseen && got != before && got != after:
		return "bad", fmt.Errorf("%s: exit code %d, the folder holds %s, before %s: %s", d.name, c.code(), got, before, c.said)
	}
	if err := w.again(d, dir, after, before != nothing); err != nil {
		return "bad", fmt.Errorf("%s, again: %w", d.name, err)
	}
	return endings(c.code() == 0, d.needsOld())[got], nil
}

// unseen is what a folder holds before anybody has looked.
const unseen = "unseen"

// endings say how a stop ended, by what the folder held then.
func endings(finished, same bool) map[string]string {
	switch {
	case finished:
		return map[string]string{"1": "finished before", "2": "finished before"}
	case same:
		return map[string]string{"1": "old or new, which are the same", unseen: "seen by the next writer first"}
	}
	return map[string]string{"1": "old", "2": "new", nothing: "unfinished", unseen: "seen by the next writer first"}
}

// again does a deed after a stop, and wants what it makes undisturbed.
func (w *workshop) again(d deed, dir, after string, mine bool) error {
	if _, err := os.Stat(filepath.Join(dir, "unfinished.json")); err == nil && !mine {
		mine = true
		if err := leave(dir); err != nil {
			return err
		}
	}
	if out, code := started(d.args(w, "2", dir)...); code != 0 {
		return fmt.Errorf("exit code %d: %s", code, out)
	}
	got, err := w.holds(d, dir)
	if err == nil && mine {
		err = untouched(dir)
	}
	return errors.Join(err, isTidy(dir), want(got, after))
}

// killPlot kills kedge plot: the figure is the old one or the new one, or not there if it was not, and comes out whole the next time.
func (w *workshop) killPlot(dir string, random *rand.Rand) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "bad", err
	}
	file := filepath.Join(dir, "gap.png")
	args := []string{"plot", w.path("run-1"), "--out", file}
	begun := time.Now()
	if out, code := started(args...); code != 0 {
		return "bad", fmt.Errorf("plot: exit code %d: %s", code, out)
	}
	took := time.Since(begun)
	calm, err := os.ReadFile(file)
	before := "old"
	if random.IntN(2) == 0 {
		before = ""
	}
	err = errors.Join(err, os.WriteFile(file, []byte(before), 0o644))
	if before == "" {
		err = errors.Join(err, os.Remove(file))
	}
	c, _, more := ready(args...)
	if err = errors.Join(err, more); err != nil {
		return "bad", err
	}
	if err := c.Start(); err != nil {
		return "bad", err
	}
	time.Sleep(time.Duration(random.Int64N(int64(took * 5 / 4))))
	c.Process.Kill()
	c.Wait()
	got, _ := os.ReadFile(file)
	if string(got) != before && string(got) != string(calm) {
		return "bad", fmt.Errorf("plot: neither old nor new but %d bytes", len(got))
	}
	if out, code := started(args...); code != 0 {
		return "bad", fmt.Errorf("plot again: exit code %d: %s", code, out)
	}
	if again, err := os.ReadFile(file); err != nil || string(again) != string(calm) {
		return "bad", fmt.Errorf("plot again: other bytes (%v)", err)
	}
	return map[bool]string{true: "new", false: "old"}[string(got) == string(calm)], isTidy(dir)
}
