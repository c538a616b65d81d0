package command

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab/plan"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/spf13/cobra"
)

func newReport(kinds *kind.Catalogue) *cobra.Command {
	var f resultFlags
	var unverified unverifiedFlag
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make a report anew, or compare several runs on one page",
		Long: `Read finished result folders and write report.html, report.md and the figures.

Of one folder, a run, a sweep or a study, the report is made anew inside it, from its data, and its manifest renewed. Of several runs
one page compares them: what differs between their specs, all methods in one table and in one chart, and which of them won. A folder
that holds a comparison, or a report of other folders, is left alone unless --overwrite is given.

Exit codes: 0 done, 1 a report could not be written, 64 a folder is no finished result or its data was changed,
130 stopped by Ctrl-C (nothing was written).`,
		Example: `  kedge report runs/polarized
  kedge report runs/polarized --out for-a-colleague
  kedge report runs/small-step runs/large-step --out runs/steps`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := f.makeReport(c.Context(), kinds, args, unverified.trust())
			if err != nil {
				return interrupted(c, err)
			}
			return say(c.OutOrStdout(), "report: "+path)
		},
	}
	unverified.offer(c)
	c.Flags().StringVar(&f.out, "out", "", "folder for the report (default the folder itself, of several runs/compare)")
	f.offerOverwrite(c)
	return c
}

// makeReport returns where the page is. Everything is read before anything is written.
func (f *resultFlags) makeReport(ctx context.Context, kinds *kind.Catalogue, dirs []string, trust folder.Reading) (string, error) {
	if len(dirs) == 1 && f.out == "" {
		return remake(ctx, kinds, dirs[0], trust)
	}
	dir := cmp.Or(f.out, filepath.Join("runs", "compare"))
	of := strings.Join(lists.Of(dirs, func(dir string) string { return filepath.ToSlash(filepath.Clean(dir)) }), ", ")
	err := f.spare(folder.KindCompare, dir, func(m *folder.Manifest) (string, error) {
		if _, ok := m.Files[folder.CompareFile]; ok || m.Case != of {
			return "this is a report of " + of, nil
		}
		return "", nil
	})
	if err := errors.Join(err, roomForReport(dir)); err != nil {
		return "", err
	}
	place, err := folder.KindCompare.Take(dir)
	if err != nil {
		return "", err
	}
	defer place.Release()
	pages, err := pagesOf(ctx, kinds, trust, dirs...)
	if err != nil {
		return "", err
	}
	err = place.Commit(folder.Manifest{Case: of, Identity: folder.CurrentIdentity(nil)}, folder.Contents{}.With(pages), nil)
	return filepath.Join(place.Dir(), "report.html"), exit.Failure(err)
}

// remake makes the report of a folder inside it anew.
func remake(ctx context.Context, kinds *kind.Catalogue, dir string, trust folder.Reading) (string, error) {
	m, err := folder.ReadManifest(dir)
	if err := errors.Join(err, roomForReport(dir)); err != nil {
		return "", err
	}
	place, err := m.Kind.Take(dir)
	if err != nil {
		return "", err
	}
	defer place.Release()
	pages, err := pagesOf(ctx, kinds, trust, dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "report.html"), exit.Failure(place.Renew(pages))
}

// roomForReport tells whether a report can be written to a folder, before it is made.
func roomForReport(dir string) error {
	return errors.Join(room.Writable(dir), fitsDisk(dir, plan.ReportDisk))
}

// pagesOf are the files of the report of finished folders.
func pagesOf(ctx context.Context, kinds *kind.Catalogue, trust folder.Reading, dirs ...string) (map[string][]byte, error) {
	return crew.Until(ctx, func() (map[string][]byte, error) {
		r, err := report.Read(ctx, kinds, trust, dirs...)
		if err != nil {
			return nil, err
		}
		return r.Files()
	})
}
