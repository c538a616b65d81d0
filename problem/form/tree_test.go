package form

import (
	"testing"

	"github.com/goccy/go-yaml/ast"
)

// A library that panics, or returns what no library should, costs the document and not the process.
func TestLibraryPanics(t *testing.T) {
	for _, parse := range []func(string) (ast.Node, *Mistake){
		func(string) (ast.Node, *Mistake) { panic("index out of range") },
		func(string) (ast.Node, *Mistake) { return &ast.MappingNode{Values: []*ast.MappingValueNode{nil}}, nil },
	} {
		found := &Mistakes{}
		root := (&tree{Mistakes: found, origin: Place{File: "x.yaml"}}).read(parse, "a: 1")
		if err := found.Join(); root != nil || err == nil || err.Error() != "x.yaml: not readable as YAML" {
			t.Errorf("got %v and %v", root, err)
		}
	}
}
