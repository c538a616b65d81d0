package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

func newReport(kinds *kind.Catalogue) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make a report anew, or compare several runs on one page",
		Long: `Read finished result folders and write report.html, report.md and the figures.

Of one folder, a run, a sweep or a study, the report is made anew inside it, from its data, and its manifest renewed. Of several runs
one page compares them: what differs between their specs, all methods in one table and in one chart, and which of them won.

Exit codes: 0 done, 1 a report could not be written, 64 a folder is no finished result or its data was changed.`,
		Example: `  kedge report runs/polarized
  kedge report runs/polarized --out for-a-colleague
  kedge report runs/small-step runs/large-step --out runs/steps`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := makeReport(kinds, args, out)
			if err != nil {
				return err
			}
			return say(c.OutOrStdout(), "report: "+path)
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder for the report (default the folder itself, of several runs/compare)")
	return c
}

// makeReport returns where the page is. Everything is read before anything is written.
func makeReport(kinds *kind.Catalogue, dirs []string, out string) (string, error) {
	r, err := report.Read(kinds, dirs...)
	if err != nil {
		return "", err
	}
	if len(dirs) == 1 && out == "" {
		names, err := r.Write(dirs[0])
		if err == nil {
			err = folder.Reseal(dirs[0], names...)
		}
		return filepath.Join(dirs[0], "report.html"), failed(err)
	}
	out = cmp.Or(out, filepath.Join("runs", "compare"))
	if err := clearReport(out); err != nil {
		return "", err
	}
	if _, err = r.Write(out); err == nil {
		err = folder.Manifest{Kind: folder.KindCompare, Build: folder.CurrentBuild()}.Seal(out)
	}
	return filepath.Join(out, "report.html"), failed(err)
}

// clearReport makes sure that a report may be written to dir: it is not there, is empty or holds an earlier report, which is
// removed, its manifest first.
func clearReport(dir string) error {
	m, err := folder.ReadManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, folder.ErrUnfinished):
		if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
			return err
		}
		return fmt.Errorf("%s: %w", dir, folder.ErrNotOurs)
	case err != nil:
		return err
	case m.Kind != folder.KindCompare:
		return fmt.Errorf("%s holds a %s; choose another folder with --out", dir, m.Kind)
	}
	err = os.Remove(filepath.Join(dir, "manifest.json"))
	for name := range m.Files {
		err = errors.Join(err, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
	}
	return err
}
