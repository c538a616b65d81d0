package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// runFlags are the flags of kedge run.
type runFlags struct {
	kinds     *kind.Catalogue // what specs can name
	out       string
	sets      []string
	published bool
	printSpec bool
	workers   int
	quiet     bool
	live      bool
	json      bool
	noCheck   bool
	certify   bool

	checkpoint time.Duration
	fresh      bool
}

func newRun(kinds *kind.Catalogue) *cobra.Command {
	f := runFlags{kinds: kinds}
	c := &cobra.Command{
		Use:   "run CASE|FILE.yaml",
		Short: "Run a case study or a spec and write figures, series and a report",
		Long: `Run every algorithm of a spec for all its trials, find the exact optimum and the stable point to compare with, and
write a folder: summary.json, series.csv, spec.yaml, figures in SVG, PNG and PDF, report.html.

Cases: ` + strings.Join(problem.Cases(), ", ") + `.

With --checkpoint the run is saved as it goes. Stopped by Ctrl-C, kill -9 or a power cut, it goes on where it was saved last
when the same command is given again, also on another number of workers, and ends with the same bytes.

Exit codes: 0 done, 1 failed while running, 2 the command or the spec is wrong (nothing was written),
130 stopped by Ctrl-C (the folder holds the finished trials or, with --checkpoint, what is needed to go on).`,
		Example: `  kedge run polarized
  kedge run polarized --set dynamics.lambda=0.3 --set algorithms.0.step=0.01
  kedge run polarized --live
  kedge run choice --published --out runs/choice-published
  kedge run polarized --print-spec > mine.yaml && kedge run mine.yaml --trials 5
  kedge run polarized --trials 1000 --checkpoint 30s`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags(c)
	fl := c.Flags()
	fl.StringVar(&f.out, "out", "", "folder for the results (default runs/NAME)")
	fl.BoolVar(&f.printSpec, "print-spec", false, "print the spec and stop")
	fl.IntVar(&f.workers, "workers", 0, "goroutines that compute (default one a core): trials first, spare ones within large populations; results do not depend on it")
	fl.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	f.checkpointFlags(c)
	fl.BoolVar(&f.live, "live", false, "watch the gaps fall in a full-screen view; q stops the run")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	fl.BoolVar(&f.noCheck, "no-check", false, "leave the quick examination of the model out of the report; see kedge check")
	fl.BoolVar(&f.certify, "certify", false, "add what the theory guarantees to the report; see kedge certify")
	return c
}

// specFlags are those that say which spec is meant.
func (f *runFlags) specFlags(c *cobra.Command) {
	fl := c.Flags()
	fl.StringArrayVar(&f.sets, "set", nil, "change any key of the spec, as in --set dynamics.lambda=0.3 (repeatable)")
	fl.Uint64("seed", 0, "seed of all randomness")
	fl.Int("trials", 0, "independent trials of every algorithm")
	fl.Int("iterations", 0, "turns of every trial")
	fl.BoolVar(&f.published, "published", false, "run exactly as the paper's authors did: their generator, draws and bookkeeping")
}

func (f *runFlags) run(c *cobra.Command, target string) error {
	s, text, name, err := f.load(c, target)
	if err != nil {
		return coded{err, exitUsage}
	}
	if f.printSpec {
		if text == nil {
			text = s.YAML()
		}
		_, err := c.OutOrStdout().Write(text)
		return err
	}
	problem, err := problem.Build(name, s, os.DirFS("."))
	if err != nil {
		return coded{err, exitUsage}
	}
	return f.execute(c, problem)
}

// load reads the case or file, with the published variant, the flags and the --set overrides on top. The text is nil unless
// the spec is exactly that.
func (f *runFlags) load(c *cobra.Command, target string) (s *problem.Spec, text []byte, name string, err error) {
	src, name, err := source(target)
	if err != nil {
		return nil, nil, "", err
	}
	var over []problem.Overlay
	if f.published {
		variant, ok := problem.Case(target + ".published")
		if !ok {
			return nil, nil, "", fmt.Errorf("there is no published run of %s; --published goes with the cases polarized and choice", target)
		}
		over = append(over, problem.Merge(target+" as published", variant))
	}
	over = append(over, f.overlays(c, "seed", "trials", "iterations")...)
	s, err = problem.Parse(f.kinds, target, src, over...)
	if len(over) > 0 {
		src = nil
	}
	return s, src, name, err
}

// source returns the text of an embedded case or of a file, and the name of its results.
func source(target string) ([]byte, string, error) {
	if src, ok := problem.Case(target); ok {
		return src, target, nil
	}
	ext := filepath.Ext(target)
	if ext != ".yaml" && ext != ".yml" {
		return nil, "", fmt.Errorf("there is no case %q; the cases are %s, and a file ends in .yaml", target, strings.Join(problem.Cases(), ", "))
	}
	file, err := os.Open(target)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, problem.MaxSize+1))
	return src, strings.TrimSuffix(filepath.Base(target), ext), err
}

