package server_test

import (
	"net/http"
	"testing"
)

// An address that is written otherwise leads to the route; its Allow and its problem tell of one that takes other methods.
func TestAddresses(t *testing.T) {
	s := newSite(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	reply, err := client.Get(s.url + "//healthz")
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if to := reply.Header.Get("Location"); reply.StatusCode/100 != 3 || to != "/healthz" {
		t.Errorf("//healthz leads to %q: %s", to, reply.Status)
	}
	reply, err = client.Post(s.url+"/healthz", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := s.decode(reply); reply.StatusCode != 405 || reply.Header.Get("Allow") != "GET, HEAD" || p["type"] != "/problems/method-not-allowed" {
		t.Errorf("POST /healthz: %s, Allow %q, %v", reply.Status, reply.Header.Get("Allow"), p)
	}
}
