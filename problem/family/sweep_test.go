package family

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// small is a spec with nothing wrong in it.
const small = `iterations: 10
population: {size: 4, dim: 2, law: sphere}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms:
  - {name: vanilla, step: 0.1, batch: 2}
`

// gridSweep is a sweep with nothing wrong in it.
const gridSweep = `base: small.yaml
set:
  iterations: 20
over:
  dynamics.lambda: [0.1, 0.2]
  algorithms.vanilla.step: {from: 0.01, to: 1, count: 3, scale: log}
`

// noFile stands for a folder that has the file small.yaml and no other.
func noFile(path string) ([]byte, error) {
	if path == "small.yaml" {
		return []byte(small), nil
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
}

func mustSweep(t testing.TB, src string, over ...problem.Overlay) *Sweep {
	t.Helper()
	w, err := Parse(kind.Standard(), "x.yaml", []byte(src), noFile, over...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// rowsOf lists the values of all cells.
func rowsOf(w *Sweep) (rows []string) {
	for _, c := range w.Cells {
		rows = append(rows, strings.Join(c.Values, " "))
	}
	return rows
}

// ids lists the cells by what they hold.
func ids(w *Sweep) map[string]uint64 {
	all := map[string]uint64{}
	for _, c := range w.Cells {
		all[c.ID] = w.Spec(c).Seed
	}
	return all
}

func TestGrid(t *testing.T) {
	w := mustSweep(t, gridSweep)
	want := []string{"0.1 0.01", "0.1 0.1", "0.1 1", "0.2 0.01", "0.2 0.1", "0.2 1"}
	if got := rowsOf(w); !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
	if w.Name != "x" || !slices.Equal(w.Keys, []string{"dynamics.lambda", "algorithms.vanilla.step"}) {
		t.Errorf("name %s, keys %q", w.Name, w.Keys)
	}
	s := w.Spec(w.Cells[4])
	if s.Dynamics.Of.(*kind.PolarizedDynamics).Lambda != 0.2 || s.Algorithms[0].Step != 0.1 || s.Iterations != 20 || s.Algorithms[0].Batch != 2 {
		t.Errorf("cell 4 is\n%s", s.YAML())
	}
}

// A value is whatever the key takes; null is the key's default, and keys can change together.
func TestValuesOfAnyKind(t *testing.T) {
	w := mustSweep(t, `base: small.yaml
over:
  set: [{kind: ball, radius: 2}, {kind: box, lower: [-1, -1], upper: 1}]
  algorithms.vanilla.batch: [null]
  "population.law, population.angle": [[bimodal, 30], [cap, 60]]
`)
	want := []string{
		"{kind: ball, radius: 2} null bimodal 30", "{kind: ball, radius: 2} null cap 60",
		"{kind: box, lower: [-1, -1], upper: 1} null bimodal 30", "{kind: box, lower: [-1, -1], upper: 1} null cap 60",
	}
	if got := rowsOf(w); !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
	last := w.Cells[3]
	if s := w.Spec(last); form.NameOf(s.Set) != "box" || s.Population.Law.(*kind.CapLaw).Angle != 60 || s.Algorithms[0].Batch != 4 {
		t.Errorf("the last cell is\n%s", s.YAML())
	}
	if n := last.Numbers; !math.IsNaN(n[0]) || !math.IsNaN(n[2]) || n[3] != 60 {
		t.Errorf("numbers %v", n)
	}
}

// Ranges hold the decimals that somebody would write, and their ends exactly.
func TestRanges(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{from: 0.1, to: 0.9, count: 9}", "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
		{"{from: 0.001, to: 1, count: 7, scale: log}", "0.001 0.00316227766017 0.01 0.0316227766017 0.1 0.316227766017 1"},
		{"{from: 0.123456789012345, to: 0.5, count: 2}", "0.123456789012345 0.5"},
	} {
		w := mustSweep(t, "base: small.yaml\nover: {dynamics.lambda: "+c.in+"}\n")
		if got := strings.Join(rowsOf(w), " "); got != c.want {
			t.Errorf("%s holds %s, want %s", c.in, got, c.want)
		}
	}
	w := mustSweep(t, "base: small.yaml\nover: {population.size: {from: 10, to: 1000, count: 5, scale: log, whole: true}}\n")
	if got := strings.Join(rowsOf(w), " "); got != "10 32 100 316 1000" {
		t.Errorf("whole numbers %s", got)
	}
	w = mustSweep(t, "base: small.yaml\nover: {\"dynamics.lambda, dynamics.sigma\": {from: 0.1, to: 0.5, count: 3}}\n")
	if got := strings.Join(rowsOf(w), ", "); got != "0.1 0.1, 0.3 0.3, 0.5 0.5" {
		t.Errorf("a range of two keys has %s", got)
	}
}

// Cells of common seeds have the sweep's, so that they meet the same people and draws; with own seeds each has another, as all had once.
func TestSeedsOfCells(t *testing.T) {
	seeds := func(src string, over ...problem.Overlay) (list []uint64) {
		w := mustSweep(t, src, over...)
		for _, c := range w.Cells {
			list = append(list, w.Spec(c).Seed)
		}
		return list
	}
	common := seeds(gridSweep)
	if slices.Min(common) != 1 || slices.Max(common) != 1 {
		t.Errorf("common seeds are %v", common)
	}
	for what, got := range map[string][]uint64{
		"seed": seeds(gridSweep + "seed: 7\n"), "set.seed": seeds(strings.Replace(gridSweep, "set:\n", "set:\n  seed: 7\n", 1)), "--set seed": seeds(gridSweep, problem.Assign("seed=7")),
	} {
		if slices.Min(got) != 7 || slices.Max(got) != 7 {
			t.Errorf("with %s the seeds are %v", what, got)
		}
	}
	swept := mustSweep(t, gridSweep+"  seed: [1, 2, 3]\n")
	if all := ids(swept); len(all) != 3*len(common) {
		t.Errorf("%d cells of three seeds, want %d", len(all), 3*len(common))
	}
	// What they were before seeds could be common.
	old := map[string]uint64{
		"356d9a33f6b39857": 0xe2811cc4, "45c967e86c3d9faf": 0xe4ac0887, "73e94994ce6e6bcc": 0xb06d3bbf, "bf42e2b6b7747e49": 0xb02b6ea8, "e8aa746d3d7530f3": 0xd7f01dc8, "f6bb12ae57415150": 0xb25cba49,
	}
	if own := ids(mustSweep(t, gridSweep+"seeds: own\n")); !maps.Equal(own, old) {
		t.Errorf("own seeds are %v, want %v", own, old)
	}
}

// A cell is known by what its files hold, not by what they are called.
func TestCellsAreKnownByWhatFilesHold(t *testing.T) {
	const src = `over: {hold: [1, 2]}
base:
  iterations: 3
  population: {file: FILE, traits: x}
  dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}
  objective: {kind: quadratic, decision: 1}
  set: {kind: ball, radius: 2}
  algorithms: [{name: composite, step: 0.1}]
`
	files := fstest.MapFS{"a.csv": {Data: []byte("x\n1\n2\n")}, "b.csv": {Data: []byte("x\n1\n2\n")}, "c.csv": {Data: []byte("x\n1\n3\n")}}
	parse := func(text string, sum func(string) (string, error)) (*Sweep, error) {
		return ParseOf(kind.Standard(), "x.yaml", []byte(text), Sources{Read: noFile, Sum: sum})
	}
	sum := func(name string) (string, error) { return problem.InputSum(t.Context(), files, name) }
	of := map[string]*Sweep{}
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		w, err := parse(strings.Replace(src, "FILE", name, 1), sum)
		if err != nil {
			t.Fatal(err)
		}
		of[name] = w
	}
	a, b, c := of["a.csv"], of["b.csv"], of["c.csv"]
	if !maps.Equal(ids(a), ids(b)) {
		t.Errorf("a copy under another name makes %v of %v", ids(b), ids(a))
	}
	for id := range ids(c) {
		if _, same := ids(a)[id]; same {
			t.Errorf("cell %s is the same of other bytes", id)
		}
	}
	ran, inputs := a.Spec(a.Cells[0]).YAML(), map[string]string{"a.csv": a.Inputs["a.csv"]}
	if !b.Is(b.Cells[0], ran, inputs) || c.Is(c.Cells[0], ran, inputs) || b.Is(b.Cells[1], ran, inputs) {
		t.Error("what was run of one file is not known by what that held")
	}
	stored, err := parse(string(a.YAML()), nil)
	if err != nil || !maps.Equal(ids(stored), ids(a)) || string(stored.YAML()) != string(a.YAML()) {
		t.Errorf("without its files the sweep is another: %v, %v", ids(stored), err)
	}
	files["a.csv"] = files["c.csv"]
	if _, err := parse(string(a.YAML()), sum); err == nil || !strings.Contains(err.Error(), "x.yaml: inputs: a.csv holds other bytes (SHA-256 ") {
		t.Errorf("a file that has changed gives %v", err)
	}
	if w, err := parse(strings.Replace(src, "FILE", "none.csv", 1), sum); err != nil || len(w.Cells) != 2 {
		t.Errorf("a file that is not there is a matter of its cells: %v", err)
	}
}

// Adding a value, a sample or a key with its only value, or changing the order of keys, changes no other cell, whether all have the seed of the sweep or each its own.
func TestCellsAreIndependentOfEachOther(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "cells", Text: "cells of a sweep that another value, key or order of keys changes"})
	for _, seeds := range []string{"", "seeds: own\n"} {
		few := ids(mustSweep(t, seeds+gridSweep))
		for what, src := range map[string]string{
			"a value more": strings.Replace(gridSweep, "[0.1, 0.2]", "[0.3, 0.2, 0.1]", 1),
			"a key more":   gridSweep + "  dynamics.sigma: [0.5, 0.6]\n",
			"other order": `base: small.yaml
over:
  algorithms.vanilla.step: [1, 0.1, 0.01]
  dynamics.lambda: [0.2, 0.10]
  iterations: [20]
`} {
			many := ids(mustSweep(t, seeds+src))
			for id, seed := range few {
				got, ok := many[id]
				same.Case(ok && got == seed, "%s%s: cell %s has seed %d, was %d", seeds, what, id, got, seed)
			}
		}
		other := ids(mustSweep(t, seeds+gridSweep+"seed: 2\n"))
		for id, seed := range few {
			if got, ok := other[id]; !ok || got == seed {
				t.Errorf("another seed of the sweep leaves cell %s the seed %d", id, got)
			}
		}
	}
}

