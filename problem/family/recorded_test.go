package family

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// sweeps are right and wrong ones, with what is set over them.
func sweeps() [][]string {
	with := "base: small.yaml\n"
	return [][]string{
		{gridSweep}, {gridSweep, "seed=9"}, {gridSweep, "seed=x"}, {gridSweep, "iterations=5", "hold=2"}, {gridSweep, "hold"}, {gridSweep, "algorithms.none.step=1"}, {with + "seeds: own\nover: {hold: [1, 2]}"}, {with + "seeds: own\nover: {hold: [1, 2]}", "seed=3"}, {with + "seed: 7\nover: {seed: [1, 2]}"}, {with + "over: {seed: [1, 2]}", "seed=3"}, {with + "set: {seed: 5, hold: 3}\nover: {iterations: [1, 1, 2]}"}, {with + "set: {seed: -1}\nover: {iterations: [1]}"}, {with + "set: 3\nover: {iterations: [1]}"}, {with + "set: {" + strings.Repeat("a.", 70) + "a: 1}\nover: {iterations: [1]}"},
		{with + "name: mine\ndesign: random\nsamples: 3\nover: {dynamics.lambda: {from: 0, to: 1}, hold: [1, 2]}"}, {with + "design: random\nsamples: 0\nover: {hold: [1]}"}, {with + "design: random\nsamples: 2\nseed: 4\nseeds: own\nover: {\"dynamics.lambda, dynamics.sigma\": {from: 0.1, to: 0.2}}"}, {with + "over: {}"}, {with + "over: 3"}, {with}, {"over: {hold: [1]}"}, {"base: lq2\nset: {iterations: 5}\nover: {hold: [1, 2]}"}, {"base: [1]\nover: {hold: [1]}"}, {"base: ''\nover: {hold: [1]}"}, {"base: \"a\\tb.yaml\"\nover: {hold: [1]}"}, {"base: none.yml\nover: {hold: [1]}"}, {"base: empty.yaml\nover: {hold: [1]}"}, {"base: " + strings.ReplaceAll(problemFlow, "\n", " ") + "\nover: {hold: [1, 2], iterations: [3]}"}, {"3"}, {""}, {with + "name: 'a b'\nover: {hold: [1]}"}, {with + "name: a\\b\nover: {hold: [1]}"}, {with + "inputs: {a.csv: x}\nover: {hold: [1]}"},
		{with + "over: {hold: [0, 1], iterations: [x, 2]}"}, {with + "over: {hold: [0]}"}, {with + "over: {hold: [1, 2], hold.x: [1]}"}, {with + "over: {population: [{size: 3, dim: 2, law: values, values: [[1, 0], [0, 1], [1, 0]]}, null]}"}, {with + "over: {\"hold, hold\": [[1, 2]]}"}, {with + "seeds: own\nover: {\"seed, seed\": [[1, 2]]}"}, {with + "over: {" + strings.Repeat("a.", 63) + "a: [1]}"},
	}
}

// problemFlow is a spec in a single line.
const problemFlow = `{iterations: 10, population: {size: 4, dim: 2, law: file, file: p.csv}, dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5},
objective: {kind: affinity}, set: {kind: ball, radius: 1}, algorithms: [{name: vanilla, step: 0.1, batch: 2}]}`

// laid is all that a sweep says.
func laid(w *Sweep) (lines []string) {
	lines = append(lines, fmt.Sprintf("  %s %s of %d, seed %d %s, over %q, inputs %v, size %d", w.Name, w.Design, w.Samples, w.Seed, w.Seeds, w.Keys, w.Inputs, w.size()))
	for _, c := range w.Cells {
		at, s, err := w.At(c.Index())
		same := err == nil && at.ID == c.ID && string(s.YAML()) == string(w.Spec(c).YAML())
		lines = append(lines, fmt.Sprintf("  %s at %d: %q %v seed %d, found again %v, is itself %v", c.ID, c.Index(), c.Values, c.Numbers, w.Spec(c).Seed, same, w.Is(c, s.YAML(), w.Inputs)))
	}
	for _, index := range []int{-1, w.size(), MaxCells} {
		if _, _, err := w.At(index); err == nil {
			lines = append(lines, fmt.Sprint("  there is a cell ", index))
		} else {
			lines = append(lines, "  "+err.Error())
		}
	}
	return append(lines, strings.ReplaceAll("  "+strings.TrimSpace(string(w.YAML())), "\n", "\n  "))
}

