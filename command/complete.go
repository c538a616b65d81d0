package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// completion offers what a word on the command line can go on to.
type completion func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completeOnce completes a single argument.
func completeOnce(f completion) completion {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(c, args, begun)
	}
}

// completeTarget offers the cases and the files that may be specs.
func completeTarget(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	cases := slices.DeleteFunc(problem.Cases(), func(name string) bool { return !strings.HasPrefix(name, begun) })
	if len(cases) > 0 {
		return cases, cobra.ShellCompDirectiveNoFileComp
	}
	return completeFile(nil, nil, begun)
}

// completeFile offers files that may be specs.
func completeFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeAssignment offers what can be set: keys with a = behind them, and after it the words that a key can be.
func completeAssignment(kinds *kind.Catalogue, begun string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	path, _, assigning := strings.Cut(begun, "=")
	words := problem.Vocabulary(kinds)
	if !assigning {
		list, _ := completeKey(words, begun)
		for i, one := range list {
			if path, meaning, _ := strings.Cut(one, "\t"); !strings.HasSuffix(path, ".") {
				list[i] = path + "=\t" + meaning
			}
		}
		return list, directive
	}
	k, err := words.Explain(path)
	if err != nil {
		return nil, directive
	}
	list := lists.Of(k.Options, func(o form.Option) string { return path + "=" + o.Value + "\t" + o.Meaning })
	return list, cobra.ShellCompDirectiveNoFileComp
}

// complete gives a command the completion that its usage and its flags ask for.
func complete(c *cobra.Command, kinds *kind.Catalogue) {
	switch {
	case c.ValidArgsFunction != nil:
	case strings.Contains(c.Use, "CASE"):
		c.ValidArgsFunction = completeOnce(completeTarget)
	case strings.Contains(c.Use, "DIR"):
		c.ValidArgsFunction = completeFolder
	case strings.Contains(c.Use, "FILE"):
		c.ValidArgsFunction = completeOnce(completeFile)
	default:
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	setting := func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return completeAssignment(kinds, begun)
	}
	for name, f := range map[string]completion{"out": completeFolder, "set": setting} {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, f) // the only error: it has one of its own
		}
	}
}

// completeWords gives a flag a few words to choose from.
func completeWords(c *cobra.Command, name string, words []string) {
	err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("kedge: " + err.Error()) // there is no such flag
	}
}

// completeFolder offers folders.
func completeFolder(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeKey offers keys one section at a time.
func completeKey(v *form.Vocabulary, begun string) ([]string, cobra.ShellCompDirective) {
	paths, directive := v.Complete(begun), cobra.ShellCompDirectiveNoFileComp
	for i, path := range paths {
		k, err := v.Explain(path)
		if err == nil && k.Keys != nil {
			directive |= cobra.ShellCompDirectiveNoSpace
			paths[i] = path + "."
		}
		paths[i] += "\t" + k.Meaning
	}
	return paths, directive
}
