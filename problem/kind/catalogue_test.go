package kind_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// words says what a report says of a kind.
func words(k form.Kind) string {
	switch k := k.(type) {
	case interface{ Words() string }:
		return k.Words()
	case kind.Criterion:
		return k.Words("a loss", " is at most 1")
	}
	return "nothing: reports do not speak of these"
}

// Every kind of the catalogue keeps the checklist of CONTRIBUTING: a name that no other of its family has, a sentence that says what
// it is, words for the report, and a file of its own.
func TestEveryKindIsWhole(t *testing.T) {
	for family, kinds := range families(kind.Standard()) {
		seen := map[string]bool{}
		for _, k := range kinds {
			word := k.Word()
			if seen[word.Value] || word.Value == "" {
				t.Errorf("%s %q is there twice or has no name", family, word.Value)
			}
			seen[word.Value] = true
			if !strings.HasSuffix(word.Meaning, ".") {
				t.Errorf("%s %s means %q, want a sentence", family, word.Value, word.Meaning)
			}
			if words(k) == "" {
				t.Errorf("a report has no words for %s %s", family, word.Value)
			}
			if file := family + "_" + strings.ReplaceAll(word.Value, "-", "_") + ".go"; !exists(file) {
				t.Errorf("%s %s has no file %s", family, word.Value, file)
			}
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func families(c *kind.Catalogue) map[string][]form.Kind {
	return map[string][]form.Kind{
		"dynamics": list(c.Dynamics), "objective": list(c.Objectives), "set": list(c.Sets), "law": list(c.Laws),
		"start": list(c.Starts), "criterion": list(c.Criteria), "method": list(c.Methods),
	}
}

func list[K form.Kind](kinds []K) (all []form.Kind) {
	for _, k := range kinds {
		all = append(all, k)
	}
	return all
}