const randomSweep = `base: small.yaml
design: random
samples: 50
over:
  dynamics.lambda: {from: 0.1, to: 0.9}
  algorithms.vanilla.step: {from: 0.001, to: 1, scale: log}
  population.law: [sphere, sphere, sphere]
`

func TestRandomDesign(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "random-design", Text: "cells of a random design that more samples or another key change"})
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	few := mustSweep(t, randomSweep)
	if len(few.Cells) != 50 {
		t.Errorf("%d cells", len(few.Cells))
	}
	below, together := 0, 0
	for _, c := range few.Cells {
		if l, s := c.Numbers[0], c.Numbers[1]; l < 0.1 || l > 0.9 || s < 0.001 || s > 1 {
			t.Errorf("drew %v", c.Values)
		}
		low := c.Numbers[1] < math.Sqrt(0.001)
		if low {
			below++
		}
		if low == (c.Numbers[0] < 0.5) {
			together++
		}
	}
	if min(below, together) < 12 || max(below, together) > 38 { // 25 ± 3.7 deviations of a fair coin
		t.Errorf("%d of 50 logarithms are in the lower half, and in %d both keys are in the same", below, together)
	}
	more := mustSweep(t, strings.NewReplacer("samples: 50", "samples: 60", "over:\n", "over:\n  dynamics.sigma: [0.5]\n").Replace(randomSweep))
	for id, seed := range ids(few) {
		got := ids(more)[id]
		same.Case(got == seed, "cell %s has seed %d, was %d", id, got, seed)
	}
}

