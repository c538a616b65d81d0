package service

import (
	"context"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

func newKill(kinds *kind.Catalogue) *cobra.Command {
	var all bool
	c := reasoned(kinds, talk{
		use: "kill [LOOP]", short: "Answer the safe decision, of one loop or of all", args: cobra.MaximumNArgs(1),
		long: `From now on the loop answers live.safe of its spec, until somebody resumes it. With --all every loop of the key does; those that could not be
killed, because their spec names no safe decision, are listed.`,
		example: "  kedge kill shop --reason \"prices are wrong\"\n  kedge kill --all --reason \"prices are wrong\"",
	}, func(ctx context.Context, c *client.Client, args []string, reason string) (any, error) {
		switch {
		case all && len(args) == 0:
			return c.KillAll(ctx, reason)
		case !all && len(args) == 1:
			return c.Loop(args[0]).Switch(ctx, "kill", reason)
		}
		return nil, wrong("kedge kill wants the name of a loop, or --all")
	})
	c.Flags().BoolVar(&all, "all", false, "every loop of the key")
	return c
}
