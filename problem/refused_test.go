package problem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
)

// What a file or a number makes impossible is told when the problem is built, at the line of its key.
func TestProblemsThatCannotBeBuilt(t *testing.T) {
	files := fstest.MapFS{
		"w.csv": {Data: []byte("0,1\n1,0\n")}, "long.csv": {Data: []byte("3,4\n1,0\n1,0\n0,1\n")}, "mixed.csv": {Data: []byte("0.5,0.4\n1,0\n")},
		"customers.csv": {Data: []byte(customers)}, "many.csv": {Data: []byte("need\n" + strings.Repeat("1\n", 5001))}, "few.csv": {Data: []byte("need\n1\n2\n")}, "b.csv": {Data: []byte("1\n2\n3\n")},
	}
	polarized := func(file string) string {
		return strings.Replace(small, "law: sphere", "law: file, file: "+file, 1)
	}
	withFile := func(old, new string) string {
		return strings.NewReplacer("a: 0.5", "a: 0.5, W: {file: w.csv}", old, new).Replace(written)
	}
	for _, c := range []struct{ src, want string }{
		{polarized("long.csv"), "x.yaml:2: individual 0 has length 5, polarized dynamics want 1"},
		{polarized("none.csv"), "x.yaml:2: none.csv: open none.csv: file does not exist"},
		{strings.NewReplacer("size: 1, dim: 4, law: proportions", "size: 2, dim: 2, law: file, file: mixed.csv", "generator: numpy\n", "").Replace(crowded), "x.yaml:2: individual 0 has sum 0.9 and least entry 0.4, choice dynamics want proportions"},
		{strings.Replace(small, "law: sphere", "law: sphere, states: {law: file, file: long.csv}", 1), "x.yaml:2: individual 0 has length 5, polarized dynamics want 1"},
		{strings.Replace(small, "law: sphere", "law: sphere, states: {law: file, file: none.csv}", 1), "x.yaml:2: none.csv: open none.csv: file does not exist"},
		{strings.Replace(small, "law: sphere", "law: sphere, states: {law: file, file: b.csv}", 1), "x.yaml:2: population.states: table: 3 numbers in rows of 1, want 4 rows of 2"},
		{withFile("norm(q) <= 1", "[norm(q) <= 1, sum(W @ q) <= -5]"), "x.yaml:1: the first decision cannot be brought into the set: a point common to all sets not found: "},
		{withFile("norm(q) <= 1", "[\"exp(q[0]) <= q[1]\", \"q[1] <= -0.5\"]"), "x.yaml:9: model.subject to: no decision keeps the constraints with room to spare"},
		{withFile("population:", "start: {law: proportions}\npopulation:"), "x.yaml:10: start.law is proportions, but model.subject to describes no simplex"},
		{strings.Replace(withFile("0.1*q", "0.1*(W @ crowd(p))"), "population:", "record: {rollout: 3}\npopulation:", 1), "x.yaml:10: record.rollout is given, but model.next depends on crowd(…), and a roll-out moves individuals one by one"},
		{withFile("minimize: norm(p - 1)^2", "minimize: norm(W @ p - nobody)^2"), "x.yaml:8: model.minimize:1:14: unknown name nobody"},
		{withFile("population:", "constraints: [{name: load, kind: expectation, bound: 1, of: \"dot(W @ p, nobody)\"}]\npopulation:"), "x.yaml:10: constraints.load.of:1:12: unknown name nobody"},
		{withFile("population:", "constraints: [{name: load, kind: expectation, bound: 1, of: {kind: formula, minimize: \"dot(W @ p, nobody)\"}}]\npopulation:"), "x.yaml:10: constraints.load.of.minimize:1:12: unknown name nobody"},
		{strings.Replace(written, "population:", "changes: [{from: 2, set: {kind: convex, where: \"q[0] <= nobody\"}}]\npopulation:", 1), "x.yaml:10: changes.0.set.where:1:1: "},
		{"iterations: 1\npopulation: {file: many.csv, dim: 1, traits: need}\ndynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[0.5]]}\nobjective: {kind: quadratic, decision: 1}\nset: {kind: whole}\nalgorithms: [{name: composite, step: 0.1, batch: 2}]\nrecord: {theory: true, transport: 5}\n",
			"x.yaml:7: record.transport is 5, but 5001 rows pass, and the distance of more than 5000 individuals is not worked out; want 0"},
		{"iterations: 1\npopulation: {file: few.csv, dim: 1, traits: need, sampling: without-replacement}\ndynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[0.5]]}\nobjective: {kind: quadratic, decision: 1}\nset: {kind: whole}\nalgorithms: [{name: composite, step: 0.1, batch: 3}]\n",
			"x.yaml:6: algorithms.composite.batch is 3, but 2 rows pass and sampling is without-replacement"},
		{"iterations: 1\npopulation: {file: few.csv, dim: 1, traits: need, sampling: without-replacement}\ndynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[0.5]]}\nobjective: {kind: quadratic, decision: 1}\nset: {kind: whole}\nalgorithms: [{name: composite, step: 0.1, batch: 2}, {name: vanilla, step: 0.1}]\n", ""},
	} {
		s, err := Parse(kind.Standard(), "x.yaml", []byte(c.src))
		if err == nil {
			_, err = Build("x", s, files)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s\ngives %v, want %s", c.src, err, c.want)
		}
	}
}

