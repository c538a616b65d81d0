package command

import (
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the build target",
		Long: `Print the version, the architecture, the level of the instruction set and whether products are fused with sums. Equal
specs and seeds give equal bits where all of these are equal.`,
		Example: `  kedge version
  kedge version --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				return folder.WriteJSON(c.OutOrStdout(), folder.CurrentBuild())
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "kedge", folder.CurrentBuild())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