// Sweeps are read, refused, laid out, printed and opened as when this was recorded.
func TestSweepsAsRecorded(t *testing.T) {
	files := func(path string) ([]byte, error) {
		if path == "empty.yaml" {
			return nil, nil
		}
		return noFile(path)
	}
	var got []string
	for _, one := range sweeps() {
		var over []problem.Overlay
		for _, set := range one[1:] {
			over = append(over, problem.Assign(set))
		}
		got = append(got, fmt.Sprintf("%q", one))
		w, err := Parse(kind.Standard(), "x.yaml", []byte(one[0]), files, over...)
		if err != nil {
			got = append(got, "  refused: "+strings.ReplaceAll(err.Error(), "\n", "\n  refused: "))
			continue
		}
		got = append(got, laid(w)...)
		opened, err := Open(kind.Standard(), "x.yaml", w.YAML())
		if err != nil {
			t.Fatal(err)
		}
		if len(opened.Cells) != 0 || !maps.Equal(opened.Inputs, w.Inputs) || string(opened.YAML()) != string(w.YAML()) {
			t.Errorf("%q is opened as %d cells with %v\n%s", one, len(opened.Cells), opened.Inputs, opened.YAML())
		}
	}
	_, err := Open(kind.Standard(), "x.yaml", []byte(gridSweep))
	got = append(got, fmt.Sprint(err))
	for _, name := range []string{"a/b.yaml", "a.b.yaml", "", "7.yaml", "ä.yml", "x"} {
		got = append(got, fmt.Sprintf("%q is called %s", name, sweepName(name)))
	}
	for _, k := range Vocabulary().Keys() {
		text, err := json.Marshal(k)
		got = append(got, fmt.Sprint(string(text), err))
	}
	evidence.AsRecorded(t, "testdata/sweeps.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// A base is read by its path from the folder of the sweep, unless it is an absolute one.
func TestBasesAreBesideTheirSweep(t *testing.T) {
	for base, want := range map[string]string{"small.yaml": "far/away/small.yaml", "../small.yaml": "far/small.yaml", "/tmp/small.yaml": "/tmp/small.yaml"} {
		asked := ""
		_, err := Parse(kind.Standard(), "far/away/x.yaml", []byte("base: "+base+"\nover: {hold: [1]}"), func(path string) ([]byte, error) {
			asked = path
			return []byte(small), nil
		})
		if err != nil || filepath.ToSlash(asked) != want {
			t.Errorf("%s is read from %s, %v, want %s", base, asked, err, want)
		}
	}
}

// Cells are known by what files hold, not by what they are called; a file that cannot be summed goes by its name, and one that changed is refused.
func TestInputsOfCells(t *testing.T) {
	text := "base: " + strings.ReplaceAll(problemFlow, "\n", " ") + "\nover: {hold: [1, 2]}\n"
	zeros, ones := strings.Repeat("0", 64), strings.Repeat("1", 64)
	parse := func(text string, sum func(string) (string, error)) (*Sweep, error) {
		return ParseOf(kind.Standard(), "x.yaml", []byte(text), Sources{Read: noFile, Sum: sum})
	}
	give := func(sum string) func(string) (string, error) {
		return func(string) (string, error) { return sum, nil }
	}
	first, err := parse(text, give(zeros))
	second, again := parse(strings.ReplaceAll(text, "p.csv", "q.csv"), give(zeros))
	third, once := parse(text, give(ones))
	unknown, more := parse(text, func(string) (string, error) { return "", errors.New("no such file") })
	if err := errors.Join(err, again, once, more); err != nil {
		t.Fatal(err)
	}
	if first.Cells[0].ID != second.Cells[0].ID || first.Cells[0].ID == third.Cells[0].ID || unknown.Cells[0].ID == first.Cells[0].ID {
		t.Errorf("cells are %s, %s, %s and %s", first.Cells[0].ID, second.Cells[0].ID, third.Cells[0].ID, unknown.Cells[0].ID)
	}
	if !maps.Equal(first.Inputs, map[string]string{"p.csv": zeros}) || len(unknown.Inputs) != 0 || strings.Contains(string(unknown.YAML()), "inputs") {
		t.Errorf("inputs are %v and %v", first.Inputs, unknown.Inputs)
	}
	of := second.Spec(second.Cells[0]).YAML()
	if !first.Is(first.Cells[0], of, second.Inputs) || first.Is(first.Cells[0], of, map[string]string{"q.csv": ones}) || first.Is(first.Cells[0], []byte("x"), nil) || first.Is(first.Cells[1], of, second.Inputs) {
		t.Error("a cell is not known by what its file holds")
	}
	other := second.Spec(second.Cells[0])
	other.Seed++
	if first.Is(first.Cells[0], other.YAML(), second.Inputs) {
		t.Error("a cell is taken for one with another seed")
	}
	_, err = parse(string(first.YAML()), give(ones))
	want := "x.yaml: inputs: p.csv holds other bytes (SHA-256 111111111111) than the sweep was begun with (000000000000); put them back, or take its line out of inputs for another sweep"
	if err == nil || err.Error() != want {
		t.Errorf("a file that changed: %v", err)
	}
	if kept, err := parse(string(first.YAML()), nil); err != nil || kept.Cells[1].ID != first.Cells[1].ID || !slices.Equal(slices.Collect(maps.Keys(kept.Inputs)), []string{"p.csv"}) {
		t.Errorf("without the files it is %v, %v", kept, err)
	}
}
