// Command fitting measures package fit beside SciPy's least_squares with an analytic, vectorised Jacobian, on the same rows in one run.
// bench/README.md says more.
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
	rows, rounds, workers int
	python                string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(2) // flag has said what is wrong
	}
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fitting:", err)
		os.Exit(1)
	}
}

func parse(args []string, complain io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("fitting", flag.ContinueOnError)
	f.SetOutput(complain)
	f.IntVar(&o.rows, "rows", 1_000_000, "rows of the log")
	f.IntVar(&o.rounds, "rounds", 3, "how often each side fits")
	f.IntVar(&o.workers, "workers", 1, "cores of each side")
	f.StringVar(&o.python, "python", cmp.Or(os.Getenv("KEDGE_PYTHON"), "python3"), "a Python that has NumPy and SciPy")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.rows < 100 || o.rounds < 1 || o.workers < 1 || f.NArg() > 0 {
		err := fmt.Errorf("want --rows of at least 100, --rounds and --workers of at least 1 and nothing else")
		fmt.Fprintln(complain, err)
		return o, err
	}
	return o, nil
}
