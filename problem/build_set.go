package problem

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/kind"
)

// buildSet makes the set of n-vectors at a path of the spec and checks it.
func (s *Spec) buildSet(path string, from kind.Set, n int) (kedge.Set, error) {
	made, err := kind.BuildSet(from, n)
	return made, s.wrap(path, err)
}
