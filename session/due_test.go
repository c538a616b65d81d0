package session_test

import (
	"math/rand/v2"
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
