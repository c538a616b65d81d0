package problem

import (
	"sync"

	"github.com/kedge-opt/kedge/problem/form"
)

// YAML returns the spec as it runs, every default written out, in one canonical form. Parse of it gives the same spec.
func (s *Spec) YAML() []byte {
	return s.tree().YAML()
}

// Annotated returns the spec like YAML does, with what every key means beside it.
func (s *Spec) Annotated() []byte { return vocabulary().Annotate(s.tree()) }

// tree returns the spec as YAML nodes without places.
func (s *Spec) tree() *form.Node {
	return form.Print(s.describe)
}

// vocabulary returns all that specs can hold, which nobody changes.
var vocabulary = sync.OnceValue(func() *form.Vocabulary { return form.NewVocabulary(new(Spec).describe) })

// Keys lists the vocabulary in the order in which specs are printed.
func Keys() []form.Key { return vocabulary().Keys() }

// Explain returns what is known about a key.
func Explain(path string) (form.Key, error) { return vocabulary().Explain(path) }

// Complete lists the paths that a beginning of one can go on to, one key further.
func Complete(begun string) []string { return vocabulary().Complete(begun) }

// Schema returns the JSON Schema of specs. What depends on several keys at once only Parse can tell.
func Schema() []byte {
	return vocabulary().Schema("kedge spec", "A problem, the algorithms to run on it and what to record.")
}
