package postgres

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// A kill that a server could only mark while the database was lost is written down once it is back, also by a server that does not look after deadlines: until then
// the other servers answer what the rule says.
func TestMarkedKillsAreWrittenDownByWhoMarkedThem(t *testing.T) {
	url, ctx := emptied(t, running(t)), t.Context()
	one := replicaOf(t, url)
	if !one.journal.Keeper(ctx) {
		t.Fatal("nobody looks after deadlines")
	}
	marks, err := store.OpenKillMarks(filepath.Join(t.TempDir(), "kills"))
	if err != nil {
		t.Fatal(err)
	}
	defer marks.Close()
	j := opened(t, url)
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Marks: marks})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close() })
	two := &replica{web, client.Open(web.URL), j}
	if _, err := one.Create(ctx, "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	if status, a := two.send(t, "POST", "ask", `{}`); status != 200 {
		t.Fatal(status, a)
	}
	lost := fmt.Errorf("%w: no answer", session.ErrLost)
	j.lost.Store(&lost)
	reply, err := http.Post(web.URL+"/v1/loops/shop/kill", "application/json", strings.NewReader(`{"reason":"fire"}`))
	if err != nil || reply.StatusCode != 200 {
		t.Fatal(reply, err)
	}
	reply.Body.Close()
	j.lost.Store(nil)
	if err := own.Pass(ctx); err != nil {
		t.Error(err)
	}
	if s, err := one.Loop("shop").Status(ctx); err != nil || s.Mode != session.Killed {
		t.Errorf("the other server has it as %s, %v", s.Mode, err)
	}
}