// Combinations that give the same spec are one cell.
func TestDuplicatesAreOneCell(t *testing.T) {
	w := mustSweep(t, "base: small.yaml\nover: {dynamics.lambda: [0.1, 0.10, 1e-1], trials: [1, null]}\n")
	if got := rowsOf(w); !slices.Equal(got, []string{"0.1 1"}) {
		t.Errorf("cells %q", got)
	}
}

// The canonical form needs no other file and is the same sweep.
func TestSweepSurvivesPrinting(t *testing.T) {
	for _, src := range []string{
		gridSweep, randomSweep, strings.Replace(gridSweep, "small.yaml", "polarized", 1),
		"base: lq2\nover: {\"hold, algorithms.0.step\": [[1, 0.1], [2, 0.2]], start: [{law: values, values: [1, 2]}]}\nname: a b\n",
	} {
		src = strings.Replace(src, "base: polarized\n", "base: polarized\nseed: 7\n", 1)
		w := mustSweep(t, src, problem.Assign("optimum.starts=3"))
		again, err := Parse(kind.Standard(), "again.yaml", w.YAML(), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, w.YAML())
		}
		if !bytes.Equal(w.YAML(), again.YAML()) || fmt.Sprint(ids(w)) != fmt.Sprint(ids(again)) || w.Name != again.Name {
			t.Errorf("%s\nreads back as\n%s", w.YAML(), again.YAML())
		}
		if s := again.Spec(again.Cells[0]); s.Optimum.Starts != 3 {
			t.Errorf("the overlay is lost: %s", s.YAML())
		}
	}
}

