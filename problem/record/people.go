package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
)

// PeopleFile is the crowd of a log as it stood at last, beside the spec that was fitted.
const PeopleFile = "people.csv"

// Complete gives a spec with a log what a fit does not need: without a population that of the log, without turns some, and without rules the usual two. It
// tells whether it gave rules, whose step is none yet.
func Complete(root *form.Node) (rules bool) {
	if root == nil || root.Get("data") == nil {
		return false
	}
	if root.Get("iterations") == nil {
		root.Put("iterations", &form.Node{Shape: form.Scalar, Text: "2000", At: root.At})
	}
	if root.Get("population") == nil {
		untraited(root)
		root.Put("population", population(root))
	}
	if root.Get("algorithms") != nil {
		return false
	}
	list := &form.Node{Shape: form.List, At: root.At}
	for _, name := range []string{"composite", "vanilla"} {
		rule := &form.Node{Shape: form.Mapping, At: root.At}
		for _, one := range [][2]string{{"name", name}, {"step", "0.01"}, {"batch", "20"}} {
			rule.Put(one[0], &form.Node{Shape: form.Scalar, Text: one[1], At: root.At})
		}
		list.Items = append(list.Items, rule)
	}
	root.Put("algorithms", list)
	return true
}

// untraited gives a model without a trait, of people of whom nothing fixed is known, one that no formula names.
func untraited(root *form.Node) {
	model, data := root.Get("model"), root.Get("data")
	if model == nil || model.Shape != form.Mapping || model.Get("trait") != nil || data.Get("traits") != nil {
		return
	}
	if effects := data.Get("effects"); effects != nil && effects.Text != NoEffects && effects.Text != OfTimes {
		return
	}
	name := "alike"
	for mentions(model, name) || mentions(data, name) {
		name += "_"
	}
	model.Put("trait", &form.Node{Shape: form.Scalar, Text: name, At: model.At})
}

// mentions tells whether a text stands somewhere in a document.
func mentions(n *form.Node, text string) bool {
	return strings.Contains(n.Text, text) || slices.ContainsFunc(n.Keys, func(key string) bool { return strings.Contains(key, text) }) ||
		slices.ContainsFunc(n.Items, func(item *form.Node) bool { return mentions(item, text) })
}

// population is that of a log.
func population(root *form.Node) *form.Node {
	state, trait := entriesOf(root)
	people := &form.Node{Shape: form.Mapping, At: root.At}
	text := func(s string) *form.Node { return &form.Node{Shape: form.Scalar, Text: s, Quoted: true, At: root.At} }
	people.Put("law", text("columns"))
	people.Put("file", text(PeopleFile))
	if trait == "" { // it is missing, and that is told
		trait = "d"
	}
	for _, one := range []struct{ key, of string }{{"traits", trait}, {"states", state}} {
		list := &form.Node{Shape: form.List, At: root.At}
		for _, name := range formula.Columns(one.of) {
			list.Items = append(list.Items, text(name))
		}
		people.Put(one.key, list)
	}
	return people
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
	if data := root.Get("data"); data.Get("states") != nil && data.Get("states").Shape == form.List {
		n = min(len(data.Get("states").Items), form.MaxNodes)
	}
	return fmt.Sprintf("p[%d]", n), fmt.Sprintf("d[%d]", n)
}
