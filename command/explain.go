package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

func newSpecExplain(kinds *kind.Catalogue) *cobra.Command {
	var asJSON, sweep bool
	c := &cobra.Command{
		Use:   "explain [KEY]",
		Short: "Explain a key of the spec, or list all keys",
		Long: `Tell what a key means, with its formula, type, range and default, which kinds have it, and an example.
Without a key all keys are listed. Entries of lists may be named or left out.`,
		Example: `  kedge spec explain
  kedge spec explain dynamics.lambda
  kedge spec explain algorithms.composite.step
  kedge spec explain set --json
  kedge spec explain --sweep seeds`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			v := vocabulary(kinds, sweep)
			if len(args) == 0 {
				return explainAll(c.OutOrStdout(), v, asJSON)
			}
			k, err := v.Explain(args[0])
			if err != nil {
				return fmt.Errorf("%w; kedge spec explain lists all keys", err)
			}
			if asJSON {
				return folder.WriteJSON(c.OutOrStdout(), k)
			}
			return explain(c.OutOrStdout(), v, k, !sweep)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&sweep, "sweep", false, "explain the files of sweeps")
	c.ValidArgsFunction = completeOnce(func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return completeKey(vocabulary(kinds, sweep), begun)
	})
	return c
}

// vocabulary is that of specs or of sweeps.
func vocabulary(kinds *kind.Catalogue, sweep bool) *form.Vocabulary {
	if sweep {
		return family.Vocabulary()
	}
	return problem.Vocabulary(kinds)
}

// explainAll lists the keys as a tree, one a line.
func explainAll(w io.Writer, v *form.Vocabulary, asJSON bool) error {
	keys := v.Keys()
	if asJSON {
		return folder.WriteJSON(w, keys)
	}
	s := page.TerminalOf(w)
	var b strings.Builder
	for _, k := range keys {
		parts := strings.Split(k.Path, ".")
		name := fmt.Sprintf("%-24s", strings.Repeat("  ", len(parts)-1)+parts[len(parts)-1])
		text := k.Meaning
		if s.Rewrites {
			text = page.Fit(text, s.Width-26)
		}
		if k.Keys != nil {
			name = s.Bold(name)
		}
		b.WriteString(name + " " + text + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// explain prints everything about one key, and how it is set on the command line where that can be.
func explain(w io.Writer, v *form.Vocabulary, k form.Key, settable bool) error {
	p := leaf{Terminal: page.TerminalOf(w)}
	p.line(p.Bold(k.Path))
	p.text("  ", k.Meaning)
	if k.Formula != "" {
		p.line("  " + k.Formula)
	}
	p.line("")
	for _, u := range k.Uses {
		p.use(u)
	}
	p.options(k.Options)
	if k.Keys != nil {
		p.row("keys", strings.Join(k.Keys, ", "))
	}
	if k.Example != "" {
		parts := strings.Split(k.Path, ".")
		p.row("example", parts[len(parts)-1]+": "+k.Example)
		if settable {
			p.row("", assignment(v, k))
		}
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// leaf is a text that is laid out for a width.
type leaf struct {
	strings.Builder
	page.Terminal
}

func (p *leaf) line(text string) { p.WriteString(text + "\n") }

// text breaks a text into lines that begin alike.
func (p *leaf) text(indent, text string) {
	for _, line := range page.Wrap(text, min(p.Width, 100)-len(indent)) {
		p.line(indent + line)
	}
}

// row is a label with a text beside it.
func (p *leaf) row(label, text string) {
	for i, line := range page.Wrap(text, min(p.Width, 100)-12) {
		if i > 0 {
			label = ""
		}
		p.line("  " + p.Faint(fmt.Sprintf("%-9s", label)) + " " + line)
	}
}

func (p *leaf) use(u form.Use) {
	if u.Of != "" {
		p.row("of", u.Of)
	}
	p.row("type", u.Type)
	switch {
	case u.Required:
		p.row("default", "none, it must be there")
	case u.Like != "":
		p.row("default", "that of "+u.Like)
	case u.Default != "":
		p.row("default", u.Default)
	}
}

func (p *leaf) options(list []form.Option) {
	label := "options"
	for _, o := range list {
		p.row(label, p.Bold(o.Value)+": "+o.Meaning)
		label = ""
		if o.Formula != "" {
			p.row("", "  "+o.Formula)
		}
	}
}

// assignment is how a key is set on the command line.
func assignment(v *form.Vocabulary, k form.Key) string {
	parts := strings.Split(k.Path, ".")
	path := parts[0]
	for i, part := range parts[1:] {
		if above, err := v.Explain(strings.Join(parts[:i+1], ".")); err == nil && above.List {
			path += ".0"
		}
		path += "." + part
	}
	value := path + "=" + k.Example
	if strings.ContainsAny(value, " []{}") {
		value = "'" + value + "'"
	}
	return "--set " + value
}
