package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// What cannot be an address is an error of a watch as of a call, at once.
func TestWatchWithoutAnAddress(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	c := client.Open("http://[::1")
	_, want := c.Loops(ctx)
	err := c.Loop("shop").Watch(ctx, 0, func(session.Event) error { return nil })
	if want == nil || err == nil || !strings.Contains(err.Error(), "missing ']' in host") || ctx.Err() != nil {
		t.Errorf("a watch ends with %v, a call with %v", err, want)
	}
}

// A service that cannot be reached is asked again, after 50 ms and twice as long each time; once an event came, soon again. A refusal of many words is told whole.
func TestWatchOfAServiceThatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, at, froms := time.Now(), []string{}, []string{}
		long := strings.Repeat("x", 1<<19)
		c := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			at, froms = append(at, time.Since(begun).String()), append(froms, r.Header.Get("Last-Event-ID"))
			reply := func(status int, text string) (*http.Response, error) {
				return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
			}
			switch len(at) {
			case 4:
				return reply(200, "id: 8\ndata: {\"seq\":8}\n\n\n\ndata:{\"seq\":7}\n\ndata: {\"seq\":\ndata: 9}\n\ndata: {\"seq\":10}")
			case 5:
				return reply(200, "data: {\"seq\":11}\n\ndata: nothing\n\ndata: {\"seq\":12}\n\n")
			case 6:
				return reply(503, `{"title":"Busy","retryable":true}`)
			case 7:
				return reply(410, `{"title":"Gone","detail":"`+long+`"}`)
			}
			return nil, io.ErrUnexpectedEOF
		})))
		var seen []int
		err := c.Loop("shop").Watch(t.Context(), 7, func(e session.Event) error { seen = append(seen, e.Seq); return nil })
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Detail != long {
			t.Errorf("ended with %.100v", err)
		}
		if got := fmt.Sprint(seen, froms, at); got != "[8 9 11] [7 7 7 7 9 11 11] [0s 50ms 150ms 350ms 400ms 450ms 550ms]" {
			t.Error(got)
		}
	})
}

// While a service is away it is asked again every two seconds in the end; an event that is longer than most is seen whole.
func TestWatchesOfAServiceThatIsLongAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, at := time.Now(), []string{}
		long := strings.Repeat("x", 100_000)
		c := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			switch at = append(at, time.Since(begun).String()); len(at) {
			case 9:
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("data: {\"seq\":8,\"actor\":\"" + long + "\"}\n\n")), Request: r}, nil
			case 10:
				return &http.Response{StatusCode: 410, Body: io.NopCloser(strings.NewReader(`{"title":"Gone"}`)), Request: r}, nil
			}
			return nil, io.ErrUnexpectedEOF
		})))
		var seen []string
		if err := c.Loop("shop").Watch(t.Context(), 7, func(e session.Event) error { seen = append(seen, e.Actor); return nil }); err == nil || len(seen) != 1 || seen[0] != long {
			t.Errorf("%d events, %.100v", len(seen), err)
		}
		if got := fmt.Sprint(at); got != "[0s 50ms 150ms 350ms 750ms 1.55s 3.15s 5.15s 7.15s 7.2s]" {
			t.Error(got)
		}
	})
}
