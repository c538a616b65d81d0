package server

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/word"
	"github.com/kedge-opt/kedge/web"
)

// calling is a request that has come as far as its route.
func calling(method, target string, headers ...string) (*call, *httptest.ResponseRecorder) {
	to := httptest.NewRecorder()
	c := &call{Server: &Server{limits: DefaultLimits()}, w: to, Request: httptest.NewRequest(method, target, nil), row: route{Method: method}}
	for i := 0; i+1 < len(headers); i += 2 {
		c.Header.Set(headers[i], headers[i+1])
	}
	return c, to
}

// Connections that send nothing for two minutes are ended; the limits on headers are those of the server.
func TestLimitsOnConnections(t *testing.T) {
	limits := DefaultLimits()
	limits.Header, limits.HeaderBytes = 7*time.Second, 4321
	web := (&Server{limits: limits}).Web()
	if web.ReadHeaderTimeout != 7*time.Second || web.IdleTimeout != 120*time.Second || web.MaxHeaderBytes != 4321 {
		t.Errorf("%v, %v, %d bytes", web.ReadHeaderTimeout, web.IdleTimeout, web.MaxHeaderBytes)
	}
	for f, most := range map[batch.Format]int64{batch.JSON: 1, batch.Lines: 1, batch.Parquet: 2, batch.NPZ: 2} {
		if got := (Allowance{Rows: 3, Batch: 1, Table: 2, Ratio: 4}).of(f); got != (batch.Most{Rows: 3, Bytes: most, Ratio: 4}) {
			t.Errorf("%s: %+v", f, got)
		}
	}
}

// A file of the dashboard comes whole, packed for those who unpack, under a tag that is half of its SHA-256 and a half of that; who has it gets nothing more.
func TestFilesOfTheDashboard(t *testing.T) {
	for name, cache := range map[string]string{"index.html": "", "app.js": "no-cache"} {
		plain, err := web.Dashboard().Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(plain)
		if err != nil {
			t.Fatal(err)
		}
		tag := fmt.Sprintf(`"%.12x"`, sha256.Sum256(want))
		for _, x := range []struct {
			headers []string
			status  int
			packing string
		}{{nil, 200, ""}, {[]string{"Accept-Encoding", "br, gzip"}, 200, "gzip"}, {[]string{"If-None-Match", `"else"`}, 200, ""}, {[]string{"If-None-Match", tag}, 304, ""}} {
			c, to := calling("GET", "/assets/"+name, x.headers...)
			status, reply, err := c.asset(name)
			sent := to.Body.Bytes()
			length := strconv.Itoa(len(sent))
			if x.status == 304 {
				length, want = "", []byte{}
			}
			if x.packing != "" {
				z, bad := gzip.NewReader(to.Body)
				if bad != nil {
					t.Fatal(bad)
				}
				if sent, bad = io.ReadAll(z); bad != nil {
					t.Fatal(bad)
				}
			}
			h := to.Header()
			if err != nil || reply != nil || status != x.status || to.Code != x.status || !slices.Equal(sent, want) || h.Get("ETag") != tag || h.Get("Vary") != "Accept-Encoding" || h.Get("Cache-Control") != cache || h.Get("Content-Encoding") != x.packing || h.Get("Content-Length") != length {
				t.Errorf("%s %v: %d, %d bytes, %v, %v", name, x.headers, status, len(sent), h, err)
			}
		}
	}
}

// What series there are: numbers by their names, and lists by entry, those of decisions up to their length.
func TestNamesOfSeries(t *testing.T) {
	for name, want := range map[string]bool{
		"value": true, "ratio.low": true, "trust": true, "value.0": false, "": false, "u": false, "u.": false, "u.x": false, "u.0": true, "u.1": true, "u.2": false, "u.-1": false, "deployed.1": true,
		"iterate.2": false, "multipliers.0": true, "multipliers.9": true, "multipliers.-1": false, "multipliers": false, "none.0": false,
	} {
		if got := isSeries(name, 2); got != want {
			t.Errorf("%q is a series: %t", name, got)
		}
	}
}

