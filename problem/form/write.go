package form

import (
	"bytes"
	"strconv"
	"strings"
)

// YAML returns a mapping a key a line.
func (n *Node) YAML() []byte {
	var out bytes.Buffer
	n.block(&out, "")
	return out.Bytes()
}

// block writes a mapping a key a line.
func (n *Node) block(out *bytes.Buffer, indent string) {
	for i, key := range n.Keys {
		if i > 0 {
			out.WriteString(indent)
		}
		out.WriteString(keyText(key) + ":")
		n.Items[i].below(out, indent+"  ")
	}
}

// below writes the value of a key: single values and lists of them on the line of the key, everything else under it.
func (n *Node) below(out *bytes.Buffer, indent string) {
	switch {
	case n.Shape == Mapping && len(n.Keys) > 0:
		out.WriteString("\n" + indent)
		n.block(out, indent)
	case n.Shape == List && len(n.Items) > 0 && n.Items[0].Shape != Scalar:
		out.WriteString("\n")
		for _, item := range n.Items {
			out.WriteString(indent + "- ")
			item.entryLine(out, indent+"  ")
		}
	default:
		out.WriteString(" " + n.Flow() + "\n")
	}
}

func (n *Node) entryLine(out *bytes.Buffer, indent string) {
	if n.Shape == Mapping && len(n.Keys) > 0 {
		n.block(out, indent)
		return
	}
	out.WriteString(n.Flow() + "\n")
}

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
