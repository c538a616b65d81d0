package kind_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// stage is a document and what was found in it.
type stage struct {
	found *form.Mistakes
	root  *form.Node
}

// read reads a document of sections.
func read(text string, describe func(f *form.Form)) *stage {
	s := &stage{found: &form.Mistakes{}}
	s.root = form.ReadText(s.found, form.Place{File: "x.yaml"}, text)
	s.root.Locate("")
	form.Read(s.root, s.found, describe)
	return s
}

// says is what a key means that nobody asks about.
func says() form.Meaning { return form.Says("It.", "", "") }

// below describes one section.
func below(key string, describe func(f *form.Form)) func(f *form.Form) {
	return func(f *form.Form) { f.Section(key, says(), describe) }
}

// people describes how many there are, and how many entries a trait has.
func people(dim, size *int) func(f *form.Form) {
	return below("population", func(f *form.Form) {
		form.Field(f, "dim", dim, form.Count(1, 9).Or(2), says())
		form.Field(f, "size", size, form.Count(1, 9).Or(2), says())
	})
}

// scene is the spec around dynamics, as package problem makes it.
func (s *stage) scene(d kind.Dynamics, dim, size int) *kind.Scene {
	c := &kind.Scene{Check: form.Check{Mistakes: s.found, Root: s.root}, Dim: dim, Size: size, Habitat: kind.HabitatOf(d), DimKeys: form.Paths("dynamics.kind", "population.dim"), Dims: kedge.Dims{Decision: dim, State: dim, Trait: dim}}
	if d != nil {
		c.Dims, c.Dynamics = d.Dims(dim), form.NameOf(d)
	}
	if own, ok := d.(kind.Sized); ok {
		c.DimKeys = append(form.Paths("dynamics.kind"), own.DimKeys()...)
	}
	return c
}

// told is what was found, one mistake a line.
func (s *stage) told() []string {
	if err := s.found.Join(); err != nil {
		return strings.Split("  refused: "+strings.ReplaceAll(err.Error(), "\n", "\n  refused: "), "\n")
	}
	return nil
}

// figures writes numbers to ten digits.
func figures(x []float64) string {
	var words []string
	for _, v := range x {
		if math.Abs(v) < 1e-12 {
			v = 0 // of either sign, or what is left of a difference
		}
		words = append(words, fmt.Sprintf("%.10g", v))
	}
	return "[" + strings.Join(words, " ") + "]"
}

// recorded compares what was told, line by line.
func recorded(t *testing.T, file string, got []string) {
	t.Helper()
	evidence.AsRecorded(t, "testdata/"+file, strings.Split(strings.Join(got, "\n"), "\n"))
}

// vocabulary is what is said of keys, one a line.
func vocabulary(describe func(f *form.Form)) (lines []string) {
	for _, k := range form.NewVocabulary(describe).Keys() {
		text, err := json.Marshal(k)
		if err != nil {
			text = []byte(err.Error())
		}
		lines = append(lines, string(text))
	}
	return lines
}