// execute runs the problem into its folder.
func (f *runFlags) execute(c *cobra.Command, p *problem.Problem) error {
	dir := f.out
	if dir == "" {
		dir = filepath.Join("runs", p.Name)
	}
	if err := f.checkFolder(dir); err != nil {
		return coded{err, exitUsage}
	}
	begun := time.Now()
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	c.SetContext(ctx)
	notes := &notes{out: os.Stderr, quiet: f.quiet}
	o := lab.Options{Workers: f.workers, Progress: new(lab.Progress), Checkpoint: f.checkpointIn(dir, notes)}
	result, err := f.compute(ctx, p, o, notes, stop)
	notes.print()
	if f.checkpoint > 0 && ctx.Err() != nil {
		return f.stopped(o.Progress)
	}
	if err != nil {
		return coded{err, codeOf(c, err)}
	}
	ran := time.Now()
	if err := f.look(ctx, p, result); err != nil {
		return coded{err, exitFailed}
	}
	d, err := report.Save(f.kinds, dir, result)
	if err != nil {
		return coded{err, exitFailed}
	}
	if err := lab.RemoveCheckpoint(dir); err != nil {
		return coded{err, exitFailed}
	}
	out := outcome{result, d, dir, p.Spec.Hold, ran.Sub(begun), time.Since(ran)}
	if err := f.print(c.OutOrStdout(), out); err != nil {
		return coded{err, exitFailed}
	}
	if result.Partial {
		return coded{fmt.Errorf("stopped; %s holds the finished trials", dir), exitInterrupted}
	}
	return nil
}

// look adds what a quick examination finds to the result, unless nobody wants to know, and the certificate if asked for.
func (f *runFlags) look(ctx context.Context, p *problem.Problem, r *folder.Result) error {
	add := func(wanted bool, section func(context.Context, *problem.Problem) (folder.Section, error)) error {
		if !wanted {
			return nil
		}
		s, err := section(ctx, p)
		r.Sections = append(r.Sections, s)
		return err
	}
	return errors.Join(add(!f.noCheck, glance), add(f.certify, certifySection))
}

// compute runs the problem while somebody may watch, and leaves the terminal as it was whatever happens.
func (f *runFlags) compute(ctx context.Context, p *problem.Problem, o lab.Options, n *notes, stop func()) (*folder.Result, error) {
	switch {
	case f.quiet:
	case f.live && canLive(os.Stderr):
		o.Watch = new(lab.Watch)
		defer (&live{title: liveTitle(p), progress: o.Progress, watch: o.Watch, turns: p.Spec.Iterations, stop: stop}).start(os.Stderr)()
	case f.live:
		fmt.Fprintln(os.Stderr, "kedge: --live wants a terminal that can be written over; going on with plain lines")
		fallthrough
	default:
		defer watch(os.Stderr, o.Progress, n)()
	}
	return lab.Execute(ctx, p, o)
}

// outcome is a run that has come to its end.
type outcome struct {
	result     *folder.Result
	report     *page.Document
	dir        string
	hold       int
	ran, wrote time.Duration
}

// print tells what came out, unless nobody wants to know.
func (f *runFlags) print(w io.Writer, o outcome) error {
	switch {
	case f.json:
		return folder.WriteJSON(w, map[string]any{"folder": o.dir, "seconds": o.ran.Seconds(), "summary": o.result.Summarize()})
	case !f.quiet:
		pieces := append(o.report.Brief, page.Note{Name: "report:", Text: filepath.Join(o.dir, "report.html")}, page.Plainly{
			fmt.Sprintf("took %.1f s to run and %.1f s to write", o.ran.Seconds(), o.wrote.Seconds()), "rate: " + rate(o.result, o.hold),
		})
		io.WriteString(w, page.TerminalOf(w).Render(pieces...))
	}
	return nil
}

// rate says how fast the trials went, with everything that was measured on the way.
func rate(r *folder.Result, hold int) string {
	steps, seconds := 0.0, 0.0
	for _, one := range r.Runs {
		steps += float64(len(one.Trials)) * float64(r.Iterations) * float64(r.Individuals) * float64(hold)
		seconds += one.Seconds
	}
	return fmt.Sprintf("%s million individual steps a second in each trial", rounded(steps/seconds/1e6))
}

func codeOf(c *cobra.Command, err error) int {
	var other *lab.CheckpointError
	if errors.As(err, &other) || errors.Is(err, folder.ErrInUse) {
		return exitUsage
	}
	if c.Context().Err() != nil && errors.Is(err, c.Context().Err()) {
		return exitInterrupted
	}
	return exitFailed
}
