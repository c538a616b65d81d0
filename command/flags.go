package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// specFlags are those that say which spec is meant.
type specFlags struct {
	kinds     *kind.Catalogue // what specs can name
	sets      []string
	published bool
}

func (f *specFlags) offer(c *cobra.Command) {
	f.offerChanges(c)
	c.Flags().Int("trials", 0, "independent trials of every algorithm")
	c.Flags().BoolVar(&f.published, "published", false, "run exactly as the paper's authors did: their generator, draws and bookkeeping")
}

// offerChanges offers the flags that change a spec.
func (f *specFlags) offerChanges(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change any key of the spec, as in --set dynamics.lambda=0.3 (repeatable)")
	c.Flags().Uint64("seed", 0, "seed of all randomness")
	c.Flags().Int("iterations", 0, "turns of every trial")
}

// build makes a problem of the spec.
func (f *specFlags) build(c *cobra.Command, target string) (*problem.Problem, error) {
	s, _, name, err := f.load(c, target)
	if err != nil {
		return nil, err
	}
	p, err := problem.BuildWithin(c.Context(), name, s, os.DirFS("."))
	return p, interrupted(c, err)
}

// load reads the case or file, with the published variant, the flags and the --set overrides on top. The text is nil unless
// the spec is exactly that.
func (f *specFlags) load(c *cobra.Command, target string) (s *problem.Spec, text []byte, name string, err error) {
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
	changes, err := f.overlays(c, "seed", "trials", "iterations")
	if err != nil {
		return nil, nil, "", err
	}
	over = append(over, changes...)
	s, err = problem.Parse(f.kinds, target, src, over...)
	if len(over) > 0 {
		src = nil
	}
	return s, src, name, err
}

// overlays are the changes to a spec that flags ask for. Two values of one key are none.
func (f *specFlags) overlays(c *cobra.Command, keys ...string) (over []problem.Overlay, err error) {
	for _, key := range keys {
		flag := c.Flags().Lookup(key)
		if !flag.Changed {
			continue
		}
		value := flag.Value.String()
		for _, set := range f.sets {
			if other, isSame := strings.CutPrefix(set, key+"="); isSame && other != value {
				return nil, fmt.Errorf("--%s %s and --set %s: want one of them", key, value, set)
			}
		}
		over = append(over, problem.Assign(key+"="+value).As("--"+key+" "+value))
	}
	return append(over, lists.Of(f.sets, problem.Assign)...), nil
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
	src, err := problem.ReadFile(target)
	return src, strings.TrimSuffix(filepath.Base(target), ext), err
}

// resultFlags are those that say where results go and what is printed of them.
type resultFlags struct {
	out         string
	overwrite   bool
	dryRun      bool
	quiet, json bool
}

func (f *resultFlags) offer(c *cobra.Command, usually, json string) {
	c.Flags().StringVar(&f.out, "out", "", "folder for the results (default "+usually+")")
	f.offerOverwrite(c)
	f.offerPrinting(c, json)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "read everything, say what would be run, where, and what it would take, and write nothing")
}

func (f *resultFlags) offerOverwrite(c *cobra.Command) {
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace the finished result of something else that the folder holds")
}

// spare refuses a folder that holds a finished result of something else, unless that is to be replaced.
func (f *resultFlags) spare(kind folder.Kind, dir string, other plan.Other) error {
	if f.overwrite {
		_, err := kind.Look(dir)
		return err
	}
	return plan.Spare(kind, dir, other)
}

// talks tells whether words besides the result are wanted.
func (f *resultFlags) talks() bool { return !f.quiet && !f.json }

// tellPlan prints what would be done.
func (f *resultFlags) tellPlan(c *cobra.Command, p *plan.Outlook) error {
	switch {
	case c.Context().Err() != nil:
		return interrupted(c, c.Context().Err())
	case f.json:
		return folder.WriteJSON(c.OutOrStdout(), p)
	}
	return say(c.OutOrStdout(), p.Lines()...)
}

func (f *resultFlags) offerPrinting(c *cobra.Command, json string) {
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	c.Flags().BoolVar(&f.json, "json", false, json)
}

// brief prints what a terminal shows of a report, where it is, and some lines, unless nobody wants to know.
func (f *resultFlags) brief(w io.Writer, d *page.Document, dir string, lines ...string) error {
	if f.quiet {
		return nil
	}
	pieces := append(d.Brief, page.Note{Name: "report:", Text: filepath.Join(dir, "report.html")}, page.Plainly(lines))
	return show(w, pieces...)
}

// show writes pieces as the terminal wants them.
func show(w io.Writer, pieces ...page.Piece) error {
	_, err := io.WriteString(w, page.TerminalOf(w).Render(pieces...))
	return err
}

// say writes lines.
func say(w io.Writer, lines ...string) error { return show(w, page.Plainly(lines)) }

// unverifiedFlag lets a command read result folders as they are.
type unverifiedFlag bool

func (f *unverifiedFlag) offer(c *cobra.Command) {
	c.Flags().BoolVar((*bool)(f), "unverified", false, "read files as they are, also those that are not what was written")
}

func (f unverifiedFlag) trust() folder.Reading {
	if f {
		return folder.Unverified
	}
	return folder.Verified
}
