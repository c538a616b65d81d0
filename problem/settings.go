package problem

import "github.com/kedge-opt/kedge/problem/form"

// Settings lists every value of the spec, defaults too, in the order of its YAML.
func (s *Spec) Settings() []form.Setting {
	root := s.tree()
	root.Locate("")
	return root.Settings()
}
