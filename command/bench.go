package command

import (
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/spf13/cobra"
)

func newBench() *cobra.Command {
	var w bench.Workbench
	var asJSON, memory, scaling bool
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine runs kedge",
		Long: `Run a fixed list of workloads and print what they take: turns of the case studies with everything measured every turn,
steps of small and large crowds, the exact steady state, and a triad a[i] = b[i] + s·c[i] over the same memory to compare with.

Figures are medians over rounds on one core; "two workers" is the same with two. A machine that does other work at the same
time shows in the distance between median and best.`,
		Example: `  kedge bench
  kedge bench --skip-large --json
  kedge bench --scaling
  kedge bench --memory`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			measure := w.Speeds
			switch {
			case memory:
				measure = w.Memory
			case scaling:
				measure = w.Scaling
			}
			measured, err := measure(c.Context())
			switch {
			case err != nil:
				return failed(err)
			case asJSON:
				return folder.WriteJSON(c.OutOrStdout(), measured)
			}
			return measured.Print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&memory, "memory", false, "print the memory an individual takes instead")
	c.Flags().BoolVar(&scaling, "scaling", false, "measure how the cost grows with people, dimension, batch and trials instead")
	c.Flags().BoolVar(&w.SkipLarge, "skip-large", false, "leave out crowds of ten million, which take 5 GB")
	c.Flags().IntVar(&w.Turns, "turns", 0, "turns of a case study to time in a round; 0: a whole trial")
	c.Flags().IntVar(&w.Rounds, "rounds", 5, "rounds to take the median of")
	return c
}
