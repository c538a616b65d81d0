package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/command/interview"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// newFlags are the flags of kedge new; every question has one.
type newFlags struct {
	answers interview.Wishes
	yes     bool
	force   bool
}

func newNew(kinds *kind.Catalogue) *cobra.Command {
	f := newFlags{answers: interview.Wishes{Kinds: kinds}}
	c := &cobra.Command{
		Use:   "new [FILE.yaml]",
		Short: "Ask a few questions and write a spec to start from",
		Long: `Ask how people answer, how many numbers are decided, what is judged, which decisions are feasible, how many people there
are and how often to try, and write a spec in which every key is explained. An empty answer takes what stands in brackets.
The spec runs as it is; change it from there. With formula people are written as formulas (docs/formula.md), which say all of it.

What a flag answers is not asked. With --yes nothing is. FILE - prints the spec.`,
		Example: `  kedge new mine.yaml
  kedge new prices.yaml --dynamics choice --dim 10
  kedge new --dynamics formula model.yaml
  kedge new --dynamics affine --dim 3 --set-kind box --yes mine.yaml
  kedge new --yes - | less`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.answers.Dynamics, "dynamics", "", "how people answer: "+strings.Join(f.answers.SimpleDynamics(), ", "))
	fl.IntVar(&f.answers.Dim, "dim", 0, "numbers that are decided")
	fl.StringVar(&f.answers.Objective, "objective", "", "what is judged: affinity, revenue or quadratic, as the dynamics allow")
	fl.StringVar(&f.answers.Set, "set-kind", "", "which decisions are feasible: ball, box, simplex, capped-simplex or whole, as the objective allows")
	fl.IntVar(&f.answers.People, "people", 0, "individuals of the population")
	fl.IntVar(&f.answers.Trials, "trials", 0, "independent trials of every algorithm")
	fl.IntVar(&f.answers.Iterations, "iterations", 0, "turns of every trial")
	fl.BoolVar(&f.yes, "yes", false, "ask nothing, take what stands in brackets")
	fl.BoolVar(&f.force, "force", false, "replace a file that is there")
	completeWords(c, "dynamics", f.answers.SimpleDynamics())
	completeWords(c, "objective", []string{"affinity", "revenue", "quadratic"})
	completeWords(c, "set-kind", []string{"ball", "box", "simplex", "capped-simplex", "whole"})
	return c
}

func (f *newFlags) run(c *cobra.Command, args []string) error {
	i := &interview.Interview{
		Kinds: f.answers.Kinds, Stop: c.Context().Done(), In: bufio.NewReader(c.InOrStdin()), Out: c.ErrOrStderr(),
		Silent: f.yes, Given: c.Flags().Changed,
	}
	name, err := f.file(i, args)
	if err == nil {
		err = f.answers.Complete(i)
	}
	if errors.Is(err, interview.ErrStopped) {
		err = exit.With(exit.Interrupted, err)
	}
	if err != nil {
		return err
	}
	s, err := problem.Parse(f.answers.Kinds, "the answers", []byte(f.answers.YAML()))
	if err != nil {
		return exit.Failure(err)
	}
	if name == "-" {
		_, err := c.OutOrStdout().Write(s.Annotated())
		return err
	}
	if err := f.write(name, s.Annotated()); err != nil {
		return exit.Failure(err)
	}
	return say(c.OutOrStdout(), "wrote "+name, "run it with: kedge run "+name)
}

// file asks for the name of the file, which must be free.
func (f *newFlags) file(i *interview.Interview, args []string) (name string, err error) {
	check := func(name string) error {
		if ext := filepath.Ext(name); name != "-" && ext != ".yaml" && ext != ".yml" {
			return fmt.Errorf("%s does not end in .yaml", name)
		}
		switch info, err := os.Lstat(name); {
		case err == nil && !f.force:
			return fmt.Errorf("%s is there already; give another name, or --force to replace it", name)
		case err == nil && !info.Mode().IsRegular():
			return &plain.OddFileError{Name: name, Mode: info.Mode().Type()}
		}
		return nil
	}
	if len(args) > 0 {
		return args[0], check(args[0])
	}
	return i.Ask("File", "mine.yaml", check)
}

// write writes the file whole or not at all; one that is replaced stays what it was until then.
func (f *newFlags) write(name string, text []byte) error {
	if f.force {
		return disk.Disk{}.WriteFile(name, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
