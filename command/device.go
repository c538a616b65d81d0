package command

import (
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/gpu"
	"github.com/spf13/cobra"
)

func newDevices() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that crowds can be kept on",
		Long: `List the NVIDIA GPUs that kedge run --device gpu can use: their names, their memory and what of it is free, what the driver knows, how
fast they copy within their memory, and how many people of 20 numbers they hold. Every one is tested: it must compute what the CPU computes, bit for bit.

Exit codes: 0 there are some, 64 there are none, and why.`,
		Example: `  kedge devices
  kedge devices --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := gpu.Survey(nil)
			switch {
			case err != nil:
				return err
			case asJSON:
				return folder.WriteJSON(c.OutOrStdout(), list)
			}
			for _, one := range list {
				if err := say(c.OutOrStdout(), one.Lines()...); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
