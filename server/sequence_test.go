package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// Sequences of calls drawn from the description of the server, right and wrong in many ways, find no fault: nothing falls over, no refusal
// changes a head, and every reply is as described, which the judge of all tests sees to.
func TestRandomCalls(t *testing.T) {
	calls := 1500
	if testing.Short() {
		calls = 500
	}
	if evidence.Whole() {
		calls = 2_000_000
		if text := os.Getenv("KEDGE_CALLS"); text != "" {
			fmt.Sscan(text, &calls)
		}
	}
	row := evidence.For(t, evidence.Promise{Name: "service-calls", Text: "Random calls, valid, mutated, of wrong types and in wrong states: a 5xx but 503 and 507, a head that a refusal changed, or a reply that is not as described", Short: "1,500 calls; else 2,000,000, or as many as KEDGE_CALLS says"})
	r, ends := rand.New(rand.NewPCG(9, 10)), map[int]int{}
	const each = 1000 // a server, so that looking at all heads after every call stays cheap
	for first := 0; first < calls; first += each {
		t.Run("", func(t *testing.T) { callAtRandom(t, r, min(each, calls-first), row, ends) })
	}
	done := ends[200] + ends[201] + ends[202]
	if 10*done < 3*calls || 10*done > 9*calls || len(ends) < 6 {
		t.Errorf("the calls ended too much alike: %v", ends)
	}
	t.Logf("%.0f %% of the calls were carried out: %v", 100*float64(done)/float64(calls), ends)
}

// callAtRandom sends so many calls to a server of their own, and counts how they ended.
func callAtRandom(t *testing.T, r *rand.Rand, calls int, row *evidence.Witness, ends map[int]int) {
	s := newSite(t)
	g := newCalling(s, r)
	heads := g.heads()
	for n := range calls {
		if n%150 == 0 { // those there are may be archived by now
			g.renew()
			heads = g.heads()
		}
		method, path, body, headers := g.next()
		status, v := s.call(method, path, body, headers...)
		ends[status]++
		now := g.heads()
		unchanged := status < 400 || !g.wrote(heads, now)
		row.Case((status < 500 || status == 503 || status == 507) && unchanged, "%s %s %.200q: %d %v; heads unchanged: %v", method, path, body, status, v, unchanged)
		heads = now
	}
}

// newCalling reads what can be called.
func newCalling(s *site, r *rand.Rand) *calling {
	g := &calling{Rand: r, site: s}
	for path, item := range s.want(200, "GET", "/openapi.json", "")["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			if body := op.(map[string]any); !g.left(method, path) {
				g.list = append(g.list, operation{strings.ToUpper(method), path, schemaIn(body)})
			}
		}
	}
	slices.SortFunc(g.list, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	if len(g.list) < 20 {
		s.Fatalf("%d operations", len(g.list))
	}
	return g
}

// renew makes one more loop.
func (g *calling) renew() {
	g.loops = append(g.loops, fmt.Sprintf("loop-%d", len(g.loops)))
	g.create(g.loops[len(g.loops)-1], []string{"shadow", "live"}[g.IntN(2)])
}

// next is a call, one of two as it should be.
func (g *calling) next() (method, path, body string, headers []string) {
	if g.IntN(2) == 0 {
		method, path, body = g.right()
		return method, path, body, nil
	}
	o := g.draw()
	method, path, body = o.method, g.fill(o.path), g.body(o.in)
	if g.IntN(4) == 0 {
		headers = []string{[]string{"If-Match", "Content-Type", "Last-Event-ID", "Idempotency-Key"}[g.IntN(4)], []string{"1", `"1"`, "x", "text/plain", "", "application/x-ndjson"}[g.IntN(6)]}
	}
	return method, path, body, headers
}

// heads are the newest events of all loops.
func (g *calling) heads() map[string]int {
	all := map[string]int{}
	for _, one := range g.want(200, "GET", "/v1/heads", "")["loops"].([]any) {
		tip := one.(map[string]any)
		all[tip["loop"].(string)] = int(tip["seq"].(float64))
	}
	return all
}

// wrote tells whether something was written that is not the work of time: a pin may end, and a deadline pass, while a call is refused.
func (g *calling) wrote(before, now map[string]int) bool {
	for loop, seq := range now {
		if seq == before[loop] {
			continue
		}
		reply, err := cmp.Or(g.web, http.DefaultClient).Get(fmt.Sprintf("%s/v1/loops/%s/log?after=%d", g.url, loop, before[loop]))
		if err != nil {
			g.Fatal(err)
		}
		defer reply.Body.Close()
		var events []struct{ Actor string }
		if err := json.NewDecoder(reply.Body).Decode(&events); err != nil {
			g.Fatal(err)
		}
		if len(events) == 0 || slices.ContainsFunc(events, func(e struct{ Actor string }) bool { return e.Actor != "time" }) {
			return true
		}
	}
	return len(now) != len(before)
}

