package chronicle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/store"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

var errOdd = errors.New("odd")

// frail is a journal that fails when it is told to.
type frail struct {
	session.Journal
	append, read, loops error
}

func (f *frail) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if f.append != nil {
		return func() error { return f.append }
	}
	return f.Journal.Append(loop, after, events, state)
}

func (f *frail) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if f.read != nil {
		return f.read
	}
	return f.Journal.Read(ctx, loop, after, visit)
}

func (f *frail) Loops(ctx context.Context) ([]session.Tip, error) {
	if f.loops != nil {
		return nil, f.loops
	}
	return f.Journal.Loops(ctx)
}

func scene() (*frail, *clock) {
	return &frail{Journal: store.NewMemory()}, &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
}

// Two chronicles of a chain see what the other wrote, each once and in order; who was second decides again, and clocks that go back do not take time with them.
func TestChroniclesOfOneChain(t *testing.T) {
	j, c := scene()
	var seen [2][]string
	open := func(i int) *chronicle.Chronicle {
		l, err := chronicle.Open(t.Context(), j, c, session.OfServer, func(e session.Event) error {
			seen[i] = append(seen[i], fmt.Sprintf("%d %s %s %s %s %s", e.Seq, e.At.Format(time.TimeOnly), e.Actor, e.Kind, e.Ref, e.Body))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	write := func(l *chronicle.Chronicle, kind session.Kind) (asked int) {
		if err := l.Write(t.Context(), "ann", func(now time.Time) (chronicle.Notice, error) {
			asked++
			return chronicle.Notice{Kind: kind, Ref: "r/" + string(kind), Body: asked}, nil
		}); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	a, b := open(0), open(1)
	if n := write(a, "one"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	c.now = c.now.Add(-time.Hour)
	if n := write(b, "two"); n != 2 { // a was first
		t.Errorf("asked %d times", n)
	}
	c.now = c.now.Add(2 * time.Hour)
	write(b, "three")
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "[1 06:00:00 ann one r/one 1 2 06:00:00 ann two r/two 2 3 07:00:00 ann three r/three 1]"
	open(0) // reads all of it again
	if got := fmt.Sprint(seen[0][:3]); got != want || fmt.Sprint(seen[0][3:]) != want || fmt.Sprint(seen[1]) != want {
		t.Errorf("seen %v and %v", seen[0], seen[1])
	}
}

// What goes wrong is said: by who decides, by the journal, by who is told, and by a context that is over.
func TestChroniclesThatFail(t *testing.T) {
	j, c := scene()
	fold := func(session.Event) error { return nil }
	l, err := chronicle.Open(t.Context(), j, c, session.OfServer, func(e session.Event) error { return fold(e) })
	if err != nil {
		t.Fatal(err)
	}
	one := func(time.Time) (chronicle.Notice, error) { return chronicle.Notice{Kind: "one", Body: 1}, nil }
	if err := l.Write(t.Context(), "ann", func(time.Time) (chronicle.Notice, error) { return chronicle.Notice{}, errOdd }); err != errOdd {
		t.Error(err)
	}
	if err := l.Write(t.Context(), "ann", func(time.Time) (chronicle.Notice, error) { return chronicle.Notice{Body: func() {}}, nil }); err == nil {
		t.Error("what cannot be written is")
	}
	j.append = errOdd
	if err := l.Write(t.Context(), "ann", one); !errors.Is(err, errOdd) || err.Error() != session.OfServer+": odd" {
		t.Error(err)
	}
	j.append, j.read = session.ErrConflict, errOdd
	if err := l.Write(t.Context(), "ann", one); err != errOdd {
		t.Error(err)
	}
	j.append = nil
	if _, err := chronicle.Open(t.Context(), j, c, session.OfServer, fold); err != errOdd {
		t.Error(err)
	}
	j.read = nil
	fold = func(session.Event) error { return errOdd }
	if err := l.Write(t.Context(), "ann", one); err != errOdd {
		t.Error(err)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if err := l.CatchUp(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	e := session.Event{Seq: 2, Kind: "forged"}
	if err := j.Journal.Append("other", 0, []session.Event{e}, nil)(); err != nil {
		t.Fatal(err)
	}
	if _, err := chronicle.Open(t.Context(), j, c, "other", func(session.Event) error { return nil }); err == nil {
		t.Error("a chain that does not hold is read")
	}
}

// The heads of all loops are noted, not those of the service itself, and again only after a while.
func TestAnchor(t *testing.T) {
	j, c := scene()
	var all []chronicle.Anchors
	anchors := func(every time.Duration) int {
		t.Helper()
		if err := chronicle.Anchor(t.Context(), j, c, every); err != nil {
			t.Fatal(err)
		}
		all = nil
		if err := j.Read(t.Context(), session.OfServer, 0, func(e session.Event) error {
			var a chronicle.Anchors
			if err := json.Unmarshal(e.Body, &a); err != nil {
				return err
			}
			if e.Kind == chronicle.Anchored {
				all = append(all, a)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if anchors(time.Hour) != 0 {
		t.Error("heads of no loop are noted")
	}
	e := session.Event{Seq: 1, Kind: "created", At: c.now}
	e.Hash = e.Chained("shop", session.Hash{})
	if err := j.Journal.Append("shop", 0, []session.Event{e}, nil)(); err != nil {
		t.Fatal(err)
	}
	if anchors(time.Hour) != 1 || len(all[0].Heads) != 1 || all[0].Heads[0] != (session.Tip{Loop: "shop", Seq: 1, Hash: e.Hash}) {
		t.Errorf("noted is %+v", all)
	}
	l, err := chronicle.Open(t.Context(), j, c, session.OfServer, func(session.Event) error { return nil })
	if err == nil {
		c.now = c.now.Add(time.Minute)
		err = l.Write(t.Context(), "ann", func(time.Time) (chronicle.Notice, error) {
			return chronicle.Notice{Kind: "else", Body: map[string]int{}}, nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(58 * time.Minute)
	if anchors(time.Hour) != 1 {
		t.Error("noted again too soon")
	}
	c.now = c.now.Add(time.Minute)
	if anchors(time.Hour) != 2 || len(all[1].Heads) != 1 {
		t.Errorf("noted is %+v", all)
	}
	j.loops = errOdd
	if err := chronicle.Anchor(t.Context(), j, c, 0); err != errOdd {
		t.Error(err)
	}
	j.read = errOdd
	if err := chronicle.Anchor(t.Context(), j, c, 0); err != errOdd {
		t.Error(err)
	}
	j, c = scene() // of which nothing is noted yet: nobody can tell
	if err := j.Journal.Append("shop", 0, []session.Event{e}, nil)(); err != nil {
		t.Fatal(err)
	}
	j.read = errOdd
	if err := chronicle.Anchor(t.Context(), j, c, 0); err != errOdd {
		t.Error(err)
	}
	if list, err := j.Loops(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("heads are noted beside what cannot be read: %v, %v", list, err)
	}
}
