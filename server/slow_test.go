package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// large is a vault that exports more than a connection holds on its way.
type large struct{ copies }

func (large) Export(_ context.Context, _ string, w io.Writer) error {
	_, err := w.Write(make([]byte, 64<<20))
	return err
}

// Who takes an export slowly, or sends a bundle and then nothing, keeps nobody else from being served.
func TestSlowCopiesKeepNobodyWaiting(t *testing.T) {
	limits := server.DefaultLimits()
	limits.AtWork, limits.Header, limits.Reply = 1, 300*time.Millisecond, 300*time.Millisecond
	own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Limits: limits, Vault: large{}})
	web := httptest.NewServer(own)
	defer web.Close()
	s := &site{T: t, url: web.URL, web: &http.Client{Timeout: 10 * time.Second}}
	s.create("shop", "live")
	served := func(when string) {
		t.Helper()
		time.Sleep(100 * time.Millisecond)
		r, _ := http.NewRequest("GET", web.URL+"/v1/loops/shop", nil)
		reply, err := s.web.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if reply.Body.Close(); reply.StatusCode != 200 {
			t.Errorf("%s: %s", when, reply.Status)
		}
	}
	reply, err := http.Get(web.URL + "/v1/loops/shop/export") // which nobody reads
	if err != nil || reply.StatusCode != 200 {
		t.Fatal(reply, err)
	}
	defer reply.Body.Close()
	served("while an export is not read")
	time.Sleep(3 * limits.Reply)
	if n, err := io.Copy(io.Discard, reply.Body); err == nil {
		t.Errorf("an export that nobody read for long goes on: %d bytes", n)
	}
	from, to := io.Pipe()
	defer to.Close()
	ended := make(chan int, 1)
	go func() {
		reply, err := http.Post(web.URL+"/v1/loops/import", "application/x-tar", io.MultiReader(strings.NewReader("shop"), from))
		if err != nil {
			ended <- 0
			return
		}
		reply.Body.Close()
		ended <- reply.StatusCode
	}()
	select {
	case status := <-ended:
		if status != http.StatusRequestTimeout {
			t.Errorf("a bundle that does not come: %d", status)
		}
	case <-time.After(5 * time.Second):
		t.Error("a bundle that does not come is waited for")
	}
}
