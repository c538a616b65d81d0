// Command transport measures kedge's optimal transport beside POT's exact solver, ot.emd2, on the same instances in one run,
// with and without the time for the costs. bench/README.md says more.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/kedge-opt/kedge/internal/bench/rival"
)

// options are the flags of the command.
type options struct {
	n, rounds int
	python    string
}

func main() {
	rival.Main("transport", parse, run)
}

func parse(args []string, complain io.Writer) (o options, err error) {
	err = rival.Parse("transport", args, complain, func(f *flag.FlagSet) {
		f.IntVar(&o.n, "n", 1000, "points on each side")
		f.IntVar(&o.rounds, "rounds", 5, "instances of each kind")
		f.StringVar(&o.python, "python", rival.Usual(), "a Python that has NumPy and POT")
	}, func() bool { return o.n > 0 && o.rounds > 0 }, "--n and --rounds of at least 1")
	return o, err
}

// run measures every kind and prints a line for each.
func run(ctx context.Context, o options, out io.Writer) error {
	r := pot(o.python)
	first, err := solve(ctx, r, kinds()[0].instance(1, 0))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d against %d points, medians of %d instances in seconds\n\n", first.Name, o.n, o.n, o.rounds)
	fmt.Fprintf(out, "%-20s %8s %8s %8s %8s %8s %8s %8s\n", "", "costs", "Exact", "Assign.", "ot.dist", "ot.emd2", "ratio", "+ costs")
	for _, k := range kinds() {
		m, err := measure(ctx, k, o, r)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		fmt.Fprintln(out, m.line(k.name))
	}
	fmt.Fprintln(out, "\nratio: POT's time over that of Exact; + costs: the same with the time for the costs on both sides")
	return nil
}
