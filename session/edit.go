package session

import (
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session/plan"
)

// EditSpec changes keys of a spec, as key=value. Nothing to change leaves the text as it is.
func EditSpec(kinds *kind.Catalogue, spec string, set []string) (string, error) {
	text, err := plan.Edit(kinds, spec, set)
	if err != nil {
		return "", badSpec(err)
	}
	return text, nil
}
