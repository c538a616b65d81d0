package problem

import (
	"io"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
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
	return Overlay{label: "--set " + form.Shorten(assignment), text: assignment, assign: true}
}

// As returns the same overlay whose mistakes are reported under another label, such as "--seed -1".
func (o Overlay) As(label string) Overlay {
	o.label = label
	return o
}

// Label is what its mistakes are reported under.
func (o Overlay) Label() string { return o.label }

// Assignment is the key that it sets and the text of its value, if it sets one.
func (o Overlay) Assignment() (key, text string, ok bool) {
	key, text, _ = strings.Cut(o.text, "=")
	return strings.TrimSpace(key), text, o.assign
}

// Parse reads a spec that names kinds of a catalogue: the document src, called name in messages, under the overlays in their order. Everything is checked
// that can be checked without running; what the document leaves out gets its default. The error joins one *Error for every
// mistake.
func Parse(kinds *kind.Catalogue, name string, src []byte, over ...Overlay) (*Spec, error) {
	found := &form.Mistakes{}
	root := Document(found, form.Place{File: name}, string(src))
	for i, o := range over {
		o.Apply(found, root, form.Place{File: o.label, Rank: i + 1})
	}
	if root == nil {
		return nil, found.Join()
	}
	s := Read(kinds, root, found)
	if err := found.Join(); err != nil {
		return nil, err
	}
	return s, nil
}

// Read reads a spec out of a document and checks it; found has what is wrong.
func Read(kinds *kind.Catalogue, root *form.Node, found *form.Mistakes) *Spec {
	s := &Spec{Kinds: kinds, origin: root}
	s.Bare = record.Complete(root)
	root.Locate("")
	read, asked := record.Ask(root, found)
	s.asked = asked
	form.Read(read, found, s.describe)
	s.chooseEvery(root)
	(&check{s.scene(found), s}).all()
	return s
}

// Document reads a text that must be a mapping, nil after it has reported why it is not.
func Document(found *form.Mistakes, origin form.Place, text string) *form.Node {
	root := form.ReadText(found, origin, text)
	switch {
	case root == nil:
		return nil
	case root.Shape == form.Null:
		found.Report(origin, "", "empty, want a spec")
		return nil
	case root.Shape != form.Mapping:
		found.Report(root.At, "", "the document is %s, want a mapping with keys such as dynamics", root.Show())
		return nil
	}
	root.At = origin
	root.At.Line, root.At.Column = 1, 1
	return root
}

// Apply changes a document; at is where mistakes are reported.
func (o Overlay) Apply(found *form.Mistakes, root *form.Node, at form.Place) {
	if o.assign {
		o.assignTo(found, root, at)
		return
	}
	if over := Document(found, at, o.text); over != nil && root != nil {
		root.Merge(over)
	}
}

func (o Overlay) assignTo(found *form.Mistakes, root *form.Node, at form.Place) {
	path, text, ok := strings.Cut(o.text, "=")
	path = strings.TrimSpace(path)
	keys := strings.Split(path, ".")
	if !ok || path == "" || len(keys) > form.MaxDepth {
		found.Report(at, path, "want key=value, as in dynamics.lambda=0.3")
		return
	}
	if strings.TrimSpace(text) == "" {
		found.Report(at, path, "%s has no value; null stands for its default", path)
		return
	}
	value := form.ReadValue(found, at, path, text)
	if value == nil || root == nil {
		return
	}
	if err := root.Assign(keys, value); err != nil {
		found.Report(at, path, "%s", err)
	}
}

func (c *check) all() {
	c.model()
	if c.s.Dynamics.Of != nil {
		c.s.Dynamics.Of.Check(&c.Scene)
	}
	c.data()
	c.population()
	c.moving()
	c.objective("objective", c.s.Objective)
	if c.s.Model == nil && len(c.s.Players) == 0 {
		kind.CheckSet(&c.Scene, "set", c.s.Set, c.Decision())
	}
	c.discrete()
	c.start()
	c.changes()
	c.constraints()
	c.players()
	c.algorithms()
	c.s.Names.Check(&c.Scene, c.s.Model.declared())
	c.s.Live.Check(&c.Check, c.Decision(), lists.Of(c.s.Algorithms, func(a kind.Algorithm) string { return a.Name }), lists.Of(c.s.Constraints, func(one Constraint) string { return one.Name }))
	c.guardrails()
	c.record()
	c.doubt()
	c.theory()
	c.generator()
	if len(c.Found) == 0 {
		c.size()
	}
}

// size refuses a spec that could not be read again as it is printed.
func (c *check) size() {
	tree := c.s.Tree()
	nodes, names, depth := tree.Extent()
	if nodes > form.MaxNodes || names > form.MaxKeys || depth > form.MaxDepth || len(tree.YAML()) > form.MaxBytes {
		c.Report(form.Place{File: c.s.origin.At.File}, "", "too large with its defaults: %d values, %d keys, %d deep", nodes, names, depth)
	}
}

// MaxSize is the largest spec that Parse reads, in bytes.
const MaxSize = form.MaxBytes

// ReadFile reads a file as far as a spec may be long, and a byte more.
func ReadFile(path string) ([]byte, error) {
	file, err := plain.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, MaxSize+1))
}
