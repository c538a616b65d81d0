package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// copies are bundles of one line.
type copies struct{}

func (copies) Backup(context.Context) (session.BackupMade, error) {
	return session.BackupMade{File: "today.db", Loops: 3, Events: 40, Checked: true}, nil
}

func (copies) Export(_ context.Context, loop string, w io.Writer) error {
	if loop == "gated" {
		return errors.New("nothing can be read")
	}
	_, err := io.WriteString(w, loop)
	return err
}

func (copies) Import(_ context.Context, r io.Reader, allowed func(loop string) error) (string, error) {
	name, err := io.ReadAll(r)
	if err == nil {
		err = allowed(string(name))
	}
	return string(name), err
}

// conversation is what a service is asked and what it answers, whole but for what nobody can foresee.
type conversation struct {
	*testing.T
	own    *server.Server
	common http.Header // of the first reply
	rows   *http.ServeMux
	said   map[string]bool // the rows that were called
	key    string          // that opens everything; empty: none is needed
	lines  []string
}

// unforeseeable is other things every time: keys, their sums, names of requests, epochs, hashes of what has them, and what the service is built from.
var unforeseeable = regexp.MustCompile(`(kedge_[\w-]{2})[\w-]*|"(?:epoch|hash|prev|request|instance_id)":"([^"]*)"|in epoch (\w+)|[0-9a-f]{64}|"(?:kedge|go|version|build)":"([^"]*)"`)

// masked is a text without what is other every time.
func masked(text string) string { return unforeseeable.ReplaceAllString(text, "⋯") }

