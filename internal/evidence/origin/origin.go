// Package origin says which tree a figure was measured on.
package origin

import (
	"cmp"
	"context"
	"os/exec"
	"strings"
)

// Of is what git says of a tree, the documents left out; nothing where there is no git. Commits that nobody else has yet may never be seen again under that
// name: the newest that is shared counts, and what came since is a change.
func Of(root string) (commit string, changed bool) {
	git := func(args ...string) string { return Git(context.Background(), root, args...) }
	whole := cmp.Or(git("merge-base", "HEAD", "@{upstream}"), git("rev-parse", "HEAD"))
	changed = whole != "" && git("diff", "--name-only", whole, "--", ".", ":!docs")+git("ls-files", "--others", "--exclude-standard", "--", ".", ":!docs") != ""
	return whole[:min(12, len(whole))], changed
}

// Git is what git says in a folder; nothing where it fails or is not there.
func Git(ctx context.Context, root string, args ...string) string {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
