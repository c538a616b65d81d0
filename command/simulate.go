package command

import (
	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

func newSimulate(kinds *kind.Catalogue) *cobra.Command {
	f := runFlags{specFlags: specFlags{kinds: kinds}}
	var s service.Simulation
	var r service.Rehearsal
	c := &cobra.Command{
		Use:   "simulate CASE|FILE.yaml",
		Short: "Run a spec whose decisions a service makes",
		Long: `Run a spec as kedge run does, but have a service decide: every turn is asked for, deployed, told and closed over HTTP, one loop an
algorithm and trial, called PREFIX-ALGORITHM. The folder is that of kedge run, byte for byte but for times.json, whatever gets lost on the
way (--faults) and however often the service is killed and started again. A service that was restored from a backup refuses what
never happened there (stale-epoch): the same command with --resume goes on, and ends with the same folder.

With --population a program of your own simulates the people, in any language: kedge writes a line of JSON with the decision of every turn
to its standard input, and the program answers with a line of people; docs/population.md has the protocol. Every algorithm of the spec decides
for a process of its own, by the section live of the spec; what came of it is printed, and written with --rounds.`,
		Example: `  kedge serve --data try &
  kedge simulate lq2 --trials 1 --out runs/served
  kedge run lq2 --trials 1 --out runs/ran && diff -r runs/ran runs/served
  kedge simulate lq2 --trials 1 --faults drop=0.05,repeat=0.1 --prefix hard
  kedge simulate shop.yaml --data try --population "python3 people.py"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			release, err := s.Connect()
			if release != nil {
				defer func() { _ = release() }()
			}
			if err != nil {
				return err
			}
			if r.Population != "" {
				spec, _, name, err := f.load(c, args[0])
				if err != nil {
					return err
				}
				return r.Run(c.Context(), c.OutOrStdout(), &s, spec, name)
			}
			f.decide = s.Decider
			return f.run(c, args[0])
		},
	}
	f.specFlags.offer(c)
	f.resultFlags.offer(c, "runs/NAME", "print the result as JSON")
	s.Offer(c, kinds)
	r.Offer(c)
	c.Flags().IntVar(&f.workers, "workers", 0, "goroutines that compute (default one a core)")
	c.Flags().BoolVar(&f.noCheck, "no-check", false, "leave the quick examination of the model out of the report; see kedge check")
	return c
}
