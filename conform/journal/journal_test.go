package journal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// flawed is a journal in memory of which one call, or every call of a kind to the service's own log, is carried out wrongly.
type flawed struct {
	session.Journal
	mu    sync.Mutex
	calls map[string]int
	call  string // that has the flaw, as find
	at    int    // which of them
	own   bool   // of those to the service's own log, all
	lies  bool   // it says something else, without an error; else it says that it failed, and does not
}

var errDisk = errors.New("the disk is gone")

// now tells whether a call has the flaw.
func (f *flawed) now(call, loop string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if own := session.IsOwn(loop); own || f.own {
		return own && f.own && f.call == call
	}
	f.calls[call]++
	return f.call == call && f.calls[call] == f.at
}

func (f *flawed) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if !f.now("append", loop) {
		return f.Journal.Append(loop, after, events, state)
	}
	if f.lies {
		return func() error { return nil }
	}
	f.Journal.Append(loop, after, events, state)()
	return func() error { return errDisk }
}

func (f *flawed) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	switch now := f.now("read", loop); {
	case now && f.lies && after == 0:
		return f.Journal.Read(ctx, loop, after, func(e session.Event) error { e.K++; return visit(e) })
	case now && f.lies:
		f.Journal.Read(ctx, loop, after, visit)
		return nil
	case now:
		f.Journal.Read(ctx, loop, after, visit)
		return errDisk
	}
	return f.Journal.Read(ctx, loop, after, visit)
}

// flaw spoils what a call says.
func flaw[T any](f *flawed, call, loop string, said T, err error, other T) (T, error) {
	switch {
	case !f.now(call, loop):
		return said, err
	case f.lies:
		return other, nil
	}
	return said, errDisk
}

func (f *flawed) Decision(loop string, k int) ([]session.Event, error) {
	list, err := f.Journal.Decision(loop, k)
	return flaw(f, "decision", loop, list, err, append(slices.Clone(list), session.Event{Seq: 99}))
}

func (f *flawed) Find(loop string, k int, ref string) (*session.Event, error) {
	e, err := f.Journal.Find(loop, k, ref)
	other := &session.Event{Seq: 99}
	if e != nil && f.own {
		other = nil
	}
	return flaw(f, "find", loop, e, err, other)
}

func (f *flawed) Blob(loop string, sum session.Hash) ([]byte, error) {
	data, err := f.Journal.Blob(loop, sum)
	return flaw(f, "blob", loop, data, err, []byte("others"))
}

func (f *flawed) State(loop string) ([]byte, error) {
	state, err := f.Journal.State(loop)
	return flaw(f, "state", loop, state, err, []byte("another"))
}

func (f *flawed) Loops(ctx context.Context) ([]session.Tip, error) {
	tips, err := f.Journal.Loops(ctx)
	other := []session.Tip{{Loop: "leaves", Seq: 1}}
	for _, t := range tips {
		if t.Loop != "leaves" {
			other = append(other, t)
		}
	}
	return flaw(f, "loops", "", tips, err, other)
}

// complaints runs the script on a journal, and returns what it has to say of it.
func complaints(t *testing.T, make func() session.Journal) (said []string) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for name, off := range map[string]string{"test.failfast": "false", "test.skip": ""} { // scripts after the first that fails would be left out; all, since all match
		value := flag.Lookup(name).Value
		asked := value.String()
		value.Set(off)
		defer value.Set(asked)
	}
	stdout := os.Stdout
	os.Stdout = out
	fine := testing.RunTests(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "script", F: func(t *testing.T) { journal.Script(t, make()) }}})
	os.Stdout = stdout
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if m := place.FindStringSubmatch(line); m != nil {
			said = append(said, m[1][:min(len(m[1]), 110)])
		}
	}
	if fine != (len(said) == 0) {
		t.Errorf("it is fine: %t, but the script says %q", fine, said)
	}
	return said
}

// place is a line of a test that says something.
var place = regexp.MustCompile(`^ *[a-z]+\.go:\d+: (.*)$`)

// A journal that does as it must comes through, and whatever call of it goes wrong, the script says so, in the words it had when this was recorded.
func TestFlawsAsRecorded(t *testing.T) {
	sound := &flawed{Journal: store.NewMemory(), calls: map[string]int{}}
	if said := complaints(t, func() session.Journal { return sound }); len(said) > 0 {
		t.Fatalf("a sound journal: %q", said)
	}
	var got []string
	for _, call := range []string{"append", "read", "decision", "find", "blob", "state", "loops"} {
		for at := 1; at <= sound.calls[call]; at++ {
			for _, lies := range []bool{false, true} {
				what := fmt.Sprintf("%s %d, lies: %t", call, at, lies)
				said := complaints(t, func() session.Journal {
					return &flawed{Journal: store.NewMemory(), calls: map[string]int{}, call: call, at: at, lies: lies}
				})
				if len(said) == 0 {
					got = append(got, what+": not told")
				}
				for _, words := range slices.Compact(said) {
					got = append(got, what+": "+words)
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/flaws.txt", got)
}

// What is wrong with the log of a service is told, whoever of those who write it notices.
func TestFlawsOfALog(t *testing.T) {
	for _, call := range []string{"append", "read", "find"} {
		for _, lies := range []bool{false, true} {
			said := complaints(t, func() session.Journal {
				return &flawed{Journal: store.NewMemory(), calls: map[string]int{}, call: call, own: true, lies: lies}
			})
			if len(said) == 0 {
				t.Errorf("%s, lies: %t: not told", call, lies)
			}
		}
	}
}

// torn is a journal that shows so much of a service's log.
type torn struct {
	session.Journal
	until int
}

func (j torn) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	err := j.Journal.Read(ctx, loop, after, func(e session.Event) error {
		if session.IsOwn(loop) && e.Seq > j.until {
			return io.EOF
		}
		return visit(e)
	})
	if err == io.EOF {
		return nil
	}
	return err
}

// A log of which the last event is not read is told; chains hold.
func TestALogThatEndsEarly(t *testing.T) {
	if said := complaints(t, func() session.Journal { return torn{store.NewMemory(), 45} }); len(said) > 0 {
		t.Errorf("45 of 45 events: %q", said)
	}
	if said := complaints(t, func() session.Journal { return torn{store.NewMemory(), 44} }); !slices.Contains(said, "44 events, <nil>, want 45") {
		t.Errorf("44 of 45 events: %q", said)
	}
	chain := journal.Chain{Loop: "x"}
	first, second := chain.Next(1, "r", nil), chain.Next(2, "b/am", []byte("people"))
	if err := second.Follow("x", 1, first.Hash); err != nil || first.Follow("x", 0, session.Hash{}) != nil || chain.Seq != 2 || chain.Hash != second.Hash {
		t.Errorf("a chain does not hold: %v", err)
	}
	if r, err := second.Receipt(); err != nil || r.ID != "2" || r.Content != second.BlobSum() || second.Kind != session.Told || first.Kind != session.Raised || second.At.Sub(first.At) != 6000 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := session.Standard(journal.Shop); err != nil {
		t.Error(err)
	}
}