func TestSweepMistakes(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"over:", "ovre:", "x.yaml:4: unknown key ovre, did you mean over?"},
		{"base: small.yaml", "base: smal", "x.yaml:1: base is \"smal\"; the cases are choice, credit, gaussian-mean, linear-pricing, lq2, mirror, mixture, polarized, scalar-pricing, softmax, square-root and stateful-toy, and a file ends in .yaml"},
		{"base: small.yaml", "base: smal.yaml", "x.yaml:1: base cannot be read: open smal.yaml: file does not exist"},
		{"base: small.yaml", "", "x.yaml:1: base is missing, want the name of a case, a file that ends in .yaml, or a spec"},
		{"base: small.yaml", "base: 3", "x.yaml:1: base is 3; the cases are choice, credit, gaussian-mean, linear-pricing, lq2, mirror, mixture, polarized, scalar-pricing, softmax, square-root and stateful-toy, and a file ends in .yaml"},
		{"base: small.yaml", "base: [small.yaml]", "x.yaml:1: base is a list of 1, want the name of a case, a file that ends in .yaml, or a spec"},
		{"base: small.yaml", "base: small.yaml\nname: a/b", "x.yaml:2: name is \"a/b\", want a name that begins with a letter and has no dot or slash"},
		{"base: small.yaml", "base: small.yaml\nsamples: 3", "x.yaml:2: unknown key samples, grid has name, base, design, seed, seeds, inputs, set and over"},
		{"base: small.yaml", "base: small.yaml\ndesign: random", "x.yaml:1: samples is missing, want a whole number from 1 to 100000\n" +
			"x.yaml:7: unknown key over.\"algorithms.vanilla.step\".count, there are from, to, scale and whole"},
		{"base: small.yaml", "base: small.yaml\ndesign: latin", "x.yaml:2: design is \"latin\", want grid or random"},
		{"set:\n  iterations: 20", "seeds: own\nset:\n  seed: 20", "x.yaml:4: set.seed: seeds is own, so every cell's seed is made of the sweep's seed and the cell's content; want seeds: common"},
		{"iterations: 20", "iteration: 20", "x.yaml:3: unknown key iteration, did you mean iterations? (in 6 cells, the first dynamics.lambda: 0.1, algorithms.vanilla.step: 0.01)"},
		{"iterations: 20", "algorithms.composite.step: 20", "x.yaml:3: algorithms has no entry composite, there are vanilla"},
		{"[0.1, 0.2]", "[]", "x.yaml:5: over.\"dynamics.lambda\" is an empty list, want a list of values, or {from, to, count}"},
		{"[0.1, 0.2]", "0.1", "x.yaml:5: over.\"dynamics.lambda\" is 0.1, want a list of values, or {from, to, count}"},
		{"[0.1, 0.2]", "[0.1, 1.5]", "x.yaml:5: dynamics.lambda is 1.5, want a number from 0 to 1 (in 3 cells, the first dynamics.lambda: 1.5, algorithms.vanilla.step: 0.01)"},
		{"[0.1, 0.2]", "{from: 0.2, to: 0.1, count: 2}", "x.yaml:5: over.\"dynamics.lambda\".to is 0.1, want a number above from, which is 0.2"},
		{"[0.1, 0.2]", "{from: 0, to: 0.1, count: 2, scale: log}", "x.yaml:5: over.\"dynamics.lambda\".from is 0, a log range wants a number above 0"},
		{"[0.1, 0.2]", "{from: 0, to: 0.1, cuont: 2}", "x.yaml:5: unknown key over.\"dynamics.lambda\".cuont, did you mean count?"},
		{"[0.1, 0.2]", "{from: 0, to: 0.1, count: 1}", "x.yaml:5: over.\"dynamics.lambda\".count is 1, want a whole number from 2 to 100000"},
		{"dynamics.lambda: [0.1, 0.2]", "dynamics.lamda: [0.1]", "x.yaml:5: unknown key dynamics.lamda, did you mean lambda? (in 3 cells, the first dynamics.lamda: 0.1, algorithms.vanilla.step: 0.01)"},
		{"over:\n  dynamics.lambda: [0.1, 0.2]", "seeds: own\nover:\n  seed: [1, 2]", "x.yaml:6: over.seed: seeds is own, so every cell's seed is made of the sweep's seed and the cell's content; want seeds: common"},
		{"dynamics.lambda: [0.1, 0.2]", "\"dynamics.lambda, dynamics.sigma\": [[1, 2], [3]]", "x.yaml:5: over.\"dynamics.lambda, dynamics.sigma\".1 is a list of 1, want a list of 2 entries, one for each of dynamics.lambda and dynamics.sigma"},
		{"dynamics.lambda: [0.1, 0.2]", "\"dynamics.lambda, dynamics.lambda\": [[1, 2]]", "x.yaml:5: dynamics.lambda is swept twice"},
		{"dynamics.lambda: [0.1, 0.2]", strings.Repeat("a.", 40) + "a: [1]", "x.yaml:5: over.\"" + strings.Repeat("a.", 30) + "…\": want a key of the spec, as in dynamics.lambda"},
		{"count: 3", "count: 90000", "x.yaml:5: over makes 180000 cells or more, at most 100000 can be run; list fewer values, or draw some with design: random"},
		{"[0.1, 0.2]\n  algorithms.vanilla.step: {from: 0.01, to: 1, count: 3, scale: log}", "[0.1]\n  set.center: [[0, 0, 0]]", "x.yaml:6: set.center has 3 entries, the decision has 2 (in the cell dynamics.lambda: 0.1, set.center: [0, 0, 0])"},
		{"iterations: 20", "set.kind: box", "x.yaml:3: unknown key set.radius, box has kind, lower, upper and integer (in 6 cells, the first dynamics.lambda: 0.1, algorithms.vanilla.step: 0.01)\n" +
			"x.yaml:3: set.lower is missing, want a number or -.inf, or a list of those (in 6 cells, the first dynamics.lambda: 0.1, algorithms.vanilla.step: 0.01)\n" +
			"x.yaml:3: set.upper is missing, want a number or .inf, or a list of those (in 6 cells, the first dynamics.lambda: 0.1, algorithms.vanilla.step: 0.01)"},
	} {
		if !strings.Contains(gridSweep, c.old) {
			t.Fatalf("nothing to break: %s", c.old)
		}
		_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(gridSweep, c.old, c.new, 1)), noFile)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s gives\n%v\nwant\n%s", c.new, err, c.want)
		}
	}
}

