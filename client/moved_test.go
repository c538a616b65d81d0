package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/client"
)

// A service that has moved gets no message that is not the one that was sent: by 301, 302 and 303 HTTP makes questions of commands [RFC 9110, 15.4], and
// what answers a question would pass for a loop that was made or archived. Where a message stays what it is, as by 307 and 308, it is sent on.
func TestCommandsAreNotMadeQuestions(t *testing.T) {
	var arrived []string
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived = append(arrived, r.Method)
		w.Write([]byte(`{"loop":"shop","mode":"live","seq":7}`))
	}))
	defer there.Close()
	for status, follows := range map[int]bool{301: false, 302: false, 303: false, 307: true, 308: true} {
		here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, there.URL+r.URL.Path, status)
		}))
		loop := client.Open(here.URL).Loop("shop")
		arrived = nil
		_, err := loop.Archive(t.Context())
		var refused *client.Error
		if follows != (err == nil) || !follows && (!errors.As(err, &refused) || refused.Status != status || !strings.Contains(err.Error(), there.URL)) {
			t.Errorf("%d: archiving comes to %v, and there arrive %v", status, err, arrived)
		}
		if follows != (len(arrived) == 1 && arrived[0] == "DELETE") {
			t.Errorf("%d: there arrive %v", status, arrived)
		}
		if s, err := loop.Status(t.Context()); err != nil || s.Seq != 7 {
			t.Errorf("%d: a question comes to %+v, %v", status, s, err)
		}
		here.Close()
	}
}

// A service that sends messages round in circles is an error, at once.
func TestCirclesEnd(t *testing.T) {
	calls := 0
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	if _, err := client.Open(here.URL).Loop("shop").Status(t.Context()); err == nil || !strings.Contains(err.Error(), "307") || calls != 10 { // as many as net/http goes round by itself
		t.Errorf("%v after %d calls", err, calls)
	}
}
