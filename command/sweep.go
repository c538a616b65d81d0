package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/command/hosts"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// sweepFlags are the flags of kedge sweep.
type sweepFlags struct {
	specFlags
	resultFlags
	hosts.Outing
	shard   string
	workers int
	fresh   bool
	prune   bool
}

func newSweep(kinds *kind.Catalogue) *cobra.Command {
	f := sweepFlags{specFlags: specFlags{kinds: kinds}}
	c := &cobra.Command{
		Use:   "sweep FILE.yaml",
		Short: "Run a spec for many values of its keys",
		Long: `Run every cell of a sweep on all cores and write one folder: the result of every cell, a table of all of them and a
report. The file names a base spec and the keys that differ from cell to cell:

  base: polarized
  set: {trials: 5}
  over:
    dynamics.lambda: [0.2, 0.4, 0.6]
    algorithms.composite.step: {from: 0.001, to: 0.1, count: 5, scale: log}

docs/formats/sweep.md has all of its keys. A sweep that was stopped, by Ctrl-C, kill -9 or a power cut, goes on where it was
when the same command is given again, and ends with the same bytes as one that was not. A cell's seed is made of its
content, so cells may be added, and the keys put in another order, without changing any other cell. A folder whose finished sweep
has no cell of this one is left alone unless --overwrite or --fresh is given.

With --serve or --queue the cells are computed by kedge worker on any number of hosts, which may come, go and die: the folder is the same, byte for byte.
Off the loopback the queue has TLS and a token. docs/many-hosts.md tells how, and about Slurm and Kubernetes, for which --shard auto is.

Exit codes: 0 done, 1 some cells failed or could not be written, 64 the command or the file is wrong (nothing was run),
130 stopped by Ctrl-C (finished cells are kept).`,
		Example: `  kedge sweep grid.yaml
  kedge sweep grid.yaml --dry-run
  kedge sweep grid.yaml --set trials=5 --out runs/short
  kedge sweep grid.yaml --shard 2/8    on the second of eight machines
  kedge sweep grid.yaml --serve 0.0.0.0:4222    with workers on other hosts`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	fl := c.Flags()
	f.resultFlags.offer(c, "runs/NAME, of a shard runs/NAME-2of8", "print JSON")
	fl.StringArrayVar(&f.sets, "set", nil, "change a key of the spec in all cells, as in --set trials=5 (repeatable)")
	fl.StringVar(&f.shard, "shard", "", "run part 2 of 8 of the cells, as in 2/8, or that of this task of a Slurm array or an indexed Kubernetes Job, auto; kedge merge joins the parts")
	fl.IntVar(&f.workers, "workers", 0, "goroutines that compute (default one a core); results do not depend on it")
	fl.BoolVar(&f.fresh, "fresh", false, "compute finished cells again, as after a change of the data or of kedge")
	fl.BoolVar(&f.prune, "prune", false, "remove finished cells that the file no longer has")
	f.Outing.Offer(c)
	return c
}

func (f *sweepFlags) run(c *cobra.Command, file string) error {
	src, err := problem.ReadFile(file)
	if err != nil {
		return err
	}
	sum := func(name string) (string, error) { return problem.InputSum(c.Context(), os.DirFS("."), name) }
	over, err := f.overlays(c)
	if err != nil {
		return err
	}
	w, err := family.ParseOf(f.kinds, file, src, family.Sources{Read: problem.ReadFile, Sum: sum}, over...)
	if err != nil {
		return interrupted(c, err)
	}
	shard, err := parseShard(f.shard)
	if err != nil {
		return err
	}
	dir := filepath.Join("runs", w.Name)
	if shard.Of > 0 {
		dir += fmt.Sprintf("-%dof%d", shard.Index, shard.Of)
	}
	dir = cmp.Or(f.out, dir)
	if err := errors.Join(room.Writable(dir), fitsDisk(dir, lab.SweepDiskNeed(w, nil))); err != nil {
		return err
	}
	if !f.IsWanted() { // other hosts may have other memory
		if err := lab.SweepFits(w, f.workers); err != nil {
			return err
		}
	}
	o := lab.SweepOptions{Workers: f.workers, Shard: shard, Prune: f.prune, Anew: f.fresh, Replace: f.overwrite, Files: os.DirFS("."), Report: sweepPages(c.Context(), f.kinds)}
	o.Before = func(left []family.Cell) error { return fitsDisk(dir, lab.SweepDiskNeed(w, left)) }
	if f.dryRun {
		return interrupted(c, f.plan(c, w, dir, o))
	}
	return f.execute(c, w, dir, o)
}

// plan lists the cells and says what they take.
func (f *sweepFlags) plan(c *cobra.Command, w *family.Sweep, dir string, o lab.SweepOptions) error {
	left, err := lab.LeftOfSweep(c.Context(), w, dir, o)
	if err == nil {
		err = o.Before(left)
	}
	if err != nil {
		return err
	}
	told, err := plan.Sweep(c.Context(), w, left, o.Files, dir, f.workers)
	if err != nil {
		return err
	}
	if err := f.list(c.OutOrStdout(), w, told); err != nil || f.json {
		return err
	}
	return f.tellPlan(c, told)
}

// parseShard reads a part such as 2/8; nothing is the whole.
func parseShard(text string) (lab.Shard, error) {
	switch text {
	case "":
		return lab.Shard{}, nil
	case "auto":
		return hosts.AutoShard(os.Getenv)
	}
	before, after, _ := strings.Cut(text, "/")
	index, err := strconv.Atoi(before)
	of, err2 := strconv.Atoi(after)
	if err != nil || err2 != nil || index < 1 || index > of {
		return lab.Shard{}, fmt.Errorf("--shard is %q, want a part and how many there are, as in 2/8, or auto", text)
	}
	return lab.Shard{Index: index, Of: of}, nil
}

// execute runs the sweep into its folder.
func (f *sweepFlags) execute(c *cobra.Command, w *family.Sweep, dir string, o lab.SweepOptions) error {
	place, err := folder.KindSweep.Take(dir)
	if err != nil {
		return err
	}
	defer place.Release()
	notes := &notes{out: os.Stderr, quiet: f.quiet}
	run, end, err := f.Outing.Begin(place, notes.add)
	if err != nil {
		return err
	}
	notes.print() // how workers find it, before a table is drawn
	o.Progress = new(lab.SweepProgress)
	fits, stop := o.Before, func() {}
	o.Before = func(left []family.Cell) error {
		if err := fits(left); err != nil || f.quiet {
			return err
		}
		if !f.json && !f.IsWanted() {
			told, err := plan.Sweep(c.Context(), w, left, o.Files, dir, f.workers)
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, told.Line())
		}
		stop = watchSweep(os.Stderr, w, o.Progress)
		return nil
	}
	r, err := run(c.Context(), w, place, o)
	stop()
	end(err == nil)
	notes.print()
	state := o.Progress.State()
	switch {
	case c.Context().Err() != nil && errors.Is(err, c.Context().Err()):
		finished := state.Kept + state.Done
		return exit.With(exit.Interrupted, fmt.Errorf("stopped with %d of %d cells finished; the same command goes on from there", finished, state.Kept+state.Total))
	case errors.Is(err, folder.ErrOtherIdentity) && state.Done == 0, errors.As(err, new(*folder.HeldError)), errors.As(err, new(*DiskError)):
		return err
	case err != nil:
		return exit.Failure(err)
	}
	return f.conclude(c.OutOrStdout(), r, state.Kept, dir)
}

