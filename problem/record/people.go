package record

import (
	"fmt"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
)

// PeopleFile is the crowd of a log as it stood at last, beside the spec that was fitted.
const PeopleFile = "people.csv"

// TakePeople gives a spec with a log and no population that of the log.
func TakePeople(root *form.Node) {
	if root == nil || root.Get("data") == nil || root.Get("population") != nil {
		return
	}
	state, trait := entriesOf(root)
	people := &form.Node{Shape: form.Mapping, At: root.At}
	text := func(s string) *form.Node { return &form.Node{Shape: form.Scalar, Text: s, Quoted: true, At: root.At} }
	people.Put("law", text("columns"))
	people.Put("file", text(PeopleFile))
	for _, one := range []struct{ key, of string }{{"traits", trait}, {"states", state}} {
		list := &form.Node{Shape: form.List, At: root.At}
		for _, name := range formula.Columns(one.of) {
			list.Items = append(list.Items, text(name))
		}
		people.Put(one.key, list)
	}
	root.Put("population", people)
}

// entriesOf declares the state and the trait of a document: those of its model or, of dynamics of a kind, as many as the log has states.
func entriesOf(root *form.Node) (state, trait string) {
	written := func(n *form.Node) string {
		if n == nil {
			return ""
		}
		return n.Text
	}
	if model := root.Get("model"); model != nil && model.Shape == form.Mapping {
		return written(model.Get("state")), written(model.Get("trait"))
	}
	n := 1
	if data := root.Get("data"); data.Shape == form.Mapping && data.Get("states") != nil && data.Get("states").Shape == form.List {
		n = min(len(data.Get("states").Items), form.MaxNodes)
	}
	return fmt.Sprintf("p[%d]", n), fmt.Sprintf("d[%d]", n)
}
