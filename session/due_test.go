package session_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Whatever happened to a loop, time does nothing to it before it is due, and something when it is.
func TestTimeActsWhenALoopIsDue(t *testing.T) {
	acted := 0
	for seed := range uint64(40) {
		s := newScene(t, shop, session.Live)
		r := rand.New(rand.NewPCG(seed, 8))
		for range 60 {
			s.now = s.now.Add(time.Duration(r.IntN(300)) * time.Minute)
			s.do(draw(s, r, nil))
			due, ever := s.loop.Due()
			if !ever || !s.now.Before(due) {
				continue
			}
			was := s.now
			s.now = due.Add(-time.Microsecond)
			before, _ := s.loop.Head()
			if _, err := s.do(session.Pass{}); err != nil {
				t.Fatal(err)
			}
			if seq, _ := s.loop.Head(); seq != before {
				t.Fatalf("script %d: %s happened before the loop was due", seed, s.past.events[len(s.past.events)-1].Kind)
			}
			if s.now = was; r.IntN(3) > 0 {
				continue
			}
			s.now = due
			if _, err := s.do(session.Pass{}); err != nil {
				t.Fatal(err)
			}
			if seq, _ := s.loop.Head(); seq == before {
				t.Fatalf("script %d: nothing happened when the loop was due", seed)
			}
			acted++
		}
	}
	if acted < 100 {
		t.Errorf("time acted %d times only", acted)
	}
}

// A pin answers every decision until its time is over, to the moment; then the rule decides again, though nobody has asked.
func TestPinsEndInTime(t *testing.T) {
	s := newScene(t, shop, session.Live)
	until := s.now.Add(time.Hour)
	s.must(session.SetPin{U: []float64{3.2, 3.1}, Until: &until, Reason: "a sale"})
	pinned := func() bool { return s.loop.Status().Pin != nil }
	if a := s.ask(); !slices.Equal(a.U, []float64{3.2, 3.1}) || !pinned() {
		t.Errorf("the pin is not answered: %+v", a)
	}
	s.now = until.Add(-time.Microsecond)
	if s.must(session.Pass{}); !pinned() {
		t.Error("it is not pinned before its end")
	}
	s.now = until
	if s.must(session.Pass{}); pinned() || !slices.ContainsFunc(s.past.events, func(e session.Event) bool { return e.Kind == session.Unpinned }) {
		t.Error("it is pinned after its end")
	}
	if a := s.ask(); slices.Equal(a.U, []float64{3.2, 3.1}) {
		t.Errorf("what was pinned is still answered: %+v", a)
	}
}
