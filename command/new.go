package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// newFlags are the flags of kedge new; every question has one.
type newFlags struct {
	answers sketch
	yes     bool
	force   bool
}

func newNew(kinds *kind.Catalogue) *cobra.Command {
	f := newFlags{answers: sketch{kinds: kinds}}
	c := &cobra.Command{
		Use:   "new [FILE.yaml]",
		Short: "Ask a few questions and write a spec to start from",
		Long: `Ask how people answer, how many numbers are decided, what is judged, which decisions are feasible, how many people there
are and how often to try, and write a spec in which every key is explained. An empty answer takes what stands in brackets.
The spec runs as it is; change it from there.

What a flag answers is not asked. With --yes nothing is. FILE - prints the spec.`,
		Example: `  kedge new mine.yaml
  kedge new prices.yaml --dynamics choice --dim 10
  kedge new --dynamics affine --dim 3 --set-kind box --yes mine.yaml
  kedge new --yes - | less`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fl := c.Flags()
	fl.StringVar(&f.answers.dynamics, "dynamics", "", "how people answer: "+strings.Join(f.answers.simpleDynamics(), ", "))
	fl.IntVar(&f.answers.dim, "dim", 0, "numbers that are decided")
	fl.StringVar(&f.answers.objective, "objective", "", "what is judged: affinity, revenue or quadratic, as the dynamics allow")
	fl.StringVar(&f.answers.set, "set-kind", "", "which decisions are feasible: ball, box, simplex, capped-simplex or whole, as the objective allows")
	fl.IntVar(&f.answers.people, "people", 0, "individuals of the population")
	fl.IntVar(&f.answers.trials, "trials", 0, "independent trials of every algorithm")
	fl.IntVar(&f.answers.iterations, "iterations", 0, "turns of every trial")
	fl.BoolVar(&f.yes, "yes", false, "ask nothing, take what stands in brackets")
	fl.BoolVar(&f.force, "force", false, "replace a file that is there")
	completeWords(c, "dynamics", f.answers.simpleDynamics())
	completeWords(c, "objective", []string{"affinity", "revenue", "quadratic"})
	completeWords(c, "set-kind", []string{"ball", "box", "simplex", "capped-simplex", "whole"})
	return c
}

func (f *newFlags) run(c *cobra.Command, args []string) error {
	i := &interview{
		kinds: f.answers.kinds, stop: c.Context().Done(), in: bufio.NewReader(c.InOrStdin()), out: c.ErrOrStderr(),
		silent: f.yes, given: c.Flags().Changed,
	}
	name, err := f.file(i, args)
	if err == nil {
		err = f.answers.complete(i)
	}
	if err != nil {
		return err
	}
	s, err := problem.Parse(f.answers.kinds, "the answers", []byte(f.answers.yaml()))
	if err != nil {
		return failed(err)
	}
	if name == "-" {
		_, err := c.OutOrStdout().Write(s.Annotated())
		return err
	}
	if err := f.write(name, s.Annotated()); err != nil {
		return failed(err)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "wrote %s\nrun it with: kedge run %s\n", name, name)
	return err
}

// file asks for the name of the file, which must be free.
func (f *newFlags) file(i *interview, args []string) (name string, err error) {
	check := func(name string) error {
		if ext := filepath.Ext(name); name != "-" && ext != ".yaml" && ext != ".yml" {
			return fmt.Errorf("%s does not end in .yaml", name)
		}
		if _, err := os.Lstat(name); err == nil && !f.force {
			return fmt.Errorf("%s is there already; give another name, or --force to replace it", name)
		}
		return nil
	}
	if len(args) > 0 {
		return args[0], check(args[0])
	}
	return i.ask("File", "mine.yaml", check)
}

func (f *newFlags) write(name string, text []byte) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(name, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// interview asks questions a line each.
type interview struct {
	kinds  *kind.Catalogue // what the options mean
	stop   <-chan struct{}
	in     *bufio.Reader
	out    io.Writer
	silent bool                   // take the default without asking
	given  func(flag string) bool // the answer is on the command line
}

// ask asks until an answer is right. The end of the input is no answer.
func (i *interview) ask(question, preset string, check func(string) error) (string, error) {
	if i.silent {
		return preset, check(preset)
	}
	for {
		fmt.Fprintf(i.out, "%s [%s]: ", question, preset)
		answer, err := i.line()
		if stopped := (coded{}); errors.As(err, &stopped) {
			return "", err
		}
		if err != nil && answer == "" {
			fmt.Fprintln(i.out)
			return "", fmt.Errorf("no answer to %q; answer by a flag, or take what stands in brackets with --yes", question)
		}
		if answer == "" {
			answer = preset
		}
		wrong := check(answer)
		if wrong == nil {
			return answer, nil
		}
		fmt.Fprintf(i.out, "  %s\n", wrong)
	}
}

// line waits for a line, or for Ctrl-C.
func (i *interview) line() (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := i.in.ReadString('\n')
		got <- answer{strings.TrimSpace(text), err}
	}()
	select {
	case a := <-got:
		return a.text, a.err
	case <-i.stop:
		fmt.Fprintln(i.out)
		return "", coded{errors.New("stopped, nothing was written"), exitInterrupted}
	}
}

// choose has one of several words as the answer: checks what the flag says, or shows what the words mean and asks.
func (i *interview) choose(answer *string, flag, question, key, preset string, options []string) (err error) {
	if i.given(flag) {
		return ofFlag(flag, oneOf(options)(*answer))
	}
	if !i.silent {
		fmt.Fprintln(i.out, question)
		for _, o := range options {
			fmt.Fprintf(i.out, "  %-17s %s\n", o, page.Fit(meaningOf(i.kinds, key, o), page.TerminalOf(i.out).Width-20))
		}
	}
	*answer, err = i.ask("Which", preset, oneOf(options))
	return err
}

// count has a whole number as the answer.
func (i *interview) count(answer *int, flag, question string, preset, least, most int) error {
	if i.given(flag) {
		return ofFlag(flag, within(*answer, least, most))
	}
	_, err := i.ask(question, strconv.Itoa(preset), func(s string) (err error) {
		if *answer, err = strconv.Atoi(s); err != nil {
			return fmt.Errorf("%q is no whole number", s)
		}
		return within(*answer, least, most)
	})
	return err
}

func ofFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s: %w", flag, err)
}

func within(n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%d is not from %d to %d", n, least, most)
	}
	return nil
}

func oneOf(options []string) func(string) error {
	return func(s string) error {
		if slices.Contains(options, s) {
			return nil
		}
		return fmt.Errorf("%q is none of %s", s, strings.Join(options, ", "))
	}
}

func meaningOf(kinds *kind.Catalogue, key, option string) string {
	k, err := problem.Vocabulary(kinds).Explain(key)
	if err != nil {
		return ""
	}
	for _, o := range k.Options {
		if o.Value == option {
			return o.Meaning
		}
	}
	return ""
}
