package server_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// fickle is a journal that others write as well, and that is lost at times.
type fickle struct {
	*store.InMemory
	lost atomic.Bool
}

func (f *fickle) Health() error {
	if f.lost.Load() {
		return fmt.Errorf("%w: no answer", session.ErrLost)
	}
	return nil
}

func (f *fickle) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if err := f.Health(); err != nil {
		return func() error { return err }
	}
	return f.InMemory.Append(loop, after, events, state)
}

func (f *fickle) Tip(loop string) (wait func() (session.Tip, error)) {
	return func() (tip session.Tip, err error) {
		all, _ := f.Loops(context.Background())
		for _, t := range all {
			if t.Loop == loop {
				tip = t
			}
		}
		return tip, f.Health()
	}
}

func (f *fickle) Keeper(context.Context) bool                                     { return true }
func (f *fickle) Follow(context.Context, func() []string, func(session.Tip) bool) {}

// A kill while the database cannot be reached is marked in a file of the server's own: it answers the safe decision at once, and also after a restart,
// and the event follows when there is a database again.
func TestKillOfALostDatabase(t *testing.T) {
	j := &fickle{InMemory: store.NewMemory()}
	path := filepath.Join(t.TempDir(), "kill.map")
	begin := func() (*site, *server.Server) {
		marks, err := store.OpenKillMarks(path)
		if err != nil {
			t.Fatal(err)
		}
		own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Marks: marks})
		web := httptest.NewServer(own)
		t.Cleanup(func() { own.Stop(); web.Close(); marks.Close() })
		return &site{T: t, url: web.URL}, own
	}
	s, own := begin()
	var rule string // where it is, whatever is answered
	for _, name := range []string{"shop", "store", "stall"} {
		s.create(name, "live")
		rule = fmt.Sprint(s.want(200, "POST", "/v1/loops/"+name+"/ask", "")["iterate"])
	}
	j.lost.Store(true)
	s.want(503, "POST", "/v1/loops/shop/pause", `{"reason":"x"}`)
	for _, name := range []string{"shop", "store"} {
		if k := s.want(200, "POST", "/v1/loops/"+name+"/kill", `{"reason":"wrong"}`, "Idempotency-Key", "once"); k["durable"] != "marker" || fmt.Sprint(k["answers"]) != "[4 4]" {
			t.Errorf("the kill of %s: %v", name, k)
		}
		if a := s.want(200, "POST", "/v1/loops/"+name+"/ask", ""); a["basis"] != "safe" || fmt.Sprint(a["u"]) != "[4 4]" || fmt.Sprint(a["iterate"]) != rule || rule == "[4 4]" || a["durable"] != false {
			t.Errorf("asked %s: %v", name, a)
		}
	}
	if a := s.want(200, "POST", "/v1/loops/stall/ask", ""); a["basis"] == "safe" {
		t.Errorf("nobody killed it: %v", a)
	}
	j.lost.Store(false)
	if err := own.Pass(t.Context()); err != nil { // of the first server alone, as if the other had died
		t.Fatal(err)
	}
	if status := s.want(200, "GET", "/v1/loops/shop", ""); status["mode"] != "killed" {
		t.Errorf("with a database again: %v", status)
	}
	j.lost.Store(true)
	s.want(200, "POST", "/v1/loops/stall/kill", `{"reason":"wrong"}`)
	j.lost.Store(false)
	s, _ = begin() // before the first server could write it down
	if status := s.want(200, "GET", "/v1/loops/stall", ""); status["mode"] != "killed" {
		t.Errorf("after a restart: %v", status)
	}
	if a := s.want(200, "POST", "/v1/loops/stall/ask", ""); a["basis"] != "safe" || a["durable"] != nil {
		t.Errorf("asked after a restart: %v", a)
	}
	if status := s.want(200, "GET", "/v1/loops/shop", ""); status["mode"] != "killed" {
		t.Errorf("from its event: %v", status)
	}
}
