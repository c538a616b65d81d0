package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Assign puts a value at the end of a path, making the mappings on the way that are not there.
func (n *Node) Assign(keys []string, value *Node) error { return n.assign(keys, 0, value) }

// assign is Assign from the node at the first keys of a path on.
func (n *Node) assign(keys []string, depth int, value *Node) error {
	key, last := keys[depth], depth+1 == len(keys)
	i, there := n.entry(key)
	switch {
	case n.Shape == Mapping && last:
		n.Put(key, value)
		return nil
	case n.Shape == Mapping:
		if n.Get(key) == nil {
			n.Put(key, &Node{Shape: Mapping, At: value.At})
		}
		return n.Get(key).assign(keys, depth+1, value)
	case n.Shape != List || !there:
		return n.noEntry(key, keys[:depth])
	case last:
		n.Items[i] = value
		return nil
	}
	return n.Items[i].assign(keys, depth+1, value)
}

func (n *Node) noEntry(key string, path []string) error {
	where := strings.Join(path, ".")
	if n.Shape != List {
		return fmt.Errorf("%s is %s and has no %s", where, n.Show(), Shorten(key))
	}
	names := slices.DeleteFunc(lists.Of(n.Items, (*Node).name), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return fmt.Errorf("%s has %s and no %s", where, Entries(len(n.Items)), Shorten(key))
	}
	return fmt.Errorf("%s has no entry %s, there are %s", where, Shorten(key), phrase.Enumerate(names))
}

// Copied returns a copy of a value that a spec may keep, of another rank unless that is negative.
func (n *Node) Copied(rank int) *Node {
	return n.copied(func(c *Node) {
		if rank >= 0 {
			c.At.Rank = rank
		}
	})
}

// Normal returns the value with quotes around every text that needs them on some line.
func (n *Node) Normal() *Node {
	return n.copied(func(c *Node) {
		c.Quoted = c.Quoted || c.Shape == Scalar && !IsPlainValue(c.Text) && !needsNoQuotes(c.Text)
	})
}

// copied returns a copy of which every node is changed.
func (n *Node) copied(change func(*Node)) *Node {
	c := *n
	change(&c)
	c.Keys = slices.Clone(n.Keys)
	c.Items = make([]*Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = item.copied(change)
	}
	return &c
}

// Extent counts the values and keys of a node and how deep it is nested.
func (n *Node) Extent() (nodes, names, depth int) {
	nodes, names = 1, len(n.Keys)
	for _, item := range n.Items {
		more, moreNames, below := item.Extent()
		nodes, names, depth = nodes+more, names+moreNames, max(depth, below+1)
	}
	return nodes, names, depth
}

// EachFile visits every name of a file of a document that was printed.
func (n *Node) EachFile(visit func(name *Node)) {
	if n.IsFile {
		visit(n)
	}
	for _, item := range n.Items {
		item.EachFile(visit)
	}
}

// Setting is one value of a document under its dotted key, as --set takes it.
type Setting struct{ Key, Value string }

// Settings lists every value of a located document, in its order: mappings and lists of mappings are gone into, anything else is one value.
func (n *Node) Settings() (found []Setting) {
	if n.Shape != Mapping && (n.Shape != List || len(n.Items) == 0 || n.Items[0].Shape != Mapping) {
		return []Setting{{n.Path, n.Flow()}}
	}
	for _, item := range n.Items {
		found = append(found, item.Settings()...)
	}
	return found
}
