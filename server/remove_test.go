package server_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/store"
)

// An archived loop goes with its events, its people and what was counted of it; its anchor stays, and tells verify why it is gone. Any other loop that is
// gone is noticed.
func TestRemovedLoopsLeaveTheirAnchor(t *testing.T) {
	dir := t.TempDir()
	j, s := newShops(t, dir)
	sound := func(when string) {
		t.Helper()
		if _, err := store.Verify(t.Context(), dir); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	log, because := "/v1/loops/shop/log", `{"reason":"closed in May"}`
	if p := s.want(409, "DELETE", log, because); p["type"] != "/problems/wrong-mode" {
		t.Errorf("of a live loop: %v", p)
	}
	end := s.want(200, "DELETE", "/v1/loops/shop", "")
	s.want(400, "DELETE", log, `{}`)
	dry := s.want(200, "DELETE", log+"?dry_run=true", because)
	if dry["hash"] != end["hash"] || dry["seq"] != end["seq"] || dry["batches"] != 1.0 {
		t.Errorf("tried: %v, the head is %v", dry, end)
	}
	s.want(200, "GET", "/v1/loops/shop", "")
	var bundle bytes.Buffer
	if err := store.ExportTar(t.Context(), j, "shop", &bundle); err != nil {
		t.Fatal(err)
	}
	ended := s.watchToTheEnd("/v1/loops/shop/events")
	done := s.want(200, "DELETE", log, because)
	if fmt.Sprint(done) != fmt.Sprint(dry) || fmt.Sprint(s.want(200, "DELETE", log, because)) != fmt.Sprint(done) {
		t.Errorf("removed: %v, tried: %v", done, dry)
	}
	select {
	case text := <-ended:
		if !strings.HasSuffix(text, "event: bye\ndata: {}\n\n") {
			t.Errorf("the stream ends with %.200s", text)
		}
	case <-time.After(30 * time.Second):
		t.Error("a stream of a loop that is gone goes on")
	}
	s.want(404, "GET", "/v1/loops/shop", "")
	s.want(404, "DELETE", "/v1/loops/none/log", because)
	if files, err := os.ReadDir(filepath.Join(dir, "blobs")); err != nil || len(files) > 0 {
		t.Errorf("files of its people stay: %v, %v", files, err)
	}
	for _, path := range []string{"/v1/loops", "/metrics"} {
		if text := s.wantText(path, ""); strings.Contains(text, `"shop"`) {
			t.Errorf("%s: %s", path, text)
		}
	}
	sound("removed")
	m, name, err := store.ReadTar(t.Context(), &bundle)
	if err == nil {
		err = store.Import(t.Context(), j, server.Wall(), session.Standard, m, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	sound("imported again")
	s.want(200, "DELETE", log, because)
	s.create("shop", "shadow")
	sound("another loop of the name")
}

// newShops is a service with two loops, of which shop has many people, and whose heads were noted.
func newShops(t *testing.T, dir string) (*store.SQLite, *site) {
	t.Helper()
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); j.Close() })
	s := &site{T: t, url: web.URL}
	for _, name := range []string{"shop", "bank"} {
		s.create(name, "live")
		s.want(200, "POST", "/v1/loops/"+name+"/ask", "")
		s.want(201, "PUT", "/v1/loops/"+name+"/decisions/1/deployment", `{"u":[3,3]}`)
	}
	many := strings.TrimSuffix(strings.Repeat("[7,5],", 12_000), ",") // more than a database keeps inside
	s.want(201, "PUT", "/v1/loops/shop/decisions/1/batches/am", `{"p":[`+many+`],"d":[`+many+`]}`)
	if err := chronicle.Anchor(t.Context(), j, server.Wall(), 0); err != nil {
		t.Fatal(err)
	}
	return j, s
}

// watchToTheEnd sends all of a stream once it has ended.
func (s *site) watchToTheEnd(path string) <-chan string {
	s.Helper()
	watcher, err := http.Get(s.url + path)
	if err != nil {
		s.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		defer watcher.Body.Close()
		var text bytes.Buffer
		text.ReadFrom(watcher.Body)
		ended <- text.String()
	}()
	return ended
}

// A loop that is gone and that nobody removed is noticed.
func TestLoopsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	j, _ := newShops(t, dir)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "kedge.db"))
	if err == nil {
		_, err = db.Exec(`PRAGMA foreign_keys = OFF; DELETE FROM events WHERE loop = (SELECT id FROM loops WHERE name = 'bank')`)
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := store.Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "loop bank: the server once saw this event, but the loop is gone") {
		t.Errorf("a loop that nobody removed is gone: %v", err)
	}
}
