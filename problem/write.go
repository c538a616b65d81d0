package problem

import (
	"bytes"
	"strconv"
	"strings"
)

// YAML returns a mapping a key a line.
func (n *node) YAML() []byte {
	var out bytes.Buffer
	n.block(&out, "")
	return out.Bytes()
}

// block writes a mapping a key a line.
func (n *node) block(out *bytes.Buffer, indent string) {
	for i, key := range n.keys {
		if i > 0 {
			out.WriteString(indent)
		}
		out.WriteString(keyText(key) + ":")
		n.items[i].below(out, indent+"  ")
	}
}

// below writes the value of a key: single values and lists of them on the line of the key, everything else under it.
func (n *node) below(out *bytes.Buffer, indent string) {
	switch {
	case n.kind == mapping && len(n.keys) > 0:
		out.WriteString("\n" + indent)
		n.block(out, indent)
	case n.kind == list && len(n.items) > 0 && n.items[0].kind != scalar:
		out.WriteString("\n")
		for _, item := range n.items {
			out.WriteString(indent + "- ")
			item.entryLine(out, indent+"  ")
		}
	default:
		out.WriteString(" " + n.flow() + "\n")
	}
}

func (n *node) entryLine(out *bytes.Buffer, indent string) {
	if n.kind == mapping && len(n.keys) > 0 {
		n.block(out, indent)
		return
	}
	out.WriteString(n.flow() + "\n")
}

// flow writes a value on one line.
func (n *node) flow() string {
	switch {
	case n.kind == list:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			items[i] = item.flow()
		}
		return "[" + strings.Join(items, ", ") + "]"
	case n.kind == mapping:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			items[i] = keyText(n.keys[i]) + ": " + item.flow()
		}
		return "{" + strings.Join(items, ", ") + "}"
	case n.kind == null:
		return "null"
	case n.quoted:
		return strconv.Quote(n.text)
	}
	return n.text
}

// keyText writes a key, in quotes where a reader could stumble over it.
func keyText(key string) string {
	if needsNoQuotes(key) {
		return key
	}
	return strconv.Quote(key)
}
