package live

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
)

// read reads and checks the section as a spec with two algorithms, two constraints and a decision of two entries does.
func read(text string) (*Arrangement, error) {
	found, l := &form.Mistakes{}, &Arrangement{}
	root := form.ReadText(found, form.Place{File: "x.yaml"}, text)
	root.Locate("")
	form.Read(root, found, func(f *form.Form) { f.Section("live", form.Says("It.", "", ""), l.Describe) })
	l.Check(&form.Check{Mistakes: found, Root: root}, form.Length{N: 2, Of: "the decision"}, []string{"composite", "vanilla"}, []string{"budget", "room"})
	return l, found.Join()
}

// asked are values of keys, right and wrong.
func asked() []string {
	values := []string{"-1", "0", "0.001", "0.5", "1", "2", "3", "1000", "1001", "2147483647", "2147483648", ".inf", "-.inf", "x", "true", "[0]", "[1, 2]", "[2, 1]", "[1, 1]", "[0, 1, 2]", "[-.inf, 0]", "{}", "never", "0s", "90s", "24h", "7d", "-5s"}
	var list []string
	for _, key := range strings.Fields("algorithm trial time.period time.step time.settle deadlines.deploy deadlines.data deadlines.approve deadlines.give-up samples.least samples.weights samples.traits samples.ids outliers.state outliers.trait outliers.beyond outliers.share cap.norm cap.each cap.day lead safe approval beyond trust.window trust.between trust.otherwise mix.of mix.alpha mix.declared guardrails retain.samples unknown") {
		section, below, nested := strings.Cut(key, ".")
		for _, v := range values {
			if nested {
				list = append(list, section+": {"+below+": "+v+"}")
			} else {
				list = append(list, key+": "+v)
			}
		}
	}
	return append(list, "algorithm: vanilla", "algorithm: other", "samples: {weights: none, ids: optional, traits: required}", "samples: {weights: required, ids: required, traits: none}", "samples: {traits: optional}",
		"approval: always", "approval: beyond", "approval: beyond\n  beyond: 0", "approval: never\n  beyond: 1", "approval: sometimes\n  beyond: 1", "approval: beyond\n  beyond: -1",
		"trust: {otherwise: vanilla}", "trust: {otherwise: warn}", "trust: {otherwise: hold}", "mix: {of: [age, 1]}", "outliers: {state: [2, 1], trait: [2, 1]}\n  trust: {between: [2, 1]}")
}

// mixes and guardrails, right and wrong.
func lists() (list []string) {
	for _, m := range []string{"of: [0], edges: [18, 65], shares: [0.2, 0.6, 0.2]", "of: true, edges: [18], shares: [0.5, 0.509]", "of: true, edges: [18], shares: [0.5, 0.511]", "of: true, edges: [18], shares: [0.5, 0.491]", "of: true, edges: [18], shares: [0.5, 0.489]", "of: [0], edges: [65, 18], shares: [0.2, 0.6, 0.2]", "of: [0], edges: [18, 18], shares: [0.2, 0.6, 0.2]", "of: [0], edges: [18], shares: [1]", "of: [0], edges: [18], shares: [0.25, 0.25, 0.5]", "of: [0], edges: [18], shares: [2, -1]", "of: [], edges: x", ""} {
		list = append(list, "mix: {declared: [{"+m+"}]}", "mix: {declared: [{of: [1], edges: [0], shares: [0.5, 0.5]}, {"+m+"}]}")
	}
	for _, g := range []string{
		"", "kind: swing", "kind: value", "kind: value, of: x", "kind: swing, least: 1", "kind: swing, most: 1", "kind: constraint, of: budget", "kind: constraint, of: room, most: 1", "kind: constraint, of: other", "kind: constraint", "kind: external", "kind: external, most: 3", "kind: external, least: 3, of: x", "kind: metrik, most: 1",
		"of: mean(p), most: 1", "of: mean(p), least: 2, most: 1", "of: mean(p), least: 1, most: 1", "of: mean(p)", "of: median(p), most: 1", "most: 1", "of: 'quantile(p, 0.05)', least: 0", "kind: value, by: -1", "kind: value, by: 0", "kind: value, by: x", "kind: value, window: 1", "kind: value, window: 2", "kind: swing, window: 1000", "kind: swing, window: 1001",
		"kind: swing, action: warn", "kind: swing, action: kill", "kind: value, action: rollback", "kind: value, action: hold", "kind: value, action: stop", "kind: value, after: 0", "kind: value, after: 1, cool-down: 0", "kind: value, after: 1000, cool-down: 1000", "kind: value, after: 1001", "kind: value, cool-down: -1", "kind: value, cool-down: 1001",
	} {
		list = append(list, "guardrails: [{name: one, "+g+"}]", "guardrails: [{name: one, kind: swing}, {name: one, "+g+"}]")
	}
	for _, n := range []int{32, 33} {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("{name: g%d, kind: swing}", i))
		}
		list = append(list, "guardrails: ["+strings.Join(all, ", ")+"]")
	}
	return append(list, "guardrails: [{kind: swing}]", "guardrails: [{name: a.b, kind: swing}]")
}

