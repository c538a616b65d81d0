// Package hosts is the commands for sweeps over many hosts: kedge worker, kedge queue, and the flags of kedge sweep that hand its cells out.
package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Commands are those of this package.
func Commands(kinds *kind.Catalogue) []*cobra.Command {
	return []*cobra.Command{newWorker(kinds), newQueue()}
}

// workerFlags are the flags of kedge worker.
type workerFlags struct {
	where
	farm.WorkerOptions
	quiet bool
}

func newWorker(kinds *kind.Catalogue) *cobra.Command {
	f := workerFlags{WorkerOptions: farm.WorkerOptions{Kinds: kinds}}
	c := &cobra.Command{
		Use:   "worker",
		Short: "Compute cells of sweeps that other hosts hand out",
		Long: `Take cells from a queue that kedge sweep --serve or --queue fills, compute them and deliver what comes out, sweep after sweep. A worker needs
the address of the queue and nothing else: specs and files come from there, and what it writes for itself is in a temporary folder.

It computes cells of sweeps of its own build alone: version, code, target. A worker may be killed at any time; its cells are given to others once it has
said nothing for 30 s. Ctrl-C gives them back at once. While the queue is away, cells at work go on and their results are kept for an hour.

Exit codes: 0 nothing was to be done for as long as --idle says, 1 all sweeps are of other builds or a cell does not stop, 64 the command is wrong or
the queue refuses, 130 stopped by Ctrl-C or SIGTERM.`,
		Example: `  kedge worker --queue nats://TOKEN@127.0.0.1:4222
  kedge worker --queue @runs/grid/.kedge/queue/url --workers 4
  kedge worker --idle 1h --cell-timeout 30m    with the address in KEDGE_QUEUE`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context()) },
	}
	f.offer(c)
	c.Flags().IntVar(&f.Workers, "workers", 0, "cells that are computed at once (default one a core); results do not depend on it")
	c.Flags().DurationVar(&f.Idle, "idle", 10*time.Minute, "end when there was nothing to do for so long; 0 is never")
	c.Flags().DurationVar(&f.Limit, "cell-timeout", 0, "give up a cell that takes longer; others try it again, five times in all")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	return c
}

func (f *workerFlags) run(ctx context.Context) error {
	at, err := f.address()
	if err != nil {
		return err
	}
	if f.Idle < 0 || f.Limit < 0 || f.Workers < 0 {
		return fmt.Errorf("--idle, --cell-timeout and --workers cannot be negative")
	}
	say := func(line string) {
		if !f.quiet {
			fmt.Fprintln(os.Stderr, phrase.Safe(line))
		}
	}
	f.Told = say
	n, err := farm.Work(ctx, at, f.WorkerOptions)
	say(phrase.CountGrouped(n, "cell") + " computed")
	return ended(ctx, n, err)
}

// ended gives the error of a worker that has computed so many cells the code that the help says. What ends one at work, or keeps it from all work that is there, is a failure.
func ended(ctx context.Context, n int, err error) error {
	switch {
	case ctx.Err() != nil:
		return exit.With(exit.Interrupted, fmt.Errorf("stopped; cells at work were given back"))
	case n > 0, errors.As(err, new(*farm.BuildError)), errors.As(err, new(*farm.HungError)):
		return exit.Failure(err)
	}
	return err
}
