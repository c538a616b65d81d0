// Package service is the commands of the decision service: kedge serve, and those that ask it and tell it.
package service

import (
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Commands are those of the service.
func Commands(kinds *kind.Catalogue) []*cobra.Command {
	return []*cobra.Command{
		newServe(kinds), newDemo(kinds), newLoop(kinds), newKill(kinds), newKey(kinds), newAsk(kinds), newDeploy(kinds), newTell(kinds), newClose(kinds), newAbandon(kinds),
		newConverse(kinds), newWatch(kinds),
		newBackup(kinds), newRestore(kinds), newRepair(kinds), newReplay(kinds), newFork(kinds), newExport(kinds), newImport(kinds), newErase(kinds),
	}
}
