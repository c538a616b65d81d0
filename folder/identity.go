package folder

import (
	"fmt"
	"maps"
	"slices"
)

// Identity is what a result was computed with, besides its spec: the same identity and spec give the same bits.
type Identity struct {
	Build  Build             `json:"build"`
	Code   Code              `json:"code"`
	Inputs map[string]string `json:"inputs"` // the files that were read, by name: SHA-256 of what they held
}

// CurrentIdentity is that of what this program computes from inputs.
func CurrentIdentity(inputs map[string]string) Identity {
	if inputs == nil {
		inputs = map[string]string{}
	}
	return Identity{CurrentBuild(), CurrentCode(), inputs}
}

// Differs says in what an identity differs from an earlier one, in words; nothing if they are the same. Inputs that only one of them has
// are no difference: they come with the spec.
func (id Identity) Differs(before Identity) (list []string) {
	say := func(what string, was, is any) {
		if was != is {
			list = append(list, fmt.Sprintf("%s was %v, now it is %v", what, was, is))
		}
	}
	say("the version of kedge", before.Build.Version, id.Build.Version)
	say("its arithmetic", before.Build.Numeric, id.Build.Numeric)
	say("the build target", before.Build.Target(), id.Build.Target())
	say("the system", before.Code.System, id.Code.System)
	say("the version of Go", before.Code.Go, id.Code.Go)
	say("the module", before.Code.Module, id.Code.Module)
	say("the revision of kedge's code", before.Code.source(), id.Code.source())
	for _, name := range slices.Sorted(maps.Keys(id.Inputs)) {
		if was, ok := before.Inputs[name]; ok && was != id.Inputs[name] {
			list = append(list, fmt.Sprintf("%s held other bytes (SHA-256 %.12s, now %.12s)", name, was, id.Inputs[name]))
		}
	}
	return list
}
