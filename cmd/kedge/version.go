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
			_, err := fmt.Fprintln(c.OutOrStdout(), "kedge", lab.CurrentBuild())
			return err
		},
	}
}
