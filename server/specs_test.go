package server_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
)

// canary is in files that no spec may have read.
const canary = "8675309.125"

// A spec that is posted names no file, and takes no memory or time beyond its limits: it is refused or accepted, and the server goes on.
func TestHostileSpecs(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-specs", Text: "Hostile specs that are posted are refused or accepted within 2 s and 64 MB, and read no file", Needs: "Linux"})
	if testing.Short() {
		t.Skip("one message at a time, to another process")
	}
	p := newProcess(t)
	for _, name := range []string{"canary.csv", "canary.yaml", "canary.npy"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte("x,y\n"+canary+",1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.create("warm", "shadow")
	for _, c := range hostileSpecs(t, p.dir) {
		p.forget()
		before, worked, began := p.memory("VmRSS"), p.worked(), time.Now()
		status, text := p.post(fmt.Sprintf(`{"name":"x%d","mode":"shadow","spec":%s}`, time.Now().UnixNano(), quoted(c.spec)))
		took := min(time.Since(began), p.worked()-worked) // what the machine does beside it does not count
		if heap.Race {                                    // which is ten times slower and knows nothing of time
			took /= 10
		}
		row.Case(status == 201 && !c.refused || status == 422 || status == 400 || status == 413, "%s: %d %.300s", c.name, status, text)
		row.Case(strings.Contains(text, c.says), "%s: want a word of %q: %.300s", c.name, c.says, text)
		row.Case(!strings.Contains(text, canary), "%s: the file was read: %.300s", c.name, text)
		row.AtMost("seconds", took.Seconds(), 2)
		row.AtMost("MB", p.memory("VmHWM")-before, 64)
		if t.Failed() {
			t.Logf("%s took %v, %.0f MB", c.name, took, p.memory("VmHWM")-before)
		}
	}
	_, err := os.Stat(filepath.Join(p.dir, "touched"))
	row.Case(errors.Is(err, fs.ErrNotExist), "a command was run: %v", err)
	p.want(200, "POST", "/v1/loops/warm/ask", "")
}

// hostile is a spec that somebody posts.
type hostile struct {
	name, spec string
	refused    bool   // it must be
	says       string // why
}

func hostileSpecs(t *testing.T, dir string) []hostile {
	with := func(old, new string) string {
		if !strings.Contains(shop, old) {
			t.Fatalf("the spec has no %q", old)
		}
		return strings.Replace(shop, old, new, 1)
	}
	players, err := os.ReadFile("../examples/duopoly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	many := "[3" + strings.Repeat(", 3", 10_000) + "]"
	crowd := "population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}"
	next := "next: 0.5*p + 0.5*(d - q)"
	rule := "{name: composite, kind: composite, step: 0.05, batch: 10}"
	absolute := filepath.Join(dir, "canary.csv")
	return []hostile{
		{"a file of people", with(crowd, "population: {file: "+absolute+", traits: [x, y]}"), false, ""},
		{"a file of people, relative", with(crowd, "population: {file: canary.csv, traits: [x, y]}"), false, ""},
		{"a file outside", with(crowd, "population: {file: ../../../../../../etc/passwd, traits: [x, y]}"), false, ""},
		{"a file of weights", with(crowd, strings.TrimSuffix(crowd, "}")+", weights: {file: "+absolute+"}}"), false, ""},
		{"a device", with(crowd, "population: {file: /dev/zero, traits: [x, y]}"), false, ""},
		{"the process itself", with(crowd, "population: {file: /proc/self/environ, traits: [x, y]}"), false, ""},
		{"a law from a file", with("law: normal, mean: [10, 8], deviation: [1, 1]", "law: file, file: canary.npy"), false, ""},
		{"let from a file", with(next, "let: {c: {file: "+absolute+"}}\n  "+next), true, ""},
		{"let from a file, in use", with(next, "let: {c: {file: canary.csv}}\n  next: 0.5*p + 0.5*(d - q) + 0*c"), true, ""},
		{"a network from a file", "iterations: 5\ndynamics: {kind: opinions, W: {file: canary.npy}}\nalgorithms: [{name: a, kind: vanilla, step: 0.1}]\n", true, ""},
		{"bounds from a file", with("subject to: 0 <= q <= 20", "subject to: 0 <= q <= {file: "+absolute+"}"), true, ""},
		{"a command for a value", with("step: 0.05", "step: $(touch "+filepath.Join(dir, "touched")+")"), true, ""},
		{"a command in a formula", with(next, "next: 0.5*p + system(\"touch "+filepath.Join(dir, "touched")+"\")"), true, ""},
		{"a template", with("step: 0.05", `step: "{{ .Env.PATH }}"`), true, ""},
		{"a pipe", with(crowd, "population: {file: '| touch "+filepath.Join(dir, "touched")+"', traits: [x, y]}"), false, ""},
		{"an address", with(crowd, "population: {file: 'http://127.0.0.1:1/people.csv', traits: [x, y]}"), false, ""},
		{"include", "include: canary.yaml\n" + shop, true, ""},
		{"a tag that includes", with(crowd, "population: !include canary.yaml"), true, ""},
		{"a tag of a program", with(crowd, "population: !!python/object/apply:os.system ['id']"), true, ""},
		{"anchors that double", bombs(30) + shop, true, ""},
		{"an anchor of itself", "a: &a [*a]\n" + shop, true, ""},
		{"merged keys", "a: &a {iterations: 5}\n<<: *a\n" + shop, true, ""},
		{"deep lists", "x: " + strings.Repeat("[", 50_000) + "\n", true, ""},
		{"deep objects", strings.Repeat("{a: ", 50_000), true, ""},
		{"deep brackets of a formula", with(next, "next: "+strings.Repeat("(", 100_000)+"p"+strings.Repeat(")", 100_000)), true, ""},
		{"a formula of a million terms", with(next, "next: p"+strings.Repeat("+p", 300_000)), false, ""},
		{"a tower of powers", with(next, "next: p"+strings.Repeat("^2", 5_000)), false, ""},
		{"a sum over a billion", with("maximize: dot(p, q)", "maximize: sum(i in 1..1000000000, p[1]*q[1])"), false, ""},
		{"sums in sums", with("maximize: dot(p, q)", "maximize: sum(i in 1..100000, sum(j in 1..100000, p[1]*q[1]))"), false, ""},
		{"a decision of 2³¹ entries", with("decision: q[2]", "decision: q[2147483648]"), true, ""},
		{"a decision of 10⁹ entries", with("decision: q[2]", "decision: q[1000000000]"), true, ""},
		{"a state of 10⁹ entries", with("state: p[2]", "state: p[1000000000]"), true, ""},
		{"a trait of 10⁸ entries", with("trait: d[2]", "trait: d[100000000]"), true, ""},
		{"everything of 200,000 entries", strings.NewReplacer("[2]", "[200000]").Replace(shop), true, ""},
		{"a decision of 10,001 entries", strings.NewReplacer("q[2]", "q[10001]", "p[2]", "p[10001]", "d[2]", "d[10001]", "mean: [10, 8], deviation: [1, 1]", "mean: "+many+", deviation: 1", "values: [3, 3]", "values: "+many, ", safe: [4, 4]", "").Replace(shop), true, "at most 10000"},
		{"10¹² people", with("size: 10", "size: 1000000000000"), false, ""},
		{"10⁹ people", with("size: 10", "size: 1000000000"), false, ""},
		{"people below 0", with("size: 10", "size: -1"), true, ""},
		{"10¹⁸ iterations", with("iterations: 100", "iterations: 1000000000000000000"), false, ""},
		{"a batch of 10¹²", with("batch: 10", "batch: 1000000000000"), false, ""},
		{"NaN for a step", with("step: 0.05", "step: .nan"), true, ""},
		{"an endless step", with("step: 0.05", "step: .inf"), true, ""},
		{"NaN to begin with", with("values: [3, 3]", "values: [.nan, 3]"), true, ""},
		{"NaN to be safe", with("safe: [4, 4]", "safe: [.nan, 4]"), true, ""},
		{"a cap below 0", with("norm: 0.5", "norm: -1"), true, ""},
		{"control characters in a name", with("name: composite", `name: "a\u001b[31m\u0000\r\nb"`), false, ""},
		{"a name of a megabyte", with("name: composite", "name: "+strings.Repeat("x", 900_000)), false, ""},
		{"an algorithm of nothing", with("live: {", "live: {algorithm: nothing, "), true, ""},
		{"numbers of numpy", with("iterations: 100", "iterations: 100\ngenerator: numpy"), true, "numpy"},
		{"a rule that needs panels", with(rule, "{name: learned, kind: composite, sensitivity: learned, learn: {form: panel, dither: 0.1}, step: 0.05, batch: 10}"), true, "live.samples.ids"},
		{"storm", with(rule, "{name: storm, kind: storm, step: 0.05, batch: 10}"), true, "storm judges"},
		{"changes", with("iterations: 100", "iterations: 100\nchanges: [{from: 5, set: {kind: box, lower: 0, upper: 10}}]"), true, "revise the spec"},
		{"a horizon", with("step: 0.05,", "step: 0.05, schedule: horizon,"), true, "a loop has no end"},
		{"players", string(players), true, "one decision-maker"},
		{"a model that never settles", with(next, "next: 1 - p + 0.5*(d - q)"), false, ""},
		{"a model that blows up", with(next, "next: exp(exp(exp(p))) + d - q"), false, ""},
		{"1,000 algorithms", with("  - "+rule, strings.Repeat("  - {kind: composite, step: 0.05, batch: 10}\n", 5_000)), false, ""},
		{"binary", "\x00\xff\xfe\x01", true, ""},
		{"nothing", "", true, ""},
		{"a number", "5", true, ""},
	}
}

// bombs are n anchors, each of which is twice the one before.
func bombs(n int) string {
	text := "a0: &a0 [x, x]\n"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return text
}

// post makes a loop.
func (p *process) post(body string) (int, string) {
	p.Helper()
	c := http.Client{Timeout: 20 * time.Second, Transport: http.DefaultClient.Transport} // which judges the reply
	reply, err := c.Post(p.url+"/v1/loops", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(text)
}

// forget has the kernel forget how much memory the process had at most.
func (p *process) forget() {
	p.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0); err != nil {
		p.Skip("the memory of a process is not to be had here: ", err)
	}
}
