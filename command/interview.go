package command

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
	if option == byFormulas {
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
