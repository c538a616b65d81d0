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

// A key begins with a letter and goes on with letters, digits and a few signs, up to the ends of their ranges; what stands beside them in ASCII wants quotes.
func TestKeysWithoutQuotes(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "ba": true, "bz": true, "bA": true, "bZ": true, "b0": true, "b9": true, "b-_./": true, "_b": true,
		"b@": false, "b[": false, "b`": false, "b{": false, "b:": false, "b,": false, "@": false, "[": false, "`": false, "{": false,
		"": false, "0b": false, "-b": false, ".b": false, "/b": false, "y": false, "Off": false,
	} {
		if needsNoQuotes(key) != want {
			t.Errorf("%q needs no quotes: %t", key, !want)
		}
	}
}
