package report

import (
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// specOf reads a result's own spec, nil when it names what nobody knows.
func specOf(kinds *kind.Catalogue, r *folder.Result) *problem.Spec {
	s, _ := problem.Parse(kinds, "spec", []byte(r.Spec)) // nil with an error
	return s
}

// labelled is a result under the name that a comparison gives it, with its spec, nil when that names what nobody knows.
type labelled struct {
	label string
	*folder.Result
	spec *problem.Spec
}

func newLabelled(kinds *kind.Catalogue, label string, r *folder.Result) labelled {
	return labelled{label, r, specOf(kinds, r)}
}

// named is what a comparison calls a method.
func (r labelled) named(run folder.Run) string { return r.label + " · " + run.Name }

// isExact tells whether nothing about an algorithm is random: it draws nothing, and whom it samples is certain.
func isExact(s *problem.Spec, name string) bool {
	return s != nil && slices.ContainsFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == name && s.Exact(&a) })
}
