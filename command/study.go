package command

import (
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
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// studyFlags are the flags of kedge study.
type studyFlags struct {
	study.Options
	out   string
	quiet bool
	json  bool
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
The same seed and size give the same bytes on any number of workers. A study takes up to about a minute on two cores, with
--quick some seconds.

Exit codes: 0 done, whatever the verdict, 1 failed while running, 2 the command is wrong (nothing was written),
130 stopped by Ctrl-C (nothing was written).`,
		Example: `  kedge study
  kedge study rate-expectation
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
	fl := c.Flags()
	fl.StringVar(&f.out, "out", "", "folder for the results (default runs/study-NAME)")
	fl.BoolVar(&f.Quick, "quick", false, "a small version that takes seconds")
	fl.IntVar(&f.Trials, "trials", 0, "repetitions of every point (default the study's own number)")
	fl.Uint64Var(&f.Seed, "seed", 1, "seed of all randomness")
	fl.IntVar(&f.Workers, "workers", 0, "goroutines that compute (default one a core); results do not depend on it")
	fl.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// studyList names the studies, a line each.
func studyList() string {
	var b strings.Builder
	for _, s := range study.All() {
		fmt.Fprintf(&b, "  %-18s %s\n", s.Name, s.Title)
	}
	return b.String()
}

func (f *studyFlags) run(c *cobra.Command, name string) error {
	s, err := study.Find(name)
	if err == nil {
		err = f.Check()
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join("runs", "study-"+name)
	}
	if err == nil {
		err = folder.KindStudy.Usable(dir)
	}
	if err != nil {
		return coded{err, exitUsage}
	}
	begun := time.Now()
	r, err := f.compute(c, s)
	switch {
	case c.Context().Err() != nil:
		return coded{errors.New("stopped; nothing was written"), exitInterrupted}
	case err != nil:
		return coded{err, exitFailed}
	}
	d, err := report.SaveStudy(dir, r)
	if err != nil {
		return coded{err, exitFailed}
	}
	return f.print(c.OutOrStdout(), r, d, dir, time.Since(begun))
}

// compute runs the study while somebody may watch.
func (f *studyFlags) compute(c *cobra.Command, s study.Study) (*study.Result, error) {
	if !f.quiet {
		p := new(lab.Progress)
		f.Progress = func(done, total int64) {
			p.Total.Store(total)
			p.Done.Store(done)
		}
		defer watchPieces(os.Stderr, p)()
	}
	return s.Run(c.Context(), f.Options)
}

// watchPieces shows how many pieces of work are done.
func watchPieces(out io.Writer, p *lab.Progress) (stop func()) {
	c := &canvas{out: out}
	end := repeat(200*time.Millisecond, func(time.Duration) {
		if s := page.TerminalOf(out); s.Rewrites {
			c.draw(s, pieceLine(s, p.Done.Load(), p.Total.Load()))
		}
	})
	return func() {
		end()
		if s := page.TerminalOf(out); s.Rewrites {
			c.draw(s)
		}
	}
}

func pieceLine(s page.Terminal, done, total int64) string {
	share := float64(done) / float64(max(1, total))
	return s.Series(0, page.Bar(share, 24)) + page.Fit(fmt.Sprintf(" %s of %s measured", phrase.Grouped(int(done)), phrase.CountGrouped(int(total), "run")), s.Width-26)
}

// print tells what came out, unless nobody wants to know.
func (f *studyFlags) print(w io.Writer, r *study.Result, d *page.Document, dir string, took time.Duration) error {
	switch {
	case f.json:
		return folder.WriteJSON(w, map[string]any{"folder": dir, "study": r})
	case f.quiet:
		return nil
	}
	return printBrief(w, d, dir, took)
}