func TestSweepOverlays(t *testing.T) {
	for set, want := range map[string]string{
		"dynamics.lambda=0.3": "--set dynamics.lambda=0.3: dynamics.lambda is swept; change its values in the file",
		"seed=-3":             "--set seed=-3: seed is -3, want a whole number from 0 to 18446744073709551615",
		"hold=0":              "--set hold=0: hold is 0, want a whole number from 1 to 2147483647 (in 6 cells, the first dynamics.lambda: 0.1, algorithms.vanilla.step: 0.01)",
	} {
		if _, err := Parse(kind.Standard(), "x.yaml", []byte(gridSweep), noFile, problem.Assign(set)); err == nil || err.Error() != want {
			t.Errorf("--set %s gives\n%v\nwant\n%s", set, err, want)
		}
	}
}

// A document over a sweep is read as one, also where it looks like a key and its value.
func TestDocumentsOverSweeps(t *testing.T) {
	for _, text := range []string{"seed=3", "seed", "dynamics.lambda=0.3", "dynamics.lambda"} {
		want := fmt.Sprintf("over.yaml:1: the document is %q, want a mapping with keys such as dynamics", text)
		if _, err := Parse(kind.Standard(), "x.yaml", []byte(gridSweep), noFile, problem.Merge("over.yaml", []byte(text))); err == nil || err.Error() != want {
			t.Errorf("%q gives\n%v\nwant\n%s", text, err, want)
		}
	}
	w, err := Parse(kind.Standard(), "x.yaml", []byte(gridSweep), noFile, problem.Merge("over.yaml", []byte("hold: 4")))
	if err != nil || !strings.Contains(string(w.YAML()), "hold: 4\n") {
		t.Errorf("%v", err)
	}
}

