package problem

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// YAML returns the spec as it runs, every default written out, in one canonical form. Parse of it gives the same spec.
func (s *Spec) YAML() []byte {
	return s.tree().YAML()
}

// Annotated returns the spec like YAML does, with what every key means beside it.
func (s *Spec) Annotated() []byte { return Vocabulary(s.kinds()).Annotate(s.tree()) }

// tree returns the spec as YAML nodes without places.
func (s *Spec) tree() *form.Node {
	return form.Print(s.describe)
}

// Vocabulary returns all that specs can hold that name kinds of a catalogue.
func Vocabulary(kinds *kind.Catalogue) *form.Vocabulary {
	return form.NewVocabulary((&Spec{Kinds: kinds}).describe)
}

// Schema returns the JSON Schema of specs. What depends on several keys at once only Parse can tell.
func Schema(kinds *kind.Catalogue) []byte {
	return Vocabulary(kinds).Schema("kedge spec", "A problem, the algorithms to run on it and what to record.")
}

// Settings lists every value of the spec, defaults too, in the order of its YAML.
func (s *Spec) Settings() []form.Setting {
	root := s.tree()
	root.Locate("")
	return root.Settings()
}
