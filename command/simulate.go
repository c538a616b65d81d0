package command

import (
	"context"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

func newSimulate(kinds *kind.Catalogue) *cobra.Command {
	f := runFlags{specFlags: specFlags{kinds: kinds}}
	var address, prefix string
	c := &cobra.Command{
		Use:   "simulate CASE|FILE.yaml",
		Short: "Run a spec whose decisions a service makes",
		Long: `Run a spec as kedge run does, but have a service decide: every turn is asked for, deployed, told and closed over HTTP, one loop an
algorithm, called PREFIX-ALGORITHM. The folder is that of kedge run with --trials 1, byte for byte but for times.json. A service that
is started again goes on where it was.`,
		Example: `  kedge serve --data try &
  kedge simulate lq2 --trials 1 --out runs/served
  kedge run lq2 --trials 1 --out runs/ran && diff -r runs/ran runs/served`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.decide = func(ctx context.Context, p *problem.Problem) func(int, int) (kedge.Algorithm, error) {
				if prefix == "" {
					prefix = p.Name
				}
				return service.Decider(ctx, address, prefix, p)
			}
			return f.run(c, args[0])
		},
	}
	f.specFlags.offer(c)
	f.resultFlags.offer(c, "runs/NAME", "print the result as JSON")
	c.Flags().StringVar(&address, "server", "http://"+service.DefaultAddress, "the address of the service")
	c.Flags().StringVar(&prefix, "prefix", "", "what loops are called before the hyphen (default the name of the spec)")
	c.Flags().IntVar(&f.workers, "workers", 0, "goroutines that compute (default one a core)")
	c.Flags().BoolVar(&f.noCheck, "no-check", false, "leave the quick examination of the model out of the report; see kedge check")
	return c
}
