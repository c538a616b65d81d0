package form

import (
	"fmt"
	"strings"
)

// Assign puts a value at the end of a path, making the mappings on the way that are not there.
func (n *Node) Assign(keys []string, value *Node) error {
	for i, key := range keys[:len(keys)-1] {
		next, err := n.step(key, keys[:i], value.At)
		if err != nil {
			return err
		}
		n = next
	}
	last := len(keys) - 1
	switch n.Shape {
	case Mapping:
		n.Put(keys[last], value)
		return nil
	case List:
		i, ok := n.entry(keys[last])
		if !ok {
			return n.noEntry(keys[last], keys[:last])
		}
		n.Items[i] = value
		return nil
	}
	return n.noEntry(keys[last], keys[:last])
}

// step goes one key down from the node at the given path.
func (n *Node) step(key string, path []string, at Place) (*Node, error) {
	switch n.Shape {
	case Mapping:
		if n.Get(key) == nil {
			n.Put(key, &Node{Shape: Mapping, At: at})
		}
		return n.Get(key), nil
	case List:
		if i, ok := n.entry(key); ok {
			return n.Items[i], nil
		}
	}
	return nil, n.noEntry(key, path)
}

func (n *Node) noEntry(key string, path []string) error {
	where := strings.Join(path, ".")
	if n.Shape != List {
		return fmt.Errorf("%s is %s and has no %s", where, n.Show(), Shorten(key))
	}
	var names []string
	for _, item := range n.Items {
		if name := item.name(); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s has %s and no %s", where, Entries(len(n.Items)), Shorten(key))
	}
	return fmt.Errorf("%s has no entry %s, there are %s", where, Shorten(key), Enumerate(names, "and"))
}

// Copied returns a copy of a value that a spec may keep, of another rank unless that is negative.
func (n *Node) Copied(rank int) *Node {
	c := *n
	if rank >= 0 {
		c.At.Rank = rank
	}
	c.Keys = append([]string(nil), n.Keys...)
	c.Items = make([]*Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = item.Copied(rank)
	}
	return &c
}

// Normal returns the value with quotes around every text that needs them on some line.
func (n *Node) Normal() *Node {
	c := *n
	c.Quoted = n.Quoted || n.Shape == Scalar && !IsPlainValue(n.Text) && !needsNoQuotes(n.Text)
	c.Items = make([]*Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = item.Normal()
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
