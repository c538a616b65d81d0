package problem

import (
	"testing"

	"github.com/goccy/go-yaml/ast"
)

// A library that panics, or returns what no library should, costs the document and not the process.
func TestLibraryPanics(t *testing.T) {
	for _, parse := range []func(string) (ast.Node, error){
		func(string) (ast.Node, error) { panic("index out of range") },
		func(string) (ast.Node, error) { return &ast.MappingNode{Values: []*ast.MappingValueNode{nil}}, nil },
	} {
		found := &mistakes{}
		root := (&tree{mistakes: found, origin: place{file: "x.yaml"}}).readWith(parse, "a: 1")
		if err := found.join(); root != nil || err == nil || err.Error() != "x.yaml: not readable as YAML" {
			t.Errorf("got %v and %v", root, err)
		}
	}
}
