// Package command is the command kedge, as a function that a program of its own can call.
package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/kedge-opt/kedge/command/estimate"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/command/hosts"
	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// Main runs the command with the arguments of the process and ends it with the exit code. Specs can name the kinds of the catalogue: those
// that kedge comes with are [kind.Standard], to which a program may add kinds of its own.
func Main(kinds *kind.Catalogue) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-heard
		signal.Stop(heard) // a second Ctrl-C ends the process at once, however soon it comes after what the first one does
		cancel()
	}()
	err := newRoot(kinds).ExecuteContext(ctx)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "kedge: "+complaint(err))
	os.Exit(exit.CodeOf(err))
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
  kedge sweep grid.yaml          many values of some keys, on all cores
  kedge demo                     the live service, on simulated people`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newRun(kinds), newNew(kinds), newSweep(kinds), newMerge(kinds), newReport(kinds), newPlot(), newSpec(kinds), newBench(), newVerify(),
		newCheck(kinds), newCertify(kinds), newStudy(), newCompare(kinds), newCite(), newDevices(), newRuns(), newVersion(), newSimulate(kinds), newDesign(kinds))
	root.AddCommand(slices.Concat(estimate.Commands(kinds), hosts.Commands(kinds), service.Commands(kinds))...)
	root.PersistentFlags().Var(new(memoryFlag), "memory", "memory that may be taken, as in 30GB (default what is free, on Linux; elsewhere GOMEMLIMIT, or no limit)")
	polish(root, kinds)
	return root
}

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the build target and the code",
		Long: `Print the version, the architecture, the level of the instruction set and whether products are fused with sums; the number of
the arithmetic, which grows when kedge's bits change; and the code: its revision, whether that was changed, and the version of Go.
Equal specs, inputs and seeds give equal bits where all of these are equal; sweeps and checkpoints are not mixed where one is not.`,
		Example: `  kedge version
  kedge version --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			build, code := folder.CurrentBuild(), folder.CurrentCode()
			if asJSON {
				return folder.WriteJSON(c.OutOrStdout(), struct {
					folder.Build
					Code folder.Code `json:"code"`
				}{build, code})
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "kedge %v\narithmetic %d\n%v\n", build, build.Numeric, code)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
