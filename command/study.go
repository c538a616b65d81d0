package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// studyFlags are the flags of kedge study.
type studyFlags struct {
	study.Options
	resultFlags
}

func newStudy() *cobra.Command {
	var f studyFlags
	c := &cobra.Command{
		Use:   "study [NAME]",
		Short: "Measure a rate of the theory and compare",
		Long: `Run an experiment that puts one claim of the theory to the test, and write a folder: study.json, table.csv,
table.parquet, figures in SVG, PNG and PDF, report.html, report.md. Exponents are fitted by least squares of logarithms, with
intervals by resampling points and trials; the report says whether the theory's number is within the interval, or whether the
measurement is better or worse. All intervals of a study hold together with 95 %, so that one seed in twenty misses something
by chance. Without a name the studies are listed.

` + studyList() + `
A folder that holds another study, or the same of another seed or size, is left alone unless --overwrite is given.

The same seed and size give the same bytes on any number of workers. A study takes up to about a minute on two cores, with
--quick some seconds.

Exit codes: 0 done, whatever the verdict, 1 failed while running, 64 the command is wrong (nothing was written),
130 stopped by Ctrl-C (nothing was written).`,
		Example: `  kedge study
  kedge study rate-expectation
  kedge study theorem-11
  kedge study timescale --quick --out runs/timescale
  kedge study batch --trials 200 --seed 7`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprint(c.OutOrStdout(), studyList())
				return err
			}
			return f.run(c, args[0])
		},
		ValidArgsFunction: cobra.FixedCompletions(study.Names(), cobra.ShellCompDirectiveNoFileComp),
	}
	f.offer(c, "runs/study-NAME", "print the result as JSON")
	fl := c.Flags()
	fl.BoolVar(&f.Quick, "quick", false, "a small version that takes seconds")
	fl.IntVar(&f.Trials, "trials", 0, "repetitions of every point (default the study's own number)")
	fl.Uint64Var(&f.Seed, "seed", 1, "seed of all randomness")
	fl.IntVar(&f.Workers, "workers", 0, "goroutines that compute (default one a core); results do not depend on it")
	return c
}

// studyList names the studies and, below them, the statements of the paper with the study of each, a line each.
func studyList() string {
	var b strings.Builder
	for _, s := range study.All() {
		fmt.Fprintf(&b, "  %-30s %s\n", s.Name, s.Title)
	}
	b.WriteString("\nThe paper's statements and their studies; theorem-11 is a NAME, too:\n\n")
	for _, s := range study.Statements() {
		fmt.Fprintf(&b, "  %-12s %-30s %s\n", s.Name, s.Study(), s.Says)
	}
	return b.String()
}

func (f *studyFlags) run(c *cobra.Command, name string) error {
	s, err := study.Find(name)
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return err
	}
	dir := cmp.Or(f.out, filepath.Join("runs", "study-"+s.Name))
	if err := roomForReport(dir); err != nil {
		return err
	}
	if err := f.spare(folder.KindStudy, dir, plan.OtherStudy(c.Context(), dir, s, f.Options)); err != nil {
		return err
	}
	told := plan.Study(s, dir, f.Workers)
	if f.dryRun {
		return f.tellPlan(c, told)
	}
	if f.talks() {
		fmt.Fprintln(os.Stderr, told.Line())
	}
	return produce(c, &f.resultFlags, folder.KindStudy, dir, &f.Progress,
		func() (*study.Result, error) {
			r, err := s.Run(c.Context(), f.Options)
			return r, exit.Failure(err)
		},
		report.SaveStudy,
		func(r *study.Result) map[string]any { return map[string]any{"folder": dir, "study": r} })
}

// produce computes something while somebody may watch, and once all of it is there writes its folder and says what came out.
func produce[R any](c *cobra.Command, f *resultFlags, kind folder.Kind, dir string, progress *func(done, total int64),
	compute func() (R, error), save func(c *folder.Taken, r R) (*page.Document, error), facts func(R) map[string]any,
) error {
	place, err := kind.Take(dir)
	if err != nil {
		return err
	}
	defer place.Release()
	begun := time.Now()
	r, err := func() (R, error) {
		if !f.quiet {
			told, stop := watchPieces(os.Stderr)
			*progress = told
			defer stop()
		}
		return compute()
	}()
	switch {
	case c.Context().Err() != nil:
		return interrupted(c, c.Context().Err())
	case err != nil:
		return err
	}
	d, err := save(place, r)
	switch {
	case err != nil:
		return exit.Failure(err)
	case f.json:
		return folder.WriteJSON(c.OutOrStdout(), facts(r))
	}
	return f.brief(c.OutOrStdout(), d, dir, fmt.Sprintf("took %.1f s", time.Since(begun).Seconds()))
}

// watchPieces shows how many pieces of work are done, as it is told.
func watchPieces(out io.Writer) (progress func(done, total int64), stop func()) {
	c, p := &canvas{out: out}, new(lab.Progress)
	draw := func(line func(s page.Terminal) []string) {
		if s := page.TerminalOf(out); s.Rewrites {
			c.draw(s, line(s)...)
		}
	}
	end := repeat(200*time.Millisecond, func(time.Duration) {
		draw(func(s page.Terminal) []string { return []string{pieceLine(s, p.Done.Load(), p.Total.Load())} })
	})
	progress = func(done, total int64) {
		p.Total.Store(total)
		p.Done.Store(done)
	}
	return progress, func() {
		end()
		draw(func(page.Terminal) []string { return nil })
	}
}

func pieceLine(s page.Terminal, done, total int64) string {
	share := float64(done) / float64(max(1, total))
	return s.Series(0, page.Bar(share, 24)) + page.Fit(fmt.Sprintf(" %s of %s measured", phrase.Grouped(int(done)), phrase.CountGrouped(int(total), "run")), s.Width-26)
}
