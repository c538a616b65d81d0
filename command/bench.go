package command

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// figure is what one workload came to; bench/README.md describes the JSON form.
type figure struct {
	name string

	SecondsPerTurn  float64 `json:"seconds_per_turn,omitempty"`
	NsPerIndividual float64 `json:"ns_per_individual,omitempty"`
	GBPerSecond     float64 `json:"gb_per_second,omitempty"`
	Best            float64 `json:"best"`
	TwoWorkers      float64 `json:"two_workers,omitempty"` // the first figure again with two workers
	TriadShare      float64 `json:"triad_share,omitempty"`
	Allocations     float64 `json:"allocations"` // a turn or a call
	Turns           int     `json:"turns,omitempty"`
	Individuals     int     `json:"individuals,omitempty"`
}

func newBench() *cobra.Command {
	var b bench
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
			if memory {
				return printMemory(c.OutOrStdout(), asJSON)
			}
			if scaling {
				list, err := b.scaling(c.Context())
				if err != nil {
					return coded{err, exitFailed}
				}
				return printGrowth(c.OutOrStdout(), list, asJSON)
			}
			list, err := b.run(c.Context())
			if err != nil {
				return coded{err, exitFailed}
			}
			return printFigures(c.OutOrStdout(), list, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&memory, "memory", false, "print the memory an individual takes instead")
	c.Flags().BoolVar(&scaling, "scaling", false, "measure how the cost grows with people, dimension, batch and trials instead")
	c.Flags().BoolVar(&b.skipLarge, "skip-large", false, "leave out crowds of ten million, which take 5 GB")
	c.Flags().IntVar(&b.turnCount, "turns", 0, "turns of a case study to time in a round; 0: a whole trial")
	c.Flags().IntVar(&b.rounds, "rounds", 5, "rounds to take the median of")
	return c
}

func printFigures(w io.Writer, list []figure, asJSON bool) error {
	if asJSON {
		byName := map[string]figure{}
		for _, f := range list {
			byName[f.name] = f
		}
		return printJSON(w, byName)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "workload\tmedian\tbest\ttwo workers\tspeed-up\tturns/s\tGB/s\tof triad\tallocations\t")
	for _, f := range list {
		fmt.Fprintln(t, f.line())
	}
	return t.Flush()
}

// line is a row of the table; what a workload does not have stays empty.
func (f figure) line() string {
	value, unit, turns, rate := f.NsPerIndividual, " ns", "", ""
	switch {
	case f.SecondsPerTurn > 0:
		value, unit = f.SecondsPerTurn*1e6, " µs"
		turns = fmt.Sprintf("%.0f", 1/f.SecondsPerTurn)
		f.Best, f.TwoWorkers = f.Best*1e6, f.TwoWorkers*1e6
	case f.GBPerSecond > 0:
		value, unit = f.GBPerSecond, " GB/s"
		rate = fmt.Sprintf("%.1f", f.GBPerSecond)
	case f.TriadShare > 0:
		rate = fmt.Sprintf("%.1f", stepBytes/f.NsPerIndividual)
	}
	two, speedUp, share := "", "", ""
	if f.TwoWorkers > 0 {
		two, speedUp = fmt.Sprintf("%.4g%s", f.TwoWorkers, unit), fmt.Sprintf("%.2f×", value/f.TwoWorkers)
		if unit == " GB/s" {
			speedUp = fmt.Sprintf("%.2f×", f.TwoWorkers/value)
		}
	}
	if f.TriadShare > 0 {
		share = fmt.Sprintf("%.0f %%", 100*f.TriadShare)
	}
	return fmt.Sprintf("%s\t%.4g%s\t%.4g%s\t%s\t%s\t%s\t%s\t%s\t%.3g\t", f.name, value, unit, f.Best, unit, two, speedUp, turns, rate, share, f.Allocations)
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
