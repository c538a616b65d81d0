package estimate

import (
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Commands are those of this package.
func Commands(kinds *kind.Catalogue) []*cobra.Command {
	return []*cobra.Command{newFit(kinds), newBacktest(kinds)}
}
