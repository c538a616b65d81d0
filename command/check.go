package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

// checkFlags are the flags of kedge check.
type checkFlags struct {
	specFlags
	people int
	json   bool
}

func newCheck(kinds *kind.Catalogue) *cobra.Command {
	f := checkFlags{specFlags: specFlags{kinds: kinds}}
	c := &cobra.Command{
		Use:   "check CASE|FILE.yaml",
		Short: "Examine a model before it is run",
		Long: `Look for what would spoil a run: derivatives that do not belong to their functions, individuals that do not settle, or
in several places, or that jump; an empty or endless set; an objective without a value; a sensitivity that does not match;
steps that are too long and batches that are too small.

Some individuals are looked at under some decisions, the same ones every time, so a check finds faults and proves nothing.

Exit codes: 0 nothing failed (! is a warning), 1 a check failed, 64 the command or the spec is wrong.`,
		Example: `  kedge check mine.yaml
  kedge check polarized --set dynamics.sigma=0.8
  kedge check mine.yaml --json | jq '.checks[] | select(.verdict == "fail")'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags.offer(c)
	c.Flags().IntVar(&f.people, "people", 0, "look at so many individuals (default 100, fewer of a large model)")
	c.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
	return c
}

func (f *checkFlags) run(c *cobra.Command, target string) error {
	if f.people < 1 && c.Flags().Changed("people") {
		return fmt.Errorf("--people %d: want 1 or more", f.people)
	}
	s, _, name, err := f.load(c, target)
	if err != nil {
		return err
	}
	found, err := examine(c.Context(), name, s, f.people)
	if err != nil {
		return judged(c, err)
	}
	if f.json {
		err = folder.WriteJSON(c.OutOrStdout(), found)
	} else {
		err = show(c.OutOrStdout(), report.Check(found).Brief...)
	}
	if failed := found.Count(doctor.Fail); err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d checks of %s failed", failed, len(found.Checks), name)
	}
	return exit.Failure(err)
}

// examine builds the problem and looks at it; what cannot be built is a finding too.
func examine(ctx context.Context, name string, s *problem.Spec, people int) (*doctor.Findings, error) {
	p, err := problem.BuildWithin(ctx, name, s, os.DirFS("."))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case errors.As(err, new(*problem.MemoryError)), errors.As(err, new(*problem.UnknownsError)):
		return nil, err
	case err != nil:
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		return &doctor.Findings{Checks: []doctor.Check{{ID: "build", Title: "model", Verdict: doctor.Fail, Figure: text}}}, nil
	}
	found, err := doctor.Examine(ctx, p.Alone(), doctor.Of(p, people))
	if err != nil {
		return nil, err
	}
	drawn, err := doctor.Draws(ctx, p, runtime.GOMAXPROCS(0))
	if drawn != nil {
		found.Checks = append(found.Checks, *drawn)
	}
	return found, err
}

// quickly is a quick examination for the result of a run. It does not hear Ctrl-C, so that its rows are always the same.
func quickly(ctx context.Context, p *problem.Problem) (*doctor.Findings, error) {
	const individuals, decisions = 12, 2
	x := doctor.Of(p, individuals)
	x.Decisions = decisions
	return doctor.Examine(context.WithoutCancel(ctx), p.Alone(), x)
}
