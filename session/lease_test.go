package session_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

// A worker asks and dies, at some point of its round; its lease ends on the clock. Whoever asks next gets the same point under another number, and what
// the zombie sends late is kept once as late or refused with a type: it never takes a step.
func TestLeases(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-leases", Text: "workers that die at some point of their round and send it late, 50,000 times: steps taken twice or on late people, points not offered again, loops that go on otherwise after a restart", Short: "400 times"})
	times := 400
	if evidence.Whole() {
		times = 50_000
	}
	r := rand.New(rand.NewPCG(15, 0))
	var s *scene
	for n := range times {
		if n%50 == 0 { // a new loop, so that replaying stays short
			if s != nil {
				s.replays()
			}
			s = newScene(t, shop, session.Live)
		}
		row.Case(s.lease(r), "scenario %d", n)
		if t.Failed() {
			return
		}
	}
	s.replays()
}

// lease is one scenario; it tells whether all was well.
func (s *scene) lease(r *rand.Rand) bool {
	s.Helper()
	first, before := s.ask(), s.loop.Status().Turns
	if again := s.ask(); again.K != first.K || !slices.Equal(again.U, first.U) { // the same client asks again
		s.Errorf("an open ask is not given again: %+v, %+v", first, again)
	}
	people := people(r.Uint64(), 10, first.U)
	round := []session.Command{
		session.Deploy{K: first.K, Epoch: first.Epoch, U: first.U}, session.Tell{K: first.K, Epoch: first.Epoch, ID: "zombie", Batch: people}, session.Close{K: first.K, Epoch: first.Epoch},
	}
	died := r.IntN(3) // before deploying, before telling, before closing
	for _, c := range round[:died] {
		s.must(c)
	}
	if r.IntN(4) == 0 {
		s.restart()
	}
	s.now = s.now.Add(24*time.Hour + time.Duration(r.IntN(3600))*time.Second)
	if died > 0 { // what is deployed waits for people, and holds after twice 36 hours
		s.now = s.now.Add(72 * time.Hour)
	}
	next := s.ask()
	if next.K == first.K || died == 0 && !slices.Equal(next.U, first.U) || s.loop.Status().Turns != before {
		s.Errorf("died at %d: decision %d, %v, then %d, %v, after %d steps of %d", died, first.K, first.U, next.K, next.U, s.loop.Status().Turns, before)
		return false
	}
	for range 2 { // the zombie wakes, and repeats itself
		for _, c := range round[died:] {
			if _, err := s.do(c); err != nil && !isRefusal(err) {
				s.Errorf("the zombie's %T: %v", c, err)
			}
		}
	}
	count := map[session.Kind]int{}
	for _, e := range s.past.events {
		if e.K == first.K {
			count[e.Kind]++
		}
	}
	told, closed := session.ToldLate, 0
	if died == 2 {
		told = session.Told
	}
	if died > 0 { // it was closed once, by time
		closed = 1
	}
	if count[told] != 1 || count[session.Told]+count[session.ToldLate] != 1 || count[session.Closed] != closed || s.loop.Status().Turns != before {
		s.Errorf("died at %d: the zombie left %v and took %d steps", died, count, s.loop.Status().Turns-before)
		return false
	}
	if _, c := s.round(same); c.Outcome.Outcome != session.Stepped || s.loop.Status().Turns != before+1 {
		s.Errorf("afterwards: %+v, %d steps", c.Outcome, s.loop.Status().Turns-before)
		return false
	}
	return !s.Failed()
}

// restart throws the loop away and makes it from its events again.
func (s *scene) restart() {
	s.Helper()
	again := session.New("shop", session.Standard)
	for _, e := range s.past.events {
		if err := again.Replay(e, &s.past); err != nil {
			s.Fatal(err)
		}
	}
	s.loop = again
}

// A clock that jumps, stands still or has a leap second changes no order and no step; only one that jumps ahead of a deadline lets it pass.
func TestClocksThatJump(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-clocks", Text: "the clock of the machine jumps by ten years, an hour or a leap second, back or ahead, or stands still, before any command of 200 rounds: deadlines that pass too early, events out of order, spans below zero, steps that nobody asked for", Short: "20 rounds each"})
	rounds := 20
	if evidence.Whole() {
		rounds = 200
	}
	const year = 365 * 24 * time.Hour
	for _, jump := range []time.Duration{-10 * year, -time.Hour, -time.Second, 0, time.Second, time.Hour, 10 * year} {
		r := rand.New(rand.NewPCG(16, uint64(jump)))
		s := newScene(t, shop, session.Live)
		steps := 0
		for n := range rounds {
			back, at := s.now, r.IntN(4)
			hop := func(i int) {
				if i == at {
					s.now = s.now.Add(jump)
				}
			}
			hop(0)
			a := s.ask()
			hop(1)
			_, err := s.do(session.Deploy{K: a.K, U: a.U})
			hop(2)
			if err == nil {
				_, err = s.do(session.Tell{K: a.K, ID: "am", Batch: people(uint64(n), 10, a.U)})
			}
			hop(3)
			var reply any
			if err == nil {
				reply, err = s.do(session.Close{K: a.K})
			}
			if c, ok := reply.(session.Closing); ok && err == nil && c.Outcome.Outcome == session.Stepped {
				steps++
			}
			ahead := jump > 24*time.Hour
			row.Case(err == nil || ahead && isRefusal(err), "jump by %v before command %d: %v", jump, at, err)
			row.Case(s.loop.Status().Turns == steps, "jump by %v: %d steps, %d of them asked for", jump, s.loop.Status().Turns, steps)
			if s.now = back.Add(time.Minute); jump == 0 {
				s.now = back // it stands still
			}
		}
		early(s, row, jump)
		s.replays()
	}
}

// early looks for deadlines that passed without a jump ahead of them, and for an order that is not that of the events.
func early(s *scene, row *evidence.Witness, jump time.Duration) {
	s.Helper()
	last := time.Time{}
	for i, e := range s.past.events {
		row.Case(e.Seq == i+1 && !e.At.Before(last), "event %d at %v comes after %v", e.Seq, e.At, last)
		row.Case(jump > 24*time.Hour || e.Kind != session.Lapsed && e.Kind != session.Raised, "jump by %v: %s", jump, e.Kind)
		last = e.At
	}
}
