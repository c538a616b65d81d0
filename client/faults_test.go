package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// A client with faults loses, repeats and reorders, and its calls still come back.
func TestFaults(t *testing.T) {
	f, err := client.ParseFaults("drop=0.2, repeat=0.2,reorder")
	if err != nil || f != (client.Faults{Drop: 0.2, Repeat: 0.2, Reorder: 0.1}) {
		t.Fatal(f, err)
	}
	for _, text := range []string{"drop=1", "drop=x", "lose", "drop=-0.1", ""} {
		if _, err := client.ParseFaults(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	arrived, newest, old := 0, 0, 0
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived++
		var k int
		fmt.Sscanf(r.URL.Path, "/v1/loops/shop/decisions/%d", &k)
		if newest = max(newest, k); k < newest {
			old++
		}
		fmt.Fprintf(w, `{"k":%d}`, k)
	}))
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return f.Through(next, 1) })
	const calls = 60
	for k := range calls {
		if d, err := c.Loop("shop").Decision(t.Context(), k+1); err != nil || d.K != k+1 {
			t.Fatalf("decision %d: %+v, %v", k+1, d, err)
		}
	}
	if arrived <= calls+calls/10 || old == 0 {
		t.Errorf("%d calls: %d messages arrived, %d of them out of order", calls, arrived, old)
	}
}

// counted is a service that writes down what arrives, and counts the replies that nobody has closed.
type counted struct {
	list  []string
	open  int
	fails bool
}

type closing struct {
	io.Reader
	open *int
}

func (c *closing) Close() error { *c.open--; return nil }

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.list = append(c.list, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, body))
	if c.fails {
		return nil, errAway
	}
	c.open++
	return &http.Response{StatusCode: 200, Body: &closing{strings.NewReader(string(body)), &c.open}}, nil
}

var errAway = errors.New("the service is away")

// Every reply that gets lost, and that nobody waits for, is closed; of every message that arrives the body is whole.
func TestRepliesThatAreLostAreClosed(t *testing.T) {
	c := &counted{}
	way := client.Faults{Drop: 0.3, Repeat: 0.3, Reorder: 0.3}.Through(c, 7)
	for i := range 100 {
		c.fails = i%10 == 9
		r, err := http.NewRequestWithContext(t.Context(), "PUT", fmt.Sprint("http://service/", i), strings.NewReader(fmt.Sprint("body ", i)))
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := way.RoundTrip(r); err == nil {
			reply.Body.Close()
		}
		if c.open != 0 {
			t.Fatalf("message %d: %d replies are open", i, c.open)
		}
	}
	for _, line := range c.list {
		var k, body int
		if n, err := fmt.Sscanf(line, "PUT /%d body %d", &k, &body); n != 2 || k != body {
			t.Errorf("%q arrived, %v", line, err)
		}
	}
}

// A message that cannot be read is not sent, and of what cannot be parsed it is said why.
func TestMessagesThatCannotBeRead(t *testing.T) {
	c := &counted{}
	r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://service/", torn{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (client.Faults{Repeat: 0.9}).Through(c, 1).RoundTrip(r); !errors.Is(err, io.ErrUnexpectedEOF) || len(c.list) > 0 {
		t.Errorf("%v, arrived %v", err, c.list)
	}
	for text, want := range map[string]string{
		"drop=1": `drop: "1" is no share from 0 to below 1`, "drop=-0.1": `drop: "-0.1" is no share from 0 to below 1`, "repeat=NaN": `repeat: "NaN" is no share from 0 to below 1`,
		"reorder=x": `reorder: "x" is no share from 0 to below 1`, "lose": `"lose" is none of drop, repeat and reorder`, "drop,": `"" is none of drop, repeat and reorder`,
	} {
		if _, err := client.ParseFaults(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Rounds tell a loop its epoch, where they ask for the next decision; and so does the last decision that is known of a service that is away.
func TestEpochs(t *testing.T) {
	away := false
	next := `,"next":{"k":3,"epoch":"second","u":[1]}`
	spool := filepath.Join(t.TempDir(), "spool")
	open := func() *client.Remote {
		c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case away:
				w.WriteHeader(http.StatusServiceUnavailable)
			case strings.HasSuffix(r.URL.Path, "/exchange"):
				fmt.Fprint(w, `{"k":2`+next+`}`)
			default:
				fmt.Fprint(w, `{"k":1,"epoch":"first","u":[3]}`)
			}
		}))
		client.Spool(spool)(c)
		return c.Loop("shop")
	}
	l := open()
	if x, err := l.Exchange(t.Context(), client.Round{K: 2, Ask: true}); err != nil || x.Next == nil || l.Epoch() != "second" {
		t.Errorf("%+v, %v, epoch %q", x, err, l.Epoch())
	}
	next = ""
	l = open()
	if x, err := l.Exchange(t.Context(), client.Round{K: 2}); err != nil || x.Next != nil || l.Epoch() != "" {
		t.Errorf("%+v, %v, epoch %q", x, err, l.Epoch())
	}
	if d, err := l.Decide(t.Context(), time.Minute); err != nil || d.Stale || l.Epoch() != "first" {
		t.Errorf("%+v, %v, epoch %q", d, err, l.Epoch())
	}
	away = true
	l = open()
	if d, err := l.Decide(t.Context(), 20*time.Millisecond); err != nil || !d.Stale || l.Epoch() != "first" {
		t.Errorf("away: %+v, %v, epoch %q", d, err, l.Epoch())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := l.Decide(ctx, time.Minute); !errors.Is(err, context.Canceled) || d.U != nil {
		t.Errorf("nobody waits: %+v, %v", d, err)
	}
	if d, err := l.Client.Loop("other").Decide(t.Context(), 20*time.Millisecond); err == nil || d.U != nil {
		t.Errorf("of a loop that nobody has asked: %+v, %v", d, err)
	}
}

