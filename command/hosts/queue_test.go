package hosts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// typed runs one of the commands, and returns what it prints and how it ends.
func typed(ctx context.Context, line string) (string, error) {
	root := &cobra.Command{Use: "kedge", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(Commands(kind.Standard())...)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(strings.Fields(line))
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// Queues with nothing in them, with sweeps that nobody collects, with workers that have cells or refuse some, are told as when this was recorded; so are the helps.
func TestQueuesAsRecorded(t *testing.T) {
	four, none := 4, 0
	sweeps := []farm.QueuedSweep{{Key: "abc", Name: "grid", Cells: 12, Done: &four, Failed: &none, Waiting: 5, Leased: 3, Redelivered: 1}, {Key: "def", Name: "odd\x1b[31m", Cells: 7, Waiting: 7}}
	workers := []farm.WorkerState{
		{Name: "w", Host: "east", Process: 17, Build: "v1", Done: 3, At: []farm.AtWork{{Cell: "0123456789", Turns: 5, Of: 20, Phase: "computing"}, {Cell: "short", Phase: "delivering"}}},
		{Name: "x", Host: "west\n", Process: 8, Build: "v2", Refused: []string{"grid", "def"}},
	}
	var got []string
	for _, s := range []*farm.QueueState{{}, {Sweeps: sweeps}, {Workers: workers}, {Sweeps: sweeps[:1], Workers: workers[1:]}, {Sweeps: sweeps, Workers: workers}} {
		var out bytes.Buffer
		if err := tell(&out, s); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Split(out.String(), "\n")...)
	}
	for _, line := range []string{"worker --help", "queue --help", "queue status --help", "queue cancel --help", "queue retry --help"} {
		out, err := typed(t.Context(), line)
		got = append(append(got, fmt.Sprint(line, ": ", err)), strings.Split(out, "\n")...)
	}
	evidence.AsRecorded(t, "testdata/queues.txt", strings.Split(strings.TrimSpace(strings.Join(got, "\n")), "\n"))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

// What cannot be printed is an error.
func TestTellingNobody(t *testing.T) {
	if err := tell(full{}, &farm.QueueState{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := say(full{}, "x"); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// The commands say what is wrong with an address, where one comes from a flag, a file or the variable; of a queue that is there they tell what is in it, which is nothing.
func TestQueueCommands(t *testing.T) {
	t.Setenv(queueVariable, "")
	for _, c := range []string{"queue status", "queue cancel grid", "queue retry", "worker"} {
		_, err := typed(t.Context(), c)
		if wrong := new(farm.AddressError); !errors.As(err, &wrong) || wrong.Why != "no address is given, by --queue or by the variable KEDGE_QUEUE" {
			t.Errorf("%s: %v", c, err)
		}
		if _, err := typed(t.Context(), c+" --queue @"+filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s of a file that is not there: %v", c, err)
		}
	}
	e, err := farm.Serve(t.TempDir(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop(true)
	for line, want := range map[string]string{
		"queue status":        "0 sweeps, 0 workers",
		"queue status --json": `"sweeps": []`,
	} {
		if out, err := typed(t.Context(), line+" --queue @"+e.URLFile); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %s, %v, want %s", line, out, err, want)
		}
	}
	t.Setenv(queueVariable, e.Address.Text())
	for _, line := range []string{"queue cancel grid", "queue retry grid"} {
		var end exit.Coded
		if out, err := typed(t.Context(), line); !errors.As(err, &end) || end.Code != 1 || out != "" || err.Error() != "the queue has no sweep" {
			t.Errorf("%s: %s, %v", line, out, err)
		}
	}
	if _, err := typed(t.Context(), "queue status"); err != nil {
		t.Errorf("by the variable: %v", err)
	}
	for _, line := range []string{"queue cancel a b", "queue retry a b", "queue status a", "worker a"} {
		if _, err := typed(t.Context(), line); err == nil || !strings.Contains(err.Error(), "arg") && !strings.Contains(err.Error(), "unknown command") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, flag := range []string{"--idle -1s", "--cell-timeout -1s", "--workers -1"} {
		if _, err := typed(t.Context(), "worker "+flag); err == nil || err.Error() != "--idle, --cell-timeout and --workers cannot be negative" {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if _, err := typed(t.Context(), "worker --quiet --idle 1ms"); err != nil {
		t.Errorf("a worker with nothing to do: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var end exit.Coded
	if _, err := typed(stopped, "worker --quiet"); !errors.As(err, &end) || end.Code != 130 {
		t.Errorf("a worker that is stopped: %v", err)
	}
}

// A worker ends with the codes of its help: 0 nothing was to be done, 1 all sweeps are of other builds or a cell does not stop, be it the first, 64 the queue refuses before anything
// was computed, 130 it was stopped, whatever else happened then.
func TestHowAWorkerEnds(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	other, hung, refused := &farm.BuildError{Sweep: "grid", Why: "it is old"}, &farm.HungError{Cell: "c"}, errors.New("no queue")
	for _, c := range []struct {
		ctx  context.Context
		n    int
		err  error
		want int
	}{
		{t.Context(), 0, nil, 0}, {t.Context(), 2, nil, 0}, {t.Context(), 0, other, 1}, {t.Context(), 0, hung, 1}, {t.Context(), 1, hung, 1}, {t.Context(), 1, refused, 1}, {t.Context(), 0, refused, 64},
		{stopped, 0, context.Canceled, 130}, {stopped, 2, context.Canceled, 130}, {stopped, 0, nil, 130}, {stopped, 1, hung, 130}, {stopped, 0, refused, 130},
	} {
		err, code := ended(c.ctx, c.n, c.err), 0
		if err != nil {
			code = exit.CodeOf(err)
		}
		if code != c.want || code < 130 && !errors.Is(err, c.err) {
			t.Errorf("after %d cells and %v it ends with %d, %v, want %d", c.n, c.err, code, err, c.want)
		}
	}
}
