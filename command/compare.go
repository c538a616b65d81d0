package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of kedge compare.
type compareFlags struct {
	compare.Terms
	runFlags
	methods string
	suite   string
	trials  int
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare [CASE|FILE.yaml]",
		Short: "Compare methods on one problem or on a suite, tuned alike",
		Long: `Let methods meet on the problem of a spec: the same crowd, samples, seeds and number of turns. The table says how far from
the optimum and from the stable point each of them ends, the value, and what it took: decisions deployed, people looked at,
seconds. A method is ✓ when it ends at the point that its theory names.

A method is the kind of an algorithm, with options of its own behind colons, as in derivative-free:hold=1; all stands for every
kind. Without --methods those of the spec are compared. What the spec says of an algorithm with the name of the kind holds; for others
usual settings are scaled to the problem and told. Kinds:

` + methodList() + `
Every method is tuned first: a log grid of step sizes with as many points for each, on trials apart from those that are reported. The
winner is nearest, on average over the later half of the turns, to the point where the method must end. Grid and winner are told.
--no-tune takes the step of the spec or, where it has none, the middle of the grid; an option step=… is kept as it is.

--suite classics runs all kinds on embedded environments of the literature whose answers are known: the table says where every method
ends at the point of its theory, and which problems cannot tell the stable point from the optimum.

The folder holds compare.json, table.csv, table.parquet, figures in SVG, PNG and PDF, report.html, report.md. The same command gives
the same bytes on any number of workers; seconds are in times.json alone.

Exit codes: 0 done, whoever won, 1 failed while running, 2 the command or the spec is wrong (nothing was written),
130 stopped by Ctrl-C (nothing was written).`,
		Example: `  kedge compare lq2
  kedge compare lq2 --methods composite,two-point,two-point:hold=1
  kedge compare choice --methods all --trials 5 --iterations 2000
  kedge compare polarized --no-tune --out runs/methods
  kedge compare --suite classics`,
		Args: func(c *cobra.Command, args []string) error {
			if f.suite == "" {
				return cobra.ExactArgs(1)(c, args)
			}
			return cobra.NoArgs(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.suite, "suite", "", "compare on all problems of a suite: classics")
	fl.StringVar(&f.methods, "methods", "", "methods to compare, such as vanilla,composite:momentum=0.5, or all (default those of the spec; of a suite all)")
	fl.StringArrayVar(&f.sets, "set", nil, "change any key of the spec, as in --set dynamics.lambda=0.3 (repeatable)")
	fl.Uint64("seed", 0, "seed of all randomness")
	fl.IntVar(&f.trials, "trials", 0, "trials of every method that are reported (default those of the spec)")
	fl.Int("iterations", 0, "turns of every trial")
	fl.IntVar(&f.Tuning, "tuning", 2, "trials of every point of a grid")
	fl.IntVar(&f.Points, "points", 7, "step sizes that every method tries")
	fl.BoolVar(&f.NoTune, "no-tune", false, "take the step of the spec, or the middle of the grid")
	fl.StringVar(&f.out, "out", "", "folder for the results (default runs/compare-NAME)")
	fl.IntVar(&f.Workers, "workers", 0, "goroutines that compute (default one a core); results do not depend on it")
	fl.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	completeWords(c, "suite", []string{classics})
	return c
}

// classics is the name of the suite.
const classics = "classics"

// methodList names the methods, some a line.
func methodList() string {
	var b strings.Builder
	for _, line := range wrap(strings.Join(kind.Standard().MethodNames(), ", "), 74) {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
}

func (f *compareFlags) run(c *cobra.Command, args []string) error {
	problems, err := f.problems(c, args)
	if err != nil {
		return coded{err, exitUsage}
	}
	f.Terms.Trials, f.Terms.Suite, f.Terms.Changes = f.trials, f.suite, f.changes(c)
	dir := f.out
	if dir == "" {
		dir = filepath.Join("runs", "compare-"+cmp.Or(f.suite, problems[0].Name))
	}
	methods, err := f.chosen()
	if err := errors.Join(err, f.Check(), folder.KindCompare.Usable(dir)); err != nil {
		return coded{err, exitUsage}
	}
	begun := time.Now()
	r, err := f.contest(c, problems, methods)
	if c.Context().Err() != nil {
		return coded{errors.New("stopped; nothing was written"), exitInterrupted}
	}
	if err != nil {
		return err
	}
	if err := writeContest(dir, r); err != nil {
		return coded{err, exitFailed}
	}
	return f.printContest(c.OutOrStdout(), r, dir, time.Since(begun))
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
		return compare.ParseMethods(kind.Standard(), f.methods)
	case f.suite != "":
		return compare.ClassicMethods(kind.Standard()), nil
	}
	return nil, nil
}

// problems reads what is compared on.
func (f *compareFlags) problems(c *cobra.Command, args []string) ([]compare.Subject, error) {
	over := f.overlays(c, "seed", "iterations")
	switch f.suite {
	case "":
		src, name, err := source(args[0])
		return []compare.Subject{{Name: name, Target: args[0], Text: src, Over: over, Files: os.DirFS(".")}}, err
	case classics:
		return compare.ClassicProblems(over...), nil
	}
	return nil, fmt.Errorf("there is no suite %q; the suite is %s", f.suite, classics)
}

// overlays are the changes to a spec that flags ask for.
func (f *runFlags) overlays(c *cobra.Command, keys ...string) (over []problem.Overlay) {
	for _, key := range keys {
		if flag := c.Flags().Lookup(key); flag.Changed {
			value := flag.Value.String()
			over = append(over, problem.Assign(key+"="+value).As("--"+key+" "+value))
		}
	}
	for _, assignment := range f.sets {
		over = append(over, problem.Assign(assignment))
	}
	return over
}

// contest compares while somebody may watch. What is wrong before anything runs is a mistake of the command.
func (f *compareFlags) contest(c *cobra.Command, problems []compare.Subject, methods []compare.Entrant) (*compare.Comparison, error) {
	if !f.quiet {
		p := new(lab.Progress)
		f.Progress = func(done, total int64) {
			p.Total.Store(total)
			p.Done.Store(done)
		}
		defer watchPieces(os.Stderr, p)()
	}
	prepared, err := compare.Prepare(c.Context(), problems, methods, f.Terms)
	if unsolved := (*compare.UnsolvedError)(nil); errors.As(err, &unsolved) {
		return nil, coded{err, exitFailed}
	}
	if err != nil {
		return nil, coded{err, exitUsage}
	}
	r, err := prepared.Run(c.Context())
	if err != nil {
		return nil, coded{err, exitFailed}
	}
	return r, nil
}

// writeContest makes the folder of a comparison; its manifest comes last.
func writeContest(dir string, r *compare.Comparison) error {
	if err := folder.KindCompare.Begin(dir); err != nil {
		return err
	}
	table := r.Table()
	for name, write := range map[string]func(io.Writer) error{
		folder.CompareFile: r.Encode, "table.csv": table.WriteCSV, "table.parquet": table.WriteParquet,
		"times.json": func(w io.Writer) error { return folder.WriteJSON(w, r.Seconds) },
	} {
		if err := folder.WriteFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	if err := report.WriteContest(dir, r); err != nil {
		return err
	}
	return folder.Manifest{Kind: folder.KindCompare, Case: r.Name, Seed: r.Arenas[0].Seed, Build: folder.CurrentBuild()}.Seal(dir)
}

// printContest tells who ended where, unless nobody wants to know.
func (f *compareFlags) printContest(w io.Writer, r *compare.Comparison, dir string, took time.Duration) error {
	switch {
	case f.json:
		return folder.WriteJSON(w, map[string]any{"folder": dir, "seconds": r.Seconds, "comparison": r})
	case f.quiet:
		return nil
	}
	s := styleOf(w)
	lines := contestLines(s, &r.Arenas[0], r.Seconds[r.Name])
	if r.Suite {
		lines = suiteLines(s, r)
	}
	lines = append(lines, "", s.bold(r.Headline()))
	for _, reason := range r.Reasons() {
		lines = append(lines, bullet(reason, min(s.width, 100))...)
	}
	lines = append(lines, s.faint("report:")+" "+filepath.Join(dir, "report.html"), fmt.Sprintf("took %.1f s", took.Seconds()))
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// bullet is a text of a list, broken into lines.
func bullet(text string, width int) (lines []string) {
	for i, line := range wrap(text, width-2) {
		lines = append(lines, []string{"- ", "  "}[min(i, 1)]+line)
	}
	return lines
}

// contestLines is the table of one problem.
func contestLines(s style, a *compare.Arena, seconds map[string]float64) []string {
	wide := 8
	for _, m := range a.Rows {
		wide = max(wide, len(m.Method))
	}
	lines := []string{s.bold(fmt.Sprintf("%-*s %10s %10s %12s %10s %11s %9s %9s %7s  %s", wide, a.Name, "to optimum", "to stable", "value", "gap", "deployments", "people", "step", "seconds", "ends at"))}
	row := func(name, ending string, numbers ...any) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s %10s %10s %12s %10s %11s %9s %9s %7s  %s", append(append([]any{wide, name}, numbers...), ending)...), " "))
	}
	for i := range a.Rows {
		m := &a.Rows[i]
		row(m.Method, a.Mark(m)+farFrom(a, m), mean(m.ToOptimal, "%.3g"), mean(m.ToStable, "%.3g"), mean(m.Value, "%.6g"), mean(m.Gap, "%.3g"),
			phrase.Grouped(m.Deployments), phrase.Grouped(m.Samples), fmt.Sprintf("%.3g", m.Step), fmt.Sprintf("%.1f", seconds[m.Method]))
	}
	return append(lines, gridLines(a)...)
}

// gridLines tell which steps were tried, once for all methods that tried the same.
func gridLines(a *compare.Arena) (lines []string) {
	var order []string
	who := map[string][]string{}
	for _, m := range a.Rows {
		if n := len(m.Grid); n > 0 {
			grid := fmt.Sprintf("%d steps from %.3g to %.3g", n, m.Grid[0].Step, m.Grid[n-1].Step)
			if who[grid] == nil {
				order = append(order, grid)
			}
			who[grid] = append(who[grid], m.Method)
		}
	}
	for _, grid := range order {
		lines = append(lines, bullet("tried "+grid+", on a log grid: "+strings.Join(who[grid], ", "), 100)...)
	}
	return lines
}

// farFrom explains the mark of a method that has not arrived.
func farFrom(a *compare.Arena, m *compare.Row) string {
	switch {
	case m.Arrived:
		return ""
	case m.Outside != "":
		return " " + m.Outside
	case m.Failed > 0:
		return ": " + m.Failure
	case m.ToTarget == nil:
		return " no " + m.Limit + " point known"
	}
	return " tolerances from " + m.Limit
}

func mean(s *compare.Range, format string) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf(format, s.Mean)
}