// sweepPages makes the report of a sweep until the context is done.
func sweepPages(ctx context.Context, kinds *kind.Catalogue) folder.SweepReport {
	return func(r *folder.SweepResult) (map[string][]byte, error) {
		return crew.Until(ctx, func() (map[string][]byte, error) { return report.SweepPages(kinds)(r) })
	}
}

// conclude says what came out.
func (f *resultFlags) conclude(out io.Writer, r *folder.SweepResult, kept int, dir string) error {
	var err error
	switch {
	case f.json:
		err = folder.WriteJSON(out, map[string]any{"folder": dir, "cells": len(r.Cells), "kept": kept, "failed": r.Failed(), "other": len(r.Other)})
	case !f.quiet:
		err = show(out, report.SweepOutcome(r, kept, dir).Brief...)
	}
	return exit.Failure(errors.Join(failedCells(r, dir), err))
}

// failedCells says how many cells failed and of what the first died.
func failedCells(r *folder.SweepResult, dir string) error {
	for _, c := range r.Cells {
		if c.Err != "" {
			return fmt.Errorf("%d of %d cells failed, the first (%s) with: %s; %s has all", r.Failed(), len(r.Cells),
				describe(r.Keys, c.Values), c.Err, filepath.Join(dir, "failures.json"))
		}
	}
	return nil
}