// say calls the service as somebody on its machine, for twenty seconds at most, and returns what is answered.
func (c *conversation) say(method, path, body string, headers ...string) string {
	ctx, end := context.WithTimeout(c.Context(), 20*time.Second)
	defer end()
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:9"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if _, row := c.rows.Handler(r); row != "" {
		c.said[row] = true
	}
	w := httptest.NewRecorder()
	c.own.ServeHTTP(w, r)
	if c.common == nil {
		c.common = w.Header().Clone()
		for _, name := range slices.Sorted(maps.Keys(c.common)) {
			c.lines = append(c.lines, name+": "+strings.Join(c.common[name], ", "))
		}
	}
	apart := strings.HasPrefix(path, "/assets/") || path == "/" || path == "/openapi.json" || path == "/metrics" // they have tests of their own
	line := fmt.Sprintf("%s %s %.100s %.80q\n\t%d", method, path, body, headers, w.Code)
	for _, name := range slices.Sorted(maps.Keys(c.common)) {
		if w.Header()[name] == nil {
			line += " no " + name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		if is := w.Header()[name]; !slices.Equal(is, c.common[name]) && (!apart || name != "Etag" && name != "Content-Length") {
			line += fmt.Sprintf(" %s: %s", name, strings.Join(is, ", "))
		}
	}
	text := masked(w.Body.String())
	switch {
	case apart && w.Code == 200:
		text = ""
	case strings.HasPrefix(text, `{"keys":[`): // in the order of their prefixes
		list := strings.Split(strings.NewReplacer(`{"keys":[`, "", "},{", "}\n{", "]}\n", "").Replace(text), "\n")
		slices.Sort(list)
		text = strings.Join(list, "\n")
	case len(text) > 900:
		text = fmt.Sprintf("%.300s… %.6x", text, sha256.Sum256([]byte(text)))
	}
	c.lines = append(c.lines, strings.Split(strings.TrimRight(masked(line)+"\n\t"+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t"), "\n\t"), "\n")...)
	time.Sleep(time.Minute)
	return w.Body.String()
}

// table is the rows of the service, as they are described.
func (c *conversation) table() (rows []operation) {
	var v struct {
		Paths map[string]map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(c.say("GET", "/openapi.json", "")), &v); err != nil {
		c.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(v.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(v.Paths[path])) {
			rows = append(rows, operation{strings.ToUpper(method), path, schemaIn(v.Paths[path][method])})
		}
	}
	return rows
}

// Every row of the service is called, well and badly, and answers as it did when this was recorded: status, headers, the whole reply and what the
// metrics make of it. Other tests say that answers are right.
func TestConversationIsAsRecorded(t *testing.T) {
	var lines []string
	synctest.Test(t, func(t *testing.T) {
		own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Plan: readOnce(), Limits: server.DefaultLimits(), Build: "test", Vault: copies{}})
		defer own.Stop()
		c := &conversation{T: t, own: own, rows: http.NewServeMux(), said: map[string]bool{}}
		c.say("GET", "/healthz", "")
		rows := c.table()
		for _, row := range rows {
			c.rows.HandleFunc(row.method+" "+row.path, func(http.ResponseWriter, *http.Request) {})
		}
		c.aboutTheService()
		c.aRound()
		c.looks()
		c.operations()
		c.approvals()
		c.mistakes(rows)
		c.copied()
		c.aboutKeys()
		for _, row := range rows {
			if name := row.method + " " + row.path; !c.said[name] {
				t.Errorf("nobody called %s", name)
			}
		}
		for line := range strings.Lines(c.metrics()) {
			if strings.HasPrefix(line, "kedge_request") && !strings.Contains(line, "_bucket") {
				c.lines = append(c.lines, strings.TrimSpace(line))
			}
		}
		lines = c.lines
	})
	evidence.AsRecorded(t, "testdata/conversation.txt", lines)
}

// metrics is the page of them, which is no part of what is said.
func (c *conversation) metrics() string {
	r := httptest.NewRequest("GET", "http://localhost/metrics", nil)
	w := httptest.NewRecorder()
	if r.RemoteAddr = "127.0.0.1:9"; c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	c.own.ServeHTTP(w, r)
	return w.Body.String()
}

// guarded is the shop with a number that somebody tells.
var guarded = strings.Replace(shop, "safe: [4, 4]", "safe: [4, 4], guardrails: [{name: complaints, kind: external, most: 3}]", 1)

func (c *conversation) aboutTheService() {
	for _, path := range []string{"/healthz", "/openapi.json", "/readyz", "/version", "/metrics", "/", "/assets/app.js", "/assets/none", "/problems/malformed", "/problems/none", "/v1/login", "/v1/loops", "/v1/heads", "/v1/overview", "/v1/keys", "/v1/events", "/v1/none", "//v1/loops"} {
		c.say("GET", path, "")
	}
	c.say("HEAD", "/v1/loops", "")
	c.say("PATCH", "/v1/loops", "")
	c.say("GET", "/v1/loops", "", "Accept", "application/xml")
	c.say("GET", "/v1/loops", "", "Accept", "application/xml, text/*;q=0.1")
	c.say("POST", "/v1/kill", "{}", "Sec-Fetch-Site", "cross-site")
	c.say("GET", "/v1/loops", "", "X-Forwarded-For", "192.0.2.1")
	c.say("DELETE", "/v1/login", "")
	c.say("POST", "/v1/login", `{"key":"kedge_none"}`)
}

func (c *conversation) aRound() {
	loop := `{"name":"shop","mode":"live","labels":{"team":"a"},"spec":` + quoted(guarded) + `}`
	c.say("POST", "/v1/loops", loop)
	c.say("POST", "/v1/loops", loop)
	c.say("POST", "/v1/loops", `{"name":"-shop","spec":"x"}`)
	c.say("POST", "/v1/loops", `{"name":"other","spec":"x"}`)
	d := "/v1/loops/shop/decisions/1"
	c.say("GET", "/v1/loops/shop/distribution", "")
	c.say("POST", "/v1/loops/shop/ask", `{"wait":"10s"}`)
	c.say("POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"10s"}`)
	c.say("POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"6m"}`)
	c.say("GET", d+"/batches", "")
	c.say("PUT", d+"/deployment", `{"u":[3,3]}`, "Content-Type", "application/json")
	c.say("PUT", d+"/deployment", `{"u":[3,3]}`)
	c.say("PUT", d+"/deployment", `{"u":[4,3]}`)
	c.say("PUT", d+"/metrics/complaints", `{"value":1}`)
	c.say("PUT", d+"/metrics/complaints", `{"value":1}`)
	c.say("PUT", d+"/metrics/complaints", `{"value":2}`)
	c.say("PUT", d+"/metrics/none", `{"value":2}`)
	people := `{"p":[[7,5],[6.5,5.25]],"d":[[10,8],null],"w":[1,2],"id":["a","b"]}`
	c.say("PUT", d+"/batches/am", people) // without a type
	c.say("PUT", d+"/batches/am", people, "Content-Type", "application/x-www-form-urlencoded")
	c.say("PUT", d+"/batches/pm?observed_at=2000-01-02T00:00:00Z", `{"p":[7,4.5],"d":[10,8],"w":1,"id":"c"}`, "Content-Type", "application/x-ndjson")
	c.say("PUT", d+"/batches/early?observed_at=1999-01-02T00:00:00Z", `{"p":[[7,4.5]],"d":[[10,8]],"w":[1],"id":["d"]}`, "Content-Type", "application/json; charset=utf-8")
	for _, x := range []string{"?observed_at=noon", "?epoch=none"} {
		c.say("PUT", d+"/batches/x"+x, `{"p":[[7,4.5]],"d":[[10,8]],"w":[1],"id":["x"]}`)
	}
	for _, body := range []string{"", "{}", `{"p":[[7]]}`, `{"p":[[7,1e999]]}`, `{"p":[[7,5]],"w":[-1]}`, `{"p":"x"}`} {
		c.say("PUT", d+"/batches/x", body)
	}
	c.say("PUT", d+"/batches/x", people, "Content-Type", "text/csv")
	c.say("PUT", d+"/batches/x", people, "Content-Encoding", "br")
	c.say("POST", d+"/close?dry_run=true", "")
	c.say("POST", d+"/close", `{"expect":{"rows":9}}`)
	c.say("POST", d+"/close", "")
	c.say("POST", d+"/close", "")
	c.say("PUT", d+"/batches/late", people)
	c.say("PUT", d+"/metrics/complaints", `{"value":7}`)
	c.say("POST", "/v1/loops/shop/ask", "")
	c.say("POST", "/v1/loops/shop/exchange", `{"k":2,"deployment":{"u":[3,3]},"batch_id":"am","batch":{"p":[[7,5],[6.5,5]],"d":[[10,8],[9,8]],"w":[1,1],"id":["a","e"]},"close":{},"ask":true}`)
	c.say("POST", "/v1/loops/shop/exchange", `{"k":3,"batch":{"p":[[7,5]]}}`)
	c.say("POST", "/v1/loops/shop/exchange", `{"k":3,"batch_id":"x","batch":{"p":[[7]]}}`)
	c.say("POST", "/v1/loops/shop/exchange", `{"k":3,"batch_id":"x","batch":{"p":[]},"batch":{"p":[]}}`)
	c.say("PUT", d+"/deployment", `{"u":[3,3]}`)
	c.say("POST", "/v1/loops/shop/decisions/3/abandon", `{"reason":"rain"}`)
	c.say("PUT", "/v1/loops/shop/decisions/3/deployment", `{"u":[3,3]}`)
	c.say("PUT", "/v1/loops/shop/decisions/3/batches/am", people)
}

func (c *conversation) looks() {
	loop := "/v1/loops/shop"
	for _, path := range []string{"", "/terms", "/health", "/sensitivity", "/log", "/log?after=3", "/log?after=9007199254740992", "/log?after=9007199254740993", "/log?after=-1", "/log?after=x",
		"/decisions", "/decisions?page_size=1", "/decisions?page_size=1&after_k=1", "/decisions?page_size=1&after_k=2", "/decisions?after_k=9007199254740992", "/decisions?after_k=9007199254740993", "/decisions?page_size=1000", "/decisions?page_size=1001", "/decisions?page_size=0",
		"/decisions/1", "/decisions/2", "/decisions/3", "/decisions/4", "/decisions/0", "/decisions/x", "/decisions/1/explain", "/decisions/2/explain", "/decisions/3/explain", "/decisions/4/explain", "/decisions/1/batches", "/decisions/2/batches", "/decisions/4/batches",
		"/decisions/3/guess", "/decisions/3/guess?u=5,6", "/decisions/3/guess?u=5", "/decisions/3/guess?u=5,x", "/decisions/4/guess", "/decisions/1/guess",
		"/series", "/series?times=true", "/series?times=false&name=value,u.0,u.1,rows", "/series?times=no", "/series?name=none", "/series?name=u.2", "/series?from_k=2", "/series?from_k=9007199254740993", "/series?points=100000", "/series?points=100001", "/series?points=1", "/series?name=" + strings.TrimSuffix(strings.Repeat("value,", 64), ","), "/series?name=" + strings.Repeat("value,", 64) + "value",
		"/distribution", "/distribution?k=1&entry=1&bins=2", "/distribution?bins=0", "/distribution?bins=1000", "/distribution?bins=1001", "/distribution?entry=2", "/distribution?entry=1048576", "/distribution?entry=1048577", "/distribution?k=9007199254740993", "/distribution?k=4", "/distribution?of=d&bins=3", "/distribution?of=p&bins=3", "/distribution?of=q", "/distribution?u=5,6&bins=3", "/distribution?u=5",
		"/quantiles", "/quantiles?entry=1&last=1", "/quantiles?last=100", "/quantiles?last=101", "/quantiles?entry=2", "/quantiles?entry=1048577",
		"/events", "/events?after=12", "/events?every=250ms", "/events?every=9ms", "/events?every=10ms", "/events?every=1h", "/events?every=1h1ns", "/events?every=x", "/events?after=-1", "/events?after=9007199254740993"} {
		c.say("GET", loop+path, "")
	}
	c.say("GET", loop+"/events", "", "Last-Event-ID", "12")
	c.say("GET", loop+"/events", "", "Last-Event-ID", "-1")
	c.say("HEAD", loop+"/events", "")
	for _, path := range []string{"/v1/heads", "/v1/loops", "/v1/events", "/v1/overview", "/v1/overview?loops=shop,none", "/v1/overview?page_size=1", "/v1/overview?page_size=0", "/v1/overview?page_size=0&page_token=a", "/v1/overview?page_size=1&page_token=shop", "/v1/overview?page_token=x", "/v1/overview?page_size=1&page_size=2"} {
		c.say("GET", path, "")
	}
}

func (c *conversation) operations() {
	loop := "/v1/loops/shop"
	for _, match := range []string{"", "x", "7", `"1"`} {
		c.say("PUT", loop+"/spec", `{"spec":`+quoted(guarded+"\nseed: 3\n")+`,"reason":"another seed"}`, "If-Match", match)
	}
	c.say("PUT", loop+"/spec?dry_run=true", `{"spec":"x"}`, "If-Match", "2")
	c.say("GET", loop, "")
	for _, body := range []string{`{"u":[5,5],"until_k":9,"reason":"fair"}`, `{"u":[5,50],"reason":"fair"}`, `{"u":[5],"reason":"fair"}`, `{"u":[5,5]}`} {
		c.say("PUT", loop+"/pin?dry_run=true", body)
		c.say("PUT", loop+"/pin", body)
	}
	c.say("POST", loop+"/ask", "")
	c.say("DELETE", loop+"/pin", "")
	c.say("DELETE", loop+"/pin", "")
	for _, body := range []string{`{"to":"safe","reason":"fair"}`, `{"to":"baseline","reason":"fair"}`, `{"to":"1","reason":"fair"}`, `{"to":"none","reason":"fair"}`, `{}`} {
		c.say("POST", loop+"/rollback?dry_run=true", body)
		c.say("POST", loop+"/rollback", body, "Idempotency-Key", "again")
	}
	rail := `{"guardrails":[{"name":"load","of":"mean(p[0])","most":6.6}]`
	for _, body := range []string{rail + `}`, rail + `,"last":1}`, rail + `,"last":0}`, rail + `,"last":100001}`, `{"guardrails":[]}`, `{"guardrails":[{"name":"load"}]}`} {
		c.say("POST", loop+"/guardrails/test", body)
	}
	for _, word := range []string{"pause", "resume", "shadow", "promote", "kill", "resume"} {
		c.say("POST", loop+"/"+word, `{"reason":"fair"}`, "Idempotency-Key", word)
		c.say("POST", loop+"/"+word, `{"reason":"fair"}`, "Idempotency-Key", word)
		c.say("POST", loop+"/"+word, `{"reason":"rain"}`, "Idempotency-Key", word)
	}
	c.say("POST", loop+"/resume?dry_run=true", `{"reason":"fair"}`)
	for _, n := range []int{255, 256} {
		c.say("POST", loop+"/pause", `{}`, "Idempotency-Key", strings.Repeat("x", n))
	}
	c.say("POST", loop+"/pause", `{}`, "Idempotency-Key", "two words")
}

func (c *conversation) approvals() {
	c.say("POST", "/v1/loops", `{"name":"gated","mode":"live","spec":`+quoted(strings.Replace(shop, "safe: [4, 4]", "safe: [4, 4], approval: always", 1))+`}`)
	d := "/v1/loops/gated/decisions/"
	for k, word := range []string{"approve", "reject"} {
		c.say("POST", "/v1/loops/gated/ask", "")
		c.say("POST", fmt.Sprint(d, k+1, "/", word), `{"reason":"fair"}`)
		c.say("POST", fmt.Sprint(d, k+1, "/", word), `{"reason":"fair"}`)
		c.say("POST", fmt.Sprint(d, k+1, "/abandon"), `{"reason":"rain"}`)
	}
}

// mistakes are what can be wrong with a call to any row.
func (c *conversation) mistakes(rows []operation) {
	fill := strings.NewReplacer("{k}", "1", "{batch}", "b", "{name}", "n", "{prefix}", "kedge_zz", "{type}", "malformed", "{file}", "none")
	for _, row := range rows {
		if !strings.HasPrefix(row.path, "/v1/") {
			continue
		}
		path := fill.Replace(row.path)
		here := strings.Replace(path, "{loop}", "shop", 1)
		c.say(row.method, here+"?nothing=1", "")
		c.say(row.method, here+"?dry_run=maybe", "")
		if !slices.Contains([]string{"close", "spec", "rollback", "pin", "resume", "log"}, here[strings.LastIndex(here, "/")+1:]) {
			if reply := c.say(row.method, here+"?dry_run=true", ""); !strings.Contains(reply, "this call knows no dry_run; nothing was done") {
				c.Errorf("%s %s is tried: %s", row.method, here, reply)
			}
		}
		if path != here {
			c.say(row.method, strings.Replace(path, "{loop}", "none", 1), "", "If-Match", "1")
			c.say(row.method, strings.Replace(path, "{loop}", "NONE", 1), "")
		}
		if row.in != nil {
			c.say(row.method, here, `{"nobody":1}`)
			c.say(row.method, here, `{} {}`)
			c.say(row.method, here, `{}`, "Content-Type", "text/xml")
			c.say(row.method, here, `{}`, "Content-Encoding", "gzip")
		}
	}
}

func (c *conversation) copied() {
	c.say("GET", "/v1/loops/shop/export", "")
	c.say("GET", "/v1/loops/gated/export", "")
	for _, name := range []string{"shop", "SHOP", "none"} {
		c.say("POST", "/v1/loops/import", name, "Content-Type", "application/x-tar")
	}
	c.say("POST", "/v1/loops/import", "shop", "Content-Type", "application/json")
	c.say("POST", "/v1/backup", "")
	for _, body := range []string{`{"name":"fork","at_k":2,"set":{"seed":5}}`, `{"name":"guess","at_k":2,"simulate":true}`, `{"name":"Fork","at_k":2}`, `{"name":"far","at_k":99}`, `{"name":"odd","at_k":1,"set":{"none":5}}`} {
		c.say("POST", "/v1/loops/shop/fork", body)
	}
	for _, body := range []string{`{"who":"e"}`, `{"who":"e"}`, `{"who":""}`} {
		c.say("POST", "/v1/loops/shop/erase", body)
	}
	c.say("GET", "/v1/loops/shop/quantiles", "")
	c.say("GET", "/v1/loops/shop/distribution?k=2", "")
	c.say("DELETE", "/v1/loops/fork/log", `{"reason":"over"}`)
	c.say("DELETE", "/v1/loops/fork", "")
	c.say("DELETE", "/v1/loops/fork", "")
	for _, body := range []string{`{}`, `{"reason":"over"}`} {
		c.say("DELETE", "/v1/loops/fork/log?dry_run=true", body)
		c.say("DELETE", "/v1/loops/fork/log", body)
	}
	c.say("DELETE", "/v1/loops/fork/log", `{"reason":"over"}`)
	c.say("POST", "/v1/kill", `{"reason":"fair"}`, "Idempotency-Key", "all")
	c.say("POST", "/v1/kill", `{"reason":"fair"}`, "Idempotency-Key", "all")
	c.say("POST", "/v1/kill", `{"reason":"rain"}`, "Idempotency-Key", "all")
	c.say("GET", "/v1/overview", "")
}

func (c *conversation) aboutKeys() {
	make := func(body string, headers ...string) string {
		var made struct{ Key string }
		json.Unmarshal([]byte(c.say("POST", "/v1/keys", body, headers...)), &made)
		return made.Key
	}
	for _, body := range []string{`{}`, `{"rights":["root"],"loops":["*"]}`, `{"rights":["ask"],"loops":["*"],"expires":"1999-01-01T00:00:00Z"}`} {
		make(body)
	}
	c.key = make(`{"rights":["read","ask","tell","operate","admin"],"loops":["*"],"expires":"2000-02-02T02:00:00+02:00"}`)
	all := with(c.key)
	make(`{"rights":["ask"],"loops":["*"]}`, append(all, "Idempotency-Key", "x")...)
	some := make(`{"rights":["read","tell","admin"],"loops":["shop*"]}`, all...)
	for _, headers := range [][]string{nil, {"Authorization", "Basic eDp5"}, {"Authorization", "Bearer kedge_none"}, all, with(some), {"Cookie", "kedge_key=" + some}} {
		c.say("GET", "/v1/loops", "", headers...)
		c.say("GET", "/v1/login", "", headers...)
		c.say("GET", "/v1/keys", "", headers...)
		c.say("GET", "/metrics", "", headers...)
	}
	c.say("POST", "/v1/login", `{"key":" `+c.key+` "}`)
	c.say("POST", "/v1/login", `{"key":"`+c.key+`"}`, "X-Forwarded-For", "192.0.2.1")
	make(`{"rights":["ask"],"loops":["*"]}`, with(some)...)
	c.say("POST", "/v1/loops", `{"name":"other","spec":"x"}`, with(some)...)
	c.say("POST", "/v1/loops/shop/fork", `{"name":"other"}`, with(some)...)
	c.say("POST", "/v1/loops/import", "gated", append(with(some), "Content-Type", "application/x-tar")...)
	c.say("POST", "/v1/loops/shop/exchange", `{}`, with(some)...)
	c.say("POST", "/v1/loops/shop/pause", `{}`, with(some)...)
	c.say("GET", "/v1/loops/gated", "", with(some)...)
	c.say("POST", "/v1/backup", "", with(some)...)
	c.say("DELETE", "/v1/keys/"+c.key[:8], "", with(some)...)
	for range 2 {
		c.say("DELETE", "/v1/keys/"+some[:8], `{"reason":"over"}`, all...)
	}
	c.say("GET", "/v1/loops", "", with(some)...)
	c.say("DELETE", "/v1/keys/kedge_zz", "", all...)
	c.say("GET", "/v1/keys", "", all...)
}
