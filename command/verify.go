package command

import (
	"fmt"
	"io"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

func newVerify() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Check that result folders hold what was written",
		Long: `Compare every file of finished result folders, and of folders inside them, with the checksums in their manifest.json.
times.json has none: it says when and how fast a run was computed, and nothing else does.

Exit codes: 0 all is as written, 1 a file differs or is missing, 64 a folder is no finished result.`,
		Example: `  kedge verify runs/polarized
  kedge verify runs/* --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return verify(c.OutOrStdout(), args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: by folder, its files and what is wrong with them")
	return c
}

// verify checks all folders before it prints anything.
func verify(w io.Writer, dirs []string, asJSON bool) error {
	found, total, bad := map[string][]folder.Checked{}, 0, 0
	for _, dir := range dirs {
		list, err := folder.Verify(dir)
		if err != nil {
			return err
		}
		found[dir] = list
		total += len(list)
		bad += countProblems(list)
	}
	if err := printChecked(w, dirs, found, asJSON); err != nil {
		return err
	}
	if bad > 0 {
		return coded{fmt.Errorf("%d of %d files are not as they were written; run their commands again", bad, total), exitFailed}
	}
	return nil
}

func countProblems(list []folder.Checked) (n int) {
	for _, c := range list {
		if c.Problem != "" {
			n++
		}
	}
	return n
}

func printChecked(w io.Writer, dirs []string, found map[string][]folder.Checked, asJSON bool) error {
	if asJSON {
		return folder.WriteJSON(w, found)
	}
	var pieces []page.Piece
	for _, dir := range dirs {
		pieces = append(pieces, page.Heading(dir))
		for _, c := range found[dir] {
			piece := page.Marked{Mark: "✓", Text: c.File, Sign: page.Good}
			if c.Problem != "" {
				piece = page.Marked{Mark: "✗", Text: c.File + ": " + c.Problem, Sign: page.Bad}
			}
			pieces = append(pieces, piece)
		}
	}
	return show(w, pieces...)
}