// FuzzParseSweep looks for documents that panic, give anything but *Errors, or do not survive printing.
func FuzzParseSweep(f *testing.F) {
	for _, src := range []string{gridSweep, randomSweep, "base: lq2\nover: {hold: [1, [2], {a: b}], \"x, y\": [[1, 2]]}\nset: {a: null}\n"} {
		f.Add(src)
	}
	large := regexp.MustCompile(`[0-9]{3}|[eE][+]?[0-9]`)
	f.Fuzz(func(t *testing.T, src string) {
		if large.MatchString(src) {
			return // many cells take long
		}
		w, err := Parse(kind.Standard(), "x.yaml", []byte(src), noFile)
		if err != nil {
			for _, one := range err.(interface{ Unwrap() []error }).Unwrap() {
				if e, ok := one.(*form.Mistake); !ok || e.File == "" || e.Msg == "" {
					t.Fatalf("%q gives %T %v", src, one, one)
				}
			}
			return
		}
		again, err := Parse(kind.Standard(), "again.yaml", w.YAML(), nil)
		if err != nil || !bytes.Equal(w.YAML(), again.YAML()) || !slices.EqualFunc(w.Cells, again.Cells, sameCell) {
			t.Fatalf("%q prints (%v)\n%s", src, err, w.YAML())
		}
	})
}

func sameCell(a, b Cell) bool { return a.ID == b.ID && slices.Equal(a.Values, b.Values) }

func BenchmarkParseSweep(b *testing.B) {
	src := []byte("base: polarized\nover: {dynamics.lambda: {from: 0.1, to: 0.9, count: 1000}}\n")
	for b.Loop() {
		if _, err := Parse(kind.Standard(), "x.yaml", src, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// docs/sweep.schema.json is what editors are pointed to.
func TestSchemaFileOfSweeps(t *testing.T) {
	const file = "../../docs/sweep.schema.json"
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, Schema()) {
		t.Errorf("%s is not what kedge spec schema prints (%v): run KEDGE_UPDATE=1 go test -run SchemaFile ./problem/...", file, err)
	}
}
