package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

// served is a client of a handler.
func served(f func(w http.ResponseWriter, r *http.Request)) *client.Client {
	return client.Inside(http.HandlerFunc(f))
}

func refuse(w http.ResponseWriter, status int, retryable bool) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"/problems/odd","title":"Odd","status":%d,"detail":"so it is","retryable":%t,"errors":[{"detail":"one"},{"detail":"two"}]}`, status, retryable)
}

// Calls that may succeed later are repeated after 50 ms and twice as long each time, up to 2 s, until the context ends.
func TestCallsAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, at := time.Now(), []string{}
		c := served(func(w http.ResponseWriter, r *http.Request) {
			at = append(at, time.Since(begun).String())
			refuse(w, 503, true)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		_, err := c.Loops(ctx)
		if got := strings.Join(at, " "); got != "0s 50ms 150ms 350ms 750ms 1.55s 3.15s 5.15s 7.15s" {
			t.Errorf("sent at %s", got)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !client.IsProblem(err, "odd") || !strings.Contains(err.Error(), "; at last: Odd: so it is\none\ntwo") {
			t.Error(err)
		}
	})
}

// What is refused for good is not repeated, nor is a key that is made; what gets no answer is.
func TestCallsThatAreNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := served(func(w http.ResponseWriter, r *http.Request) { calls++; refuse(w, 409, false) })
		if _, err := c.Loops(t.Context()); calls != 1 || !client.IsProblem(err, "odd") || client.IsProblem(err, "even") || client.IsProblem(nil, "odd") {
			t.Errorf("%d calls, %v", calls, err)
		}
		calls = 0
		c = served(func(w http.ResponseWriter, r *http.Request) { calls++; refuse(w, 503, true) })
		if _, err := c.CreateKey(t.Context(), client.KeyWanted{}); calls != 1 || !client.IsProblem(err, "odd") {
			t.Errorf("%d keys, %v", calls, err)
		}
		calls = 0
		c = client.Open("http://localhost/", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			if calls++; calls < 3 {
				return nil, io.ErrUnexpectedEOF
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"loops":[{"loop":"a"}]}`)), Request: r}, nil
		})))
		if tips, err := c.Loops(t.Context()); calls != 3 || err != nil || len(tips) != 1 {
			t.Errorf("%d calls, %v, %v", calls, tips, err)
		}
		calls = 0
		c = client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
			if calls++; calls < 3 {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(torn{}), Request: r}, nil
			}
			return &http.Response{StatusCode: 501, Status: "501 Not Implemented", Body: io.NopCloser(strings.NewReader("<html>")), Request: r}, nil
		})))
		_, err := c.Loops(t.Context())
		var e *client.Error
		if calls != 3 || !errors.As(err, &e) || e.Status != 501 || err.Error() != "501 Not Implemented" {
			t.Errorf("%d calls, %v", calls, err)
		}
		if _, err := client.Open("http://local host").Loops(t.Context()); err == nil {
			t.Error("an address that is none is called")
		}
		if _, err := served(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{") }).Loops(t.Context()); err == nil {
			t.Error("half of a reply is taken")
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// torn is a reply that breaks off.
type torn struct{}

func (torn) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A call that is stopped is not repeated.
func TestCallsThatAreStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	c := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
		calls++
		stop()
		return nil, ctx.Err()
	})))
	if _, err := c.Loops(ctx); calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// Bundles are whole or an error, and go the way of all messages.
