// Package command is the command kedge, as a function that a program of its own can call.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailed      = 1   // something went wrong while running
	exitUsage       = 2   // the command or the spec is wrong; nothing was run or written
	exitInterrupted = 130 // stopped by Ctrl-C; what was finished is in the output folder
)

// Main runs the command with the arguments of the process and ends it with the exit code. Specs can name the kinds of the catalogue: those
// that kedge comes with are [kind.Standard], to which a program may add kinds of its own.
func Main(kinds *kind.Catalogue) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := newRoot(kinds).ExecuteContext(ctx)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "kedge: "+err.Error())
	os.Exit(exitCode(err))
}

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// failed is an error of what was running, if there is one.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return coded{err, exitFailed}
}

// exitCode is that of the error or, where it has none, that of a mistake: in flags and arguments, as cobra reports them, or in a spec.
func exitCode(err error) int {
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	return exitUsage
}

func newRoot(kinds *kind.Catalogue) *cobra.Command {
	root := &cobra.Command{
		Use:   "kedge",
		Short: "Optimize decisions that move the data they are judged on",
		Long: `kedge finds the decision whose settled population is best.

A decision is deployed on a population, every individual answers with a lag, and the data keeps moving because of it.
Retraining on fresh samples settles at the wrong place; kedge adds how the settled population answers the decision.`,
		Example: `  kedge run polarized --live     the paper's first case study, at full scale
  kedge run choice --published   the second, digit for digit as published
  kedge new mine.yaml            a problem of your own, from a few questions
  kedge run mine.yaml
  kedge sweep grid.yaml          many values of some keys, on all cores`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newRun(kinds), newNew(kinds), newSweep(kinds), newMerge(kinds), newReport(kinds), newPlot(), newSpec(kinds), newBench(), newVerify(),
		newCheck(kinds), newCertify(kinds), newStudy(), newCompare(kinds), newVersion())
	polish(root, kinds)
	return root
}
