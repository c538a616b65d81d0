// Command transport measures kedge's optimal transport beside POT's exact solver, ot.emd2, on the same instances in one run,
// with and without the time for the costs. bench/README.md says more.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// options are the flags of the command.
type options struct {
	n, rounds int
	python    string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(2) // flag has said what is wrong
	}
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "transport:", err)
		os.Exit(1)
	}
}

func parse(args []string, complain io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("transport", flag.ContinueOnError)
	f.SetOutput(complain)
	python := cmp.Or(os.Getenv("KEDGE_PYTHON"), "python3")
	f.IntVar(&o.n, "n", 1000, "points on each side")
	f.IntVar(&o.rounds, "rounds", 5, "instances of each kind")
	f.StringVar(&o.python, "python", python, "a Python that has NumPy and POT")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.n < 1 || o.rounds < 1 || f.NArg() > 0 {
		err := fmt.Errorf("want --n and --rounds of at least 1 and nothing else")
		fmt.Fprintln(complain, err)
		return o, err
	}
	return o, nil
}

// run measures every kind and prints a line for each.
func run(ctx context.Context, o options, out io.Writer) error {
	r := rival{o.python}
	first, err := r.solve(ctx, kinds()[0].instance(1, 0))
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
