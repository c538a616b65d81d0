package problem

// Setting is one value of a spec under its dotted key, as --set takes it.
type Setting struct{ Key, Value string }

// Settings lists every value of the spec, defaults too, in the order of its YAML.
func (s *Spec) Settings() []Setting {
	root := s.tree()
	root.locate("")
	return root.settings(nil)
}

// settings adds what is below n: mappings and lists of mappings are gone into, anything else is one value.
func (n *node) settings(found []Setting) []Setting {
	if n.kind != mapping && (n.kind != list || len(n.items) == 0 || n.items[0].kind != mapping) {
		return append(found, Setting{n.path, n.flow()})
	}
	for _, item := range n.items {
		found = item.settings(found)
	}
	return found
}
