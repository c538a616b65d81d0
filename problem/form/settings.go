package form

// Setting is one value of a document under its dotted key, as --set takes it.
type Setting struct{ Key, Value string }

// Settings lists every value of a located document, in its order.
func (n *Node) Settings() []Setting { return n.settings(nil) }

// settings adds what is below n: mappings and lists of mappings are gone into, anything else is one value.
func (n *Node) settings(found []Setting) []Setting {
	if n.Shape != Mapping && (n.Shape != List || len(n.Items) == 0 || n.Items[0].Shape != Mapping) {
		return append(found, Setting{n.Path, n.Flow()})
	}
	for _, item := range n.Items {
		found = item.settings(found)
	}
	return found
}
