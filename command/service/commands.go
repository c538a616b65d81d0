// Package service is the commands of the decision service: kedge serve, and those that ask it and tell it.
package service

import (
	"slices"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Commands are those of the service.
func Commands(kinds *kind.Catalogue) []*cobra.Command {
	list := []*cobra.Command{
		newServe(kinds), newDemo(kinds), newLoop(kinds), newKey(kinds), newConverse(kinds), newWatch(kinds), newBackup(kinds), newRestore(kinds), newRepair(kinds), newReplay(kinds),
	}
	list = append(list, commands(kinds, toTell(), toKill(), toFork(), toErase())...)
	return slices.Concat(list, commands(kinds, rounds()...), commands(kinds, bundles()...))
}
