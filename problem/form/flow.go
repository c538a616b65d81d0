package form

import (
	"strconv"
	"strings"
)

// Flow writes a value on one line.
func (n *Node) Flow() string {
	switch {
	case n.Shape == List:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Flow()
		}
		return "[" + strings.Join(items, ", ") + "]"
	case n.Shape == Mapping:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = keyText(n.Keys[i]) + ": " + item.Flow()
		}
		return "{" + strings.Join(items, ", ") + "}"
	case n.Shape == Null:
		return "null"
	case n.Quoted:
		return strconv.Quote(n.Text)
	}
	return n.Text
}

// keyText writes a key, in quotes where a reader could stumble over it.
func keyText(key string) string {
	if needsNoQuotes(key) {
		return key
	}
	return strconv.Quote(key)
}
