package kills_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
	"github.com/kedge-opt/kedge/store"
)

const shop = `
iterations: 100
model: {decision: q, state: p, trait: d, next: "0.5*p + 0.5*(d - q)", maximize: "p * q", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: 10, deviation: 1}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: 0.5}, safe: [4]}
`

// full is a journal that takes nothing of some loops.
type full struct {
	session.Journal
	why map[string]error
}

func (f *full) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if err := f.why[loop]; err != nil {
		return func() error { return err }
	}
	return f.Journal.Append(loop, after, events, state)
}

// slate has marks, if it can be written.
type slate struct {
	marked   []string
	isBroken bool
	err      error
}

func (s *slate) Mark(_ context.Context, on bool, loops ...string) bool {
	if s.isBroken {
		return false
	}
	s.marked = slices.DeleteFunc(s.marked, func(l string) bool { return slices.Contains(loops, l) })
	if on {
		s.marked = append(s.marked, loops...)
	}
	return true
}

func (s *slate) Marked(context.Context) ([]string, error) { return slices.Clone(s.marked), s.err }

// shelf is a journal with marks of its own.
type shelf struct {
	session.Journal
	*slate
}

type noon struct{}

func (noon) Now() time.Time { return time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC) }

// loops are some in a journal that can be full.
func loops(t *testing.T, names ...string) (*full, *session.Fleet) {
	t.Helper()
	j := &full{store.NewMemory(), map[string]error{}}
	h := session.NewFleet(j, noon{}, session.Standard, nil)
	for _, name := range names {
		if _, err := h.Do(t.Context(), name, "test", session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}); err != nil {
			t.Fatal(err)
		}
	}
	return j, h
}

func mode(t *testing.T, h *session.Fleet, loop string) (m session.Mode) {
	t.Helper()
	if err := h.Look(t.Context(), loop, func(l *session.Loop) error { m = l.Status().Mode; return nil }); err != nil {
		t.Fatal(err)
	}
	return m
}

// A kill that cannot be written down is remembered, also by whoever comes after, and written down once it can be.
func TestKillsWait(t *testing.T) {
	j, h := loops(t, "a", "b")
	s := &slate{}
	p, err := kills.Recall(t.Context(), h, j, s)
	if err != nil || p.Is("a") || p.Safe("a") != nil {
		t.Fatal(err)
	}
	p.Know("a", []float64{4}, []float64{7})
	if !p.Mark(t.Context(), "ann", "fire", "a") || !p.Is("a") || p.Is("b") || !slices.Equal(s.marked, []string{"a"}) || p.Safe("a")[0] != 4 || p.Iterate("a")[0] != 7 || p.Safe("b") != nil {
		t.Errorf("marked are %v", s.marked)
	}
	j.why["a"] = session.ErrFull
	if !p.Settle(t.Context(), "a") || !p.Is("a") || p.Settle(t.Context(), "b") {
		t.Error("what cannot be written down is settled")
	}
	if p, err = kills.Recall(t.Context(), h, &shelf{j, s}, nil); err != nil || !p.Is("a") || p.Is("b") { // after a restart, by the marks of the journal
		t.Errorf("forgotten after a restart: %v", err)
	}
	j.why["a"] = nil
	if p.Mark(t.Context(), "ann", "fire", "b"); p.Settle(t.Context(), "b") || mode(t, h, "b") != session.Killed {
		t.Error("what is written down waits")
	}
	p.SettleAll(t.Context())
	if p.Is("a") || len(s.marked) > 0 || mode(t, h, "a") != session.Killed {
		t.Errorf("a is %s, b is %s, marked are %v", mode(t, h, "a"), mode(t, h, "b"), s.marked)
	}
	var last session.Event
	if err := j.Read(t.Context(), "a", 0, func(e session.Event) error { last = e; return nil }); err != nil || last.Actor != "server" || !strings.Contains(string(last.Body), "it was killed when that could not be written down") {
		t.Errorf("%+v, %v", last, err)
	}
}

// Marks that cannot be read are an error, and those of a journal are left alone where there are others.
func TestRecall(t *testing.T) {
	j, h := loops(t)
	broken := errors.New("unreadable")
	if _, err := kills.Recall(t.Context(), h, j, &slate{err: broken}); !errors.Is(err, broken) || !errors.Is(err, kills.ErrUnread) {
		t.Error(err)
	}
	s := &slate{marked: []string{"a"}, err: broken}
	late, err := kills.Recall(t.Context(), h, j, s)
	if !errors.Is(err, kills.ErrUnread) || !late.Settle(t.Context(), "b") || late.Is("a") {
		t.Errorf("any loop may be killed: %v", err)
	}
	late.Mark(t.Context(), "ann", "fire", "c")
	if s.err = nil; late.Read(t.Context()) != nil || !late.Is("a") || !late.Is("c") || late.Settle(t.Context(), "b") {
		t.Error("marks that can be read again are not known")
	}
	if p, err := kills.Recall(t.Context(), h, &shelf{j, &slate{marked: []string{"a"}}}, &slate{marked: []string{"b"}}); err != nil || p.Is("a") || !p.Is("b") {
		t.Error(err)
	}
	p, err := kills.Recall(t.Context(), h, j, nil)
	if err != nil || p.Mark(t.Context(), "ann", "fire", "a") || !p.Is("a") {
		t.Errorf("a journal without marks has some, or nothing is remembered: %v", err)
	}
	if p.Unmark(t.Context()); !p.Is("a") {
		t.Error("nothing takes a mark away")
	}
	if p.Unmark(t.Context(), "a"); p.Is("a") {
		t.Error("a mark is still there")
	}
}

