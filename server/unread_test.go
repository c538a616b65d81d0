package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// smudged is a database whose marks of kills cannot be read at times.
type smudged struct {
	*store.SQLite
	is atomic.Bool
}

func (s *smudged) Marked(ctx context.Context) ([]string, error) {
	if s.is.Load() {
		return nil, errors.New("input/output error")
	}
	return s.SQLite.Marked(ctx)
}

// While the marks of kills cannot be read no loop is asked, for any of them may be killed; people who answered are taken and kills carried out. Once they can
// be read, all goes on by itself.
func TestMarksThatCannotBeReadLetNoKilledLoopGoOn(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := &smudged{SQLite: db}
	begin := func() (*site, *server.Server) {
		var log bytes.Buffer
		own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(&log, nil))})
		if told := strings.Contains(log.String(), "no loop is asked until the marks of kills can be read") && strings.Contains(log.String(), "input/output error"); told != j.is.Load() {
			t.Errorf("the log begins with %q", log.String())
		}
		web := httptest.NewServer(own)
		t.Cleanup(func() { own.Stop(); web.Close() })
		return &site{T: t, url: web.URL}, own
	}
	s, _ := begin()
	for _, name := range []string{"shop", "store"} {
		s.create(name, "live")
		s.want(200, "POST", "/v1/loops/"+name+"/ask", "")
		s.want(201, "PUT", "/v1/loops/"+name+"/decisions/1/deployment", `{"u":[3,3]}`)
	}
	if !db.Mark(t.Context(), true, "shop") { // as a kill on a full disk does
		t.Fatal("no mark")
	}
	j.is.Store(true)
	s, own := begin()
	for _, name := range []string{"shop", "store"} {
		loop := "/v1/loops/" + name
		s.want(503, "POST", loop+"/ask", "")
		s.want(503, "POST", loop+"/exchange", `{"k":1,"ask":true}`)
		s.want(503, "POST", loop+"/resume", `{"reason":"go on"}`)
		s.want(503, "GET", loop, "")
		s.want(201, "PUT", loop+"/decisions/1/batches/am", `{"p":[[7,5]],"d":[[9,9]]}`)
	}
	s.want(503, "GET", "/v1/overview", "")
	if k := s.want(200, "POST", "/v1/loops/store/kill", `{"reason":"wrong"}`); k["mode"] != "killed" {
		t.Errorf("the kill of a loop: %v", k)
	}
	own.Pass(t.Context())
	j.is.Store(false)
	if err := own.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shop", "store"} {
		if a := s.want(200, "POST", "/v1/loops/"+name+"/ask", ""); a["basis"] != "safe" || fmt.Sprint(a["u"]) != "[4 4]" {
			t.Errorf("%s: %v", name, a)
		}
	}
}
