package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

// runsFlags are the flags of kedge runs.
type runsFlags struct {
	tags   []string
	only   string
	verify bool
	json   bool
}

func newRuns() *cobra.Command {
	var f runsFlags
	c := &cobra.Command{
		Use:   "runs [DIR...]",
		Short: "List result folders, the newest first",
		Long: `Find the results in and below folders, by default runs, and list them: when each was finished, what it is of, its seed and
turns, the method that came nearest to the optimum and its gap, size, tags.

In front of a folder stands · where its files have the names and sizes that were written, ✓ where --verify has read all of them and they
are what was written, ✗ where something differs; kedge verify says what. Links are not followed, hidden folders not looked into.

Tags are words of your own: kedge run --tag baseline, or kedge runs tag for a folder that is there. A folder keeps its tags when its
result is computed anew.

Exit codes: 0 done, 1 --verify has found files that were changed, 64 there is no such folder.`,
		Example: `  kedge runs
  kedge runs results /data/kedge --tag baseline --case polarized
  kedge runs --json | jq -r '.folders[].folder'
  kedge runs --verify`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringArrayVar(&f.tags, "tag", nil, "only folders with this tag (repeatable: with all of them)")
	c.Flags().StringVar(&f.only, "case", "", "only results of this case or spec")
	c.Flags().BoolVar(&f.verify, "verify", false, "read every file and compare it with what was written")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.AddCommand(newTag(), newUntag())
	return c
}

func newTag() *cobra.Command {
	return &cobra.Command{
		Use:   "tag DIR TAG...",
		Short: "Give a result folder tags",
		Long: `Add tags to a finished result folder and print those that it has then. A tag has up to 64 letters, digits and . _ : + = @ -
and begins with a letter or a digit. Tags are kept in tags.json, outside the sealed list of files, with a checksum of its own.`,
		Example: `  kedge runs tag runs/polarized baseline paper
  kedge runs --tag baseline`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return retag(c.OutOrStdout(), args[0], args[1:], nil) },
	}
}

func newUntag() *cobra.Command {
	return &cobra.Command{
		Use:     "untag DIR TAG...",
		Short:   "Take tags from a result folder",
		Long:    `Take tags from a finished result folder and print those that it has then. A tag that the folder has not is no mistake.`,
		Example: `  kedge runs untag runs/polarized baseline`,
		Args:    cobra.MinimumNArgs(2),
		RunE:    func(c *cobra.Command, args []string) error { return retag(c.OutOrStdout(), args[0], nil, args[1:]) },
	}
}

func retag(w io.Writer, dir string, add, remove []string) error {
	tags, err := folder.Retag(dir, add, remove)
	if err != nil {
		return err
	}
	return say(w, dir+": "+strings.Join(tags, " "))
}

func (f *runsFlags) run(c *cobra.Command, dirs []string) error {
	if len(dirs) == 0 {
		dirs = []string{"runs"}
	}
	found, err := folder.List(c.Context(), f.verify, dirs...)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; results are in the folders that --out names, by default below runs", err)
	}
	if err != nil {
		return interrupted(c, err)
	}
	found.Folders = slices.DeleteFunc(found.Folders, func(one folder.Listed) bool { return !f.wants(one) })
	if f.json {
		err = folder.WriteJSON(c.OutOrStdout(), found)
	} else {
		err = show(c.OutOrStdout(), listed(found)...)
	}
	changed := slices.ContainsFunc(found.Folders, func(one folder.Listed) bool { return one.State == folder.SomeChanged })
	if err == nil && f.verify && changed {
		return exit.Failure(errors.New("some folders are not as they were written; kedge verify says in what"))
	}
	return err
}

func (f *runsFlags) wants(one folder.Listed) bool {
	lacks := func(tag string) bool { return !slices.Contains(one.Tags, tag) }
	return (f.only == "" || f.only == one.Case) && !slices.ContainsFunc(f.tags, lacks)
}

// listed shows a listing: a table as wide as it must be, and what is to be known of it.
func listed(found *folder.Listing) []page.Piece {
	pieces := []page.Piece{tableOf(found.Folders)}
	if len(found.Folders) == 0 {
		pieces = []page.Piece{page.Plainly{"no results"}}
	}
	for _, one := range found.Folders {
		for _, problem := range one.Problems {
			pieces = append(pieces, page.Caution(one.Dir+": "+problem))
		}
	}
	for _, text := range found.Skipped {
		pieces = append(pieces, page.Caution("not looked into: "+text))
	}
	if found.Cut {
		pieces = append(pieces, page.Caution("there are more names than are looked at: name folders further down"))
	}
	return pieces
}

func tableOf(list []folder.Listed) page.TextTable {
	t := page.TextTable{Columns: page.Heads("finished (UTC)", "kind", "case", "seed", "turns", "best", "gap", "size", "tags", "folder"), Rows: lists.Of(list, rowOf)}
	for _, name := range []int{1, 2, 5, 8, 9} {
		t.Columns[name].Numeric = false
	}
	for i := range t.Columns {
		t.Brief = append(t.Brief, i)
		wide := page.PrintedWidth(t.Columns[i].Name)
		for _, row := range t.Rows {
			wide = max(wide, page.PrintedWidth(phrase.Safe(row[i].Text)))
		}
		if !t.Columns[i].Numeric {
			wide = -wide
		}
		t.Columns[i].Wide = wide
	}
	t.Columns[len(t.Columns)-1].Wide = 0
	return t
}

func rowOf(one folder.Listed) []page.TextCell {
	turns, best, gap := phrase.Absent, phrase.Absent, phrase.Absent
	if one.Turns > 0 {
		turns = strconv.Itoa(one.Turns)
	}
	if one.Partial {
		turns += " (partial)"
	}
	if one.Best != nil {
		best, gap = one.Best.Method, phrase.Percent(one.Best.Gap)
	}
	mark := map[folder.Wholeness]string{folder.NotAllRead: "· ", folder.AllAsWritten: "✓ ", folder.SomeChanged: "✗ "}[one.State]
	return lists.Of([]string{one.Finished.Format(time.DateTime), string(one.Kind), one.Case, strconv.FormatUint(one.Seed, 10), turns, best, gap,
		room.Size(float64(one.Bytes)), strings.Join(one.Tags, " "), mark + one.Dir}, func(text string) page.TextCell { return page.Words(text) })
}
