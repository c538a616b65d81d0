package command

import (
	"github.com/spf13/cobra"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

func newSpec(kinds *kind.Catalogue) *cobra.Command {
	c := &cobra.Command{
		Use:   "spec",
		Short: "Explain, show and check the language of specs",
		Long: `A spec says in YAML what is decided, how people answer, what is judged and which algorithms are run. These commands
explain its keys, print specs to start from, and print the JSON Schema that lets an editor complete and check as you type.`,
		Example: `  kedge spec explain                        all keys, as a tree
  kedge spec explain dynamics.lambda        one key
  kedge spec show choice > mine.yaml        a commented spec to start from
  kedge spec schema > spec.schema.json      for editors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSpecExplain(kinds), newSpecShow(kinds), newSpecSchema(kinds))
	return c
}

func newSpecSchema(kinds *kind.Catalogue) *cobra.Command {
	sweep := false
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs or of sweeps",
		Long: `Print the JSON Schema of specs, draft 2020-12. It knows all keys, types, ranges, defaults and which keys a kind has;
what depends on several keys at once, such as lengths that must fit, only kedge itself can tell.

Editors that speak to the YAML language server read it when the first line of a spec is
  # yaml-language-server: $schema=spec.schema.json`,
		Example: `  kedge spec schema > spec.schema.json
  kedge spec schema --sweep > sweep.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text := problem.Schema(kinds)
			if sweep {
				text = family.Schema()
			}
			_, err := c.OutOrStdout().Write(text)
			return err
		},
	}
	c.Flags().BoolVar(&sweep, "sweep", false, "that of the files of sweeps")
	return c
}

func newSpecShow(kinds *kind.Catalogue) *cobra.Command {
	f := runFlags{specFlags: specFlags{kinds: kinds}, printSpec: true}
	c := &cobra.Command{
		Use:   "show CASE|FILE.yaml",
		Short: "Print a spec, with changes if any are given",
		Long: `Print a case with its comments. With changes the spec is printed as it would run, every default written out.
Nothing is run: a mistake in the spec is reported like by kedge run.`,
		Example: `  kedge spec show polarized > mine.yaml
  kedge spec show choice --published
  kedge spec show mine.yaml --set dynamics.lambda=0.3`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.specFlags.offer(c)
	return c
}
