package server_test

import (
	"database/sql"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// later is a clock that is ahead.
type later time.Duration

func (l later) Now() time.Time { return time.Now().Add(time.Duration(l)) }

// People who answered are dropped when the spec says so, and heads are written down, although another loop is damaged.
func TestADamagedLoopKeepsNobodysPeople(t *testing.T) {
	dir := t.TempDir()
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	web := httptest.NewServer(server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()}))
	defer web.Close()
	s := &site{T: t, url: web.URL}
	s.create("bank", "live")
	s.createOf("shop", "live", strings.Replace(shop, "live: {", "live: {retain: {samples: 24h}, ", 1))
	for k := 1; k <= 3; k++ {
		s.want(200, "POST", "/v1/loops/shop/ask", "")
		d := fmt.Sprint("/v1/loops/shop/decisions/", k)
		s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
		s.want(201, "PUT", d+"/batches/am", fmt.Sprintf(`{"p":[[7,%d],[7,5]],"d":[[9,9],[9,9]]}`, k))
		s.want(200, "POST", d+"/close", "")
	}
	other, err := sql.Open("sqlite", filepath.Join(dir, "kedge.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Exec(`UPDATE events SET actor = 'eve' WHERE loop = (SELECT id FROM loops WHERE name = 'bank')`); err != nil {
		t.Fatal(err)
	}
	own := server.New(server.Setup{Journal: j, Clock: later(48 * time.Hour), Limits: server.DefaultLimits()})
	if err := own.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "bank") {
		t.Errorf("of the damaged loop: %v", err)
	}
	for loop, want := range map[string]session.Kind{"shop": session.Compacted, session.OfServer: "anchors"} {
		var kinds []session.Kind
		if err := j.Read(t.Context(), loop, 0, func(e session.Event) error { kinds = append(kinds, e.Kind); return nil }); err != nil || !slices.Contains(kinds, want) {
			t.Errorf("%s has %v, %v, want %s", loop, kinds, err, want)
		}
	}
}

// The list of loops shows all of them although one is damaged, which it says of that one: else nobody would see what needs to be stopped.
func TestADamagedLoopHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	j, s := newShops(t, dir)
	other, err := sql.Open("sqlite", filepath.Join(dir, "kedge.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Exec(`UPDATE events SET actor = 'eve' WHERE loop = (SELECT id FROM loops WHERE name = 'bank')`); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})) // which has read none of them
	defer web.Close()
	s.url = web.URL
	list, _ := s.want(200, "GET", "/v1/overview", "")["loops"].([]any)
	if len(list) != 2 {
		t.Fatalf("%v", list)
	}
	bank, shop := list[0].(map[string]any), list[1].(map[string]any)
	if bank["loop"] != "bank" || bank["level"] != "alarm" || !strings.Contains(fmt.Sprint(bank["words"]), "event 1 of loop bank") || shop["loop"] != "shop" || shop["mode"] != "live" {
		t.Errorf("%v, %v", bank, shop)
	}
}
