package main

import (
	"fmt"

	"github.com/kedge-opt/kedge/lab"
	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the build target",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b := lab.CurrentBuild()
			_, err := fmt.Fprintf(c.OutOrStdout(), "kedge %s %s %s fma=%t\n", b.Version, b.GOARCH, b.GOAMD64, b.FMA)
			return err
		},
	}
}
