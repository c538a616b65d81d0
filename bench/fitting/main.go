// Command fitting measures package fit beside SciPy's least_squares with an analytic, vectorised Jacobian, on the same rows in one run.
// bench/README.md says more.
package main

import (
	"flag"
	"io"

	"github.com/kedge-opt/kedge/internal/bench/rival"
)

// options are the flags of the command.
type options struct {
	rows, rounds, workers int
	python                string
}

func main() {
	rival.Main("fitting", parse, run)
}

func parse(args []string, complain io.Writer) (o options, err error) {
	err = rival.Parse("fitting", args, complain, func(f *flag.FlagSet) {
		f.IntVar(&o.rows, "rows", 1_000_000, "rows of the log")
		f.IntVar(&o.rounds, "rounds", 3, "how often each side fits")
		f.IntVar(&o.workers, "workers", 1, "cores of each side")
		f.StringVar(&o.python, "python", rival.Usual(), "a Python that has NumPy and SciPy")
	}, func() bool { return o.rows >= 100 && o.rounds > 0 && o.workers > 0 }, "--rows of at least 100, --rounds and --workers of at least 1")
	return o, err
}
