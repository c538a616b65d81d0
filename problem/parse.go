package problem

import (
	"fmt"
	"strings"
)

// Overlay changes a document before it is read as a spec. Merge and Assign make them.
type Overlay struct {
	label  string
	text   string
	assign bool
}

// Merge puts another document over the spec: mappings merge key by key, lists and single values replace. A key set to null
// is back at its default. The name is what mistakes in the document are reported under.
func Merge(name string, src []byte) Overlay { return Overlay{label: name, text: string(src)} }

// Assign sets one key, as the flag --set does: "dynamics.lambda=0.3". Entries of a list go by number or by name, as in
// "algorithms.0.step=0.01" and "algorithms.composite.step=0.01". The value is YAML and replaces what was there; keys that the
// document does not have are added.
func Assign(assignment string) Overlay {
	return Overlay{label: "--set " + shorten(assignment), text: assignment, assign: true}
}

// As returns the same overlay whose mistakes are reported under another label, such as "--seed -1".
func (o Overlay) As(label string) Overlay {
	o.label = label
	return o
}

// Parse reads a spec: the document src, called name in messages, under the overlays in their order. Everything is checked
// that can be checked without running; what the document leaves out gets its default. The error joins one *Error for every
// mistake.
func Parse(name string, src []byte, over ...Overlay) (*Spec, error) {
	found := &mistakes{}
	root := document(found, place{file: name}, string(src))
	for i, o := range over {
		o.apply(found, root, place{file: o.label, rank: i + 1})
	}
	if root == nil {
		return nil, found.join()
	}
	s := finish(root, found)
	if err := found.join(); err != nil {
		return nil, err
	}
	return s, nil
}

// finish reads a spec out of a document and checks it.
func finish(root *node, found *mistakes) *Spec {
	root.locate("")
	s := &Spec{origin: root}
	(&form{mistakes: found}).fill(root, s.describe)
	(&check{found, s}).all()
	return s
}

// document reads a text that must be a mapping, nil after it has reported why it is not.
func document(found *mistakes, origin place, text string) *node {
	t := &tree{mistakes: found, origin: origin}
	root := t.read(text)
	switch {
	case root == nil:
		return nil
	case root.kind == null:
		found.report(origin, "", "empty, want a spec")
		return nil
	case root.kind != mapping:
		found.report(root.at, "", "the document is %s, want a mapping with keys such as dynamics", root.show())
		return nil
	}
	root.at = origin
	root.at.line, root.at.column = 1, 1
	return root
}

func (o Overlay) apply(found *mistakes, root *node, at place) {
	if o.assign {
		o.assignTo(found, root, at)
		return
	}
	if over := document(found, at, o.text); over != nil && root != nil {
		root.merge(over)
	}
}

func (o Overlay) assignTo(found *mistakes, root *node, at place) {
	path, text, ok := strings.Cut(o.text, "=")
	path = strings.TrimSpace(path)
	keys := strings.Split(path, ".")
	if !ok || path == "" || len(keys) > maxDepth {
		found.report(at, path, "want key=value, as in dynamics.lambda=0.3")
		return
	}
	if strings.TrimSpace(text) == "" {
		found.report(at, path, "%s has no value; null stands for its default", path)
		return
	}
	value := (&tree{mistakes: found, origin: at, flag: true, path: path}).read(text)
	if value == nil || root == nil {
		return
	}
	if err := root.assign(keys, value); err != nil {
		found.report(at, path, "%s", err)
	}
}

// assign puts a value at the end of a path, making the mappings on the way that are not there.
func (n *node) assign(keys []string, value *node) error {
	for i, key := range keys[:len(keys)-1] {
		next, err := n.step(key, keys[:i], value.at)
		if err != nil {
			return err
		}
		n = next
	}
	last := len(keys) - 1
	switch n.kind {
	case mapping:
		n.put(keys[last], value)
		return nil
	case list:
		i, ok := n.entry(keys[last])
		if !ok {
			return n.noEntry(keys[last], keys[:last])
		}
		n.items[i] = value
		return nil
	}
	return n.noEntry(keys[last], keys[:last])
}

// step goes one key down from the node at the given path.
func (n *node) step(key string, path []string, at place) (*node, error) {
	switch n.kind {
	case mapping:
		if n.get(key) == nil {
			n.put(key, &node{kind: mapping, at: at})
		}
		return n.get(key), nil
	case list:
		if i, ok := n.entry(key); ok {
			return n.items[i], nil
		}
	}
	return nil, n.noEntry(key, path)
}

func (n *node) noEntry(key string, path []string) error {
	where := strings.Join(path, ".")
	if n.kind != list {
		return fmt.Errorf("%s is %s and has no %s", where, n.show(), shorten(key))
	}
	var names []string
	for _, item := range n.items {
		if name := item.name(); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has %s and no %s", where, entries(len(n.items)), shorten(key))
	}
	return fmt.Errorf("%s has no entry %s, there are %s", where, shorten(key), enumerate(names, "and"))
}

// enumerate writes a list of words: "a, b and c".
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + " " + last + " " + words[end]
}
