package server_test

import (
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// roomless is a database on a disk that may have no room.
type roomless struct {
	*store.SQLite
	full atomic.Bool
}

func (r *roomless) Append(loop string, after int, events []session.Event, state []byte) func() error {
	if r.full.Load() {
		return func() error { return session.ErrFull }
	}
	return r.SQLite.Append(loop, after, events, state)
}

// killedWithoutRoom is a service whose loop was killed when the disk had no room to write that down.
func killedWithoutRoom(t *testing.T) (*site, *roomless) {
	t.Helper()
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j := &roomless{SQLite: db}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); db.Close() })
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	j.full.Store(true)
	if k := s.want(200, "POST", "/v1/loops/shop/kill", `{"reason":"wrong"}`); k["durable"] != "marker" {
		t.Errorf("the kill: %v", k)
	}
	return s, j
}

// While the disk has no room to write a kill down, nobody is told that the loop goes on: it answers its safe decision until somebody resumes it once there is room.
func TestNoLoopGoesOnWhileItsKillWaits(t *testing.T) {
	s, j := killedWithoutRoom(t)
	for _, path := range []string{"resume", "resume?dry_run=true", "promote"} {
		s.want(507, "POST", "/v1/loops/shop/"+path, `{"reason":"mended"}`)
	}
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["basis"] != "safe" {
		t.Errorf("asked while the kill waits: %v", a)
	}
	j.full.Store(false)
	s.want(200, "POST", "/v1/loops/shop/resume", `{"reason":"mended"}`)
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["basis"] != "step" {
		t.Errorf("once it goes on: %v", a)
	}
}

// A loop that was killed on a full disk does not answer its rule to who asks in a round, either.
func TestALoopKilledOnAFullDiskAnswersNoRule(t *testing.T) {
	s, j := killedWithoutRoom(t)
	s.want(507, "POST", "/v1/loops/shop/exchange", `{"k":1,"ask":true}`)
	j.full.Store(false)
	round := s.want(200, "POST", "/v1/loops/shop/exchange", `{"k":1,"ask":true}`)
	if next, _ := round["next"].(map[string]any); next["basis"] != "safe" {
		t.Errorf("with room again: %v", round)
	}
}
