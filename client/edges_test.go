package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
)

// What is no JSON is not sent, nor kept on the disk, and it is said why; nor does it take the place of a batch that waits under its name.
func TestNumbersThatCannotBeSent(t *testing.T) {
	calls := 0
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls++; w.WriteHeader(http.StatusServiceUnavailable) }))
	client.Spool(t.TempDir())(c)
	l := c.Loop("shop")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var kept *client.SpooledError
	if _, err := l.Tell(ctx, 1, "am", client.Answers{P: [][]float64{{1}}}); !errors.As(err, &kept) || calls == 0 {
		t.Fatal(err)
	}
	calls = 0
	for name, send := range map[string]func() error{
		"a deployment": func() error { _, err := l.Deploy(t.Context(), 1, []float64{math.NaN()}); return err },
		"a new batch": func() error {
			_, err := l.Tell(t.Context(), 1, "pm", client.Answers{P: [][]float64{{math.Inf(1)}}})
			return err
		},
		"one that waits": func() error {
			_, err := l.Tell(t.Context(), 1, "am", client.Answers{P: [][]float64{{math.NaN()}}})
			return err
		},
		"a key": func() error {
			_, err := c.CreateKey(t.Context(), client.KeyWanted{Expires: new(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))})
			return err
		},
	} {
		if err := send(); err == nil || !strings.Contains(err.Error(), "json: ") || calls > 0 {
			t.Errorf("%s: %v, sent %d times", name, err, calls)
		}
	}
}

// What a reply says that is none: where the service has gone only of a reply that sends elsewhere, and of one mistake no more than its words.
func TestWordsOfRefusals(t *testing.T) {
	for _, c := range []struct {
		status   int
		to, text string
		want     string
	}{
		{302, "http://there/", "", "302 Found: the service has moved to http://there/"},
		{302, "", "", "302 Found"},
		{404, "http://there/", "", "404 Not Found"},
		{400, "", `{"title":"Odd","detail":"so","errors":[{"detail":"so"}]}`, "Odd: so"},
		{400, "", `{"title":"Odd","errors":[{"detail":"one"},{"detail":"two"}]}`, "Odd\none\ntwo"},
	} {
		l := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			reply := &http.Response{StatusCode: c.status, Status: fmt.Sprint(c.status, " ", http.StatusText(c.status)), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.text)), Request: r}
			if c.to != "" {
				reply.Header.Set("Location", c.to)
			}
			return reply, nil
		}))).Loop("shop")
		if _, err := l.Archive(t.Context()); err == nil || err.Error() != c.want {
			t.Errorf("%d to %q with %q: %v, want %s", c.status, c.to, c.text, err, c.want)
		}
	}
	if err := client.Open("http://[::1").Loop("shop").Export(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "missing ']' in host") {
		t.Errorf("a bundle of no address: %v", err)
	}
}

// A service in the same program gets a body, if an empty one, and its first word on the status counts; one that says nothing has done what was asked.
func TestInside(t *testing.T) {
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil || len(body) > 0 || r.RemoteAddr == "" || r.RequestURI != r.URL.RequestURI():
			w.WriteHeader(http.StatusTeapot)
		case r.URL.Path == "/made":
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, "so")
		}
	}))
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		for address, want := range map[string]string{"http://localhost/made?a=1": "201 so", "http://localhost/": "200 "} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := next.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply.Body)
			if got := fmt.Sprint(reply.StatusCode, " ", string(text)); got != want || err != nil || reply.ContentLength != int64(len(text)) {
				t.Errorf("%s: %s, %v, want %s", address, got, err, want)
			}
		}
		return next
	})
}

// Callers at once keep their connections, and what is put around no transport is put around the usual one.
func TestTransports(t *testing.T) {
	client.Open("http://localhost").Wrap(func(next http.RoundTripper) http.RoundTripper {
		if lines, is := next.(*http.Transport); !is || lines == http.DefaultTransport || lines.MaxIdleConnsPerHost != 64 {
			t.Errorf("messages go by %+v", next)
		}
		return next
	})
	client.Open("http://localhost", client.Over(nil)).Wrap(func(next http.RoundTripper) http.RoundTripper {
		if next != http.DefaultTransport {
			t.Errorf("messages go by %+v", next)
		}
		return next
	})
}