// right is a call that the newest loop takes as it stands: the next of a round, or a look at it.
func (g *calling) right() (method, path, body string) {
	name := g.loops[len(g.loops)-1]
	at := "/v1/loops/" + name
	status, s := g.call("GET", at, "")
	if status == 404 { // it was removed
		return "POST", "/v1/loops", fmt.Sprintf(`{"name":%q,"spec":%s,"mode":"live"}`, name, quoted(shop))
	}
	decision := at + fmt.Sprintf("/decisions/%v", s["k"])
	if s["mode"] == "archived" || g.IntN(4) == 0 {
		looks := []string{at, at + "/log", at + "/health", at + "/decisions", at + "/series?name=value", "/v1/loops", "/v1/heads", "/version"}
		if s["k"] != 0.0 {
			looks = append(looks, decision, decision+"/explain", decision+"/batches")
		}
		return "GET", looks[g.IntN(len(looks))], ""
	}
	if g.IntN(8) == 0 {
		return "POST", at + "/" + []string{"pause", "shadow", "kill", "resume", "promote"}[g.IntN(5)], `{"reason":"x"}`
	}
	switch s["state"] {
	case "open":
		return "PUT", decision + "/deployment", `{"u":[3,3]}`
	case "deployed":
		if g.IntN(2) == 0 {
			return "POST", decision + "/close", `{}`
		}
		return "PUT", decision + "/batches/" + string(rune('a'+g.IntN(26))), twoOfAll
	}
	return "POST", at + "/ask", ""
}

// operation is a call of the description.
type operation struct {
	method, path string
	in           map[string]any // the schema of its body
}

func schemaIn(op map[string]any) map[string]any {
	body, _ := op["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	kind, _ := content["application/json"].(map[string]any)
	schema, _ := kind["schema"].(map[string]any)
	return schema
}

// calling draws calls.
type calling struct {
	*rand.Rand
	*site
	list  []operation
	loops []string
}

// left tells which calls are left out: streams, and those after which nobody gets in or files are written.
func (g *calling) left(method, path string) bool {
	return strings.HasSuffix(path, "/events") || strings.HasPrefix(path, "/v1/keys") || strings.Contains(path, "backup") || strings.Contains(path, "export") || strings.Contains(path, "import") || strings.HasSuffix(path, "/exchange") || path == "/v1/kill" && method == "post"
}

// draw draws a call. Loops are seldom archived, and often asked, so that there is something to be right or wrong about.
func (g *calling) draw() operation {
	for {
		o := g.list[g.IntN(len(g.list))]
		if ask := g.IntN(4) == 0; ask && !strings.HasSuffix(o.path, "/ask") && !strings.HasSuffix(o.path, "/deployment") {
			continue
		}
		if o.method != "DELETE" || g.IntN(20) == 0 {
			return o
		}
	}
}

// fill puts values into a path, mostly ones that are there.
func (g *calling) fill(path string) string {
	odd := []string{"nothing", "%2e%2e", "A", "-", strings.Repeat("x", 200), "0", "-1", "99999999999999999999", "%00", "_server"}
	for strings.Contains(path, "{") {
		head, rest, _ := strings.Cut(path, "{")
		name, tail, _ := strings.Cut(rest, "}")
		value := odd[g.IntN(len(odd))]
		if g.IntN(8) > 0 {
			switch name {
			case "loop":
				value = g.loops[max(0, len(g.loops)-1-g.IntN(3))]
			case "k":
				value = fmt.Sprint(1 + g.IntN(2))
			case "batch":
				value = string(rune('a' + g.IntN(4)))
			case "type":
				value = "malformed"
			}
		}
		path = head + value + tail
	}
	return path
}

// body is one of a schema, and one in three is broken.
func (g *calling) body(schema map[string]any) string {
	if schema == nil {
		return ""
	}
	text, err := json.Marshal(g.value(schema, "", 0))
	if err != nil {
		g.Fatal(err)
	}
	if g.IntN(3) > 0 {
		return string(text)
	}
	switch g.IntN(5) {
	case 0:
		return string(text[:g.IntN(len(text)+1)])
	case 1:
		at := g.IntN(len(text))
		text[at] = byte(g.IntN(256))
		return string(text)
	case 2:
		return strings.Replace(string(text), "{", `{"unknown":1,`, 1)
	case 3:
		return string(text) + string(text)
	}
	return []string{"null", "[]", "1e999", `"x"`, "{}", "[[[[[[[[[[]]]]]]]]]]", "\x00", "{\"u\":[NaN]}"}[g.IntN(8)]
}

// value draws one of a schema; some are of another kind.
func (g *calling) value(schema map[string]any, key string, depth int) any {
	if g.IntN(25) == 0 {
		return []any{nil, "x", -1.5, true, []any{}, map[string]any{}, 1e308}[g.IntN(7)]
	}
	kind, _ := schema["type"].(string)
	if list, _ := schema["type"].([]any); len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "object":
		v := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			below := properties[name]
			often := name == "u" || name == "p" || g.IntN(3) > 0
			if seldom := name == "epoch" || name == "deployed_at" || name == "expect"; seldom && g.IntN(10) == 0 || !seldom && often {
				v[name] = g.value(below.(map[string]any), name, depth+1)
			}
		}
		return v
	case "array":
		n := 2
		if g.IntN(6) == 0 {
			n = g.IntN(4)
		}
		list := make([]any, n)
		for i := range list {
			items, _ := schema["items"].(map[string]any)
			list[i] = g.value(items, key, depth+1)
		}
		return list
	case "integer":
		return g.IntN(6) - 1
	case "number":
		return []float64{1, 3, 4, 0, -2, 1e300}[g.IntN(6)]
	case "boolean":
		return g.IntN(2) == 0
	}
	if key == "spec" {
		return []string{shop, shop + "\nseed: 4\n", "x"}[g.IntN(3)]
	}
	return []string{"a", "live", "safe", "2099-01-01T00:00:00Z", "", "shadow", "loop-0"}[g.IntN(7)]
}
