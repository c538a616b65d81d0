package session

import (
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// EditSpec changes keys of a spec, as key=value. Nothing to change leaves the text as it is.
func EditSpec(kinds *kind.Catalogue, spec string, set []string) (string, error) {
	if len(set) == 0 {
		return spec, nil
	}
	var over []problem.Overlay
	for _, one := range set {
		over = append(over, problem.Assign(one))
	}
	s, err := problem.Parse(kinds, "spec", []byte(spec), over...)
	if err != nil {
		return "", badSpec(err)
	}
	return string(s.YAML()), nil
}
