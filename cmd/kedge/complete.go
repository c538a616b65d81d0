package main

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/spec"
	"github.com/spf13/cobra"
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
	cases := slices.DeleteFunc(spec.Cases(), func(name string) bool { return !strings.HasPrefix(name, begun) })
	if len(cases) > 0 {
		return cases, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeAssignment offers what can be set: keys with a = behind them, and after it the words that a key can be.
func completeAssignment(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	path, _, assigning := strings.Cut(begun, "=")
	if !assigning {
		list, _ := completeKey(nil, nil, begun)
		for i, one := range list {
			if path, meaning, _ := strings.Cut(one, "\t"); !strings.HasSuffix(path, ".") {
				list[i] = path + "=\t" + meaning
			}
		}
		return list, directive
	}
	k, err := spec.Explain(path)
	if err != nil {
		return nil, directive
	}
	var list []string
	for _, o := range k.Options {
		list = append(list, path+"="+o.Value+"\t"+o.Meaning)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeFlag gives a flag its completion.
func completeFlag(c *cobra.Command, name string, f completion) {
	if err := c.RegisterFlagCompletionFunc(name, f); err != nil {
		panic("kedge: " + err.Error()) // there is no such flag
	}
}

// completeWords gives a flag a few words to choose from.
func completeWords(c *cobra.Command, name string, words []string) {
	completeFlag(c, name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
}

// completeFolder offers folders.
func completeFolder(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeKey offers keys of the spec one section at a time.
func completeKey(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	paths, directive := spec.Complete(begun), cobra.ShellCompDirectiveNoFileComp
	for i, path := range paths {
		k, err := spec.Explain(path)
		if err == nil && k.Keys != nil {
			directive |= cobra.ShellCompDirectiveNoSpace
			paths[i] = path + "."
		}
		paths[i] += "\t" + k.Meaning
	}
	return paths, directive
}
