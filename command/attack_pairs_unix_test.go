//go:build unix

package command

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// writer is a process that writes a result.
type writer struct {
	cmd         *exec.Cmd
	said        *bytes.Buffer
	seed        string
	begun, done time.Time
}

func (w *workshop) begin(d deed, seed, dir string) (*writer, error) {
	c, said, err := ready(d.args(w, seed, dir)...)
	if err != nil {
		return nil, err
	}
	return &writer{c, said, seed, time.Now(), time.Time{}}, c.Start()
}

func (w *writer) wait() {
	w.cmd.Wait()
	w.done = time.Now()
}

func (w *writer) code() int { return w.cmd.ProcessState.ExitCode() }

// pair is what two processes do at one time. The second seed is that of the other.
type pair struct{ one, other string }

// Two processes write to one folder, one a random time after the other. Whoever ends with 0 has had the folder, the folder holds the result
// of one of those, whole, and the other was told who was there. Files of the user stay.
func TestPairsOfWriters(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "pairs", Short: "12 pairs",
		Text: "two processes write to one folder, with other seeds, runs, sweeps, comparisons, studies, merges, a run and a report: a mixture, a result that is not there after exit code 0, a loser who is not told by whom, a file of the user lost"})
	w := workshopOf(t)
	root := t.TempDir()
	blows := 12
	if evidence.Whole() {
		blows = 500
	}
	pairs := []pair{{"run", "run"}, {"run", "report"}, {"sweep", "sweep"}, {"compare", "compare"}, {"study", "study"}, {"merge", "merge"}, {"checkpoint", "checkpoint"}}
	a.strike(blows, 2, func(n int, random *rand.Rand) (string, error) {
		dir := filepath.Join(root, fmt.Sprint(n))
		defer os.RemoveAll(dir)
		return w.meet(pairs[n%len(pairs)], dir, random)
	})
}

// meet lets two writers into one folder, with or without an earlier result.
func (w *workshop) meet(p pair, dir string, random *rand.Rand) (string, error) {
	one, other := deedOf(p.one), deedOf(p.other)
	old := nothing
	if other.needsOld() || random.IntN(2) == 0 {
		old = "1"
		if err := w.fill(one, dir); err != nil {
			return "bad", err
		}
	}
	first, err := w.begin(one, "2", dir)
	if err != nil {
		return "bad", err
	}
	time.Sleep(time.Duration(random.Int64N(int64(w.took[p.one]))))
	second, err := w.begin(other, "1", dir)
	if err != nil {
		first.wait()
		return "bad", err
	}
	ended := make(chan struct{})
	go func() {
		first.wait()
		close(ended)
	}()
	second.wait()
	<-ended
	return w.judge(one, other, dir, old, first, second)
}

// judge looks at what two writers have left.
func (w *workshop) judge(one, other deed, dir, old string, first, second *writer) (ended string, err error) {
	got, err := w.holds(one, dir)
	if err == nil && old != nothing {
		err = untouched(dir)
	}
	if err == nil {
		err = errors.Join(isTidy(dir), told(first, second), told(second, first))
	}
	switch {
	case err != nil:
		return "bad", err
	case first.code() != 0 && second.code() != 0:
		return "bad", fmt.Errorf("both were refused: %s and %s", first.said, second.said)
	case first.code() != 0:
		return "second alone", want(got, second.seed)
	case second.code() != 0 || other.needsOld(): // a report renews what it finds
		return "first alone", want(got, first.seed)
	case second.begun.After(first.done):
		return "one after the other", want(got, second.seed)
	}
	if got == nothing {
		err = errors.New("both ended with 0, the folder holds nothing")
	}
	return "one after the other", err
}

func want(got, seed string) error {
	if got != seed {
		return fmt.Errorf("exit code 0 for seed %s, but the folder holds %s", seed, got)
	}
	return nil
}

// told wants a writer who was refused to have been told by whom.
func told(w, by *writer) error {
	switch code := w.code(); {
	case code == 0:
		return nil
	case code != exitUsage || !strings.Contains(w.said.String(), fmt.Sprintf("in use by another kedge (process %d)", by.cmd.Process.Pid)):
		return fmt.Errorf("process %d, seed %s: exit code %d: %s; the other was process %d", w.cmd.Process.Pid, w.seed, code, w.said, by.cmd.Process.Pid)
	}
	return nil
}

// fill gives a folder the first result of a deed and files of the user.
func (w *workshop) fill(d deed, dir string) error {
	return errors.Join(os.CopyFS(dir, os.DirFS(w.path(d.name+"-1"))), leave(dir))
}

// deedOf is the deed of a name.
func deedOf(name string) deed {
	for _, d := range deeds() {
		if d.name == name {
			return d
		}
	}
	panic("no deed " + name)
}
