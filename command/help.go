package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// polish gives all commands what they have in common: help that fits the terminal, mistakes that end with a remedy, and
// completion.
func polish(root *cobra.Command, kinds *kind.Catalogue) {
	root.AddCommand(newExitCodes(), newEnvironment())
	group(root, "Problems:", "new", "spec", "check", "certify")
	group(root, "Runs:", "run", "sweep", "merge", "worker", "queue", "study", "compare")
	group(root, "Results:", "report", "plot", "verify", "runs")
	group(root, "Logs:", "fit", "backtest", "design")
	group(root, "A live population:", "demo", "serve", "loop", "ask", "deploy", "tell", "close", "abandon", "kill", "watch", "simulate", "converse")
	group(root, "Keeping a service:", "key", "backup", "restore", "repair", "replay", "fork", "export", "import", "erase")
	width := page.TerminalOf(root.OutOrStdout()).Width
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", min(width, 100))))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { help(c) })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return fmt.Errorf("%w; see %s --help", err, c.CommandPath()) })
	for _, c := range all(root) {
		withUsage(c)
		complete(c, kinds)
	}
}

// group puts some of the commands under a heading of their own.
func group(root *cobra.Command, title string, names ...string) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, name := range names {
		c, _, _ := root.Find([]string{name})
		c.GroupID = title
	}
}

// all lists a command and everything below it.
func all(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, below := range c.Commands() {
		list = append(list, all(below)...)
	}
	return list
}

// withUsage ends what is said about wrong arguments with the right ones.
func withUsage(c *cobra.Command) {
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return fmt.Errorf("%w; usage: %s", err, c.UseLine())
		}
		return nil
	}
}

// heading is a line such as "Flags:".
var heading = regexp.MustCompile(`(?m)^[A-Z][A-Za-z ]*:$`)

// help prints what a command is for and how it is called, laid out for the terminal.
func help(c *cobra.Command) {
	s := page.TerminalOf(c.OutOrStdout())
	text := c.Long
	if text == "" {
		text = c.Short
	}
	text = reflow(text, min(s.Width, 100))
	if c.Runnable() || c.HasSubCommands() {
		text += "\n\n" + strings.TrimRight(c.UsageString(), "\n")
	}
	fmt.Fprintln(c.OutOrStdout(), heading.ReplaceAllStringFunc(text, s.Bold))
}

// reflow breaks paragraphs anew for a width. Lines that begin with a space stay as they are.
func reflow(text string, width int) string {
	var out, words []string
	flush := func() {
		if words != nil {
			out = append(out, page.Wrap(strings.Join(words, " "), width)...)
			words = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			flush()
			out = append(out, line)
			continue
		}
		words = append(words, line)
	}
	flush()
	return strings.Join(out, "\n")
}

func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `Every command ends with one of these codes:

  0    done
  1    something went wrong while running: a crowd that does not settle, a
       full disk, cells of a sweep that failed, files that were changed,
       a check that failed, a service that refuses or does not answer
  3    a loop holds: what is live stays live (kedge ask, close)
  64   the command, the spec or a folder is wrong, or asks for more memory or
       disk than there is; nothing was run or written
  130  stopped by Ctrl-C, q in the live view or SIGTERM; what was finished is
       kept, and the message says how to go on

Any other code is none of kedge's: 2 is a crash, and 128 + n says that signal n ended the process (137: it was killed, for
example for want of memory). Then nothing is known of what was written; kedge verify tells.

Mistakes go to the standard error, begin with "kedge: ", name file, line and key, and say what is allowed.`,
	}
}

func newEnvironment() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Variables that change what is shown",
		Long: `Results never depend on the environment. What is shown does:

  NO_COLOR   with any value: no colours and no bold letters
  TERM       dumb: nothing is written over; progress is a line every ten
             seconds, as it is when the standard error is no terminal
  COLORTERM  with any value: methods have the colours of the figures, as
             they have under a TERM with 256 colours`,
	}
}