func TestBundles(t *testing.T) {
	var sent string
	c := served(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Authorization"), " ", string(body))
		switch r.URL.Path {
		case "/v1/loops/import":
			io.WriteString(w, `{"loop":"shop"}`)
		case "/v1/backup":
			io.WriteString(w, `{"file":"copy"}`)
		case "/v1/loops/a b/export":
			io.WriteString(w, "bundle")
		default:
			refuse(w, 404, false)
		}
	})
	client.Key("secret")(c)
	if s, err := c.Import(t.Context(), []byte("tar")); err != nil || s.Loop != "shop" || sent != "POST http://localhost/v1/loops/import application/x-tar Bearer secret tar" {
		t.Errorf("%q: %+v, %v", sent, s, err)
	}
	if b, err := c.Backup(t.Context()); err != nil || b.File != "copy" || sent != "POST http://localhost/v1/backup  Bearer secret " {
		t.Errorf("%q: %+v, %v", sent, b, err)
	}
	var b bytes.Buffer
	if err := c.Loop("a b").Export(t.Context(), &b); err != nil || b.String() != "bundle" || sent != "GET http://localhost/v1/loops/a%20b/export  Bearer secret " {
		t.Errorf("%q: %q, %v", sent, b.String(), err)
	}
	if err := c.Loop("x").Export(t.Context(), &b); err == nil || !strings.HasPrefix(err.Error(), "Odd: so it is") {
		t.Error(err)
	}
	short := client.Open("http://localhost", client.Over(transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/v1/loops/gone/export" {
			return nil, io.ErrUnexpectedEOF
		}
		return &http.Response{StatusCode: 200, ContentLength: 9, Body: io.NopCloser(strings.NewReader("bundle")), Request: r}, nil
	})))
	if err := short.Loop("x").Export(t.Context(), &b); err == nil || err.Error() != "the bundle ends after 6 of 9 bytes" {
		t.Error(err)
	}
	if err := short.Loop("gone").Export(t.Context(), &b); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// Events come each once and in order, though streams break, repeat and say farewell.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams, asked := 0, []string{}
		parts := []string{
			"id: 1\nevent: x\ndata: {\"seq\":1,\ndata: \"actor\":\"a\"}\n\ndata:{\"seq\":2}\n\n: hi\n\n",
			"data: {\"seq\":2}\n\ndata: {\"seq\":3}\n\ndata: {\"seq\":4}\n",
			"data: {\"seq\":0}\n\n",
			"data: nonsense\n\n",
			"data: {\"seq\":4}\n\n",
		}
		c := served(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Header.Get("Last-Event-ID"))
			switch streams++; {
			case streams <= len(parts):
				io.WriteString(w, parts[streams-1])
			case streams == len(parts)+1:
				refuse(w, 503, true)
			default:
				refuse(w, 410, false)
			}
		})
		begun := time.Now()
		var seen []int
		err := c.Loop("shop").Watch(t.Context(), 0, func(e session.Event) error { seen = append(seen, e.Seq); return nil })
		if !client.IsProblem(err, "odd") || fmt.Sprint(seen) != "[1 2 3 4]" || strings.Join(asked, " ") != "0 2 3 3 3 4 4" {
			t.Errorf("%v, asked after %v: %v", seen, asked, err)
		}
		if took := time.Since(begun); took != (50+50+100+200+50+100)*time.Millisecond { // the wait begins anew where something came
			t.Errorf("took %v", took)
		}
		enough := errors.New("enough")
		streams = 0
		if err := c.Loop("shop").Watch(t.Context(), 0, func(e session.Event) error { return enough }); err != enough {
			t.Error(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := c.Loop("shop").Watch(ctx, 0, func(session.Event) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Which messages arrive, and in which order, follows from the seed.
func TestFaultsAsRecorded(t *testing.T) {
	var got []string
	for seed, f := range []client.Faults{{Drop: 0.5}, {Repeat: 0.5}, {Reorder: 0.9}, {Drop: 0.3, Repeat: 0.3, Reorder: 0.3}} {
		var arrived []string
		way := f.Through(transport(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			arrived = append(arrived, string(body))
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(""))}, err
		}), uint64(seed))
		for n := range 40 {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/", strings.NewReader(fmt.Sprint(n)))
			if err != nil {
				t.Fatal(err)
			}
			if n == 7 {
				r.Body = nil
			}
			if _, err := way.RoundTrip(r); err != nil {
				arrived = append(arrived, "lost")
			}
		}
		got = append(got, strings.Join(arrived, " "))
	}
	evidence.AsRecorded(t, "testdata/faults.txt", got)
}

