package command

import (
	"context"
	"fmt"
	"io"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

func newVerify() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Check that results, loops and backups hold what was written",
		Long: `Compare every file of finished result folders, and of folders inside them, with the checksums in their manifest.json.
times.json, the only file that differs between equal runs, has its checksum inside. Files that kedge has not written are named and left
alone. What an earlier version wrote without a checksum is marked with ?.

Of a data folder of the service, in use or not, a backup or a bundle every event and batch is read, and the first fault named with loop and event.

Exit codes: 0 all is as written, 1 a file differs or is missing, 64 a folder is no finished result,
130 stopped by Ctrl-C.`,
		Example: `  kedge verify runs/polarized
  kedge verify runs/* --json
  kedge verify shop-data monday.kedge shop.tar`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return interrupted(c, verify(c.Context(), c.OutOrStdout(), args, asJSON))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: by folder, its files and what is wrong with them")
	return c
}

// verify checks all folders before it prints anything.
func verify(ctx context.Context, w io.Writer, dirs []string, asJSON bool) error {
	found, total, bad := map[string]*folder.Inspection{}, 0, 0
	dirs, logs, err := service.VerifyLogs(ctx, dirs)
	if err != nil {
		return exit.Failure(err)
	}
	for _, dir := range dirs {
		one, err := folder.Verify(ctx, dir)
		if err != nil {
			return err
		}
		found[dir] = one
		total += len(one.Files)
		for _, c := range one.Files {
			if c.Problem != "" {
				bad++
			}
		}
	}
	if err := printChecked(w, dirs, found, logs, asJSON); err != nil {
		return err
	}
	if bad > 0 {
		return exit.Failure(fmt.Errorf("%d of %d files are not as they were written; run their commands again", bad, total))
	}
	return nil
}

func printChecked(w io.Writer, dirs []string, found map[string]*folder.Inspection, logs []service.VerifiedLog, asJSON bool) error {
	if asJSON {
		return folder.WriteJSON(w, service.ByPath(found, logs))
	}
	var pieces []page.Piece
	for _, one := range logs {
		pieces = append(pieces, page.Heading(one.Path), page.Marked{Mark: "✓", Text: one.Words(), Sign: page.Good})
	}
	for _, dir := range dirs {
		pieces = append(pieces, page.Heading(dir))
		for _, c := range found[dir].Files {
			piece := page.Marked{Mark: "✓", Text: c.File, Sign: page.Good}
			switch {
			case c.Problem != "":
				piece = page.Marked{Mark: "✗", Text: c.File + ": " + c.Problem, Sign: page.Bad}
			case c.Note != "":
				piece = page.Marked{Mark: "?", Text: c.File + ": not verified, " + c.Note}
			}
			pieces = append(pieces, piece)
		}
		for _, name := range found[dir].Strange {
			pieces = append(pieces, page.Marked{Mark: "·", Text: name + ": kedge has not written it and leaves it alone"})
		}
	}
	return show(w, pieces...)
}
