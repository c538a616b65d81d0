package problem

import (
	"fmt"
	"strings"
)

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

// copied returns a copy of a value that a spec may keep, of another rank unless that is negative.
func (n *node) copied(rank int) *node {
	c := *n
	if rank >= 0 {
		c.at.rank = rank
	}
	c.keys = append([]string(nil), n.keys...)
	c.items = make([]*node, len(n.items))
	for i, item := range n.items {
		c.items[i] = item.copied(rank)
	}
	return &c
}

// normal returns the value with quotes around every text that needs them on some line.
func (n *node) normal() *node {
	c := *n
	c.quoted = n.quoted || n.kind == scalar && !isPlainValue(n.text) && !needsNoQuotes(n.text)
	c.items = make([]*node, len(n.items))
	for i, item := range n.items {
		c.items[i] = item.normal()
	}
	return &c
}

// extent counts the values and keys of a node and how deep it is nested.
func (n *node) extent() (nodes, names, depth int) {
	nodes, names = 1, len(n.keys)
	for _, item := range n.items {
		more, moreNames, below := item.extent()
		nodes, names, depth = nodes+more, names+moreNames, max(depth, below+1)
	}
	return nodes, names, depth
}
