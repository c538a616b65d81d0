// Command torture runs the tests behind docs/RELIABILITY.md, tier by tier, and plants faults that they must notice.
//
//	go run ./cmd/torture gate                       # at most 3 minutes
//	go run ./cmd/torture nightly --budget 90m
//	go run ./cmd/torture release --only T02,T08     # some tests of the programme at full size
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/kedge-opt/kedge/internal/torture"
)

const help = `torture runs the tests behind docs/RELIABILITY.md, and plants faults that they must notice.

  go run ./cmd/torture [gate|nightly|release] [flags]

  gate      short tests of what every change passes first, and two planted faults, drawn by the commit: at most 3 minutes
  nightly   all short tests, all planted faults, fuzz targets for 20 s each, then whole tests, the longest unmeasured first: at most 2 hours
  release   all whole tests, all planted faults, fuzz targets for 10 minutes each: as long as it takes

Every line has the tests and promises of the programme, what came of it, cases tried and lost, and seconds. The exit code is 1 if anything was lost or
a planted fault stayed green, 2 if nothing could be tried, 130 if the run was interrupted. Ctrl-C ends the run after the test that runs, a second one at
once. Results are written to .torture as they come: the same command goes on where an interrupted run ended, unless the code has changed.

Examples:
  go run ./cmd/torture gate --list                     what would run, with the command of each
  go run ./cmd/torture gate --only T38                 short tests and planted faults of one test of the programme
  go run ./cmd/torture nightly --budget 30m
  go run ./cmd/torture release --only service-power --update   a row at full size, its figure written down
  go run ./cmd/torture release --only fuzz --fuzz 1m --update   every reader of bytes, its inputs counted

Flags:
`

func main() {
	w := torture.Wish{Root: ".", Out: os.Stdout, Tier: torture.Gate}
	args := os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		w.Tier, args = torture.Tier(args[0]), args[1:]
	}
	set := flag.NewFlagSet("torture", flag.ContinueOnError)
	set.Usage = func() { fmt.Fprint(set.Output(), help); set.PrintDefaults() }
	only := set.String("only", "", "promises (P1), tests of the programme (T31), rows, test functions, packages (./store) or fuzz, with commas between them")
	set.BoolVar(&w.List, "list", false, "say what would run, and run nothing")
	set.DurationVar(&w.Budget, "budget", 0, "how long it may take; gate 3m and nightly 2h unless said otherwise")
	set.DurationVar(&w.Fuzz, "fuzz", 0, "how long each fuzz target is given inputs; nightly 20s and release 10m unless said otherwise")
	set.BoolVar(&w.Fresh, "fresh", false, "do again what an interrupted run has done")
	set.BoolVar(&w.Update, "update", false, "write figures, with commit and date, to docs/reliability")
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2)
	case set.NArg() > 0 || !slices.Contains(torture.Tiers(), w.Tier):
		fmt.Fprintf(os.Stderr, "torture: one of gate, nightly and release, then flags: not %q\n", append([]string{string(w.Tier)}, set.Args()...))
		os.Exit(2)
	}
	if w.Budget == 0 {
		w.Budget = w.Tier.Budget()
	}
	if *only != "" {
		w.Only = strings.Split(*only, ",")
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		w.Status = os.Stderr
	}
	os.Exit(run(w))
}

// run tries what is wished. A first Ctrl-C ends it after the test that runs, a second one at once.
func run(w torture.Wish) (code int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop, signals := make(chan struct{}), make(chan os.Signal, 2)
	w.Stop = stop
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\nends after the test that runs now; Ctrl-C again ends that too")
		close(stop)
		<-signals
		cancel()
	}()
	_, err := torture.Run(ctx, w)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, torture.ErrStopped):
		code = 130
	case errors.Is(err, torture.ErrLost):
		code = 1
	default:
		code = 2
	}
	fmt.Fprintln(os.Stderr, "torture: "+err.Error())
	return code
}
