package command

import (
	"errors"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

func newMerge(kinds *kind.Catalogue) *cobra.Command {
	var f resultFlags
	c := &cobra.Command{
		Use:   "merge OUT DIR…",
		Short: "Join the shards of a sweep",
		Long: `Join folders that kedge sweep --shard has written, or any parts of one sweep, in one folder: the one that the whole sweep
would have made, byte for byte. Every file is checked against its checksum before it is copied; parts of different sweeps,
versions or builds are refused.

Exit codes: 0 done, 1 cells are missing or failed, 2 the parts do not belong together (nothing was written).`,
		Example: `  kedge sweep grid.yaml --shard 1/2
  kedge sweep grid.yaml --shard 2/2
  kedge merge runs/grid runs/grid-1of2 runs/grid-2of2`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := lab.Merge(kinds, args[0], args[1:], report.WriteSweep(kinds))
			if errors.Is(err, folder.ErrMissing) {
				return failed(err)
			}
			if err != nil {
				return err
			}
			return f.conclude(c.OutOrStdout(), r, 0, args[0])
		},
	}
	f.offerPrinting(c, "print JSON")
	return c
}
