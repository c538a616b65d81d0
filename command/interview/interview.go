// Package interview asks a few questions and makes a spec of the answers.
package interview

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// Interview asks questions a line each.
type Interview struct {
	Kinds  *kind.Catalogue // what the options mean
	Stop   <-chan struct{}
	In     *bufio.Reader
	Out    io.Writer
	Silent bool                   // take the default without asking
	Given  func(flag string) bool // the answer is on the command line
}

// ErrStopped says that no answer is to come.
var ErrStopped = errors.New("stopped, nothing was written")

// Ask asks until an answer is right. The end of the input is no answer.
func (i *Interview) Ask(question, preset string, check func(string) error) (string, error) {
	if i.Silent {
		return preset, check(preset)
	}
	for {
		fmt.Fprintf(i.Out, "%s [%s]: ", question, preset)
		answer, err := i.line()
		if errors.Is(err, ErrStopped) {
			return "", err
		}
		if err != nil && answer == "" {
			fmt.Fprintln(i.Out)
			return "", fmt.Errorf("no answer to %q; answer by a flag, or take what stands in brackets with --yes", question)
		}
		if answer == "" {
			answer = preset
		}
		wrong := check(answer)
		if wrong == nil {
			return answer, nil
		}
		fmt.Fprintf(i.Out, "  %s\n", wrong)
	}
}

// line waits for a line, or for Ctrl-C.
func (i *Interview) line() (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := i.In.ReadString('\n')
		got <- answer{strings.TrimSpace(text), err}
	}()
	select {
	case a := <-got:
		return a.text, a.err
	case <-i.Stop:
		fmt.Fprintln(i.Out)
		return "", ErrStopped
	}
}

// choose has one of several words as the answer: checks what the flag says, or shows what the words mean and asks.
func (i *Interview) choose(answer *string, flag, question, key, preset string, options []string) (err error) {
	if i.Given(flag) {
		return ofFlag(flag, oneOf(options)(*answer))
	}
	if !i.Silent {
		fmt.Fprintln(i.Out, question)
		for _, o := range options {
			fmt.Fprintf(i.Out, "  %-17s %s\n", o, page.Fit(meaningOf(i.Kinds, key, o), page.TerminalOf(i.Out).Width-20))
		}
	}
	*answer, err = i.Ask("Which", preset, oneOf(options))
	return err
}

// count has a whole number as the answer.
func (i *Interview) count(answer *int, flag, question string, preset, least, most int) error {
	if i.Given(flag) {
		return ofFlag(flag, within(*answer, least, most))
	}
	_, err := i.Ask(question, strconv.Itoa(preset), func(s string) (err error) {
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
	if option == ByFormulas {
		return "Formulas of your own."
	}
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
