package problem

import (
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
	readSection(root, found, s.describe)
	(&check{examiner{found, root}, s}).all()
	return s
}

// document reads a text that must be a mapping, nil after it has reported why it is not.
func document(found *mistakes, origin place, text string) *node {
	root := readText(found, origin, text)
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
	value := readValue(found, at, path, text)
	if value == nil || root == nil {
		return
	}
	if err := root.assign(keys, value); err != nil {
		found.report(at, path, "%s", err)
	}
}