// What a query asks for is read to its edges, and the first mistake is told.
func TestQueries(t *testing.T) {
	for text, want := range map[string]string{
		"": "7 [] 0s <nil>", "n=0": "0 [] 0s <nil>", "n=9": "9 [] 0s <nil>",
		"n=10": "7 [] 0s /problems/malformed: n is a whole number from 0 to 9", "n=-1": "7 [] 0s /problems/malformed: n is a whole number from 0 to 9", "n=1.5": "7 [] 0s /problems/malformed: n is a whole number from 0 to 9",
		"v=1,-2.5": "7 [1 -2.5] 0s <nil>", "v=1": "7 [] 0s /problems/dimension-mismatch: v has 1 numbers, want 2", "v=1,2,3": "7 [] 0s /problems/dimension-mismatch: v has 3 numbers, want 2",
		"v=1,inf": `7 [] 0s /problems/malformed: v is numbers with commas between them, and "inf" is none`, "v=1,": `7 [] 0s /problems/malformed: v is numbers with commas between them, and "" is none`,
		"s=10ms": "7 [] 10ms <nil>", "s=1m": "7 [] 1m0s <nil>", "s=9999us": `7 [] 9.999ms /problems/malformed: s is a time from 10ms to 1m0s, not "9999us"`, "s=61s": `7 [] 1m1s /problems/malformed: s is a time from 10ms to 1m0s, not "61s"`, "s=x": `7 [] 0s /problems/malformed: s is a time from 10ms to 1m0s, not "x"`,
		"n=x&v=x": "7 [] 0s /problems/malformed: n is a whole number from 0 to 9",
	} {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		q := &query{Values: values}
		n, v, s := q.number("n", 7, 9), q.vector("v", 2), q.span("s", time.Minute)
		if got := fmt.Sprint(n, " ", v, " ", s, " ", q.err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A stream begins after the event that the browser saw last, else after the one that is asked for.
func TestWhereStreamsBegin(t *testing.T) {
	for _, x := range []struct {
		target, last string
		after        int
		err          string
	}{
		{"/", "", 0, ""}, {"/?after=5", "", 5, ""}, {"/?after=5", "3", 3, ""}, {"/", "0", 0, ""}, {"/?after=9007199254740992", "", 1 << 53, ""}, {"/?after=9007199254740993", "", 0, "from 0 to 9007199254740992"},
		{"/", "-1", -1, `Last-Event-ID is the number of an event, not "-1"`}, {"/", "x", 0, `not "x"`},
	} {
		c, _ := calling("GET", x.target, "Last-Event-ID", x.last)
		q := c.query()
		if after := c.position(q); after != x.after || (q.err == nil) != (x.err == "") || q.err != nil && !strings.Contains(q.err.Error(), x.err) {
			t.Errorf("%s after %q: %d, %v", x.target, x.last, after, q.err)
		}
	}
}

// Only commands that could have a loop answer its rule wait for a kill that is not written down.
func TestWhichCommandsGoOn(t *testing.T) {
	for _, x := range []struct {
		command session.Command
		want    bool
	}{
		{session.Switch{To: session.Killed}, false}, {session.Switch{To: session.Live}, true}, {session.Switch{To: session.Paused}, true},
		{session.Exchange{Ask: true}, true}, {session.Exchange{}, false}, {session.Ask{}, false}, {session.Close{}, false},
	} {
		if got := goesOn(x.command); got != x.want {
			t.Errorf("%T%+v goes on: %t", x.command, x.command, got)
		}
	}
	for _, x := range []struct {
		again, late bool
		want        int
	}{{false, false, 201}, {false, true, 202}, {true, false, 200}, {true, true, 200}} {
		if got := put(x.again, x.late); got != x.want {
			t.Errorf("put again %t, late %t: %d", x.again, x.late, got)
		}
	}
}

// A server goes by its names however they are written, and knows who sends a request.
func TestNamesOfServers(t *testing.T) {
	for host, want := range map[string]string{"Shop.Example": "shop.example", "shop.example.:443": "shop.example", "[::1]:7070": "::1", "[::1]": "::1", "::1": "::1", "10.0.0.5": "10.0.0.5", "": ""} {
		if got := plainName(host); got != want {
			t.Errorf("%q is called %q, want %q", host, got, want)
		}
	}
	if got := namesOf([]string{"Shop.Example."}); !slices.Equal(got, []string{"localhost", "127.0.0.1", "::1", "shop.example"}) {
		t.Errorf("it goes by %v", got)
	}
	for from, want := range map[string]string{"@": "invalid IP true", "127.0.0.1:5": "127.0.0.1 true", "[::ffff:127.0.0.1]:5": "127.0.0.1 true", "10.0.0.9:5": "10.0.0.9 false", "[::1]:5": "::1 true"} {
		peer, local := peerOf(&http.Request{RemoteAddr: from})
		if got := fmt.Sprint(peer, local); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
}

// Whoever takes one of the formats of a reply is answered.
func TestWhoTakesReplies(t *testing.T) {
	for _, x := range []struct {
		accept []string
		want   bool
	}{
		{nil, true}, {[]string{""}, false}, {[]string{"*/*"}, true}, {[]string{"application/*"}, true}, {[]string{"application/json"}, true}, {[]string{"application/problem+json"}, true}, {[]string{"text/*"}, true},
		{[]string{"text/event-stream"}, true}, {[]string{"text/html"}, true}, {[]string{"text/plain;q=0.1"}, true}, {[]string{"image/png, text/html"}, true}, {[]string{"image/png", "text/html"}, true}, {[]string{"image/png"}, false}, {[]string{"text/xml, image/*"}, false},
	} {
		if got := accepts(&http.Request{Header: http.Header{"Accept": x.accept}}); got != x.want {
			t.Errorf("%q is answered: %t", x.accept, got)
		}
	}
}

// Lists and objects are as deep as their brackets, outside of texts, that are open at once.
func TestDepthOfMessages(t *testing.T) {
	for text, depth := range map[string]int{`1`: 0, `[]`: 1, `[[],[],{}]`: 2, `{"a":{"b":[1]}}`: 3, `["[[[["]`: 1, `["\"[[["]`: 1, `["\\",[[]]]`: 3, `{"]]":[]}`: 2, `[{}][[`: 2} {
		if deep([]byte(text), depth) || depth > 0 && !deep([]byte(text), depth-1) {
			t.Errorf("%s is not %d deep", text, depth)
		}
	}
}

// The card to look at first is the worst one, and where nothing is worse the decision on its way, or else the mode, which comes first.
func TestWhichCardIsWorst(t *testing.T) {
	for cards, want := range map[string]string{
		"mode fine, live fine": "mode", "mode fine, decision fine": "decision", "mode fine, decision fine, samples wait": "samples", "mode fine, decision wait, live wait": "decision", "live wait, decision wait": "decision",
		"mode hold, decision wait": "mode", "decision hold, cap alarm, mode alarm": "cap", "mode alarm, decision alarm": "decision",
	} {
		var list []word.Card
		for one := range strings.SplitSeq(cards, ", ") {
			name, state, _ := strings.Cut(one, " ")
			list = append(list, word.Card{Name: name, State: state})
		}
		if got := worstOf(list).Name; got != want {
			t.Errorf("of %s the worst is %s", cards, got)
		}
	}
	if finite(math.Inf(1)) != nil || finite(math.Inf(-1)) != nil || *finite(0) != 0 || span(form.Never) != nil || *span(90 * time.Minute) != 5400 {
		t.Error("what is without end is shown, or what has one is not")
	}
}

// A word under which something is done once has up to 255 signs that can be seen, in quotes or not; where nothing is done once it does not count.
func TestWordsOfRequests(t *testing.T) {
	for header, want := range map[string]string{"": "", "abc": "abc", `"abc"`: "abc", "a b": "!", "!~": "!~", "é": "!", "\x7f": "!", strings.Repeat("x", 255): strings.Repeat("x", 255), strings.Repeat("x", 256): "!"} {
		for _, r := range []route{{Method: "POST", Right: Operate}, {Method: "PUT", Right: Operate}, {Method: "POST", Right: Admin}} {
			c, _ := calling("POST", "/", "Idempotency-Key", header)
			c.row = r
			got, err := c.word()
			if err != nil {
				got = "!"
			}
			if isOnce := r.Method == "POST" && r.Right == Operate; isOnce && got != want || !isOnce && got != "" {
				t.Errorf("%s %s under %q: %q, %v", r.Method, r.Right, header, got, err)
			}
		}
	}
}

// The cookie of a key is secret but where it stays on this machine, in the open and by no proxy.
func TestCookiesAreSecret(t *testing.T) {
	for _, x := range []struct {
		from, by string
		isSecret bool
	}{{"127.0.0.1:9", "", false}, {"@", "", false}, {"192.0.2.7:9", "", true}, {"127.0.0.1:9", "192.0.2.1", true}} {
		c, _ := calling("POST", "http://localhost/v1/login", "X-Forwarded-For", x.by)
		c.RemoteAddr = x.from
		if got := c.cookie("kedge_x", -1); got.Name != "kedge_key" || got.Value != "kedge_x" || got.Path != "/" || got.MaxAge != -1 || !got.HttpOnly || got.SameSite != http.SameSiteStrictMode || got.Secure != x.isSecret {
			t.Errorf("from %s by %q: %v", x.from, x.by, got)
		}
	}
	c, _ := calling("POST", "https://localhost/v1/login")
	if c.RemoteAddr = "127.0.0.1:9"; !c.cookie("kedge_x", 0).Secure {
		t.Error("by TLS")
	}
}