// What faults there can be is read, and nothing else.
func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"drop": "{0.1 0 0} <nil>", "repeat=0": "{0 0 0} <nil>", " reorder=0.5": "{0 0 0.5} <nil>", "x=0.5": `{0 0 0} "x" is none of drop, repeat and reorder`, "drop=0.999,repeat=0.25": "{0.999 0.25 0} <nil>",
		"drop=1": `{0 0 0} drop: "1" is no share from 0 to below 1`, "drop=NaN": `{0 0 0} drop: "NaN" is no share from 0 to below 1`,
	} {
		f, err := client.ParseFaults(text)
		if got := fmt.Sprintf("%v %v", f, err); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A spool that cannot be written or read is an error, and what lies in it besides batches is left alone.
func TestSpoolsThatFail(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	calls := 0
	open := func(spool string) *client.Remote {
		c := served(func(w http.ResponseWriter, r *http.Request) {
			calls++
			io.WriteString(w, `{"k":3,"u":[1],"epoch":"e"}`)
		})
		client.Spool(spool)(c)
		return c.Loop("shop")
	}
	l := open(filepath.Join(file, "below"))
	if _, err := l.Tell(t.Context(), 1, "a", client.Answers{}); err == nil || calls > 0 {
		t.Errorf("told what is not kept: %v", err)
	}
	if _, err := l.Decide(t.Context(), time.Second); err == nil {
		t.Error("decided what is not kept")
	}
	if _, err := l.Flush(t.Context()); err == nil {
		t.Error("flushed what cannot be read")
	}
	if _, err := l.Close(t.Context(), 1); err == nil {
		t.Error("closed what cannot be read")
	}
	l = open(dir)
	if n, err := l.Flush(t.Context()); n != 0 || err != nil {
		t.Errorf("of nothing %d, %v", n, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"1-a.json": `{"k":1,"name":"a","batch":{}}`, "2-b.json": `{"k":2,"name":"b","batch":{}}`, "3-c.refused": "{", "4-d.json": "{"} {
		if err := os.WriteFile(filepath.Join(dir, "shop", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls = 0
	if n, err := l.Flush(t.Context()); n != 2 || calls != 2 || err == nil || !strings.Contains(err.Error(), "4-d.json") {
		t.Errorf("%d of %d calls, %v", n, calls, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "shop", "*")); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
}

// Decisions that were never made are not known while the service is away, and what it refuses is an error at once.
func TestDecideWithoutTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := 503
		c := served(func(w http.ResponseWriter, r *http.Request) { refuse(w, status, status == 503) })
		client.Spool(t.TempDir())(c)
		l := c.Loop("shop")
		if _, err := l.Decide(t.Context(), time.Second); !errors.Is(err, os.ErrNotExist) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		status = 409
		if _, err := l.Decide(t.Context(), time.Second); !client.IsProblem(err, "odd") || errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		if n, err := l.Tell(t.Context(), 1, "a", client.Answers{}); err == nil {
			t.Error(n)
		}
		status = 503
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := l.Decide(ctx, time.Hour); errors.Is(err, os.ErrNotExist) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	k := client.Latest{Offer: session.Offer{U: []float64{1}}, Stale: true, Age: time.Hour}
	if k.Within(0)[0] != 1 {
		t.Error("without a safe decision there is another")
	}
	k.Safe = []float64{2}
	if k.Within(time.Hour)[0] != 1 || k.Within(time.Hour - 1)[0] != 2 {
		t.Error("the age is not heeded")
	}
	if k.Stale = false; k.Within(0)[0] != 1 {
		t.Error("a fresh decision is too old")
	}
}
