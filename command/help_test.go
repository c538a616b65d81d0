package command

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// ours lists the commands and topics but those that cobra adds.
func ours() (list []*cobra.Command) {
	for _, c := range all(newRoot(kind.Standard())) {
		if c.Name() != "help" && !strings.HasPrefix(c.CommandPath(), "kedge completion") {
			list = append(list, c)
		}
	}
	return list
}

func TestEveryCommandIsExplained(t *testing.T) {
	for _, c := range ours() {
		if c.Short == "" || len(c.Long) < 80 {
			t.Errorf("%s has no text that explains it", c.CommandPath())
		}
		if c.Runnable() && !strings.Contains(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s has no example of itself", c.CommandPath())
		}
	}
}

// Commands stand under headings that say what they are for; what is about the program itself comes last.
func TestCommandsStandUnderHeadings(t *testing.T) {
	text, _ := command(t, "--help")
	var headings, rest []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			headings = append(headings, line)
		} else if words := strings.Fields(line); len(words) > 1 && headings != nil && headings[len(headings)-1] == "Additional Commands:" {
			rest = append(rest, words[0])
		}
	}
	if want := "Usage: Examples: Problems: Runs: Results: Logs: A live population: Keeping a service: Additional Commands: Flags: Additional help topics:"; strings.Join(headings, " ") != want {
		t.Errorf("the headings are %q, want %q", headings, want)
	}
	if want := []string{"bench", "cite", "completion", "devices", "help", "version"}; !slices.Equal(rest, want) {
		t.Errorf("under no heading of their own are %q, want %q", rest, want)
	}
}

// Help fits into the 80 columns that are taken where there is no terminal.
func TestHelpFits(t *testing.T) {
	for _, c := range ours() {
		text, code := command(t, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		for line := range strings.Lines(text) {
			if page.PrintedWidth(strings.TrimSuffix(line, "\n")) > 80 || code != 0 {
				t.Errorf("%s --help: exit code %d, a line of %d: %s", c.CommandPath(), code, page.PrintedWidth(line), line)
			}
		}
	}
}

func TestMistakesHaveARemedy(t *testing.T) {
	for args, want := range map[string]string{
		"run":                "usage: kedge run CASE|FILE.yaml",
		"run lq2 --colour":   "see kedge run --help",
		"rnu":                "run",
		"spec explain a b":   "usage: kedge spec explain [KEY]",
		"spec explain lamda": "did you mean dynamics.lambda",
	} {
		if text, code := command(t, strings.Fields(args)...); code != exitUsage || !strings.Contains(text, want) {
			t.Errorf("kedge %s: exit code %d, no %q in %q", args, code, want, text)
		}
	}
}

// manual writes docs/command.md from what the commands say of themselves.
func manual() []byte {
	var b bytes.Buffer
	b.WriteString(manualHead)
	for _, c := range ours()[1:] {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```\n%s\n```\n", c.CommandPath(), c.Short, c.Long)
		if c.Example != "" {
			fmt.Fprintf(&b, "\nExamples:\n\n```\n%s\n```\n", dedent(c.Example))
		}
		if flags := c.LocalFlags().FlagUsagesWrapped(110); c.Runnable() && flags != "" {
			fmt.Fprintf(&b, "\nFlags:\n\n```\n%s```\n", flags)
		}
	}
	return b.Bytes()
}

func dedent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}

// docs/command.md is what kedge --help says, in one piece.
func TestManual(t *testing.T) {
	const file = "../docs/command.md"
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, manual(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(text, manual()) {
		t.Errorf("%s is not what the commands say (%v): run KEDGE_UPDATE=1 go test -run Manual ./command", file, err)
	}
}

const manualHead = "# The command line\n" + `
What ` + "`kedge COMMAND --help`" + ` says, in one piece. This page is written from the commands; a test keeps it so.

## Completion

` + "```" + `
. <(kedge completion bash)                                  # bash, for this shell; wants bash-completion
kedge completion bash > /etc/bash_completion.d/kedge        # bash, for good
kedge completion zsh > "${fpath[1]}/_kedge"                 # zsh
kedge completion fish > ~/.config/fish/completions/kedge.fish
` + "```" + `

Cases, files, folders and flags complete, and so do the keys of specs: ` + "`kedge run polarized --set dynamics.la<TAB>`" + `.

## Specs in an editor

[spec.schema.json](spec.schema.json) is the JSON Schema of specs; ` + "`kedge spec schema`" + ` prints the one of the version at hand.
Editors with the YAML language server complete keys, show what they mean and underline mistakes when the first line of a
spec says where the schema is:

` + "```yaml" + `
# yaml-language-server: $schema=spec.schema.json
` + "```" + `
`
