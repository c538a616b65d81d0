package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of kedge compare.
type compareFlags struct {
	compare.Terms
	specFlags
	resultFlags
	methods string
}

func newCompare(kinds *kind.Catalogue) *cobra.Command {
	f := compareFlags{Terms: compare.Terms{Kinds: kinds}}
	c := &cobra.Command{
		Use:   "compare [CASE|FILE.yaml]",
		Short: "Compare methods on one problem or on a suite, tuned alike",
		Long: `Let methods meet on the problem of a spec: the same crowd, samples, seeds and number of turns. The table says how far from
the optimum and from the stable point each of them ends, the value, and what it took: decisions deployed, people looked at,
seconds. A method is ✓ when it ends at the point that its theory names.

A method is the kind of an algorithm, with options of its own behind colons, as in derivative-free:hold=1; all stands for every
kind. Without --methods those of the spec are compared. What the spec says of an algorithm with the name of the kind holds; for others
usual settings are scaled to the problem and told. Kinds:

` + methodList(kinds) + `
Every method is tuned first: a log grid of step sizes with as many points for each, on trials apart from those that are reported. The
winner is nearest, on average over the later half of the turns, to the point where the method must end. Grid and winner are told.
--no-tune takes the step of the spec or, where it has none, the middle of the grid; an option step=… is kept as it is.

--suite classics runs all kinds on embedded environments of the literature whose answers are known: the table says where every method
ends at the point of its theory, and which problems cannot tell the stable point from the optimum.

The folder holds compare.json, table.csv, table.parquet, figures in SVG, PNG and PDF, report.html, report.md. The same command gives
the same bytes on any number of workers; seconds are in times.json alone. A folder that holds another comparison is left alone unless
--overwrite is given.

Exit codes: 0 done, whoever won, 1 failed while running, 64 the command or the spec is wrong (nothing was written),
130 stopped by Ctrl-C (nothing was written).`,
		Example: `  kedge compare lq2
  kedge compare lq2 --methods composite,two-point,two-point:hold=1
  kedge compare choice --methods all --trials 5 --iterations 2000
  kedge compare polarized --no-tune --out runs/methods
  kedge compare lq2 --methods all --dry-run
  kedge compare --suite classics`,
		Args: func(c *cobra.Command, args []string) error {
			if f.Suite == "" {
				return cobra.ExactArgs(1)(c, args)
			}
			return cobra.NoArgs(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.offerChanges(c)
	f.resultFlags.offer(c, "runs/compare-NAME", "print the result as JSON")
	fl := c.Flags()
	fl.StringVar(&f.Suite, "suite", "", "compare on all problems of a suite: classics")
	fl.StringVar(&f.methods, "methods", "", "methods to compare, such as vanilla,composite:momentum=0.5, or all (default those of the spec; of a suite all)")
	fl.IntVar(&f.Trials, "trials", 0, "trials of every method that are reported (default those of the spec)")
	fl.IntVar(&f.Tuning, "tuning", 2, "trials of every point of a grid")
	fl.IntVar(&f.Points, "points", 7, "step sizes that every method tries")
	fl.BoolVar(&f.NoTune, "no-tune", false, "take the step of the spec, or the middle of the grid")
	fl.IntVar(&f.Workers, "workers", 0, "goroutines that compute (default one a core); results do not depend on it")
	completeWords(c, "suite", []string{classics})
	return c
}

// classics is the name of the suite.
const classics = "classics"

// methodList names the methods, some a line.
func methodList(kinds *kind.Catalogue) string {
	return "  " + strings.Join(page.Wrap(strings.Join(kinds.MethodNames(), ", "), 74), "\n  ") + "\n"
}

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	problems, err := f.problems(c, args)
	if err != nil {
		return err
	}
	f.Terms.Changes = f.changes(c)
	dir := cmp.Or(f.out, filepath.Join("runs", "compare-"+cmp.Or(f.Suite, problems[0].Name)))
	methods, err := f.chosen()
	if err := errors.Join(err, f.Check()); err != nil {
		return err
	}
	planned, err := compare.NewFixture(problems, methods, f.Terms)
	if err != nil {
		return err
	}
	if err := errors.Join(room.Writable(dir), fitsDisk(dir, plan.ReportDisk*float64(len(problems)))); err != nil {
		return err
	}
	if err := f.spare(folder.KindCompare, dir, plan.OtherComparison(c.Context(), dir, planned, f.Kinds)); err != nil {
		return err
	}
	if f.dryRun || f.talks() {
		told, err := plan.Compare(c.Context(), planned, problems, dir, f.Workers)
		if err != nil {
			return interrupted(c, err)
		}
		if f.dryRun {
			return f.tellPlan(c, told)
		}
		fmt.Fprintln(os.Stderr, told.Line())
	}
	return produce(c, &f.resultFlags, folder.KindCompare, dir, &f.Progress,
		func() (*compare.Comparison, error) { return f.comparison(c, problems, methods) },
		report.SaveComparison,
		func(r *compare.Comparison) map[string]any {
			return map[string]any{"folder": dir, "seconds": r.Seconds, "comparison": r}
		})
}

// changes are the flags that change specs, as they can be typed again.
func (f *compareFlags) changes(c *cobra.Command) []string {
	list := []string{}
	for _, key := range []string{"seed", "iterations"} {
		if flag := c.Flags().Lookup(key); flag.Changed {
			list = append(list, "--"+key+" "+flag.Value.String())
		}
	}
	for _, assignment := range f.sets {
		list = append(list, "--set '"+strings.ReplaceAll(assignment, "'", `'\''`)+"'")
	}
	return list
}

// chosen are the methods that are asked for, none for those of the spec.
func (f *compareFlags) chosen() ([]compare.Entrant, error) {
	switch {
	case f.methods != "":
		return compare.ParseMethods(f.Kinds, f.methods)
	case f.Suite != "":
		return compare.ClassicMethods(f.Kinds), nil
	}
	return nil, nil
}

// problems reads what is compared on.
func (f *compareFlags) problems(c *cobra.Command, args []string) ([]compare.Subject, error) {
	over, err := f.overlays(c, "seed", "iterations")
	if err != nil {
		return nil, err
	}
	switch f.Suite {
	case "":
		src, name, err := source(args[0])
		return []compare.Subject{{Name: name, Target: args[0], Text: src, Over: over, Files: os.DirFS(".")}}, err
	case classics:
		return compare.ClassicProblems(over...), nil
	}
	return nil, fmt.Errorf("there is no suite %q; the suite is %s", f.Suite, classics)
}

// comparison compares. What is wrong before anything runs is a mistake of the command.
func (f *compareFlags) comparison(c *cobra.Command, problems []compare.Subject, methods []compare.Entrant) (*compare.Comparison, error) {
	prepared, err := compare.Prepare(c.Context(), problems, methods, f.Terms)
	if unsolved := (*compare.UnsolvedError)(nil); errors.As(err, &unsolved) {
		return nil, exit.Failure(err)
	}
	if err != nil {
		return nil, err
	}
	r, err := prepared.Run(c.Context())
	return r, exit.Failure(err)
}