// A group of a table that has more values than can be recorded is refused once they are known.
func TestTooManyGroupsOfATable(t *testing.T) {
	for n, want := range map[int]string{16: "", 17: "x.yaml:6: constraints are 17, groups counted one by one, want at most 16"} {
		var table strings.Builder
		table.WriteString("need,region\n")
		for i := range n {
			fmt.Fprintf(&table, "%d,r%02d\n", i, i)
		}
		_, err := buildWith(t, shopByName, fstest.MapFS{"shop.csv": {Data: []byte(table.String())}})
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%d groups: %v, want %s", n, err, want)
		}
	}
	s := mustParse(t, shopByName)
	const want = "x.yaml:7: constraints.need: the groups of a table are known where its people are, and here nobody is drawn"
	if _, err := BuildLive(s, 0, 0, shops); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A rule of a spec that cannot be built is refused as its problem is.
func TestRulesThatCannotBeBuilt(t *testing.T) {
	for _, change := range []string{"model.let.W={file: none.csv}", "model.let.W={file: w.csv}"} {
		s := mustParse(t, written, Assign(change), Assign("model.next=a*p + W @ q"))
		_, err := BuildLive(s, 0, 0, fstest.MapFS{"w.csv": {Data: []byte("1,2,3\n")}})
		if err == nil || !strings.Contains(err.Error(), "model.") && !strings.Contains(err.Error(), "none.csv") {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// moody is a folder whose files change, or cannot be looked at, from the n-th look on.
type moody struct {
	fstest.MapFS
	looks, turns int
	turn         func(fstest.MapFS)
	refuses      bool
}

var errMood = errors.New("not now")

func (m *moody) Stat(name string) (fs.FileInfo, error) {
	m.looks++
	if m.looks == m.turns {
		if m.turn != nil {
			m.turn(m.MapFS)
		}
		if m.refuses {
			return nil, errMood
		}
	}
	return m.MapFS.Stat(name)
}

// Files are what they were when they were hashed, in size and in time, from the first look to the last.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	s := mustParse(t, strings.Replace(weighted, "[3, 1, 0, 0.5]", "{file: w.csv}", 1))
	const text = "3\n1\n0\n0.5\n"
	folder := func() *moody {
		return &moody{MapFS: fstest.MapFS{"w.csv": {Data: []byte(text), ModTime: time.Unix(100, 0)}}}
	}
	still := folder()
	p, err := Build("x", s, still)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	if got := p.Inputs(); len(got) != 1 || got["w.csv"] != hex.EncodeToString(sum[:]) {
		t.Errorf("the inputs are %v", got)
	}
	last := still.looks
	if last < 4 {
		t.Fatalf("only %d looks", last)
	}
	for name, turn := range map[string]func(fstest.MapFS){
		"longer": func(f fstest.MapFS) { f["w.csv"].Data = []byte(text + "\n") },
		"later":  func(f fstest.MapFS) { f["w.csv"].ModTime = time.Unix(101, 0) },
	} {
		m := folder()
		m.turns, m.turn = last, turn
		if _, err := Build("x", s, m); err == nil || err.Error() != "w.csv was changed while it was read; run the command again" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for look := 1; look <= last; look++ {
		m := folder()
		m.turns, m.refuses = look, true
		if _, err := Build("x", s, m); err == nil || !strings.Contains(err.Error(), errMood.Error()) {
			t.Errorf("look %d of %d failed, and the problem was built: %v", look, last, err)
		}
	}
	if _, err := Build("x", s, nil); err == nil || !strings.Contains(err.Error(), "w.csv") {
		t.Errorf("without any files: %v", err)
	}
	if _, err := InputSum(t.Context(), nil, "w.csv"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without any files: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := InputSum(ctx, folder(), "w.csv"); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// Overlays tell what they set and under what name.
func TestOverlaysTellWhatTheySet(t *testing.T) {
	if key, text, ok := Assign(" dynamics.lambda =0.3=4").Assignment(); key != "dynamics.lambda" || text != "0.3=4" || !ok {
		t.Errorf("%q, %q, %v", key, text, ok)
	}
	if _, _, ok := Merge("over.yaml", []byte("seed: 3")).Assignment(); ok {
		t.Error("a document is an assignment")
	}
	if got := Assign("seed=-1").As("--seed -1").Label(); got != "--seed -1" {
		t.Error(got)
	}
	if got := Merge("over.yaml", nil).Label(); got != "over.yaml" {
		t.Error(got)
	}
}