// Sections are read, refused and printed as when this was recorded.
func TestSectionsAreReadAsRecorded(t *testing.T) {
	var got []string
	usual := form.Print(New().Describe).Flow()
	for _, text := range append(asked(), lists()...) {
		l, err := read("live:\n  " + text)
		text = strings.ReplaceAll(text, "\n ", ",")
		if err != nil {
			got = append(got, fmt.Sprintf("%s: %q", text, err))
			continue
		}
		line := text + ": fine"
		if now := form.Print(l.Describe).Flow(); now != usual {
			line += "; " + change(usual, now)
		}
		line += fmt.Sprintf("; cap %v ahead %v steps %d", l.Cap(), l.Ahead(), l.Steps())
		for _, g := range l.Guardrails {
			line += "; " + g.Acts()
		}
		got = append(got, line)
	}
	got = append(got, usual)
	evidence.AsRecorded(t, "testdata/sections.txt", got)
}

// change is what is between the longest common beginning and end of two texts.
func change(a, b string) string {
	from, end := 0, 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return a[from:len(a)-end] + " → " + b[from:len(b)-end]
}

// What keys mean is told as when this was recorded.
func TestMeaningsAsRecorded(t *testing.T) {
	v := form.NewVocabulary((&Arrangement{}).Describe)
	var got []string
	for _, k := range v.Keys() {
		text, err := json.Marshal(k)
		got = append(got, fmt.Sprint(string(text), err))
	}
	evidence.AsRecorded(t, "testdata/meanings.txt", append(got, fmt.Sprintf("%q", v.Faults())))
}

// Statistics are read as when this was recorded.
func TestStatisticsAreReadAsRecorded(t *testing.T) {
	var got []string
	for _, of := range []string{"mean(p)", " mean ( p ) ", "mean(p[0] + max(p, 1))", "mean p", "mean(p", "mean(p) + 1", "mean(p))", "mean((p)", "mean()", "median(p)", "", "(p)", "mean)p(", "mean(p)(q)", "mean([p)]",
		"quantile(p, 0.05)", "quantile(max(p, 1), 0.5)", "quantile(max(p, 1))", "quantile(p)", "quantile(p, 0)", "quantile(p, 1)", "quantile(p, x)", "quantile(p, -0.1)", "quantile(p, nan)", "quantile(p, 0.999)", "quantile(p, )", "quantile(p,.5)", "quantile(p,0)",
		"share(p > 1)", "share(p >= 1)", "share(p < 1)", "share(p <= 1)", "share(p)", "share((p > 1))", "share(f(p > 1) < 2)", "share(p[0 < 1] > 2)", "share(p == 1)", "share(1 < p < 2)", "share(> 1)"} {
		s, err := (&Guardrail{Of: of}).Statistic()
		got = append(got, fmt.Sprintf("%q: %+v %v", of, s, err))
	}
	evidence.AsRecorded(t, "testdata/statistics.txt", got)
}

// A period has so many steps as fit in it, at least one and at most 64; a simulated crowd is judged by nothing.
func TestStepsOfAPeriod(t *testing.T) {
	for _, c := range []struct {
		period, step time.Duration
		want         int
	}{{time.Hour, 0, 1}, {time.Hour, -1, 1}, {time.Hour, time.Hour, 1}, {time.Hour, 2 * time.Hour, 1}, {2 * time.Hour, time.Hour, 2}, {5 * time.Hour, 2 * time.Hour, 2}, {64 * time.Hour, time.Hour, 64}, {65 * time.Hour, time.Hour, 64}} {
		if got := (&Arrangement{Period: c.period, Step: c.step}).Steps(); got != c.want {
			t.Errorf("%v of %v are %d steps, want %d", c.period, c.step, got, c.want)
		}
	}
	l := New()
	l.Simulated()
	if !math.IsInf(l.Beyond, 1) || l.TrustWindow != 0 {
		t.Errorf("a simulated crowd is judged: %v, %v", l.Beyond, l.TrustWindow)
	}
	(*Arrangement)(nil).Check(nil, form.Length{}, nil, nil)
}

// What could not be read is not judged again.
func TestNothingIsToldTwice(t *testing.T) {
	for _, text := range []string{"safe: [x]", "outliers: {state: [x]}", "trust: {between: [-1, 1]}", "approval: beyond\n  beyond: x", "guardrails: [{name: a, kind: external, most: x}]", "mix: {declared: [{of: [0], edges: [x], shares: [1]}]}"} {
		if _, err := read("live:\n  " + text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one mistake", text, err)
		}
	}
	_, err := read("live: {outliers: {state: [2, 1], trait: [2, 1]}, trust: {between: [2, 1]}}")
	if got := strings.Count(err.Error(), "want two numbers, the smaller first"); got != 3 {
		t.Errorf("%d of three ranges are refused: %v", got, err)
	}
	if _, err := read("live:\n  safe: [1, 2, 3]"); err == nil || err.Error() != "x.yaml:2: live.safe has 3 entries, the decision has 2" {
		t.Error(err)
	}
}