// While a gateway does not reach the service it answers in its own words: calls are repeated, and batches wait on the disk instead of being set aside.
func TestGateways(t *testing.T) {
	for status, waits := range map[int]bool{502: true, 503: true, 504: true, 500: false, 404: false} {
		calls := 0
		c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls < 3 {
				w.WriteHeader(status)
				fmt.Fprint(w, "<html>")
				return
			}
			fmt.Fprint(w, `{"k":1}`)
		}))
		if _, err := c.Loop("shop").Decision(t.Context(), 1); waits != (err == nil) || waits != (calls == 3) {
			t.Errorf("%d: %d calls, %v", status, calls, err)
		}
		calls = -1 << 30
		client.Spool(t.TempDir())(c)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := c.Loop("shop").Tell(ctx, 1, "am", client.Answers{P: [][]float64{{1}}})
		cancel()
		var kept *client.SpooledError
		if errors.As(err, &kept) != waits || err == nil {
			t.Errorf("%d: a batch comes to %v", status, err)
		}
	}
}

// The safe decision is taken where the last one is older than one wants, if there is a safe one; one that is as old as that is good.
func TestWithin(t *testing.T) {
	both := client.Latest{Offer: session.Offer{U: []float64{1}, Safe: []float64{2}}, Stale: true, Age: time.Hour}
	fresh, unsafe := both, both
	fresh.Stale, unsafe.Safe = false, nil
	for _, c := range []struct {
		latest client.Latest
		age    time.Duration
		want   float64
	}{{both, time.Hour, 1}, {both, time.Hour - 1, 2}, {fresh, 0, 1}, {unsafe, 0, 1}} {
		if u := c.latest.Within(c.age); u[0] != c.want {
			t.Errorf("%+v within %v: %v", c.latest, c.age, u)
		}
	}
}

// A bundle whose length nobody has said is whole where it ends; one that breaks off is an error for that, and one that ends early for its length.
func TestBundlesOfAnyLength(t *testing.T) {
	for _, b := range []struct {
		length int64
		body   io.Reader
		want   string
	}{
		{-1, strings.NewReader("bundle"), "<nil>"},
		{6, strings.NewReader("bundle"), "<nil>"},
		{0, strings.NewReader(""), "<nil>"},
		{7, strings.NewReader("bundle"), "the bundle ends after 6 of 7 bytes"},
		{7, io.MultiReader(strings.NewReader("bun"), torn{}), "unexpected EOF"},
		{-1, torn{}, "unexpected EOF"},
	} {
		c := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: b.length, Body: io.NopCloser(b.body), Request: r}, nil
		})))
		var out strings.Builder
		if err := c.Loop("shop").Export(t.Context(), &out); fmt.Sprint(err) != b.want || err == nil && out.String() != "bundle" && b.length != 0 {
			t.Errorf("%d bytes: %q, %v, want %s", b.length, out.String(), err, b.want)
		}
	}
}

// A client without a spool sends nothing of what lies in a folder that has the name of the loop.
func TestNoSpool(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("shop", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("shop/000000000001-am.json", []byte(`{"k":1,"name":"am","batch":{"p":[[1]]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := 0
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls++; fmt.Fprint(w, "{}") }))
	if sent, err := c.Loop("shop").Flush(t.Context()); sent != 0 || err != nil || calls != 0 {
		t.Errorf("%d sent, %v, %d calls", sent, err, calls)
	}
}
