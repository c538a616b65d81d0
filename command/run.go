package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// runFlags are the flags of kedge run.
type runFlags struct {
	specFlags
	resultFlags
	printSpec bool
	workers   int
	device    string
	live      bool
	noCheck   bool
	certify   bool
	tags      []string

	checkpoint time.Duration
	fresh      bool

	decide func(ctx context.Context, p *problem.Problem) func(algorithm, trial int) (kedge.Algorithm, error) // nil: the algorithms of the spec
}

func newRun(kinds *kind.Catalogue) *cobra.Command {
	f := runFlags{specFlags: specFlags{kinds: kinds}}
	c := &cobra.Command{
		Use:   "run CASE|FILE.yaml",
		Short: "Run a case study or a spec and write figures, series and a report",
		Long: `Run every algorithm of a spec for all its trials, find the exact optimum and the stable point to compare with, and
write a folder: summary.json, series.csv, spec.yaml, figures in SVG, PNG and PDF, report.html.

Cases: ` + strings.Join(problem.Cases(), ", ") + `.

With --device gpu the crowd is kept and moved on an NVIDIA GPU, with the same bytes; auto, which is the default, does so where there is
one, this kedge was built for it and the crowd has a million numbers or more. See kedge devices and docs/gpu.md.

With --checkpoint the run is saved as it goes. Stopped by Ctrl-C, kill -9 or a power cut, it goes on where it was saved last
when the same command is given again, also on another number of workers, and ends with the same bytes.

A line on stderr says beforehand about what time, memory and disk it takes; the time may be off by a factor of three. --dry-run says that
and all else that is known before, and runs nothing.

A folder that holds the finished result of another spec, or of other data, is left alone unless --overwrite is given; the same spec
replaces its own result.

Exit codes: 0 done, 1 failed while running, 64 the command or the spec is wrong (nothing was written),
130 stopped by Ctrl-C (the folder holds the finished trials or, with --checkpoint, what is needed to go on).`,
		Example: `  kedge run polarized
  kedge run polarized --set dynamics.lambda=0.3 --set algorithms.0.step=0.01
  kedge run polarized --trials 1000 --dry-run
  kedge run polarized --live
  kedge run choice --published --out runs/choice-published
  kedge run polarized --seed 2 --out runs/polarized --overwrite
  kedge run polarized --print-spec > mine.yaml && kedge run mine.yaml --trials 5
  kedge run polarized --trials 1000 --checkpoint 30s
  kedge run polarized --tag baseline
  kedge run polarized --set population.size=1000000 --device gpu`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags.offer(c)
	f.resultFlags.offer(c, "runs/NAME", "print the result as JSON")
	fl := c.Flags()
	fl.BoolVar(&f.printSpec, "print-spec", false, "print the spec and stop")
	fl.IntVar(&f.workers, "workers", 0, "goroutines that compute (default one a core): trials first, spare ones within large populations; results do not depend on it")
	fl.DurationVar(&f.checkpoint, "checkpoint", 0, "save the run so often, as in 30s or 5m, and go on from what is saved (default never)")
	fl.BoolVar(&f.fresh, "fresh", false, "start over where a run that was stopped could go on")
	fl.StringVar(&f.device, "device", "auto", "where the crowd is kept and moved: auto, cpu, gpu or gpu:N; results do not depend on it")
	completeWords(c, "device", []string{"auto", "cpu", "gpu"})
	fl.BoolVar(&f.live, "live", false, "watch the gaps fall in a full-screen view; q stops the run")
	fl.BoolVar(&f.noCheck, "no-check", false, "leave the quick examination of the model out of the report; see kedge check")
	fl.StringArrayVar(&f.tags, "tag", nil, "give the folder a tag, by which kedge runs finds it (repeatable)")
	fl.BoolVar(&f.certify, "certify", false, "add what the theory guarantees to the report; see kedge certify")
	return c
}

func (f *runFlags) run(c *cobra.Command, target string) error {
	s, text, name, err := f.load(c, target)
	if err != nil {
		return err
	}
	if f.printSpec {
		if text == nil {
			text = s.YAML()
		}
		_, err := c.OutOrStdout().Write(text)
		return err
	}
	dir := cmp.Or(f.out, filepath.Join("runs", name))
	if err := errors.Join(folder.CheckTags(f.tags), room.Writable(dir), s.Fits(lab.Need(s, f.workers)), fitsDisk(dir, lab.DiskNeed(s))); err != nil {
		return err
	}
	if err := f.spare(folder.KindRun, dir, plan.OtherRun(c.Context(), dir, string(s.YAML()), nil)); err != nil {
		return err
	}
	notes, place := &notes{out: os.Stderr, quiet: f.quiet}, lab.OnDevice{}
	defer func() { place.Close() }()
	isCounted := s.Population.Size > 0 // else a file says how many people there are
	if isCounted && !f.dryRun {
		if place, err = lab.OpenDevice(f.device, s, notes.add); err != nil {
			return err
		}
	}
	problem, err := problem.BuildWithin(c.Context(), name, s, os.DirFS("."))
	if err != nil {
		return interrupted(c, err)
	}
	if f.dryRun {
		if err := f.spare(folder.KindRun, dir, plan.OtherRun(c.Context(), dir, string(s.YAML()), problem.Inputs())); err != nil {
			return err
		}
		return f.tellPlan(c, plan.Run(c.Context(), problem, dir, f.workers))
	}
	if !isCounted {
		if place, err = lab.OpenDevice(f.device, problem.Spec, notes.add); err != nil {
			return err
		}
	}
	return f.execute(c, problem, place, notes)
}

// execute runs the problem into its folder, on a GPU if there is one.
func (f *runFlags) execute(c *cobra.Command, p *problem.Problem, gpu lab.OnDevice, notes *notes) error {
	dir := cmp.Or(f.out, filepath.Join("runs", p.Name))
	place, err := folder.KindRun.Take(dir)
	if err != nil {
		return err
	}
	defer place.Release()
	if err := f.spare(folder.KindRun, dir, plan.OtherRun(c.Context(), dir, string(p.Spec.YAML()), p.Inputs())); err != nil {
		return err
	}
	if err := errors.Join(f.checkFolder(place), f.tag(place, nil)); err != nil {
		return err
	}
	if gpu.Board == nil { // what others do is foretold by none
		f.foretell(c.Context(), p, place)
	}
	begun := time.Now()
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	c.SetContext(ctx)
	o := lab.Options{Workers: f.workers, Progress: new(lab.Progress), Device: gpu}
	if f.checkpoint > 0 {
		o.Checkpoint = lab.Checkpoint{In: place, Every: f.checkpoint, Say: notes.add}
	}
	if f.decide != nil {
		o.Decide = f.decide(ctx, p)
	}
	result, err := f.compute(ctx, p, o, notes, stop)
	notes.print()
	if f.checkpoint > 0 && ctx.Err() != nil {
		return stopped(o.Progress)
	}
	if err != nil {
		return judged(c, f.explained(ctx, p, err))
	}
	ran := time.Now()
	if err := f.look(ctx, p, result); err != nil {
		return exit.Failure(err)
	}
	d, err := f.save(ctx, place, result)
	if err == nil {
		err = lab.RemoveCheckpoint(place)
	}
	if err == nil {
		err = f.tag(place, f.tags)
	}
	if err != nil {
		return exit.Failure(err)
	}
	return f.outcome(c.OutOrStdout(), result, d, dir, p.Spec.Hold, ran.Sub(begun), time.Since(ran))
}

// outcome says what came out of a run that is saved, and whether it was stopped: before all its trials, or before there was a report, nil.
func (f *runFlags) outcome(w io.Writer, r *folder.Result, d *page.Document, dir string, hold int, ran, wrote time.Duration) error {
	if d == nil {
		return exit.With(exit.Interrupted, fmt.Errorf("stopped before there was a report; %s holds all results, and kedge report %s makes it", dir, dir))
	}
	took := fmt.Sprintf("took %.1f s to run and %.1f s to write", ran.Seconds(), wrote.Seconds())
	var err error
	if f.json {
		err = folder.WriteJSON(w, map[string]any{"folder": dir, "seconds": ran.Seconds(), "summary": r.Summarize()})
	} else {
		err = f.brief(w, d, dir, append([]string{took}, rate(r, hold)...)...)
	}
	if err == nil && r.Partial {
		return exit.With(exit.Interrupted, fmt.Errorf("stopped; %s holds the finished trials", dir))
	}
	return exit.Failure(err)
}

// foretell says what the run is about to take, if anybody wants to know.
func (f *runFlags) foretell(ctx context.Context, p *problem.Problem, place *folder.Taken) {
	if !f.talks() {
		return
	}
	line := plan.Run(ctx, p, place.Dir(), f.workers).Line()
	if lab.HasCheckpoint(place) {
		line += "; what is saved takes no time again"
	}
	fmt.Fprintln(os.Stderr, line)
}

// tag adds tags to the folder if some were asked for; none at first, which finds a tags.json that cannot be added to before anything is computed.
func (f *runFlags) tag(place *folder.Taken, tags []string) error {
	if len(f.tags) == 0 {
		return nil
	}
	_, err := place.Tag(tags, nil)
	return err
}

// save writes the result. A stop that comes while its pages are made leaves them out, nil, and never what was computed; those of a run that
// was stopped before are made.
func (f *runFlags) save(ctx context.Context, place *folder.Taken, r *folder.Result) (*page.Document, error) {
	if ctx.Err() != nil {
		return report.Save(f.kinds, place, r)
	}
	type made struct {
		d     *page.Document
		pages map[string][]byte
	}
	all, err := crew.Until(ctx, func() (m made, err error) {
		if m.d, err = report.Document(f.kinds, r); err == nil {
			m.pages, err = m.d.Files()
		}
		return m, err
	})
	if ctx.Err() != nil {
		return nil, r.Save(place, nil)
	}
	if err != nil {
		return nil, err
	}
	return all.d, r.Save(place, all.pages)
}

// explained adds to the failure of a run what a quick examination knows of the cause.
func (f *runFlags) explained(ctx context.Context, p *problem.Problem, err error) error {
	if f.noCheck || ctx.Err() != nil || !errors.As(err, new(*kedge.NotFiniteError)) && !errors.As(err, new(*kedge.NotConvergedError)) && !errors.As(err, new(*kedge.UnstableError)) {
		return err
	}
	found, failure := quickly(ctx, p)
	if failure != nil {
		return err
	}
	for _, d := range report.Diagnoses(found) {
		err = errors.Join(err, errors.New(d.Text+" → "+d.Remedy))
	}
	return err
}

// look adds what a quick examination finds to the result, unless nobody wants to know, and the certificate if asked for.
func (f *runFlags) look(ctx context.Context, p *problem.Problem, r *folder.Result) error {
	if !f.noCheck {
		found, err := quickly(ctx, p)
		if err != nil {
			return err
		}
		r.Sections, r.Diagnoses = append(r.Sections, report.CheckSection(found)), report.Diagnoses(found)
	}
	if !f.certify {
		return nil
	}
	s, err := certifySection(ctx, p)
	r.Sections = append(r.Sections, s)
	return err
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

// rate says how fast the trials went, with everything that was measured on the way; nothing where none was finished.
func rate(r *folder.Result, hold int) []string {
	steps, seconds := 0.0, 0.0
	for _, one := range r.Runs {
		steps += float64(float64(len(one.Trials)) * float64(r.Iterations) * float64(r.Individuals) * float64(hold))
		seconds += one.Seconds
	}
	if steps == 0 || seconds == 0 {
		return nil
	}
	return []string{fmt.Sprintf("rate: %s million individual steps a second in each trial", rounded(steps/seconds/1e6))}
}
