package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// manyTurns is a model in formulas, with what a spec adds to it.
const manyTurns = `
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: p + 0.5*(tanh(d - q) - p)
  maximize: dot(p, q)
population: {size: 1000, dim: 2, law: normal}
algorithms:
  - {name: composite, kind: composite, step: 0.01}
`

// Turns are left out only where nobody said how many to measure, and measuring all would take far longer than the turns: of formulas, in long
// trials, with many people. The numbers are those of docs/formats/run.md, worked out by hand.
func TestEveryIsChosen(t *testing.T) {
	for _, c := range []struct {
		over  string
		every int
	}{
		{"iterations=8000", 16}, // 8000/500
		{"iterations=2000", 4},
		{"iterations=1999", 1}, // not long
		{"iterations=40000", 30},
		{"iterations=8000 hold=4", 7}, // 30/4
		{"iterations=8000 hold=100", 1},
		{"iterations=8000 population.size=125", 1}, // a million
		{"iterations=8000 population.size=126", 16},
		{"iterations=8000 record.every=1", 1},
		{"iterations=8000 record.every=5", 5},
		{"iterations=8000 record.paths=0", 16},
		{"iterations=8000 record.every=null", 16},
		{"iterations=8000 record.theory=true", 1},
	} {
		var over []Overlay
		for _, one := range strings.Fields(c.over) {
			over = append(over, Assign(one))
		}
		s, err := Parse(nil, "many.yaml", []byte(manyTurns), over...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build("many", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(p.Warnings(), "\n"), "Set record.every: 1 to measure all.")
		if given := strings.Contains(c.over, "every="); s.Record.Every != c.every || said != (c.every > 1 && (!given || strings.HasSuffix(c.over, "null"))) {
			t.Errorf("%s: one turn in %d is measured, want %d; that it was chosen is said: %v", c.over, s.Record.Every, c.every, said)
		}
		again, err := Parse(nil, "spec.yaml", s.YAML())
		if err != nil || again.Record.Every != c.every || string(again.YAML()) != string(s.YAML()) {
			t.Errorf("%s: the spec as it was run measures one turn in %d, %v", c.over, again.Record.Every, err)
		}
	}
}

// The cases and the examples say how often they are measured, or are measured always.
func TestEveryStaysAsItWas(t *testing.T) {
	specs := map[string][]byte{}
	for _, name := range Cases() {
		specs[name], _ = Case(name)
	}
	files, err := filepath.Glob(filepath.Join("..", "examples", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if specs[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range specs {
		if s, err := Parse(nil, name, text); err != nil || s.ChosenNotes() != nil {
			t.Errorf("%s: %s, %v", name, s.ChosenNotes(), err)
		}
	}
}