// Of many loops one that cannot be killed keeps none of the others from it, and who fails is told by name.
func TestKillAll(t *testing.T) {
	var names []string
	for i := range 70 {
		names = append(names, fmt.Sprintf("l%02d", i))
	}
	j, h := loops(t, names...)
	odd := errors.New("odd")
	j.why["l07"], j.why["l03"], j.why["l05"] = odd, odd, session.ErrFull
	if _, err := h.Do(t.Context(), "l09", "test", session.Archive{Reason: "over"}); err != nil {
		t.Fatal(err)
	}
	for _, isBroken := range []bool{false, true} {
		s := &slate{isBroken: isBroken}
		p, err := kills.Recall(t.Context(), h, j, s)
		if err != nil {
			t.Fatal(err)
		}
		got := p.KillAll(t.Context(), "ann", "fire", names)
		want := []kills.Survivor{{Loop: "l03", Detail: "loop l03: odd"}, {Loop: "l07", Detail: "loop l07: odd"}}
		killed, marked := 67, []string{"l05"} // all but the two and the one that is archived; of l05 the mark stays
		if isBroken {
			want, killed, marked = slices.Insert(want, 1, kills.Survivor{Loop: "l05", Detail: "loop l05: the disk is full"}), 66, nil
		}
		if got.Killed != killed || !slices.Equal(got.Failed, want) || !slices.Equal(s.marked, marked) || p.Is("l05") != !isBroken || p.Is("l00") {
			t.Errorf("marks that fail: %t: %+v, marked are %v", isBroken, got, s.marked)
		}
		if mode(t, h, "l00") != session.Killed || mode(t, h, "l69") != session.Killed || mode(t, h, "l05") != session.Live {
			t.Error("a loop is not killed, or is though that is not written")
		}
	}
}

// Marks that could not be read when the service began are read before all kills are written down, although nobody asked for a loop meanwhile.
func TestMarksAreReadBeforeAllAreSettled(t *testing.T) {
	j, h := loops(t, "a", "b")
	s := &slate{marked: []string{"a"}, err: errors.New("unreadable")}
	p, err := kills.Recall(t.Context(), h, j, s)
	if !errors.Is(err, kills.ErrUnread) {
		t.Fatal(err)
	}
	s.err = nil
	p.SettleAll(t.Context())
	if mode(t, h, "a") != session.Killed || mode(t, h, "b") != session.Live || len(s.marked) > 0 {
		t.Errorf("a is %s, b is %s, marked are %v", mode(t, h, "a"), mode(t, h, "b"), s.marked)
	}
}

func TestIsUnwritten(t *testing.T) {
	for _, err := range []error{session.ErrLost, session.ErrFull, session.ErrBusy, session.ErrReadOnly} {
		if !kills.IsUnwritten(fmt.Errorf("so: %w", err)) {
			t.Errorf("%v lets a kill be written", err)
		}
	}
	for _, err := range []error{nil, session.ErrConflict, errors.New("odd")} {
		if kills.IsUnwritten(err) {
			t.Errorf("%v keeps a kill from being written", err)
		}
	}
}

// Somebody who asks and hangs up takes no kill back: neither one that waits for room on the disk, nor does he leave the mark of one that was written down, which
// would kill the loop once more when the service starts again.
func TestWhoeverHangsUpTakesNoKillBack(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := &full{db, map[string]error{}}
	h := session.NewFleet(j, noon{}, session.Standard, nil)
	if _, err := h.Do(t.Context(), "a", "test", session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}); err != nil {
		t.Fatal(err)
	}
	p, err := kills.Recall(t.Context(), h, db, nil)
	if err != nil || !p.Mark(t.Context(), "ann", "fire", "a") {
		t.Fatal(err)
	}
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	j.why["a"] = session.ErrFull
	for range 2 { // the second finds a loop that must be read again
		if !p.Settle(gone, "a") || !p.Is("a") {
			t.Fatal("a kill that waits for room was taken back")
		}
	}
	j.why["a"] = nil
	if mode(t, h, "a") != session.Live { // and awake
		t.Fatal("it was written down")
	}
	if p.Settle(gone, "a") || mode(t, h, "a") != session.Killed {
		t.Error("it is not written down")
	}
	if marked, err := db.Marked(t.Context()); err != nil || len(marked) > 0 {
		t.Errorf("marks of %v stay, %v", marked, err)
	}
}