// describe writes the values of a cell in words.
func describe(keys, values []string) string {
	var words []string
	for i, key := range keys {
		words = append(words, key+": "+values[i])
	}
	return strings.Join(words, ", ")
}

// list prints the cells without running them.
func (f *sweepFlags) list(out io.Writer, w *family.Sweep, told *plan.Outlook) error {
	if f.json {
		type cell struct {
			ID     string   `json:"cell"`
			Seed   uint64   `json:"seed"`
			Values []string `json:"values"`
		}
		cells := []cell{}
		for _, c := range w.Cells {
			cells = append(cells, cell{c.ID, w.Spec(c).Seed, c.Values})
		}
		return folder.WriteJSON(out, map[string]any{"name": w.Name, "keys": w.Keys, "cells": cells, "plan": told})
	}
	rows := [][]string{append([]string{"cell"}, w.Keys...)}
	for _, c := range w.Cells {
		rows = append(rows, append([]string{c.ID}, c.Values...))
	}
	lines := aligned(rows)
	return show(out, page.Heading(lines[0]), page.Plainly(lines[1:]), page.Plainly{phrase.Count(len(w.Cells), "cell")})
}

// isSame tells whether two names are of one folder.
func isSame(a, b string) bool {
	one, _ := os.Stat(a)
	other, _ := os.Stat(b)
	return os.SameFile(one, other) // never of what is not there
}

func newMerge(kinds *kind.Catalogue) *cobra.Command {
	var f resultFlags
	c := &cobra.Command{
		Use:   "merge OUT DIR…",
		Short: "Join the shards of a sweep",
		Long: `Join folders that kedge sweep --shard has written, or any parts of one sweep, in one folder: the one that the whole sweep
would have made, byte for byte. Every file is checked against its checksum before it is copied; parts of different sweeps,
versions or builds are refused. OUT may hold some of the cells already; a finished sweep that has none of them is left alone unless
--overwrite is given.

Exit codes: 0 done, 1 cells are missing or failed, 64 the parts do not belong together (nothing was written),
130 stopped by Ctrl-C (cells that were copied stay).`,
		Example: `  kedge sweep grid.yaml --shard 1/2
  kedge sweep grid.yaml --shard 2/2
  kedge merge runs/grid runs/grid-1of2 runs/grid-2of2`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			for _, part := range args[1:] {
				if isSame(part, args[0]) {
					return fmt.Errorf("%s is OUT and a part: what OUT has stays; leave it out of the parts", part)
				}
			}
			if err := errors.Join(room.Writable(args[0]), fitsDisk(args[0], bytesBelow(args[1:]))); err != nil {
				return err
			}
			place, err := folder.KindSweep.Take(args[0])
			if err != nil {
				return err
			}
			defer place.Release()
			r, err := lab.Merge(c.Context(), kinds, place, args[1:], lab.MergeOptions{Replace: f.overwrite, Report: sweepPages(c.Context(), kinds)})
			if held := new(folder.HeldError); errors.As(err, &held) {
				held.Other = "as OUT"
			}
			if errors.Is(err, folder.ErrMissing) {
				return exit.Failure(err)
			}
			if err != nil {
				return interrupted(c, err)
			}
			return f.conclude(c.OutOrStdout(), r, 0, args[0])
		},
	}
	f.offerOverwrite(c)
	f.offerPrinting(c, "print JSON")
	return c
}
